//! What a caller is told when a request can't be done.

use serde_json::json;
use worker::{Error, Response, Result};

/// An HTTP status and a sentence, with the field of the request that is at fault when there is one.
#[derive(Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) field: Option<String>,
    pub(crate) message: String,
    pub(crate) allow: Option<&'static str>,
}

impl Problem {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, field: None, message: message.into(), allow: None }
    }

    /// 400: the field, and what it must be. Of what the caller sent, no more than some words are sent back.
    pub(crate) fn field(field: &str, must: impl std::fmt::Display) -> Self {
        let (field, must) = (clip(field), clip(&must.to_string()));
        Self { message: format!("{field} {must}"), field: Some(field), ..Self::new(400, "") }
    }

    /// 405: the methods that there are here.
    pub(crate) fn method(allow: &'static str) -> Self {
        Self { allow: Some(allow), ..Self::new(405, format!("the methods here: {allow}")) }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(404, "there is nothing here")
    }

    pub(crate) fn response(self) -> Result<Response> {
        let response = Response::from_json(&json!({ "error": { "field": self.field, "message": self.message } }))?;
        let response = response.with_status(self.status);
        if let Some(allow) = self.allow {
            response.headers().set("allow", allow)?;
        }
        match self.status {
            401 => response.headers().set("www-authenticate", "Bearer")?,
            503 => response.headers().set("retry-after", "1")?,
            _ => {}
        }
        Ok(response)
    }
}

fn clip(text: &str) -> String {
    const LONGEST: usize = 300;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The platform failed, not the caller. Its words stay in the log: they may name what the caller should not see.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        worker::console_error!("{error}");
        Self::new(503, "the service could not do this just now; try again")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_not_sent_back_whole() {
        let problem = Problem::field(&"é".repeat(10_000), format_args!("is not {}", "x".repeat(10_000)));
        assert_eq!(problem.field.unwrap().chars().count(), 304);
        assert_eq!(problem.message.chars().count(), 304 + 1 + 304);
    }
}
