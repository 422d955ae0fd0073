//! The breakers.

#![allow(missing_docs, reason = "fields are named as those of a state are")]

use super::{invalid, number};
pub use crate::breaker::numbers::{LedgerNumbers, RecoveryNumbers};
use crate::breaker::{CallResult, Report, Reported, RollingBreakerState, Status, force_close, force_open};
use crate::number::MAX_SAFE_MS;
use crate::stored::{LENGTH, TIME};

/// How many numbers [`step`] gives back.
pub const NUMBERS: usize = 16;

/// The state in the order of its parameters, then `retryAfterMs`, then more than 0 if a field is that only a breaker with
/// options beyond the reference's has.
pub type Numbers = [f64; NUMBERS];

/// A state's fields, in the order in which `invalid` counts them.
#[derive(Clone, Copy, Debug)]
pub struct StateNumbers {
    pub status: i32,
    pub changed_at: f64,
    pub probes: f64,
    pub successes: f64,
    pub openings: f64,
    pub open_for_ms: f64,
    pub ahead_ms: f64,
    pub start: f64,
    pub prev_ok: f64,
    pub prev_fail: f64,
    pub curr_ok: f64,
    pub curr_fail: f64,
    pub prev_slow: f64,
    pub curr_slow: f64,
}

macro_rules! read {
    ($numbers:ident, $from:literal: $($field:ident $kind:ident),* $(,)?) => {
        let mut index = $from;
        $(let $field = read!(@$kind $numbers.$field, index);
        index += 1;)*
        let _ = index;
    };
    (@count $value:expr, $index:ident) => {{
        // Signed: an unsigned conversion is a dozen instructions in wasm.
        let whole = $value as i64;
        if whole as f64 != $value || !(0..=MAX_SAFE_MS as i64).contains(&whole) {
            return Err(invalid($index));
        }
        whole as u64
    }};
    (@time $value:expr, $index:ident) => {{
        if !TIME.accepts($value) {
            return Err(invalid($index));
        }
        $value
    }};
    (@length $value:expr, $index:ident) => {{
        if !LENGTH.accepts($value) {
            return Err(invalid($index));
        }
        $value
    }};
}

impl StateNumbers {
    #[inline(always)]
    fn read(self) -> Result<RollingBreakerState, i32> {
        let status = match self.status {
            0 => Status::Closed,
            1 => Status::Open,
            2 => Status::HalfOpen,
            _ => return Err(invalid(0)),
        };
        read!(self, 1: changed_at time, probes count, successes count, openings count, open_for_ms length,
            ahead_ms length, start time, prev_ok count, prev_fail count, curr_ok count, curr_fail count,
            prev_slow count, curr_slow count);
        Ok(RollingBreakerState {
            status,
            changed_at,
            probes,
            successes,
            openings,
            open_for_ms,
            ahead_ms,
            start,
            prev_ok,
            prev_fail,
            curr_ok,
            curr_fail,
            prev_slow,
            curr_slow,
        })
    }
}

/// What to do with a state.
///
/// `operation` is 0 to request, 1 to 3 to report a success, a failure or an ignored call, 4 and 5 to force it open or
/// closed. An epoch or a duration that is not known is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub operation: i32,
    pub now: f64,
    pub epoch: f64,
    pub duration_ms: f64,
}

/// One step of a breaker. Of a request: 0 refused, 1 admitted with the state as it was, 2 admitted with a new one. Of a
/// report: 0 counted, 1 ignored, 2 stale, and 3 more if the state is a new one. Negative is `invalid`.
#[inline(always)]
pub fn step(
    numbers: &mut Numbers,
    state: StateNumbers,
    call: Call,
    recovery: RecoveryNumbers,
    ledger: LedgerNumbers,
    random: impl Fn() -> f64,
) -> i32 {
    let Call { operation, now, epoch, duration_ms } = call;
    let state = match state.read() {
        Ok(state) => state,
        Err(code) => return code,
    };
    let recovery = recovery.build();
    let (next, code) = match operation {
        0 => {
            let (next, verdict) = recovery.request(state, now);
            numbers[14] = verdict.retry_after_ms;
            let code = match (verdict.ok, state.status) {
                (false, _) => 0,
                (true, Status::Closed) => 1,
                (true, _) => 2,
            };
            if code < 2 {
                numbers[0] = f64::from(state.status as i32);
                return code;
            }
            (next, code)
        }
        1..=3 => {
            let result = match operation {
                1 => CallResult::Success,
                2 => CallResult::Failure,
                _ => CallResult::Ignored,
            };
            let epoch = if epoch.is_nan() { None } else { Some(epoch) };
            let report = Report { result, epoch, duration_ms: Some(duration_ms) };
            let (next, reported) = recovery.report(&ledger.build(), state, now, &report, &mut || random());
            // Nothing that is counted leaves a window as it was, and nothing that leaves `closed` is ignored.
            let same = match reported {
                Reported::Counted => {
                    ledger.failure_threshold > 0.0
                        && (state.status, next.status) == (Status::Closed, Status::Closed)
                        && next.curr_fail == state.curr_fail
                }
                Reported::Ignored => state.status == Status::Closed,
                Reported::Stale => true,
            };
            let code = reported as i32;
            if same {
                return code;
            }
            (next, code + 3)
        }
        4 => (force_open(state, now), 0),
        _ => (force_close(state, now), 0),
    };
    let extra = number(next.openings | next.prev_slow | next.curr_slow) + next.open_for_ms + next.ahead_ms;
    *numbers = [
        f64::from(next.status as i32),
        next.changed_at,
        number(next.probes),
        number(next.successes),
        number(next.openings),
        next.open_for_ms,
        next.ahead_ms,
        next.start,
        number(next.prev_ok),
        number(next.prev_fail),
        number(next.curr_ok),
        number(next.curr_fail),
        number(next.prev_slow),
        number(next.curr_slow),
        numbers[14],
        extra,
    ];
    code
}
