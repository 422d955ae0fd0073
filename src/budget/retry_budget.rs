//! Retries as a share of the requests, plus a floor a second.

use core::time::Duration;

use super::window::{ALLOWED_WINDOW, COUNTS, SLOTS, Window, allowed_window, sum};
use super::{Budget, Failure};
use crate::OptionError;
use crate::number::{MAX_SAFE_MS, ceil_ms, duration_ms};
use crate::stored::{TIME, stored};

/// A [`RetryBudget`] to be configured.
///
/// ```
/// use retry_primitives::budget::{RetryBudget, retry_budget};
///
/// assert_eq!(retry_budget().build()?, RetryBudget::default());
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub const fn retry_budget() -> RetryBudgetBuilder {
    RetryBudgetBuilder { ratio: 0.2, min_retries_per_second: 10.0, window: Duration::from_secs(10) }
}

/// The options of a [`RetryBudget`]; made by [`retry_budget`].
///
/// ```
/// use retry_primitives::budget::retry_budget;
///
/// let error = retry_budget().ratio(-0.1).build().unwrap_err();
/// assert_eq!(error.to_string(), "ratio must be a number from 0 to 1000, got -0.1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "call build()"]
pub struct RetryBudgetBuilder {
    ratio: f64,
    min_retries_per_second: f64,
    window: Duration,
}

impl RetryBudgetBuilder {
    /// Retries for each request, from 0 to 1000: .2 allows one retry for five requests, 2 allows two for each.
    ///
    /// # Default
    /// .2
    pub const fn ratio(mut self, ratio: f64) -> Self {
        self.ratio = ratio;
        self
    }

    /// Retries a second that are allowed without any request, from 0 to 2^53 - 1, so that a quiet client may retry too.
    /// They are granted for the window at once: 10 a second over 10 seconds are 100 in a row.
    ///
    /// # Default
    /// 10
    pub const fn min_retries_per_second(mut self, retries: f64) -> Self {
        self.min_retries_per_second = retries;
        self
    }

    /// How long a request and a retry are remembered, at least 10 ms; it has [`SLOTS`] slots.
    ///
    /// # Default
    /// 10 seconds
    pub const fn window(mut self, window: Duration) -> Self {
        self.window = window;
        self
    }

    /// The budget.
    ///
    /// # Errors
    /// The first option out of its range: `ratio`, `min_retries_per_second` or `window`.
    pub fn build(self) -> Result<RetryBudget, OptionError> {
        let Self { ratio, min_retries_per_second, window } = self;
        if !(0.0..=1000.0).contains(&ratio) {
            return Err(OptionError::new("ratio", "a number from 0 to 1000", ratio));
        }
        if !(0.0..=MAX_SAFE_MS).contains(&min_retries_per_second) {
            let allowed = "a number from 0 to 2^53 - 1";
            return Err(OptionError::new("min_retries_per_second", allowed, min_retries_per_second));
        }
        let window_ms = duration_ms(window);
        if !allowed_window(window_ms) {
            return Err(OptionError::new("window", ALLOWED_WINDOW, window_ms));
        }
        Ok(RetryBudget::of(ratio, min_retries_per_second, window_ms))
    }
}

/// Allows a retry while, over a sliding window, `retries < floor/s * window in s + ratio * requests`.
///
/// Each call counts as one request, each retry as one retry; how they ended does not matter. With the defaults that is
/// 100 retries in 10 seconds and a fifth of the requests on top, so a dependency that fails altogether sees little more
/// than 1.2 times the load. First attempts are never held back.
///
/// The window forgets a slot at a time, see [`SLOTS`]: a retry is surely allowed if the formula holds for the retries of
/// the whole window and the requests of its last 9/10, and surely refused if it fails for the retries of the last 9/10
/// and the requests of the whole.
///
/// Source: [Finagle's `RetryBudget`](https://finagle.github.io/blog/2016/02/08/retry-budgets) and
/// [tower's `TpsBudget`](https://docs.rs/tower/latest/tower/retry/budget/struct.TpsBudget.html), whose defaults these are.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::budget::{Budget, Failure, retry_budget};
///
/// let budget = retry_budget().ratio(0.5).min_retries_per_second(0.0).window(Duration::from_secs(60)).build()?;
/// let mut state = budget.init(0.0);
/// for now in [0.0, 100.0] {
///     (state, _) = budget.request(state, now, || 0.0);
/// }
/// let (state, allowed) = budget.retry(state, 200.0, Failure::Transient, || 0.0);
/// assert!(allowed); // 0 < .5 * 2
/// let (state, allowed) = budget.retry(state, 300.0, Failure::Transient, || 0.0);
/// assert!(!allowed); // 1 < .5 * 2 is false
/// assert_eq!(budget.balance(&state, 300.0), 0.0);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryBudget {
    ratio: f64,
    floor: f64,
    window_ms: f64,
}

/// What [`retry_budget`] builds: ratio .2, 10 retries a second, 10 seconds.
impl Default for RetryBudget {
    fn default() -> Self {
        Self { ratio: 0.2, floor: 100.0, window_ms: 10_000.0 }
    }
}

impl RetryBudget {
    /// Of options that are in their ranges.
    pub(crate) const fn of(ratio: f64, min_retries_per_second: f64, window_ms: f64) -> Self {
        Self { ratio, floor: min_retries_per_second * window_ms / 1e3, window_ms }
    }

    /// The requests that the window holds at `now`.
    pub fn requests(&self, state: &RetryBudgetState, now: f64) -> f64 {
        sum(&state.window().at(now, self.window_ms).first)
    }

    /// The retries that the window holds at `now`.
    pub fn retries(&self, state: &RetryBudgetState, now: f64) -> f64 {
        sum(&state.window().at(now, self.window_ms).second)
    }

    /// How many retries in a row would be allowed at `now`: a whole number, what Finagle calls the balance.
    pub fn balance(&self, state: &RetryBudgetState, now: f64) -> f64 {
        let window = state.window().at(now, self.window_ms);
        ceil_ms(self.limit(&window) - sum(&window.second))
    }

    fn limit(&self, window: &Window) -> f64 {
        self.floor + self.ratio * sum(&window.first)
    }
}

impl Budget for RetryBudget {
    type State = RetryBudgetState;

    fn init(&self, now: f64) -> RetryBudgetState {
        RetryBudgetState::of(Window::new(now))
    }

    fn request(&self, state: RetryBudgetState, now: f64, _: impl FnOnce() -> f64) -> (RetryBudgetState, bool) {
        let mut window = state.window().at(now, self.window_ms);
        window.count_first();
        (RetryBudgetState::of(window), true)
    }

    fn retry(
        &self,
        state: RetryBudgetState,
        now: f64,
        failure: Failure,
        _: impl FnOnce() -> f64,
    ) -> (RetryBudgetState, bool) {
        let mut window = state.window().at(now, self.window_ms);
        let allowed = failure != Failure::NonRetryable && sum(&window.second) < self.limit(&window);
        if allowed {
            window.count_second();
        }
        (RetryBudgetState::of(window), allowed)
    }

    /// Changes nothing but the window's place in time.
    fn succeed(&self, state: RetryBudgetState, now: f64, _: Option<Failure>) -> RetryBudgetState {
        RetryBudgetState::of(state.window().at(now, self.window_ms))
    }

    /// Changes nothing but the window's place in time.
    fn fail(&self, state: RetryBudgetState, now: f64, _: Failure) -> RetryBudgetState {
        RetryBudgetState::of(state.window().at(now, self.window_ms))
    }
}

/// What a [`RetryBudget`] remembers.
///
/// JSON (feature `serde`): `{"start":0,"requests":[2,0,0,0,0,0,0,0,0,0],"retries":[1,0,0,0,0,0,0,0,0,0]}`.
///
/// ```
/// use retry_primitives::budget::{Budget, RetryBudget};
///
/// let budget = RetryBudget::default();
/// let (state, _) = budget.request(budget.init(0.0), 2_500.0, || 0.0);
/// assert_eq!(state.start, 2_000.0);
/// assert_eq!(state.requests[0], 1.0);
/// assert!(state.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryBudgetState {
    /// When the newest slot began, in milliseconds.
    pub start: f64,
    /// Requests, whole numbers, the newest slot first.
    pub requests: [f64; SLOTS],
    /// Retries, whole numbers, the newest slot first.
    pub retries: [f64; SLOTS],
}

stored!(RetryBudgetState {
    start: f64 = "start", TIME;
    requests: [f64; SLOTS] = "requests", COUNTS;
    retries: [f64; SLOTS] = "retries", COUNTS;
});

impl RetryBudgetState {
    fn window(&self) -> Window {
        Window { start: self.start, first: self.requests, second: self.retries }
    }

    fn of(window: Window) -> Self {
        Self { start: window.start, requests: window.first, retries: window.second }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retries_in_a_row(budget: &RetryBudget, state: &mut RetryBudgetState, now: f64) -> u32 {
        let mut made = 0;
        loop {
            let (next, allowed) = budget.retry(*state, now, Failure::Transient, || 0.0);
            *state = next;
            if !allowed {
                return made;
            }
            made += 1;
        }
    }

    #[test]
    fn defaults() {
        let explicit =
            retry_budget().ratio(0.2).min_retries_per_second(10.0).window(Duration::from_secs(10)).build().unwrap();
        assert_eq!(retry_budget().build(), Ok(explicit));
        assert_eq!(RetryBudget::default(), explicit);
    }

    #[test]
    fn a_hundred_and_a_fifth_of_the_requests() {
        let budget = RetryBudget::default();
        let mut state = budget.init(0.0);
        assert_eq!(budget.balance(&state, 0.0), 100.0);
        assert_eq!(retries_in_a_row(&budget, &mut state, 0.0), 100);
        for _ in 0..50 {
            state = budget.request(state, 0.0, || 0.0).0;
        }
        assert_eq!(budget.balance(&state, 0.0), 10.0);
        assert_eq!(retries_in_a_row(&budget, &mut state, 0.0), 10);
        assert_eq!((budget.requests(&state, 0.0), budget.retries(&state, 0.0)), (50.0, 110.0));
    }

    #[test]
    fn the_floor_comes_back_with_time() {
        let budget = RetryBudget::default();
        let mut state = budget.init(0.0);
        assert_eq!(retries_in_a_row(&budget, &mut state, 0.0), 100);
        assert_eq!(retries_in_a_row(&budget, &mut state, 9_999.0), 0);
        assert_eq!(retries_in_a_row(&budget, &mut state, 10_000.0), 100);
    }

    #[test]
    fn a_request_that_cannot_be_repeated_spends_nothing() {
        let budget = RetryBudget::default();
        let state = budget.init(0.0);
        assert_eq!(budget.retry(state, 0.0, Failure::NonRetryable, || 0.0), (state, false));
    }

    #[test]
    fn options_out_of_range_are_named() {
        for (builder, option) in [
            (retry_budget().ratio(f64::NAN), "ratio"),
            (retry_budget().ratio(1000.1), "ratio"),
            (retry_budget().min_retries_per_second(-1.0), "min_retries_per_second"),
            (retry_budget().min_retries_per_second(f64::INFINITY), "min_retries_per_second"),
            (retry_budget().window(Duration::from_millis(9)), "window"),
            (retry_budget().window(Duration::MAX), "window"),
        ] {
            assert_eq!(builder.build().unwrap_err().option(), option);
        }
    }
}
