//! The adaptive throttle of the SRE book: attempts held back in proportion to what the server turns away.

use core::time::Duration;

use super::window::{ALLOWED_WINDOW, COUNTS, SLOTS, Window, allowed_window, sum};
use super::{Budget, Failure};
use crate::OptionError;
use crate::number::{MAX_SAFE_MS, duration_ms, unit};
use crate::stored::{TIME, stored};

/// An [`AdaptiveThrottle`] to be configured.
///
/// ```
/// use retry_primitives::budget::{AdaptiveThrottle, adaptive_throttle};
///
/// assert_eq!(adaptive_throttle().build()?, AdaptiveThrottle::default());
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub const fn adaptive_throttle() -> AdaptiveThrottleBuilder {
    AdaptiveThrottleBuilder { multiplier: 2.0, window: Duration::from_secs(120) }
}

/// The options of an [`AdaptiveThrottle`]; made by [`adaptive_throttle`].
///
/// ```
/// use retry_primitives::budget::adaptive_throttle;
///
/// let error = adaptive_throttle().multiplier(0.5).build().unwrap_err();
/// assert_eq!(error.to_string(), "multiplier must be a number from 1 to 2^53 - 1, got 0.5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "call build()"]
pub struct AdaptiveThrottleBuilder {
    multiplier: f64,
    window: Duration,
}

impl AdaptiveThrottleBuilder {
    /// K, the attempts sent for each one that is accepted, from 1 to 2^53 - 1. Towards 1 it holds back more: 1.1 lets
    /// through one to be rejected for ten accepted, 2 one for each, which notices recovery sooner.
    ///
    /// # Default
    /// 2
    pub const fn multiplier(mut self, multiplier: f64) -> Self {
        self.multiplier = multiplier;
        self
    }

    /// How long an attempt is remembered, at least 10 ms; it has [`SLOTS`] slots.
    ///
    /// # Default
    /// 2 minutes
    pub const fn window(mut self, window: Duration) -> Self {
        self.window = window;
        self
    }

    /// The throttle.
    ///
    /// # Errors
    /// The first option out of its range: `multiplier` or `window`.
    pub fn build(self) -> Result<AdaptiveThrottle, OptionError> {
        let Self { multiplier, window } = self;
        if !(1.0..=MAX_SAFE_MS).contains(&multiplier) {
            return Err(OptionError::new("multiplier", "a number from 1 to 2^53 - 1", multiplier));
        }
        let window_ms = duration_ms(window);
        if !allowed_window(window_ms) {
            return Err(OptionError::new("window", ALLOWED_WINDOW, window_ms));
        }
        Ok(AdaptiveThrottle::of(multiplier, window_ms))
    }
}

/// Holds back an attempt with probability `max(0, (requests - K * accepts) / (requests + 1))`, over a sliding window.
///
/// Every attempt is a request, first or retry, sent or held back. One that succeeds is accepted, and so is one that fails
/// with [`Failure::NonRetryable`]: the server did answer it. While at least 1/K of them are accepted nothing is held back
/// and no number is drawn. The probability stays below 1, so some attempts always go out and notice recovery.
///
/// The window forgets a slot at a time, see [`SLOTS`]: the probability is at least that of the requests of the window's
/// last 9/10 with the accepts of the whole, and at most that of the requests of the whole with the accepts of the last
/// 9/10.
///
/// Source: [Site Reliability Engineering, chapter 21](https://sre.google/sre-book/handling-overload/), "Client-Side
/// Throttling", whose K and window are the defaults.
///
/// ```
/// use retry_primitives::budget::{Budget, Failure, adaptive_throttle};
///
/// let throttle = adaptive_throttle().build()?;
/// let mut state = throttle.init(0.0);
/// for _ in 0..3 {
///     (state, _) = throttle.request(state, 0.0, || 0.99);
///     state = throttle.fail(state, 0.0, Failure::Throttling);
/// }
/// assert_eq!(throttle.rejection_probability(&state, 0.0), 0.75); // (3 - 2 * 0) / (3 + 1)
/// assert!(!throttle.request(state, 0.0, || 0.74).1);
/// assert!(throttle.request(state, 0.0, || 0.75).1);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveThrottle {
    multiplier: f64,
    window_ms: f64,
}

/// What [`adaptive_throttle`] builds: K = 2, 2 minutes.
impl Default for AdaptiveThrottle {
    fn default() -> Self {
        Self { multiplier: 2.0, window_ms: 120_000.0 }
    }
}

impl AdaptiveThrottle {
    /// Of options that are in their ranges.
    pub(crate) const fn of(multiplier: f64, window_ms: f64) -> Self {
        Self { multiplier, window_ms }
    }

    /// The attempts that the window holds at `now`, those held back included.
    pub fn requests(&self, state: &AdaptiveThrottleState, now: f64) -> f64 {
        sum(&state.window().at(now, self.window_ms).first)
    }

    /// The accepted attempts that the window holds at `now`.
    pub fn accepts(&self, state: &AdaptiveThrottleState, now: f64) -> f64 {
        sum(&state.window().at(now, self.window_ms).second)
    }

    /// The probability, in \[0, 1), that an attempt at `now` is held back.
    pub fn rejection_probability(&self, state: &AdaptiveThrottleState, now: f64) -> f64 {
        self.probability(&state.window().at(now, self.window_ms))
    }

    fn probability(&self, window: &Window) -> f64 {
        let requests = sum(&window.first);
        let rejected = requests - self.multiplier * sum(&window.second);
        // Counts near 2^53 would round to 1, which holds back everything.
        if rejected > 0.0 { (rejected / (requests + 1.0)).min(1.0 - f64::EPSILON) } else { 0.0 }
    }

    fn attempt(
        &self,
        state: AdaptiveThrottleState,
        now: f64,
        random: impl FnOnce() -> f64,
    ) -> (AdaptiveThrottleState, bool) {
        let mut window = state.window().at(now, self.window_ms);
        let probability = self.probability(&window);
        let admitted = probability <= 0.0 || unit(random()) >= probability;
        window.count_first();
        (AdaptiveThrottleState::of(window), admitted)
    }

    fn accept(&self, state: AdaptiveThrottleState, now: f64, accepted: bool) -> AdaptiveThrottleState {
        let mut window = state.window().at(now, self.window_ms);
        if accepted {
            window.count_second();
        }
        AdaptiveThrottleState::of(window)
    }
}

impl Budget for AdaptiveThrottle {
    type State = AdaptiveThrottleState;

    fn init(&self, now: f64) -> AdaptiveThrottleState {
        AdaptiveThrottleState::of(Window::new(now))
    }

    fn request(
        &self,
        state: AdaptiveThrottleState,
        now: f64,
        random: impl FnOnce() -> f64,
    ) -> (AdaptiveThrottleState, bool) {
        self.attempt(state, now, random)
    }

    /// Like a first attempt; after [`Failure::NonRetryable`] there is none to count.
    fn retry(
        &self,
        state: AdaptiveThrottleState,
        now: f64,
        failure: Failure,
        random: impl FnOnce() -> f64,
    ) -> (AdaptiveThrottleState, bool) {
        if failure == Failure::NonRetryable {
            (self.accept(state, now, false), false)
        } else {
            self.attempt(state, now, random)
        }
    }

    fn succeed(&self, state: AdaptiveThrottleState, now: f64, _: Option<Failure>) -> AdaptiveThrottleState {
        self.accept(state, now, true)
    }

    fn fail(&self, state: AdaptiveThrottleState, now: f64, failure: Failure) -> AdaptiveThrottleState {
        self.accept(state, now, failure == Failure::NonRetryable)
    }
}

/// What an [`AdaptiveThrottle`] remembers.
///
/// JSON (feature `serde`): `{"start":0,"requests":[2,0,0,0,0,0,0,0,0,0],"accepts":[1,0,0,0,0,0,0,0,0,0]}`.
///
/// ```
/// use retry_primitives::budget::{AdaptiveThrottle, Budget};
///
/// let throttle = AdaptiveThrottle::default();
/// let (state, _) = throttle.request(throttle.init(0.0), 25_000.0, || 0.0);
/// assert_eq!(state.start, 24_000.0);
/// assert_eq!(state.requests[0], 1.0);
/// assert!(state.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveThrottleState {
    /// When the newest slot began, in milliseconds.
    pub start: f64,
    /// Attempts, whole numbers, the newest slot first.
    pub requests: [f64; SLOTS],
    /// Accepted attempts, whole numbers, the newest slot first.
    pub accepts: [f64; SLOTS],
}

stored!(AdaptiveThrottleState {
    start: f64 = "start", TIME;
    requests: [f64; SLOTS] = "requests", COUNTS;
    accepts: [f64; SLOTS] = "accepts", COUNTS;
});

impl AdaptiveThrottleState {
    fn window(&self) -> Window {
        Window { start: self.start, first: self.requests, second: self.accepts }
    }

    fn of(window: Window) -> Self {
        Self { start: window.start, requests: window.first, accepts: window.second }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undrawn() -> f64 {
        panic!("nothing is decided by chance here")
    }

    fn seen(requests: f64, accepts: f64) -> AdaptiveThrottleState {
        let mut state = AdaptiveThrottle::default().init(0.0);
        state.requests[0] = requests;
        state.accepts[0] = accepts;
        state
    }

    #[test]
    fn defaults() {
        let explicit = adaptive_throttle().multiplier(2.0).window(Duration::from_secs(120)).build();
        assert_eq!(adaptive_throttle().build(), explicit);
        assert_eq!(Ok(AdaptiveThrottle::default()), explicit);
    }

    #[test]
    fn the_formula() {
        let throttle = AdaptiveThrottle::default();
        for (requests, accepts, expected) in
            [(0.0, 0.0, 0.0), (100.0, 100.0, 0.0), (100.0, 50.0, 0.0), (100.0, 40.0, 20.0 / 101.0), (1.0, 0.0, 0.5)]
        {
            assert_eq!(throttle.rejection_probability(&seen(requests, accepts), 0.0), expected);
        }
        let eager = adaptive_throttle().multiplier(1.0).build().unwrap();
        assert_eq!(eager.rejection_probability(&seen(99.0, 49.0), 0.0), 0.5);
    }

    #[test]
    fn draws_only_when_chance_decides() {
        let throttle = AdaptiveThrottle::default();
        assert!(throttle.request(seen(10.0, 5.0), 0.0, undrawn).1);
        assert!(throttle.retry(seen(10.0, 5.0), 0.0, Failure::Transient, undrawn).1);
        assert!(!throttle.retry(seen(10.0, 0.0), 0.0, Failure::NonRetryable, undrawn).1);
    }

    #[test]
    fn an_attempt_held_back_counts_as_a_request() {
        let throttle = AdaptiveThrottle::default();
        let (state, admitted) = throttle.retry(seen(3.0, 0.0), 0.0, Failure::Transient, || 0.0);
        assert!(!admitted);
        assert_eq!(throttle.requests(&state, 0.0), 4.0);
    }

    #[test]
    fn an_answer_is_an_accept() {
        let throttle = AdaptiveThrottle::default();
        let state = throttle.init(0.0);
        assert_eq!(throttle.accepts(&throttle.succeed(state, 0.0, None), 0.0), 1.0);
        assert_eq!(throttle.accepts(&throttle.fail(state, 0.0, Failure::NonRetryable), 0.0), 1.0);
        for failure in [Failure::Transient, Failure::Timeout, Failure::Throttling] {
            assert_eq!(throttle.accepts(&throttle.fail(state, 0.0, failure), 0.0), 0.0);
        }
    }

    #[test]
    fn two_minutes_later_all_is_forgotten() {
        let throttle = AdaptiveThrottle::default();
        let state = seen(1e6, 0.0);
        assert!(!throttle.request(state, 119_999.0, || 0.5).1);
        assert!(throttle.request(state, 120_000.0, undrawn).1);
    }

    #[test]
    fn something_always_gets_through() {
        let full = AdaptiveThrottleState { start: 0.0, requests: [MAX_SAFE_MS; SLOTS], accepts: [0.0; SLOTS] };
        assert!(AdaptiveThrottle::default().request(full, 0.0, || 1.0 - f64::EPSILON).1);
    }

    #[test]
    fn options_out_of_range_are_named() {
        for (builder, option) in [
            (adaptive_throttle().multiplier(f64::NAN), "multiplier"),
            (adaptive_throttle().multiplier(f64::INFINITY), "multiplier"),
            (adaptive_throttle().window(Duration::ZERO), "window"),
        ] {
            assert_eq!(builder.build().unwrap_err().option(), option);
        }
    }
}
