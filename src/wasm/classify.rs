//! Responses and errors.

use crate::classify::{
    ErrorFacts, ErrorKind, Hints, HttpOptions, error_kind, http_outcome, is_idempotent_method, is_retryable_status,
    parse_http_date, parse_retry_after,
};

/// [`parse_retry_after`]; NaN is none.
pub fn retry_after(value: &str, now: f64) -> f64 {
    parse_retry_after(value, now).unwrap_or(f64::NAN)
}

/// [`parse_http_date`]; NaN is none.
pub fn http_date(value: &str, now: f64) -> f64 {
    parse_http_date(value, now).unwrap_or(f64::NAN)
}

/// [`is_retryable_status`] of any number.
pub fn retryable_status(value: f64) -> bool {
    is_retryable_status(status(value))
}

/// [`is_idempotent_method`].
pub fn idempotent_method(method: &str) -> bool {
    is_idempotent_method(method)
}

/// [`http_outcome`]: whether to retry, and how soon (NaN is none). `idempotent` negative means unknown; `hints` are
/// [`Hints::bits`].
#[inline]
pub fn response(
    value: f64,
    header: impl Fn(&str) -> Option<&'static str>,
    now: f64,
    idempotent: i32,
    hints: i32,
) -> (bool, f64) {
    let mut options = HttpOptions::new().hints(Hints::from_bits(hints as u8));
    options.idempotent = if idempotent < 0 { None } else { Some(idempotent > 0) };
    let outcome = http_outcome(status(value), header, now, &options);
    (outcome.retryable, outcome.retry_after_ms.unwrap_or(f64::NAN))
}

/// [`error_kind`] as a number: 0 other, 1 network, 2 timeout, 3 both, 4 abort.
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

/// A text up to its first zero byte, and what follows.
#[inline(never)]
fn until_zero(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| byte == 0).unwrap_or(text.len());
    (text.get(..end).unwrap_or(""), text.get(end + 1..).unwrap_or(""))
}

/// Three strings in one, each but the last ended by a zero byte: name, code, message.
#[inline]
pub fn facts(text: &str) -> ErrorFacts<'_> {
    let (name, rest) = until_zero(text);
    let (code, message) = until_zero(rest);
    ErrorFacts { name, code, message }
}

/// A number that is no HTTP status becomes 0, which is none either.
fn status(value: f64) -> u16 {
    let status = value as u16;
    if f64::from(status) == value { status } else { 0 }
}
