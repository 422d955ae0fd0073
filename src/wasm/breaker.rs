//! Breakers, numbers in and numbers out.
use super::{count, span, time};
use crate::breaker::numbers::{self, AnyLedger};
use crate::breaker::{BreakerState, CallResult, Report, Reported, RollingBreakerState, Status, force_close, force_open};

pub const OUT: usize = 16;

#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub fn step(out: &mut [f64; OUT], random: impl Fn() -> f64,
    op: i32, status: i32, changed_at: f64, probes: f64, successes: f64, openings: f64, open_for_ms: f64, ahead_ms: f64, 
    start: f64, prev_ok: f64, prev_fail: f64, curr_ok: f64, curr_fail: f64, prev_slow: f64, curr_slow: f64,
    now: f64, epoch: f64, duration: f64,
    open_ms: f64, growth: i32, factor: f64, max_open_ms: f64, open_jitter: f64, half_open_probes: f64, success_threshold: f64, half_open_ms: f64, 
    threshold: f64, window_ms: f64, failure_ratio: f64, minimum_throughput: f64, slow_call_ms: f64, slow_ratio: f64
) -> i32 {
    let checks = [status >= 0, time(changed_at), count(probes), count(successes), count(openings), span(open_for_ms), span(ahead_ms), time(start), count(prev_ok), count(prev_fail), count(curr_ok), count(curr_fail), count(prev_slow), count(curr_slow)];
    let mut i = 0;
    for ok in checks { i += 1; if !ok { return -i; } }
    let c = |v: f64| v as i64 as u64;
    let mut state = RollingBreakerState { status: match status { 0 => Status::Closed, 1 => Status::Open, _ => Status::HalfOpen }, changed_at, probes: c(probes), successes: c(successes), openings: c(openings), open_for_ms, ahead_ms,
        start, prev_ok: c(prev_ok), prev_fail: c(prev_fail), curr_ok: c(curr_ok), curr_fail: c(curr_fail), prev_slow: c(prev_slow), curr_slow: c(curr_slow) };
    let recovery = numbers::recovery(open_ms, growth, factor, max_open_ms, open_jitter, half_open_probes, success_threshold, half_open_ms);
    let ledger = AnyLedger { threshold, window: numbers::window(window_ms, failure_ratio, minimum_throughput, slow_call_ms, slow_ratio) };
    let code;
    match op {
        0 => {
            let closed = status == 0;
            let (next, verdict) = recovery.request(state, now);
            out[14] = verdict.retry_after_ms;
            state = next;
            code = if !verdict.ok { 0 } else if closed { 1 } else { 2 };
        }
        1..=3 => {
            let report = Report { result: match op { 1 => CallResult::Success, 2 => CallResult::Failure, _ => CallResult::Ignored }, epoch: if epoch.is_nan() { None } else { Some(epoch) }, duration_ms: Some(duration) };
            let (next, reported) = recovery.report(&ledger, state, now, &report, &mut || random());
            state = next;
            code = match reported { Reported::Counted => 0, Reported::Ignored => 1, Reported::Stale => 2 };
        }
        4 => { state = force_open(state, now); code = 0 }
        _ => { state = force_close(state, now); code = 0 }
    }
    let d = |v: u64| v as i64 as f64;
    *out = [state.status as i32 as f64, state.changed_at, d(state.probes), d(state.successes), d(state.openings), state.open_for_ms, state.ahead_ms,
        state.start, d(state.prev_ok), d(state.prev_fail), d(state.curr_ok), d(state.curr_fail), d(state.prev_slow), d(state.curr_slow), out[14], 0.0];
    code
}
