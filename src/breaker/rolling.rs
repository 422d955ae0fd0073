//! *Half of its calls fail: is it unwell?* The breaker that watches a failure ratio over a trailing window.

use core::time::Duration;

use super::Breaker;
use super::builder::{BreakerBuilder, at_least_one, milliseconds};
use super::merge;
use super::recovery::Recovery;
use super::report::{Report, Reported, Verdict};
use super::state::{BreakerState, RecoveryState, Status, breaker_state};
use super::window::Window;
use crate::OptionError;
use crate::number::duration_ms;
use crate::stored::{COUNT, TIME};

/// A breaker that trips when the share of failures over the trailing `window` reaches a ratio.
///
/// The window is a sliding-window counter: two buckets of one window's length, the previous one weighted by how much of
/// it the trailing window still overlaps, `prev * (1 - elapsed / window) + curr`. That takes the previous calls as
/// spread evenly over their bucket, and holds in seven numbers what would else be a list of calls in every write. It
/// forgets by time: after two idle windows nothing is left.
///
/// `window` is 1 ms to 2^53 - 1 ms. The open time must be given; see [`BreakerBuilder`] for it and what it takes to close.
///
/// Source: the counter of Cloudflare's ["How we built rate limiting capable of scaling to millions of
/// domains"](https://blog.cloudflare.com/counting-things-a-lot-of-different-things/), on failures and on calls.
///
/// | Option | Default | Range |
/// | --- | --- | --- |
/// | [`failure_ratio`](BreakerBuilder::failure_ratio) | 0.5 | above 0, to 1 |
/// | [`minimum_throughput`](BreakerBuilder::minimum_throughput) | 20 | 1 to 2^53 - 1 |
/// | [`slow_call`](BreakerBuilder::slow_call) | not counted | 1 ms to 2^53 - 1 ms |
/// | [`slow_ratio`](BreakerBuilder::slow_ratio) | 1 | above 0, to 1 |
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, Status, rolling_breaker};
///
/// let breaker = rolling_breaker(Duration::from_secs(30))
///     .failure_ratio(0.5)
///     .minimum_throughput(20)
///     .open(Duration::from_secs(30))
///     .build()?;
/// let mut state = breaker.init(0.0);
/// for call in 0..20 {
///     let now = 100.0 * f64::from(call);
///     state = if call % 2 == 0 { breaker.succeed(state, now) } else { breaker.fail(state, now) };
/// }
/// assert_eq!(state.status, Status::Open);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn rolling_breaker(window: Duration) -> BreakerBuilder<RollingOptions> {
    BreakerBuilder::new(RollingOptions {
        window_ms: duration_ms(window),
        failure_ratio: 0.5,
        minimum_throughput: 20,
        slow_call_ms: None,
        slow_ratio: 1.0,
    })
}

/// The options of a [`rolling_breaker`] beyond those of [`BreakerBuilder`].
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::rolling_breaker;
///
/// let second = Duration::from_secs(1);
/// let error = rolling_breaker(second).failure_ratio(50.0).open(second).build().unwrap_err();
/// assert_eq!(error.to_string(), "failure_ratio must be a number above 0, up to 1, got 50");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingOptions {
    window_ms: f64,
    failure_ratio: f64,
    minimum_throughput: u64,
    slow_call_ms: Option<f64>,
    slow_ratio: f64,
}

impl BreakerBuilder<RollingOptions> {
    /// The share of failures in the window at which the breaker trips: above 0, up to 1.
    ///
    /// # Default
    /// 0.5
    #[must_use]
    pub fn failure_ratio(mut self, ratio: f64) -> Self {
        self.kind.failure_ratio = ratio;
        self
    }

    /// How many calls the window must hold for a ratio to mean anything: 1 to 2^53 - 1.
    ///
    /// # Default
    /// 20
    #[must_use]
    pub fn minimum_throughput(mut self, calls: u64) -> Self {
        self.kind.minimum_throughput = calls;
        self
    }

    /// Counts a call that took longer than this as slow, whether it succeeded or failed; see
    /// [`slow_ratio`](Self::slow_ratio). 1 ms to 2^53 - 1 ms.
    ///
    /// How long a call took comes with its outcome, [`Report::took`]. A slow probe is a failed one.
    ///
    /// # Default
    /// Nothing is slow.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_primitives::breaker::{Breaker, Report, Status, rolling_breaker};
    ///
    /// let second = Duration::from_secs(1);
    /// let breaker =
    ///     rolling_breaker(30 * second).minimum_throughput(4).slow_call(2 * second).open(30 * second).build()?;
    /// let mut state = breaker.init(0.0);
    /// for _ in 0..4 {
    ///     state = breaker.report(state, 100.0, Report::success().took(3 * second)).0;
    /// }
    /// assert_eq!(state.status, Status::Open);
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    #[must_use]
    pub fn slow_call(mut self, slow: Duration) -> Self {
        self.kind.slow_call_ms = Some(duration_ms(slow));
        self
    }

    /// The share of slow calls in the window at which the breaker trips: above 0, up to 1. Without
    /// [`slow_call`](Self::slow_call) it does nothing.
    ///
    /// # Default
    /// 1, as in resilience4j
    #[must_use]
    pub fn slow_ratio(mut self, ratio: f64) -> Self {
        self.kind.slow_ratio = ratio;
        self
    }

    /// Checks the options.
    ///
    /// # Errors
    /// [`OptionError`] for the first option that is missing or out of its range.
    pub fn build(self) -> Result<RollingBreaker, OptionError> {
        let RollingOptions { window_ms, failure_ratio, minimum_throughput, slow_call_ms, slow_ratio } = self.kind;
        let window = Window {
            window_ms: milliseconds("window", window_ms)?,
            failure_ratio: ratio("failure_ratio", failure_ratio)?,
            minimum_throughput: at_least_one("minimum_throughput", minimum_throughput)? as f64,
            slow_call_ms: match slow_call_ms {
                Some(slow) => milliseconds("slow_call", slow)?,
                None => f64::INFINITY,
            },
            slow_ratio: ratio("slow_ratio", slow_ratio)?,
        };
        Ok(RollingBreaker { recovery: self.recovery()?, window })
    }
}

fn ratio(option: &'static str, ratio: f64) -> Result<f64, OptionError> {
    if ratio > 0.0 && ratio <= 1.0 {
        Ok(ratio)
    } else {
        Err(OptionError::new(option, "a number above 0, up to 1", ratio))
    }
}

/// Trips on a failure ratio over a trailing window: made by [`rolling_breaker`].
///
/// It trips on a failure (or a slow call), never on a plain success, even one that completes the minimum throughput.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, rolling_breaker};
///
/// let minute = Duration::from_secs(60);
/// let breaker = rolling_breaker(minute).open(minute).build()?;
/// let state = breaker.fail(breaker.init(0.0), 10.0);
/// assert_eq!((state.curr_ok, state.curr_fail), (0, 1));
///
/// // One window on, the failure is in the previous bucket; two windows on, forgotten.
/// assert_eq!(breaker.succeed(state, 60_000.0).prev_fail, 1);
/// assert_eq!(breaker.succeed(state, 120_000.0).prev_fail, 0);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingBreaker {
    pub(super) recovery: Recovery,
    pub(super) window: Window,
}

/// The state of a [`RollingBreaker`].
///
/// JSON (feature `serde`): `{"status":"closed","changedAt":0,"probes":0,"successes":0,"start":0,"prevOk":0,"prevFail":0,
/// "currOk":0,"currFail":0}`, and `prevSlow`, `currSlow`, `openings`, `openForMs`, `aheadMs` where they are not 0.
/// Reading checks each value, and names the field it refuses.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, RollingBreakerState, rolling_breaker};
///
/// let second = Duration::from_secs(1);
/// let breaker = rolling_breaker(30 * second).open(30 * second).build()?;
/// let state: RollingBreakerState = breaker.init(1_000.0);
/// assert_eq!((state.changed_at, state.start), (1_000.0, 1_000.0));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingBreakerState {
    /// Where the breaker stands.
    pub status: Status,
    /// When it came to stand there, in milliseconds, and the epoch of the calls it admits.
    pub changed_at: f64,
    /// Probes admitted in this trial; see [`RecoveryState::probes`].
    pub probes: u64,
    /// Probes that succeeded in this trial, or in the one that closed the breaker; see [`RecoveryState::successes`].
    pub successes: u64,
    /// When the current bucket began, in milliseconds.
    pub start: f64,
    /// Successes in the bucket before.
    pub prev_ok: u64,
    /// Failures in the bucket before.
    pub prev_fail: u64,
    /// Successes in the current bucket.
    pub curr_ok: u64,
    /// Failures in the current bucket.
    pub curr_fail: u64,
    /// Slow calls in the bucket before, counted under `prev_ok` or `prev_fail` too; 0 where slow calls are not counted.
    pub prev_slow: u64,
    /// Slow calls in the current bucket.
    pub curr_slow: u64,
    /// Openings in a row; see [`RecoveryState::openings`].
    pub openings: u64,
    /// How long this opening lasts; see [`RecoveryState::open_for_ms`].
    pub open_for_ms: f64,
    /// How far `changed_at` is ahead of the clock that set it; see [`RecoveryState::ahead_ms`].
    pub ahead_ms: f64,
}

breaker_state!(RollingBreakerState {
    start: f64 = "start", TIME;
    prev_ok: u64 = "prevOk", COUNT;
    prev_fail: u64 = "prevFail", COUNT;
    curr_ok: u64 = "currOk", COUNT;
    curr_fail: u64 = "currFail", COUNT;
} optional {
    prev_slow: u64 = "prevSlow", COUNT;
    curr_slow: u64 = "currSlow", COUNT;
});

impl Breaker for RollingBreaker {
    type State = RollingBreakerState;

    #[inline]
    fn init(&self, now: f64) -> Self::State {
        let RecoveryState { status, changed_at, probes, successes, openings, open_for_ms, ahead_ms } =
            RecoveryState::closed(now);
        RollingBreakerState {
            status,
            changed_at,
            probes,
            successes,
            start: changed_at,
            prev_ok: 0,
            prev_fail: 0,
            curr_ok: 0,
            curr_fail: 0,
            prev_slow: 0,
            curr_slow: 0,
            openings,
            open_for_ms,
            ahead_ms,
        }
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
        self.recovery.report(&self.window, state, now, &report, random)
    }

    /// Not to admit a call while it is closed, unless slow calls count; but for every outcome, to find its bucket.
    #[inline]
    fn needs_now(&self, state: &Self::State, report: Option<&Report>) -> bool {
        state.status != Status::Closed || report.is_some() || self.window.slow_call_ms < f64::INFINITY
    }

    fn merge(&self, a: Self::State, b: Self::State) -> Self::State {
        merge::merge(&self.recovery, a, b, RollingBreakerState::join_window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference, "rollingBreaker" and "Recovery": the defaults, each given by hand.
    #[test]
    fn defaults() {
        let second = Duration::from_secs(1);
        let explicit = rolling_breaker(second)
            .failure_ratio(0.5)
            .minimum_throughput(20)
            .slow_ratio(1.0)
            .open(second)
            .open_jitter(0.0)
            .half_open_probes(1)
            .success_threshold(1)
            .half_open(second)
            .build();
        assert_eq!(rolling_breaker(second).open(second).build(), explicit);
        let three = rolling_breaker(second).open(second).half_open_probes(3);
        assert_eq!(three.build(), three.success_threshold(3).build());
    }
}
