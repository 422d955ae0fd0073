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
    use alloc::vec::Vec;

    use super::*;

    /// No url, with a token or a password in it, gets into a history.
    #[test]
    fn a_url_goes_with_all_that_follows() {
        let vectors: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../tests/vectors/words.json")).unwrap();
        for vector in vectors {
            assert_eq!(words(vector["text"].as_str().unwrap()), vector["expected"].as_str().unwrap());
        }
    }
}
