//! What Cloudflare's platform takes, as numbers.

use crate::breaker::CallResult;
use crate::number::{ceil_ms, floor_ms, unit};

/// The last moment that an alarm is armed for, the first of January 2189, in milliseconds since 1970: the platform
/// refuses "dates after 2189". An operation that is due later is woken then, and armed again.
pub const MAX_ALARM: f64 = 6_911_049_600_000.0;

/// The longest a queue holds a message back: 24 hours, in seconds.
pub const MAX_DELAY_SECONDS: u32 = 86_400;

/// By how much of the time that a breaker refuses for an operation is put off longer than that, at random, so that all
/// that wait for one dependency don't come back in one instant.
pub const POSTPONE_JITTER: f64 = 0.1;

/// The least time to live of a key in KV, in milliseconds.
pub(crate) const MIN_KEEP_MS: f64 = 60_000.0;

/// How long after an attempt's timeout the dead-man alarm waits, in milliseconds, so that it never meets an attempt
/// still being made.
pub(crate) const GRACE_MS: f64 = 5_000.0;

/// The moment that an alarm wanted at `due` can be armed for: whole, after `now`, and not past [`MAX_ALARM`].
///
/// A moment that has passed becomes `now + 1`, since an alarm set for this very millisecond by its own handler can get
/// lost; so does one that is not a number.
pub fn armable(due: f64, now: f64) -> f64 {
    let first = floor_ms(now) + 1.0;
    if due > first { ceil_ms(due).min(MAX_ALARM) } else { first }
}

/// Whole seconds, rounded up so that no floor is undercut, and no more than a queue takes.
pub(crate) fn seconds(delay_ms: f64) -> u32 {
    (ceil_ms(delay_ms / 1e3) as u32).min(MAX_DELAY_SECONDS)
}

/// The attempts that a message's count of deliveries stands for, this one not included.
pub(crate) fn deliveries_before(deliveries: f64) -> u64 {
    (deliveries as u64).saturating_sub(1)
}

/// When an operation comes back whose breaker refuses for `retry_after_ms`.
pub(crate) fn put_off(now: f64, retry_after_ms: f64, random: f64) -> f64 {
    now + retry_after_ms * (1.0 + POSTPONE_JITTER * unit(random))
}

/// What KV is told: at least its minimum, and past the end of an opening. Ten years are as good as for ever.
pub(crate) fn seconds_to_live(keep_ms: f64, retry_after_ms: f64) -> f64 {
    const TEN_YEARS: f64 = 10.0 * 365.0 * 86_400.0;
    let seconds = ceil_ms(keep_ms / 1e3).max(ceil_ms(retry_after_ms / 1e3) + MIN_KEEP_MS / 1e3);
    seconds.min(TEN_YEARS)
}

/// What an HTTP attempt says of its host.
pub(crate) fn judge(status: Option<u16>, is_success: bool) -> CallResult {
    match status {
        Some(408 | 429 | 500..) => CallResult::Failure,
        Some(_) => CallResult::Success,
        None if is_success => CallResult::Success,
        None => CallResult::Failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_is_armed_for_the_moment_itself() {
        assert_eq!(armable(1_758_124_805_000.0, 1_758_124_800_000.0), 1_758_124_805_000.0);
        assert_eq!(armable(10.25, 1.0), 11.0);
    }

    /// A past time fires at once; a time of now can get lost inside the handler; zero and less throw.
    #[test]
    fn a_moment_that_has_passed_is_armed_just_after_now() {
        for due in [f64::NEG_INFINITY, -5.0, 0.0, 99.0, 100.0, 100.5, f64::NAN] {
            assert_eq!(armable(due, 100.0), 101.0, "{due}");
        }
        assert_eq!(armable(0.0, 100.7), 101.0);
    }

    #[test]
    fn no_alarm_is_past_the_last_date() {
        assert_eq!(armable(f64::INFINITY, 100.0), MAX_ALARM);
        assert_eq!(armable(crate::MAX_SAFE_MS, 100.0), MAX_ALARM);
    }

    /// Platform: `attempts` starts at 1.
    #[test]
    fn the_first_delivery_is_the_first_attempt() {
        for (deliveries, before) in [(1.0, 0), (4.0, 3), (0.0, 0), (f64::NAN, 0)] {
            assert_eq!(deliveries_before(deliveries), before);
        }
    }

    /// Platform: `delaySeconds` is at most 86,400.
    #[test]
    fn a_delay_is_rounded_up_and_clamped() {
        for (ms, whole) in
            [(0.0, 0), (1.0, 1), (1_000.0, 1), (1_001.0, 2), (30_000.0, 30), (86_400_001.0, 86_400), (9e15, 86_400)]
        {
            assert_eq!(seconds(ms), whole, "{ms}");
        }
    }

    /// Case 26: openMs 5 s in KV: TTL clamped to 60 s or more. An opening must not vanish before its end.
    #[test]
    fn a_key_lives_a_minute_at_least_and_longer_than_its_opening() {
        for (keep_ms, retry_after_ms, expected) in [
            (5_000.0, 0.0, 60.0),
            (0.0, 5_000.0, 65.0),
            (60_000.0, 0.0, 60.0),
            (60_001.0, 0.0, 61.0),
            (86_400_000.0, 30_000.0, 86_400.0),
            (60_000.0, 7_200_000.0, 7_260.0),
            (f64::MAX, crate::MAX_SAFE_MS, 315_360_000.0),
        ] {
            assert_eq!(seconds_to_live(keep_ms, retry_after_ms), expected, "{keep_ms} {retry_after_ms}");
        }
    }

    #[test]
    fn a_host_is_ill_when_it_does_not_answer_or_says_so() {
        for status in [408, 429, 500, 501, 503, 504, 599] {
            assert_eq!(judge(Some(status), false), CallResult::Failure, "{status}");
        }
        for status in [200, 204, 302, 400, 401, 404, 410, 425] {
            assert_eq!(judge(Some(status), false), CallResult::Success, "{status}");
        }
        assert_eq!(judge(None, false), CallResult::Failure);
        assert_eq!(judge(None, true), CallResult::Success);
    }
}
