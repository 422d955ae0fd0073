//! Polly's decorrelated jitter, second version.

use core::time::Duration;

use super::transcendental::{exp2, hyperbolic_tangent, square_root};
use super::{Builder, Decision, Policy, RetryState};
use crate::number::{duration_ms, finite_time, unit};
use crate::stored::{COUNT, DELAY, POSITIVE, TIME, stored};
use crate::{OptionError, Outcome};

/// From here on 2^t is no `f64`.
const END: f64 = 1_024.0;

/// What Polly divides by, so that the median of the first wait is about the base.
const SCALE: f64 = 1.4;

/// Polly's curve; see [`decorrelated_jitter_v2`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecorrelatedJitterV2 {
    pub(crate) base_ms: f64,
}

/// Waits that double on average, spread without peaks: with `t = n - 1 + random` after attempt n and
/// `F(t) = 2^t * tanh(sqrt(4t))`, the wait is what F has grown since the attempt before, times `base / 1.4`.
///
/// It is random by construction: [`Builder::jitter`] has no effect on it. The cap applies to the drawn wait; from attempt
/// 1,025 on the wait is the cap. What F had reached is the fourth number of its [state](JitterV2State), for the next wait
/// begins there.
///
/// Source: `DecorrelatedJitterBackoffV2` of Polly.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{Outcome, backoff::decorrelated_jitter_v2};
///
/// let policy = decorrelated_jitter_v2(Duration::from_secs(1)).max_attempts(5).build()?;
/// let state = policy.init(0.0);
/// let (state, decision) = policy.next(state, 0.0, Outcome::RETRYABLE, || 0.5);
/// assert_eq!(decision.delay(), Some(Duration::from_millis(897)));
/// let (_, decision) = policy.next(state, 897.0, Outcome::RETRYABLE, || 0.5);
/// assert_eq!(decision.delay(), Some(Duration::from_millis(1_093)));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn decorrelated_jitter_v2(base: Duration) -> Builder<DecorrelatedJitterV2> {
    Builder::new(DecorrelatedJitterV2 { base_ms: duration_ms(base) })
}

impl DecorrelatedJitterV2 {
    /// The wait after attempt number `attempt`, neither capped nor rounded, and what F has reached then; `reached` is
    /// that of the attempt before, 0 before the first.
    #[inline]
    pub(crate) fn delay_ms(&self, attempt: u64, reached: f64, random: &mut impl FnMut() -> f64) -> (f64, f64) {
        let now_reached = growth(attempt.saturating_sub(1) as f64 + unit(random()));
        if now_reached == f64::MAX {
            return (f64::INFINITY, f64::MAX);
        }
        ((now_reached - reached) * self.base_ms / SCALE, now_reached)
    }
}

/// F, and where it is too large `f64::MAX`.
#[inline]
pub(crate) fn growth(t: f64) -> f64 {
    if t > 0.0 && t < END {
        (exp2(t) * hyperbolic_tangent(2.0 * square_root(t))).min(f64::MAX)
    } else if t < END {
        0.0
    } else {
        f64::MAX
    }
}

impl Builder<DecorrelatedJitterV2> {
    /// The policy.
    ///
    /// # Errors
    /// An [`OptionError`] that names the first option out of its range.
    pub fn build(self) -> Result<Policy<DecorrelatedJitterV2>, OptionError> {
        self.limited()
    }
}

impl Policy<DecorrelatedJitterV2> {
    /// The state of an operation that begins at `now`, in milliseconds on the caller's clock.
    pub fn init(&self, now: f64) -> JitterV2State {
        JitterV2State { started_at: finite_time(now), ..JitterV2State::default() }
    }

    /// As the `next` of the other policies, on a state of four numbers.
    #[inline]
    pub fn next(
        &self,
        state: JitterV2State,
        now: f64,
        outcome: Outcome,
        mut random: impl FnMut() -> f64,
    ) -> (JitterV2State, Decision) {
        let JitterV2State { attempts, started_at, prev_delay_ms, reached } = state;
        let mut reaches = reached;
        let (next, decision) =
            self.decide(RetryState { attempts, started_at, prev_delay_ms }, now, outcome, |attempt, _| {
                let delay_ms;
                (delay_ms, reaches) = self.curve.delay_ms(attempt, reached, &mut random);
                self.capped(delay_ms)
            });
        if decision.reason().is_some() {
            return (state, decision);
        }
        let RetryState { attempts, started_at, prev_delay_ms } = next;
        (JitterV2State { attempts, started_at, prev_delay_ms, reached: reaches }, decision)
    }

    /// What [`next`](Self::next) would decide, without advancing, from a draw of its own.
    pub fn peek(&self, state: JitterV2State, now: f64, outcome: Outcome, random: impl FnMut() -> f64) -> Decision {
        self.next(state, now, outcome, random).1
    }
}

/// What [`decorrelated_jitter_v2`] keeps between attempts: [`RetryState`] and one number more.
///
/// JSON (feature `serde`) is `{"attempts":1,"startedAt":1758124800000,"prevDelayMs":897,"reached":1.2563669086...}`.
///
/// ```
/// use retry_primitives::backoff::JitterV2State;
///
/// let error = JitterV2State { reached: -1.0, ..JitterV2State::default() }.validate().unwrap_err();
/// assert_eq!(error.field(), "reached");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JitterV2State {
    /// Attempts that have failed so far; 0 to 2^53 - 1.
    pub attempts: u64,
    /// When the operation began, in milliseconds on the caller's clock; within 2^53 - 1 of 0.
    pub started_at: f64,
    /// The last wait, in milliseconds; 0 to 2^53 - 1, 0 before the first.
    pub prev_delay_ms: f64,
    /// What F had reached at the last wait: at least 0, 0 before the first.
    pub reached: f64,
}

stored!(JitterV2State {
    attempts: u64 = "attempts", COUNT;
    started_at: f64 = "startedAt", TIME;
    prev_delay_ms: f64 = "prevDelayMs", DELAY;
    reached: f64 = "reached", POSITIVE;
});

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: DecorrelatedJitterV2 = DecorrelatedJitterV2 { base_ms: 1_000.0 };

    /// The figures that Polly's formula gives, to six decimals.
    #[test]
    fn pollys_figures() {
        let half = [897.404_936, 1_093.003_547, 2_035.747_963, 4_045.979_423, 8_083.631_610];
        let none = [0.0, 1_377.182_257, 1_460.067_301, 2_865.849_862];
        for (draw, figures) in [(0.5, &half[..]), (0.0, &none[..])] {
            let mut reached = 0.0;
            for (attempt, figure) in (1..).zip(figures) {
                let delay_ms;
                (delay_ms, reached) = SECOND.delay_ms(attempt, reached, &mut || draw);
                assert!((delay_ms - figure).abs() < 5e-7, "{draw}, attempt {attempt}: {delay_ms}");
            }
        }
    }

    /// `2^t * tanh(sqrt(4t))` from mpmath with 50 digits.
    #[test]
    #[allow(clippy::excessive_precision)]
    fn growth_is_the_formulas() {
        for (t, exact) in [
            (1e-12, 1.9999999999987196076e-6),
            (1e-06, 0.0019999987196305931307),
            (0.001, 0.063205155800342241755),
            (0.25, 0.90569318900708757873),
            (0.5, 1.2563669098108796219),
            (0.999, 1.9265778218803071207),
            (1.0, 1.9280551601516337679),
            (1.5, 2.7865718761452300074),
            (2.75, 6.7094902867805863842),
            (7.125, 139.57855012721978445),
            (20.5, 1482910.3599458056611),
            (100.3, 1.5606609545443114006e+30),
            (512.0, 1.34078079299425971e+154),
            (1000.7, 1.7406708678068106239e+301),
            (1023.5, 1.2711610061536462837e+308),
        ] {
            let allowed = 1e-15 + 1e-13 * exact;
            assert!((growth(t) - exact).abs() < allowed, "{t}: {} is not {exact}", growth(t));
        }
        assert_eq!([-1.0, 0.0].map(growth), [0.0, 0.0]);
        assert_eq!([1_024.0, f64::INFINITY, f64::NAN].map(growth), [f64::MAX; 3]);
    }

    /// Case 4 from the field: past attempt 1,024 the wait is the cap, and it stays there.
    #[test]
    fn the_cap_past_attempt_1_024() {
        let policy = decorrelated_jitter_v2(Duration::from_secs(1)).unlimited_attempts().build().unwrap();
        for attempts in [30, 1_022, 1_023, 1_024, 1_025, 1_000_000, (1 << 53) - 1] {
            for draw in [0.0, 0.5, 1.0, f64::NAN] {
                let mut state = JitterV2State { attempts, reached: growth(attempts as f64 - 0.5), ..policy.init(0.0) };
                for _ in 0..3 {
                    let decision;
                    (state, decision) = policy.next(state, 0.0, Outcome::RETRYABLE, || draw);
                    assert_eq!(decision.delay(), Some(Duration::from_secs(30)), "{attempts} {draw}");
                    assert!(state.validate().is_ok(), "{state:?}");
                }
            }
        }
    }

    #[test]
    fn any_state_gives_a_wait_within_the_limits() {
        let policy = decorrelated_jitter_v2(Duration::from_secs(1)).unlimited_attempts().build().unwrap();
        for reached in [f64::NAN, f64::INFINITY, -f64::MAX, f64::MAX, -1.0] {
            for attempts in [0, 5, 2_000, u64::MAX] {
                let state = JitterV2State { attempts, reached, ..policy.init(0.0) };
                let delay = policy.peek(state, 0.0, Outcome::RETRYABLE, || 0.5).delay().unwrap();
                assert!(delay <= Duration::from_secs(30), "{reached} {attempts}");
            }
        }
    }

    #[test]
    fn a_stop_gives_the_state_back() {
        let policy = decorrelated_jitter_v2(Duration::from_secs(1)).max_attempts(2).build().unwrap();
        let (state, _) = policy.next(policy.init(5.0), 5.0, Outcome::RETRYABLE, || 0.5);
        let (stopped, decision) = policy.next(state, 5.0, Outcome::RETRYABLE, || unreachable!("a stop draws nothing"));
        assert_eq!((stopped, decision.reason()), (state, Some(crate::StopReason::MaxAttempts)));
        let policy =
            decorrelated_jitter_v2(Duration::from_secs(1)).deadline(Duration::from_millis(500)).build().unwrap();
        let state = policy.init(0.0);
        assert_eq!(policy.next(state, 0.0, Outcome::RETRYABLE, || 0.5).0, state);
    }
}
