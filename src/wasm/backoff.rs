//! The policies.

use super::{count, is_count, number};
use crate::Outcome;
use crate::backoff::{
    Constant, Curve, Decision, DecorrelatedJitter, Exponential, Fibonacci, Jitter, Linear, Policy, RetryState,
    StopReason,
};
use crate::number::floor_ms;
use crate::stored::{DELAY, TIME};

/// `attempts` and `remainingMs`.
pub type Numbers = [f64; 2];

/// The curve's number, `baseMs` or `delayMs`, `factor`, the jitter (0 none, 1 full, 2 equal), `maxAttempts`, `deadlineMs`
/// and `maxDelayMs`. No limit is infinite.
pub type Options = [f64; 7];

/// Any of the curves: `curve` is 0 exponential, 1 decorrelated jitter, 2 Fibonacci, 3 linear, 4 constant, and else
/// `custom`, which is given the attempt and the previous delay.
#[derive(Clone, Copy, Debug)]
pub struct Shape<F> {
    /// Which one.
    pub curve: i32,
    /// `baseMs` or `delayMs`.
    pub base_ms: f64,
    /// Of the first two.
    pub factor: f64,
    /// A curve of the caller's.
    pub custom: F,
}

impl<F: Fn(f64, f64) -> f64> Curve for Shape<F> {
    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, prev_delay_ms: f64, random: &mut R) -> f64 {
        let Self { curve, base_ms, factor, .. } = *self;
        match curve {
            0 => Exponential { base_ms, factor }.delay_ms(attempt, prev_delay_ms, random),
            1 => DecorrelatedJitter { base_ms, factor }.delay_ms(attempt, prev_delay_ms, random),
            2 => Fibonacci { base_ms }.delay_ms(attempt, prev_delay_ms, random),
            3 => Linear { base_ms }.delay_ms(attempt, prev_delay_ms, random),
            4 => Constant { delay_ms: base_ms }.delay_ms(attempt, prev_delay_ms, random),
            _ => (self.custom)(number(attempt), prev_delay_ms),
        }
    }
}

/// A policy from options that JavaScript has checked.
#[inline]
pub fn policy<F: Fn(f64, f64) -> f64>(options: Options, custom: F) -> Policy<Shape<F>> {
    let [curve, base_ms, factor, jitter, max_attempts, deadline_ms, max_delay_ms] = options;
    let curve = curve as i32;
    let jitter = match jitter as i32 {
        // Decorrelated jitter is jittered by itself.
        _ if curve == 1 => Jitter::None,
        0 => Jitter::None,
        1 => Jitter::Full,
        _ => Jitter::Equal,
    };
    Policy {
        curve: Shape { curve, base_ms, factor, custom },
        jitter,
        max_attempts,
        deadline_ms,
        max_delay_ms: floor_ms(max_delay_ms),
    }
}

/// One decision. The answer is the delay of a retry, -1 to -3 for a stop (non-retryable, attempts, deadline), or -4 to -6
/// for a wrong field in `state` (`attempts`, `startedAt`, `prevDelayMs`). `startedAt` stays what it is.
#[inline]
pub fn next<C: Curve>(
    policy: &Policy<C>,
    [attempts, started_at, prev_delay_ms]: [f64; 3],
    now: f64,
    retryable: bool,
    retry_after_ms: f64,
    random: impl FnMut() -> f64,
    write: impl FnOnce(Numbers),
) -> f64 {
    if !is_count(attempts) {
        return -4.0;
    }
    if !TIME.accepts(started_at) {
        return -5.0;
    }
    if !DELAY.accepts(prev_delay_ms) {
        return -6.0;
    }
    let state = RetryState { attempts: count(attempts), started_at, prev_delay_ms };
    // NaN is no floor at all.
    let outcome = Outcome { retryable, retry_after_ms: Some(retry_after_ms) };
    let (_, decision) = policy.next(state, now, outcome, random);
    let (answer, remaining_ms) = match decision {
        Decision::Retry { delay_ms, remaining_ms, .. } => (delay_ms, remaining_ms),
        Decision::Stop { reason: StopReason::NonRetryable, remaining_ms, .. } => (-1.0, remaining_ms),
        Decision::Stop { reason: StopReason::MaxAttempts, remaining_ms, .. } => (-2.0, remaining_ms),
        Decision::Stop { reason: StopReason::Deadline, remaining_ms, .. } => (-3.0, remaining_ms),
    };
    write([number(decision.attempts()), remaining_ms]);
    answer
}
