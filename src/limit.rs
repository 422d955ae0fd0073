//! Is there a permit for this call, and if not, when?
//!
//! A token bucket, kept as the one moment at which it will be full again (the "theoretical arrival time" of the generic cell
//! rate algorithm): a call takes a permit while one is there, and permits come back evenly.
//!
//! ```
//! use core::time::Duration;
//! use retry_primitives::limit::rate_limit;
//!
//! let limit = rate_limit(2, Duration::from_secs(1))?;
//! let (full_at, first) = limit.take(0.0, 0.0);
//! let (full_at, second) = limit.take(full_at, 0.0);
//! let (_, third) = limit.take(full_at, 100.0);
//! assert_eq!((first, second, third), (Ok(()), Ok(()), Err(400.0)));
//! # Ok::<(), retry_primitives::OptionError>(())
//! ```

use core::time::Duration;

use crate::OptionError;
use crate::number::{MAX_SAFE_MS, ceil_ms, duration_ms, finite_time};

/// So many calls in a window, all at once if need be; see [`rate_limit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateLimit {
    pub(crate) permits: f64,
    pub(crate) window_ms: f64,
}

/// At most `permits` calls at once, and as many in each `window` after that.
///
/// # Errors
/// `permits` of 0, or a `window` of 0.
pub fn rate_limit(permits: u32, window: Duration) -> Result<RateLimit, OptionError> {
    if permits == 0 {
        return Err(OptionError::new("permits", "at least 1", 0.0));
    }
    if window == Duration::ZERO {
        return Err(OptionError::new("window", "more than 0 ms", 0.0));
    }
    Ok(RateLimit { permits: f64::from(permits), window_ms: duration_ms(window) })
}

impl RateLimit {
    /// Takes a permit at `now`, or says in how many whole milliseconds one may be there.
    ///
    /// `full_at` is what the last call gave back, and for the first any moment up to `now`. A clock that jumps back makes
    /// nobody wait longer than the window.
    #[inline]
    pub fn take(&self, full_at: f64, now: f64) -> (f64, Result<(), f64>) {
        let now = finite_time(now);
        let interval_ms = self.window_ms / self.permits;
        let missing_ms = full_at - now;
        // A NaN is a full bucket.
        let missing_ms = if missing_ms > 0.0 { missing_ms.min(self.window_ms) } else { 0.0 };
        let wait_ms = missing_ms - (self.window_ms - interval_ms);
        // What sums of a fraction are off by is no reason to wait.
        if wait_ms <= interval_ms * 1e-6 {
            ((now + missing_ms + interval_ms).min(2.0 * MAX_SAFE_MS), Ok(()))
        } else {
            (full_at, Err(ceil_ms(wait_ms)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many permits a row of calls gets at these moments.
    fn taken(permits: u32, window_ms: u64, moments: impl IntoIterator<Item = f64>) -> u32 {
        let limit = rate_limit(permits, Duration::from_millis(window_ms)).unwrap();
        let mut full_at = 0.0;
        let mut count = 0;
        for now in moments {
            let answer;
            (full_at, answer) = limit.take(full_at, now);
            count += u32::from(answer.is_ok());
        }
        count
    }

    #[test]
    fn exactly_the_permits_at_once_and_again_after_the_window() {
        for permits in [1, 2, 3, 7, 10, 49, 1_000, 30_011] {
            for window_ms in [1, 7, 1_000, 60_000] {
                let times = permits as usize + 5;
                assert_eq!(
                    taken(permits, window_ms, core::iter::repeat_n(0.0, times)),
                    permits,
                    "{permits} {window_ms}"
                );
                let twice = core::iter::repeat_n(0.0, times).chain(core::iter::repeat_n(window_ms as f64, times));
                assert_eq!(taken(permits, window_ms, twice), 2 * permits, "{permits} {window_ms}");
            }
        }
    }

    #[test]
    fn permits_come_back_evenly() {
        // Ten a second, asked for every ten milliseconds for ten seconds: the ten there were and ten a second.
        let moments = (0..1_000).map(|step| f64::from(step) * 10.0);
        assert_eq!(taken(10, 1_000, moments), 10 + 99);
    }

    #[test]
    fn the_wait_that_is_named_is_enough_and_no_shorter_one_is() {
        let limit = rate_limit(3, Duration::from_secs(1)).unwrap();
        let mut full_at = 0.0;
        for _ in 0..3 {
            full_at = limit.take(full_at, 5.0).0;
        }
        let (same, Err(wait_ms)) = limit.take(full_at, 5.0) else { panic!("admitted") };
        assert_eq!((same, wait_ms), (full_at, 334.0));
        assert!(limit.take(full_at, 5.0 + 333.0).1.is_err());
        assert!(limit.take(full_at, 5.0 + 334.0).1.is_ok());
    }

    /// Case 21 from the field: a clock that jumps back an hour, or forward a year.
    #[test]
    fn a_clock_that_jumps_costs_no_more_than_a_window() {
        let limit = rate_limit(1, Duration::from_secs(1)).unwrap();
        let (full_at, _) = limit.take(0.0, 3_600_000.0);
        assert_eq!(limit.take(full_at, 0.0).1, Err(1_000.0));
        assert_eq!(limit.take(full_at, 3.2e10).1, Ok(()));
        for full_at in [f64::NAN, f64::NEG_INFINITY, -1e300] {
            assert_eq!(limit.take(full_at, 0.0).1, Ok(()));
        }
        for now in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let (full_at, _) = limit.take(f64::INFINITY, now);
            assert!(!limit.take(full_at, now).0.is_nan());
        }
    }

    #[test]
    fn options_out_of_range_are_named() {
        assert_eq!(rate_limit(0, Duration::from_secs(1)).unwrap_err().option(), "permits");
        assert_eq!(rate_limit(1, Duration::ZERO).unwrap_err().option(), "window");
    }
}
