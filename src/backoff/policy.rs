//! A curve inside its limits.

use super::{Curve, Decision, Jitter, MAX_ATTEMPTS, Preview, RetryState, StopReason};
use crate::{
    Outcome,
    number::{ceil_ms, elapsed_ms, finite_time, round_ms},
};

/// A curve inside its limits: decides whether and when a failed attempt is repeated.
///
/// A policy is a plain value without state of its own; one serves any number of operations. The random source is any
/// function that gives a number in [0, 1): it is drawn from only when a jittered wait is really computed.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{Decision, Outcome, StopReason, backoff::linear};
///
/// let policy = linear(Duration::from_millis(100)).max_attempts(2).build()?;
/// let state = policy.init(0.0);
/// let (state, decision) = policy.next(state, 0.0, Outcome::RETRYABLE, || 0.5);
/// assert_eq!(decision.delay(), Some(Duration::from_millis(50)));
/// let (_, decision) = policy.next(state, 50.0, Outcome::RETRYABLE, || 0.5);
/// assert_eq!(decision.reason(), Some(StopReason::MaxAttempts));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy<C> {
    pub(crate) curve: C,
    pub(crate) jitter: Jitter,
    /// Infinite is none.
    pub(crate) max_attempts: f64,
    /// Infinite is none.
    pub(crate) deadline_ms: f64,
    /// Whole, at most `MAX_SAFE_MS`.
    pub(crate) max_delay_ms: f64,
}

impl<C> Policy<C> {
    /// One decision, with the wait from `delay_ms`, which is given the attempt and the previous wait.
    #[inline]
    pub(super) fn decide(
        &self,
        state: RetryState,
        now: f64,
        outcome: Outcome,
        delay_ms: impl FnOnce(u64, f64) -> f64,
    ) -> (RetryState, Decision) {
        let attempts = state.attempts.min(MAX_ATTEMPTS - 1) + 1;
        let started_at = finite_time(state.started_at);
        let elapsed_ms = elapsed_ms(now, started_at);
        let remaining_ms = (self.deadline_ms - elapsed_ms).max(0.0);
        let stop =
            |reason| (state, Decision::Stop { reason, attempts, remaining_ms, retry_after_ms: outcome.retry_after_ms });

        if !outcome.retryable {
            return stop(StopReason::NonRetryable);
        }
        if attempts as f64 >= self.max_attempts {
            return stop(StopReason::MaxAttempts);
        }
        let floor_ms = outcome.retry_after_ms.map_or(0.0, ceil_ms);
        if elapsed_ms + floor_ms >= self.deadline_ms {
            return stop(StopReason::Deadline);
        }
        let delay_ms = delay_ms(attempts, state.prev_delay_ms);
        let delay_ms = if delay_ms > floor_ms { delay_ms } else { floor_ms };
        if elapsed_ms + delay_ms >= self.deadline_ms {
            return stop(StopReason::Deadline);
        }
        (
            RetryState { attempts, started_at, prev_delay_ms: delay_ms },
            Decision::Retry { delay_ms, attempts, remaining_ms },
        )
    }

    /// A curve's wait, capped, in whole milliseconds.
    #[inline]
    pub(crate) fn capped(&self, curve_ms: f64) -> f64 {
        // A NaN fails the comparison and becomes the cap: when in doubt, the longer wait.
        round_ms(if curve_ms < self.max_delay_ms { curve_ms } else { self.max_delay_ms })
    }
}

impl<C: Curve> Policy<C> {
    /// The state of an operation that begins at `now`, in milliseconds on the caller's clock.
    pub fn init(&self, now: f64) -> RetryState {
        RetryState { attempts: 0, started_at: finite_time(now), prev_delay_ms: 0.0 }
    }

    /// Decides about an attempt that failed at `now`, and gives the state to keep until the next one. On a stop that is
    /// the state passed in. A start that no clock gives is taken as [`init`](Self::init) takes it: not a number is 0.
    #[inline]
    pub fn next(
        &self,
        state: RetryState,
        now: f64,
        outcome: Outcome,
        mut random: impl FnMut() -> f64,
    ) -> (RetryState, Decision) {
        self.decide(state, now, outcome, |attempt, prev_delay_ms| self.delay_ms(attempt, prev_delay_ms, &mut random))
    }

    /// What [`next`](Self::next) would decide, without advancing. A jittered policy draws a sample of its own.
    pub fn peek(&self, state: RetryState, now: f64, outcome: Outcome, random: impl FnMut() -> f64) -> Decision {
        self.next(state, now, outcome, random).1
    }

    /// The waits of an operation in which every attempt fails at once, on an imaginary clock that starts at 0.
    ///
    /// Use it to see in a test what a configuration does. It ends where the policy stops; with
    /// [`unlimited_attempts`](super::Builder::unlimited_attempts) never, so bound it with [`take`](Iterator::take).
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_primitives::backoff::{Jitter, exponential};
    ///
    /// let policy =
    ///     exponential(Duration::from_millis(100)).deadline(Duration::from_secs(1)).jitter(Jitter::None).build()?;
    /// let waits: Vec<_> = policy.preview(|| 0.0).collect();
    /// assert_eq!(waits, [100, 200, 400].map(Duration::from_millis)); // the fourth would end past the deadline
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    pub fn preview<R: FnMut() -> f64>(&self, random: R) -> Preview<'_, C, R> {
        self.preview_with(0.0, Outcome::RETRYABLE, random)
    }

    /// [`preview`](Self::preview) from a start of one's own, with every attempt failing with `outcome`.
    pub fn preview_with<R: FnMut() -> f64>(&self, now: f64, outcome: Outcome, random: R) -> Preview<'_, C, R> {
        Preview::new(self, now, outcome, random)
    }

    /// The curve's wait, capped and jittered, in whole milliseconds.
    #[inline]
    pub(crate) fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, prev_delay_ms: f64, random: &mut R) -> f64 {
        let curve_ms = self.curve.delay_ms(attempt, prev_delay_ms, random);
        if C::JITTERED {
            return self.capped(curve_ms);
        }
        let capped_ms = if curve_ms < self.max_delay_ms { curve_ms } else { self.max_delay_ms };
        self.capped(self.jitter.apply(capped_ms, random))
    }
}
