//! The `Retry-After` field.

use super::http_date::moment;
use crate::number::ceil_ms;

/// Milliseconds from `now` until the moment a `Retry-After` value names; `None` when it names none.
///
/// - `value`: the field's value, in either form of RFC 9110, 10.2.3: delay-seconds (`120`) or an HTTP-date, see
///   [`parse_http_date`](super::parse_http_date). Spaces and tabs around it are ignored.
/// - `now`: epoch milliseconds; only a date is measured against it.
///
/// The answer is a whole number in 0 to [`MAX_SAFE_MS`](crate::MAX_SAFE_MS): `0` and a date in the past are `Some(0.0)`, and a number too
/// large saturates. Everything else is `None`, which leaves the decision to the policy's own curve: `-3`, `+5`, `1.5`,
/// `1e3`, `120 s`, an empty value. A lenient date parser reads `1.5` as a day in 2001, which would mean "at once".
///
/// ```
/// use retry_primitives::classify::parse_retry_after;
///
/// let now = 784_111_777_000.0; // Sun, 06 Nov 1994 08:49:37 GMT
/// assert_eq!(parse_retry_after("120", now), Some(120_000.0));
/// assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(10_000.0));
/// assert_eq!(parse_retry_after("1.5", now), None);
/// ```
pub fn parse_retry_after(value: &str, now: f64) -> Option<f64> {
    some(retry_after(trim(value.as_bytes()), now))
}

/// [`parse_retry_after`] of a trimmed value; NaN is none.
#[inline]
pub(super) fn retry_after(value: &[u8], now: f64) -> f64 {
    let seconds = whole(value);
    if !seconds.is_nan() {
        return ceil_ms(seconds * 1e3);
    }
    let date = moment(value, now);
    if date.is_nan() { date } else { ceil_ms(date - now) }
}

/// Inside the crate NaN is none: a number is returned in a register, and an option of one through memory.
pub(super) fn some(value: f64) -> Option<f64> {
    if value.is_nan() { None } else { Some(value) }
}

/// 1*DIGIT, or NaN. A long run of digits grows to infinity, never to NaN; below 2^53 the sum is exact.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn whole(digits: &[u8]) -> f64 {
    let mut value = if digits.is_empty() { f64::NAN } else { 0.0 };
    for byte in digits {
        let digit = digit(*byte);
        if digit > 9 {
            return f64::NAN;
        }
        value = value * 10.0 + f64::from(digit);
    }
    value
}

/// An unsigned decimal number with at most one point and a digit on each side of it, or NaN: `250`, `62.5`.
#[inline]
pub(super) fn decimal(value: &[u8]) -> f64 {
    let point = value.iter().position(|byte| *byte == b'.').unwrap_or(value.len());
    let (before, [_, after @ ..]) = value.split_at_checked(point).unwrap_or_default() else { return whole(value) };
    if whole(after).is_nan() {
        return f64::NAN;
    }
    // From the last digit up, so that no scale grows out of range however many digits there are.
    whole(before) + after.iter().rev().fold(0.0, |sum, byte| (sum + f64::from(digit(*byte))) / 10.0)
}

/// 0 to 9, or more.
pub(super) const fn digit(byte: u8) -> u8 {
    byte.wrapping_sub(b'0')
}

/// Without the optional white space of RFC 9110, 5.6.3, around it.
pub(super) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_SAFE_MS;

    const NOW: f64 = 784_111_777_000.0; // Sun, 06 Nov 1994 08:49:37 GMT: `date -u -d @784111777`

    #[test]
    fn delay_seconds_are_milliseconds() {
        for (value, ms) in [("0", 0.0), ("120", 120_000.0), ("007", 7_000.0), ("1800", 1_800_000.0)] {
            assert_eq!(parse_retry_after(value, NOW), Some(ms), "{value}");
        }
    }

    #[test]
    fn a_number_too_large_saturates() {
        assert_eq!(parse_retry_after("9223372037", NOW), Some(9_223_372_037_000.0));
        assert_eq!(parse_retry_after("9007199254740", NOW), Some(9_007_199_254_740_000.0));
        assert_eq!(parse_retry_after("9007199254741", NOW), Some(MAX_SAFE_MS));
        assert_eq!(parse_retry_after("99999999999999999999", NOW), Some(MAX_SAFE_MS));
        let nines = [b'9'; 4096];
        assert_eq!(parse_retry_after(core::str::from_utf8(&nines).unwrap(), NOW), Some(MAX_SAFE_MS));
    }

    #[test]
    fn anything_else_is_none() {
        for value in [
            "",
            " ",
            "-3",
            "+5",
            "1.5",
            "1e3",
            "120 s",
            "120s",
            "1 20",
            "0x10",
            "1,000",
            "１２",
            "٣",
            "NaN",
            "Infinity",
            "120, 60",
            "\u{a0}120",
            "120\n",
            "\r120",
            "-0",
        ] {
            assert_eq!(parse_retry_after(value, NOW), None, "{value:?}");
        }
    }

    #[test]
    fn white_space_around_is_ignored() {
        assert_eq!(parse_retry_after(" \t120\t ", NOW), Some(120_000.0));
        assert_eq!(parse_retry_after("\tSun, 06 Nov 1994 08:49:38 GMT ", NOW), Some(1_000.0));
    }

    #[test]
    fn a_date_is_measured_from_now() {
        assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:51:37 GMT", NOW), Some(120_000.0));
        assert_eq!(parse_retry_after("Sunday, 06-Nov-94 08:51:37 GMT", NOW), Some(120_000.0));
        assert_eq!(parse_retry_after("Sun Nov  6 08:51:37 1994", NOW), Some(120_000.0));
        assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", NOW), Some(0.0));
        assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:49:36 GMT", NOW), Some(0.0));
        assert_eq!(parse_retry_after("Fri, 31 Dec 1999 23:59:59 GMT", 1_758_124_800_000.0), Some(0.0));
    }

    #[test]
    fn a_fraction_of_a_millisecond_is_waited_out() {
        assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:49:38 GMT", NOW + 0.5), Some(1_000.0));
    }

    #[test]
    fn no_clock_makes_it_nan_or_negative() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(parse_retry_after(date, f64::INFINITY), Some(0.0));
        assert_eq!(parse_retry_after(date, f64::NAN), Some(0.0));
        assert_eq!(parse_retry_after(date, f64::NEG_INFINITY), Some(MAX_SAFE_MS));
        assert_eq!(parse_retry_after("5", f64::NAN), Some(5_000.0));
    }

    #[test]
    fn decimals() {
        for (value, expected) in [("250", 250.0), ("62.5", 62.5), ("0.25", 0.25), ("7.0", 7.0)] {
            assert_eq!(some(decimal(value.as_bytes())), Some(expected), "{value}");
        }
        for value in ["", ".", "1.", ".5", "1.2.3", "-1", "1e3", "1 .5", " 1", "NaN"] {
            assert_eq!(some(decimal(value.as_bytes())), None, "{value}");
        }
    }
}
