//! spike
use crate::backoff::{Constant, Curve, Decision, DecorrelatedJitter, Exponential, Fibonacci, Jitter, Linear, Policy, RetryState, StopReason};
use crate::Outcome;

#[derive(Clone, Copy)]
pub struct Shape { pub kind: i32, pub base: f64, pub factor: f64 }

impl Curve for Shape {
    #[inline(always)]
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, prev: f64, random: &mut R) -> f64 {
        let base_ms = self.base;
        let factor = self.factor;
        match self.kind {
            0 => Exponential { base_ms, factor }.delay_ms(attempt, prev, random),
            1 => DecorrelatedJitter { base_ms, factor }.delay_ms(attempt, prev, random),
            2 => Fibonacci { base_ms }.delay_ms(attempt, prev, random),
            3 => Linear { base_ms }.delay_ms(attempt, prev, random),
            _ => Constant { delay_ms: base_ms }.delay_ms(attempt, prev, random),
        }
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub fn next(out: &mut [f64; 4], kind: i32, base: f64, factor: f64, max_attempts: f64, deadline_ms: f64, max_delay_ms: f64, jitter: i32,
    attempts: f64, started_at: f64, prev_delay_ms: f64, now: f64, retryable: i32, retry_after: f64, draw: impl Fn() -> f64) -> i32 {
    let signed = attempts as i64;
    if !(signed as f64 == attempts && (0..1 << 53).contains(&signed)) { return 5; }
    let whole = signed as u64;
    if !(started_at.abs() <= crate::number::MAX_SAFE_MS) { return 6; }
    if !(prev_delay_ms >= 0.0 && prev_delay_ms <= crate::number::MAX_SAFE_MS) { return 7; }
    let policy = Policy { curve: Shape { kind, base, factor }, jitter: match jitter { 0 => Jitter::None, 1 => Jitter::Full, _ => Jitter::Equal },
       max_attempts: max_attempts as i64 as u64, deadline_ms, max_delay_ms };
    let (state, decision) = policy.next(RetryState { attempts: whole, started_at, prev_delay_ms }, now, Outcome { retryable: retryable != 0, retry_after_ms: Some(retry_after) }, draw);
    out[2] = decision.attempts() as i64 as f64;
    match decision {
        Decision::Retry { delay_ms, remaining_ms, .. } => { out[0] = delay_ms; out[1] = remaining_ms; out[3] = state.started_at; 0 }
        Decision::Stop { reason, remaining_ms, .. } => { out[1] = remaining_ms;
            match reason { StopReason::NonRetryable => 1, StopReason::MaxAttempts => 2, StopReason::Deadline => 3 } }
    }
}
