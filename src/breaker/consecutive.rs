//! *It failed five times in a row: is it down?* The breaker that counts failures in a row.

use super::Breaker;
use super::builder::BreakerBuilder;
use super::merge;
use super::recovery::{Ledger, Recovery};
use super::report::{CallResult, Report, Reported, Verdict};
use super::state::{BreakerState, RecoveryState, Status, breaker_state, one_more};
use crate::OptionError;
use crate::stored::COUNT;

/// A breaker that trips after `failure_threshold` failures in a row; any success resets the count.
///
/// The one to reach for by default. It is blind to a dependency that fails half the time, since such a run never gets
/// long: there, use [`rolling_breaker`](super::rolling_breaker).
///
/// `failure_threshold` is 1 to 2^53 - 1. The open time must be given; see [`BreakerBuilder`] for it and the other options.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, Status, consecutive_breaker};
///
/// let breaker = consecutive_breaker(3).open(Duration::from_secs(30)).build()?;
/// let mut state = breaker.init(0.0);
/// for _ in 0..3 {
///     state = breaker.fail(state, 100.0);
/// }
/// assert_eq!(state.status, Status::Open);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub const fn consecutive_breaker(failure_threshold: u64) -> BreakerBuilder<ConsecutiveOptions> {
    BreakerBuilder::new(ConsecutiveOptions { failure_threshold })
}

/// The options of a [`consecutive_breaker`] beyond those of [`BreakerBuilder`].
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::consecutive_breaker;
///
/// let error = consecutive_breaker(0).open(Duration::from_secs(30)).build().unwrap_err();
/// assert_eq!(error.to_string(), "failure_threshold must be a whole number from 1 to 9007199254740991, got 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConsecutiveOptions {
    failure_threshold: u64,
}

impl BreakerBuilder<ConsecutiveOptions> {
    /// Checks the options.
    ///
    /// # Errors
    /// [`OptionError`] for the first option that is missing or out of its range.
    pub fn build(self) -> Result<ConsecutiveBreaker, OptionError> {
        let failure_threshold = super::builder::at_least_one("failure_threshold", self.kind.failure_threshold)?;
        Ok(ConsecutiveBreaker { recovery: self.recovery()?, threshold: Threshold { failure_threshold } })
    }
}

/// Trips after failures in a row: made by [`consecutive_breaker`].
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, consecutive_breaker};
///
/// let breaker = consecutive_breaker(2).open(Duration::from_secs(30)).build()?;
/// let state = breaker.fail(breaker.init(0.0), 10.0);
/// assert_eq!(state.failures, 1);
/// assert_eq!(breaker.succeed(state, 20.0).failures, 0);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConsecutiveBreaker {
    pub(super) recovery: Recovery,
    pub(super) threshold: Threshold,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Threshold {
    pub(super) failure_threshold: u64,
}

/// The state of a [`ConsecutiveBreaker`].
///
/// JSON (feature `serde`): `{"status":"closed","changedAt":1758124800000,"probes":0,"successes":0,"failures":0}`, and
/// `openings`, `openForMs`, `aheadMs` where they are not 0. Reading checks each value, and names the field it refuses.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, ConsecutiveBreakerState, Status, consecutive_breaker};
///
/// let breaker = consecutive_breaker(5).open(Duration::from_secs(30)).build()?;
/// let state: ConsecutiveBreakerState = breaker.init(1_000.0);
/// assert_eq!((state.status, state.changed_at, state.failures), (Status::Closed, 1_000.0, 0));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConsecutiveBreakerState {
    /// Where the breaker stands.
    pub status: Status,
    /// When it came to stand there, in milliseconds, and the epoch of the calls it admits.
    pub changed_at: f64,
    /// Probes admitted in this trial; see [`RecoveryState::probes`].
    pub probes: u64,
    /// Probes that succeeded in this trial, or in the one that closed the breaker; see [`RecoveryState::successes`].
    pub successes: u64,
    /// Failures in a row. Kept as they were while the breaker is open, 0 once a trial has closed it.
    pub failures: u64,
    /// Openings in a row; see [`RecoveryState::openings`].
    pub openings: u64,
    /// How long this opening lasts; see [`RecoveryState::open_for_ms`].
    pub open_for_ms: f64,
    /// How far `changed_at` is ahead of the clock that set it; see [`RecoveryState::ahead_ms`].
    pub ahead_ms: f64,
}

breaker_state!(ConsecutiveBreakerState {
    failures: u64 = "failures", COUNT;
});

impl Threshold {
    #[inline]
    pub(super) fn count_run(&self, failures: &mut u64, report: &Report) -> bool {
        *failures = if report.result == CallResult::Failure { one_more(*failures) } else { 0 };
        *failures >= self.failure_threshold
    }
}

impl Ledger<ConsecutiveBreakerState> for Threshold {
    #[inline(always)]
    fn count(&self, state: &mut ConsecutiveBreakerState, _now: f64, report: &Report) -> bool {
        self.count_run(&mut state.failures, report)
    }

    #[inline]
    fn clear(&self, state: &mut ConsecutiveBreakerState, _now: f64) {
        state.failures = 0;
    }

    #[inline]
    fn failed(&self, report: &Report) -> bool {
        report.result == CallResult::Failure
    }
}

impl Breaker for ConsecutiveBreaker {
    type State = ConsecutiveBreakerState;

    #[inline]
    fn init(&self, now: f64) -> Self::State {
        let RecoveryState { status, changed_at, probes, successes, openings, open_for_ms, ahead_ms } =
            RecoveryState::closed(now);
        ConsecutiveBreakerState { status, changed_at, probes, successes, failures: 0, openings, open_for_ms, ahead_ms }
    }

    #[inline(always)]
    fn request(&self, state: Self::State, now: f64) -> (Self::State, Verdict) {
        self.recovery.request(state, now)
    }

    #[inline(always)]
    fn report_with(
        &self,
        state: Self::State,
        now: f64,
        report: Report,
        random: &mut dyn FnMut() -> f64,
    ) -> (Self::State, Reported) {
        self.recovery.report(&self.threshold, state, now, &report, random)
    }

    /// Not while it is closed, but for a failure, which may open it.
    #[inline]
    fn needs_now(&self, state: &Self::State, report: Option<&Report>) -> bool {
        state.status != Status::Closed || report.is_some_and(|report| report.result == CallResult::Failure)
    }

    /// Closed, with no failure to forget.
    #[inline]
    fn is_at_rest(&self, state: &Self::State) -> bool {
        state.status == Status::Closed && state.failures == 0
    }

    fn merge(&self, a: Self::State, b: Self::State) -> Self::State {
        merge::merge(&self.recovery, a, b, |joined, other| joined.failures = joined.failures.max(other.failures))
    }
}
