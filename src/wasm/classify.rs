//! Responses and errors.

use crate::classify::Field;
use crate::classify::{
    ErrorFacts, ErrorKind, Hints, error_kind, is_idempotent_method, outcome, parse_http_date, parse_retry_after,
};

/// What a text says: [`parse_retry_after`] with `question` 0, [`parse_http_date`] with 1, and 0 of an idempotent method
/// with 2. NaN is none.
#[inline]
pub fn read(question: i32, value: &str, now: f64) -> f64 {
    let answer = match question {
        0 => parse_retry_after(value, now),
        1 => parse_http_date(value, now),
        _ => is_idempotent_method(value).then_some(0.0),
    };
    answer.unwrap_or(f64::NAN)
}

/// What [`http_outcome`](crate::classify::http_outcome) says: how soon to retry (infinite is no word), or, if not at all,
/// that taken from -1. `hints` are [`Hints::bits`].
#[inline]
pub fn response(
    value: f64,
    header: impl Fn(i32) -> Option<&'static str>,
    now: f64,
    may_repeat: bool,
    hints: i32,
) -> f64 {
    // A number that is no status becomes 0, which is none either.
    let status = value as u16;
    let status = if f64::from(status) == value { status } else { 0 };
    let outcome = outcome(status, |field: Field| header(field as i32), now, Hints::from_bits(hints as u8), may_repeat);
    let retry_after_ms = outcome.retry_after_ms.unwrap_or(f64::INFINITY);
    if outcome.retryable { retry_after_ms } else { -1.0 - retry_after_ms }
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

/// What is known of an error.
pub const fn facts<'a>(name: &'a str, code: &'a str, message: &'a str) -> ErrorFacts<'a> {
    ErrorFacts { name, code, message }
}
