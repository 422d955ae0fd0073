//! A fetch's answer as a report.

use worker::{Response, Result};

use crate::{
    Outcome,
    classify::{HttpOptions, http_outcome},
    operation::Report,
};

/// What the answer to a request says of the attempt: any 2xx is success; other statuses and `Retry-After` are read by
/// [`http_outcome`]; a request that got no answer may be repeated.
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
        Err(error) => Report::failure(Outcome::RETRYABLE).with_error(alloc::string::ToString::to_string(&error)),
    }
}
