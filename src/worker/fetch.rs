//! A fetch's answer as a report.

use alloc::string::{String, ToString};

use worker::{Response, Result};

use crate::{
    Outcome,
    classify::{HttpOptions, http_outcome},
    operation::Report,
};

/// What the answer to a request says of the attempt: any 2xx is success; other statuses and `Retry-After` are read by
/// [`http_outcome`]; a request that got no answer may be repeated. Of the platform's error only the words are kept, so
/// that no url, with a token or a password in it, gets into a history.
pub fn report_fetch(answer: Result<Response>, options: &HttpOptions<'_>) -> Report {
    match answer {
        Ok(response) => {
            let status = response.status_code();
            let report = if (200..300).contains(&status) {
                Report::success()
            } else {
                let header = |name: &str| response.headers().get(name).ok().flatten();
                Report::failure(http_outcome(status, header, super::now(), options))
            };
            report.with_status(status)
        }
        Err(error) => Report::failure(Outcome::RETRYABLE).with_error(words(&error.to_string())),
    }
}

/// The text up to the first word that could be part of a url.
fn words(text: &str) -> String {
    let is_url = |(at, character)| match character {
        '/' | '?' | '#' | '@' | '%' | '&' => true,
        ':' => text[at + 1..].chars().next().is_some_and(|next| !next.is_whitespace()),
        _ => false,
    };
    match text.char_indices().find(|&place| is_url(place)) {
        None => text.to_string(),
        Some((url, _)) => {
            let before = text[..url].rfind(char::is_whitespace).map_or("", |space| &text[..space]);
            before.trim_end().to_string() + " ..."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_platform_says_stays() {
        for text in
            ["Error: Network connection lost.", "Error: internal error; reference = rg969p5dt2imh0m708gs3t20", ""]
        {
            assert_eq!(words(text), text);
        }
    }

    #[test]
    fn a_url_goes_with_all_that_follows() {
        for url in
            ["ftp://user:secret@example.com/?a=b", "http://us er:secret@x/", "/?a=b", "user:secret", "data:,secret"]
        {
            assert_eq!(
                words(&["TypeError: Fetch API cannot load:", url].join(" ")),
                "TypeError: Fetch API cannot load: ..."
            );
        }
        assert_eq!(words("Too many redirects.\u{2003}https://a/?secret, https://b/"), "Too many redirects. ...");
        assert_eq!(words("https://a/?secret").trim(), "...");
    }
}
