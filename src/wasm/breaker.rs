//! The breakers.

#![allow(missing_docs, reason = "fields are named as those of a state are")]

use super::{count, invalid, is_count, number};
pub use crate::breaker::numbers::{LedgerNumbers, RecoveryNumbers};
use crate::breaker::{CallResult, Report, Reported, RollingBreakerState, Status, force_close, force_open};
use crate::stored::{LENGTH, TIME};

/// How many numbers [`step`] gives back.
pub const NUMBERS: usize = 16;

/// The state in the order of its parameters, then `retryAfterMs`, then more than 0 if a field is that only a breaker with
/// options beyond the reference's has.
pub type Numbers = [f64; NUMBERS];

/// A state's fields, in the order in which [`invalid`] counts them.
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

macro_rules! check {
    ($($right:expr),* $(,)?) => {
        let mut index = 0;
        $(if !$right {
            return Err(invalid(index));
        }
        index += 1;)*
        let _ = index;
    };
}

impl StateNumbers {
    #[inline(always)]
    fn read(self) -> Result<RollingBreakerState, i32> {
        check!(
            self.status >= 0,
            TIME.accepts(self.changed_at),
            is_count(self.probes),
            is_count(self.successes),
            is_count(self.openings),
            LENGTH.accepts(self.open_for_ms),
            LENGTH.accepts(self.ahead_ms),
            TIME.accepts(self.start),
            is_count(self.prev_ok),
            is_count(self.prev_fail),
            is_count(self.curr_ok),
            is_count(self.curr_fail),
            is_count(self.prev_slow),
            is_count(self.curr_slow),
        );
        Ok(RollingBreakerState {
            status: match self.status {
                0 => Status::Closed,
                1 => Status::Open,
                _ => Status::HalfOpen,
            },
            changed_at: self.changed_at,
            probes: count(self.probes),
            successes: count(self.successes),
            openings: count(self.openings),
            open_for_ms: self.open_for_ms,
            ahead_ms: self.ahead_ms,
            start: self.start,
            prev_ok: count(self.prev_ok),
            prev_fail: count(self.prev_fail),
            curr_ok: count(self.curr_ok),
            curr_fail: count(self.curr_fail),
            prev_slow: count(self.prev_slow),
            curr_slow: count(self.curr_slow),
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
/// report: 0 counted, 1 ignored, 2 stale, and 3 more if the state is a new one. Negative is [`invalid`].
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
            (next, code)
        }
        4 => (force_open(state, now), 0),
        5 => (force_close(state, now), 0),
        _ => {
            let result = match operation {
                1 => CallResult::Success,
                2 => CallResult::Failure,
                _ => CallResult::Ignored,
            };
            let epoch = if epoch.is_nan() { None } else { Some(epoch) };
            let report = Report { result, epoch, duration_ms: Some(duration_ms) };
            let (next, reported) = recovery.report(&ledger.build(), state, now, &report, &mut || random());
            let code = match reported {
                Reported::Counted => 0,
                Reported::Ignored => 1,
                Reported::Stale => 2,
            };
            let closed = state.status == Status::Closed;
            let same = reported == Reported::Stale
                || closed
                    && (reported == Reported::Ignored
                        || ledger.failure_threshold > 0.0
                            && next.status == state.status
                            && next.curr_fail == state.curr_fail);
            (next, if same { code } else { code + 3 })
        }
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
