//! A curve of one's own.

use super::{Builder, Curve};

/// The curve that a function draws; see [`backoff`].
#[derive(Clone, Copy, Debug)]
pub struct Custom<F> {
    delay_for: F,
}

/// Waits as long as `delay_for(attempt, prev_delay_ms, random)` says, in milliseconds, with the limits, cap and jitter
/// of every policy around it.
///
/// `attempt` is 1 after the first attempt failed; `prev_delay_ms` is the wait before that attempt, 0 for the first;
/// `random` draws from the source that the caller of the policy passed. A negative result is 0; one that is not a
/// number, or too large, is the cap.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::{Jitter, backoff};
///
/// // The schedule of Standard Webhooks: 5 s, 5 min, 30 min, 2 h, 5 h.
/// let schedule = [5.0, 300.0, 1_800.0, 7_200.0, 18_000.0];
/// let policy = backoff(move |attempt, _, _| 1e3 * schedule[(attempt as usize - 1).min(schedule.len() - 1)])
///     .max_attempts(4)
///     .unlimited_delay()
///     .jitter(Jitter::None)
///     .build()?;
/// let waits: Vec<_> = policy.preview(|| 0.0).take(10).collect();
/// assert_eq!(waits, [5, 300, 1_800].map(Duration::from_secs));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn backoff<F>(delay_for: F) -> Builder<Custom<F>>
where
    F: Fn(u64, f64, &mut dyn FnMut() -> f64) -> f64,
{
    Builder::new(Custom { delay_for })
}

impl<F> Curve for Custom<F>
where
    F: Fn(u64, f64, &mut dyn FnMut() -> f64) -> f64,
{
    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, prev_delay_ms: f64, random: &mut R) -> f64 {
        (self.delay_for)(attempt, prev_delay_ms, random)
    }
}
