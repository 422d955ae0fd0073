//! Responses and errors.

use crate::classify::{ErrorFacts, ErrorKind, Hints, error_kind, is_idempotent_method, moment, outcome, parse};

/// What a text says: [`parse_retry_after`](crate::classify::parse_retry_after) with `question` 1,
/// [`parse_http_date`](crate::classify::parse_http_date) with 2, and 0 of an idempotent method with 3. NaN is none.
#[inline]
pub fn read(question: i32, value: &str, now: f64) -> f64 {
    match question {
        1 => parse(1, value.as_bytes(), now),
        2 => moment(value.as_bytes(), now),
        _ => {
            if is_idempotent_method(value) {
                0.0
            } else {
                f64::NAN
            }
        }
    }
}

/// What [`http_outcome`](crate::classify::http_outcome) says: how soon to retry (infinite is no word), or, if not at all,
/// that taken from -1. `hints` are [`Hints::bits`].
#[inline]
pub fn response(value: f64, header: impl Fn(usize) -> &'static str, now: f64, may_repeat: bool, hints: i32) -> f64 {
    // A number that is no status becomes 0, which is none either.
    let status = value as i32;
    let status = if f64::from(status) == value { status as u32 } else { 0 };
    let hints = Hints::from_bits(hints as u8);
    let (retryable, retry_after_ms) = outcome(status, |field| Some(header(field)), now, hints, may_repeat);
    let retry_after_ms = if retry_after_ms.is_nan() { f64::INFINITY } else { retry_after_ms };
    if retryable { retry_after_ms } else { -1.0 - retry_after_ms }
}

/// [`error_kind`] as bits: 1 of the network, 2 a timeout, 4 an abort.
#[inline]
pub fn error<'a>(chain: impl Iterator<Item = ErrorFacts<'a>>) -> i32 {
    match error_kind(chain) {
        ErrorKind::Other => 0,
        ErrorKind::Network => 1,
        ErrorKind::Timeout => 2,
        ErrorKind::NetworkTimeout => 3,
        ErrorKind::Abort => 4,
    }
}

/// Every code of an error that may be worth repeating, one a line, with empty lines between them.
#[inline]
pub fn retryable_codes() -> &'static str {
    crate::classify::retryable_codes()
}

/// What is known of an error.
pub const fn facts<'a>(name: &'a str, code: &'a str, message: &'a str) -> ErrorFacts<'a> {
    ErrorFacts { name, code, message }
}
