//! Fields beyond `Retry-After` that say when, or whether, to come back.

use core::ops::{BitOr, BitOrAssign};

use super::retry_after::decimal;
use super::words::{CASE, groups};
use crate::number::ceil_ms;

/// The longest wait a reset field is believed to mean: 31 days, the longest quota in use being a calendar month.
const RESET_HORIZON_MS: f64 = 31.0 * 86_400_000.0;

/// A clock below this, 9 September 2001, does not count from the epoch.
const WALL_CLOCK_MS: f64 = 1e12;

/// Which response fields [`http_outcome`](super::http_outcome) reads beside `Retry-After`. The default is none.
///
/// None of them is a standard of the IETF; each is a habit of some servers, so each is switched on by itself, and
/// combined with `|`. `Retry-After`, when it can be read, comes first; then these in the order below, the first that
/// can be read wins. A value that cannot be read is passed over.
///
/// | hint | read as | who sends it |
/// | --- | --- | --- |
/// | [`RETRY_AFTER_MS`](Self::RETRY_AFTER_MS) | milliseconds | OpenAI, Azure |
/// | [`X_MS_RETRY_AFTER_MS`](Self::X_MS_RETRY_AFTER_MS) | milliseconds | Azure |
/// | [`RATE_LIMIT_RESET`](Self::RATE_LIMIT_RESET) | seconds, or a moment | IETF draft "RateLimit fields", 00 to 06 |
/// | [`X_RATE_LIMIT_RESET`](Self::X_RATE_LIMIT_RESET) | a moment, or seconds | GitHub, Discord, X and many more |
/// | [`X_SHOULD_RETRY`](Self::X_SHOULD_RETRY) | `true` or `false` | OpenAI, Anthropic |
///
/// The single `RateLimit` field of the later drafts (`"default";r=0;t=30`) is not read: its form has changed from draft
/// to draft.
///
/// ```
/// use retry_primitives::classify::{Hints, HttpOptions, http_outcome};
///
/// let header = |name: &str| (name == "retry-after-ms").then_some("62.5");
/// let options = HttpOptions::new().hints(Hints::RETRY_AFTER_MS | Hints::X_SHOULD_RETRY);
/// assert_eq!(http_outcome(429, header, 0.0, &options).retry_after_ms, Some(63.0));
/// assert_eq!(http_outcome(429, header, 0.0, &HttpOptions::new()).retry_after_ms, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints(u8);

impl Hints {
    /// Only `Retry-After`, the default.
    pub const NONE: Self = Self(0);
    /// `retry-after-ms`: milliseconds, a fraction allowed (as `parseFloat` in OpenAI's and `Number` in Azure's SDK allow
    /// it) and rounded up. Those SDKs read it before `Retry-After`; here the standard field comes first.
    pub const RETRY_AFTER_MS: Self = Self(1);
    /// `x-ms-retry-after-ms`: as [`RETRY_AFTER_MS`](Self::RETRY_AFTER_MS).
    pub const X_MS_RETRY_AFTER_MS: Self = Self(1 << 1);
    /// `RateLimit-Reset`: when the quota is renewed. Read only on a 429: servers send it with every response, and after a
    /// 500 the renewal of a quota that is not used up is no reason to wait.
    ///
    /// The draft says seconds from now, but moments are sent under this name too. The value, a fraction allowed, is
    /// seconds when it is at most 31 days; else a moment in epoch seconds, or else in epoch milliseconds, when that is at
    /// most 31 days from `now` to either side (a past one gives 0); else it is passed over, so no misread value can
    /// cause a wait of years. The three ranges do not meet once `now` is past 2001; below that it is no clock of the
    /// epoch (`performance.now()`), and only seconds are believed.
    pub const RATE_LIMIT_RESET: Self = Self(1 << 2);
    /// `X-RateLimit-Reset`: as [`RATE_LIMIT_RESET`](Self::RATE_LIMIT_RESET); mostly a moment in epoch seconds.
    pub const X_RATE_LIMIT_RESET: Self = Self(1 << 3);
    /// `x-should-retry`: the server's own word. `false` stops, whatever the status. `true` retries whatever the status
    /// and the method, because only the server knows that it did nothing: so do OpenAI's and Anthropic's SDKs. It turns no
    /// 2xx into a failure. Leave it out when the server's word is not enough for you to repeat a POST.
    pub const X_SHOULD_RETRY: Self = Self(1 << 4);
    /// All of them.
    pub const ALL: Self = Self(0b1_1111);

    /// The hints of both; `|` does the same outside of constants.
    ///
    /// ```
    /// use retry_primitives::classify::Hints;
    ///
    /// const AZURE: Hints = Hints::RETRY_AFTER_MS.union(Hints::X_MS_RETRY_AFTER_MS);
    /// assert_eq!(AZURE, Hints::RETRY_AFTER_MS | Hints::X_MS_RETRY_AFTER_MS);
    /// ```
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every hint of `other` is among these.
    ///
    /// ```
    /// use retry_primitives::classify::Hints;
    ///
    /// assert!(Hints::ALL.contains(Hints::X_SHOULD_RETRY));
    /// assert!(!Hints::NONE.contains(Hints::X_SHOULD_RETRY));
    /// ```
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// As a number, for a boundary that passes nothing else: bit 0 is `RETRY_AFTER_MS`, then in the order of the constants.
    ///
    /// ```
    /// use retry_primitives::classify::Hints;
    ///
    /// assert_eq!(Hints::from_bits(Hints::ALL.bits()), Hints::ALL);
    /// ```
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From [`bits`](Self::bits); unknown bits are dropped.
    ///
    /// ```
    /// use retry_primitives::classify::Hints;
    ///
    /// assert_eq!(Hints::from_bits(0), Hints::NONE);
    /// assert_eq!(Hints::from_bits(u8::MAX), Hints::ALL);
    /// ```
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }
}

impl BitOr for Hints {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl BitOrAssign for Hints {
    fn bitor_assign(&mut self, other: Self) {
        *self = self.union(other);
    }
}

/// A trimmed `retry-after-ms`; NaN is none.
#[inline]
pub(super) fn milliseconds(value: &[u8]) -> f64 {
    let value = decimal(value);
    if value.is_nan() { value } else { ceil_ms(value) }
}

/// A trimmed `ratelimit-reset` at `now`: milliseconds to wait; NaN is none.
#[inline]
pub(super) fn reset(value: &[u8], now: f64) -> f64 {
    let value = decimal(value);
    let far = |wait: f64| wait.abs() > RESET_HORIZON_MS;
    let mut wait = value * 1e3;
    if far(wait) && now >= WALL_CLOCK_MS {
        wait -= now;
        if far(wait) {
            wait = value - now;
        }
    }
    if wait.is_nan() || far(wait) { f64::NAN } else { ceil_ms(wait) }
}

/// The server's word in a trimmed `x-should-retry` value: 2 to retry, 1 not to, 0 is none.
#[inline]
pub(super) fn should_retry(value: &[u8]) -> u32 {
    groups("false\n\ntrue\n", value, CASE, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_SAFE_MS;
    use crate::classify::http::{FIRST_HINT, FIRST_QUOTA, SHOULD_RETRY, parse};
    use crate::classify::retry_after::some;

    const NOW: f64 = 1_758_124_800_000.0; // Wed, 17 Sep 2025 16:00:00 GMT

    fn at(field: usize, value: &str, now: f64) -> Option<f64> {
        some(parse(field, value.as_bytes(), now))
    }

    fn reset(value: &str, now: f64) -> Option<f64> {
        assert_eq!(at(FIRST_QUOTA, value, now), at(FIRST_QUOTA + 1, value, now));
        at(FIRST_QUOTA, value, now)
    }

    #[test]
    fn milliseconds_round_up() {
        for (value, ms) in [("0", 0.0), ("250", 250.0), ("62.5", 63.0), ("0.001", 1.0), (" 7 ", 7.0)] {
            assert_eq!(at(FIRST_HINT, value, NOW), Some(ms), "{value}");
        }
        assert_eq!(at(FIRST_HINT, "99999999999999999999", NOW), Some(MAX_SAFE_MS));
        for value in ["", "-1", "1s", "1e3", "NaN", "1,5"] {
            assert_eq!(at(FIRST_HINT, value, NOW), None, "{value}");
        }
    }

    #[test]
    fn a_reset_in_seconds() {
        for (value, ms) in [("0", 0.0), ("30", 30_000.0), ("1.25", 1_250.0), ("2678400", 2_678_400_000.0)] {
            assert_eq!(reset(value, NOW), Some(ms), "{value}");
        }
    }

    #[test]
    fn a_reset_as_a_moment() {
        assert_eq!(reset("1758124860", NOW), Some(60_000.0));
        assert_eq!(reset("1758124860.25", NOW), Some(60_250.0));
        assert_eq!(reset("1758124860000", NOW), Some(60_000.0));
        assert_eq!(reset("1758124799", NOW), Some(0.0));
        assert_eq!(reset("1758124799000", NOW), Some(0.0));
    }

    #[test]
    fn an_absurd_reset_is_none() {
        for value in [
            "2678401",
            "31536000",
            "1000000000",
            "1790000000",
            "1790000000000",
            "1758124860000000",
            "99999999999999999999",
        ] {
            assert_eq!(reset(value, NOW), None, "{value}");
        }
        let nines = [b'9'; 400];
        assert_eq!(reset(core::str::from_utf8(&nines).unwrap(), NOW), None);
    }

    #[test]
    fn the_three_readings_never_meet() {
        let horizon = RESET_HORIZON_MS / 1e3;
        for now in [WALL_CLOCK_MS, NOW, 4e12, 2.5e14, MAX_SAFE_MS] {
            assert!(horizon < now / 1e3 - horizon);
            assert!(now / 1e3 + horizon < now - RESET_HORIZON_MS);
        }
    }

    #[test]
    fn a_clock_that_starts_at_zero_believes_only_seconds() {
        assert_eq!(reset("60", 50_000.0), Some(60_000.0));
        for moment in ["1758124860", "1758124860000", "2678401"] {
            assert_eq!(reset(moment, 50_000.0), None, "{moment}");
        }
    }

    #[test]
    fn a_reset_survives_any_clock() {
        for now in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(reset("60", now), Some(60_000.0));
            assert_eq!(reset("1758124860", now), None);
        }
    }

    #[test]
    fn should_retry() {
        for (value, word) in
            [("true", 2.0), (" False ", 1.0), ("", 0.0), ("1", 0.0), ("yes", 0.0), ("true, false", 0.0)]
        {
            assert_eq!(at(SHOULD_RETRY, value, NOW), Some(word), "{value}");
        }
    }

    #[test]
    fn all_is_every_one() {
        let mut all = Hints::X_SHOULD_RETRY;
        for hint in
            [Hints::RETRY_AFTER_MS, Hints::X_MS_RETRY_AFTER_MS, Hints::RATE_LIMIT_RESET, Hints::X_RATE_LIMIT_RESET]
        {
            assert!(!all.contains(hint));
            all |= hint;
        }
        assert_eq!(all, Hints::ALL);
        assert_eq!(Hints::default(), Hints::NONE);
    }
}
