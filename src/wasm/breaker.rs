//! The breakers.

#![allow(missing_docs, reason = "fields are named as those of a state are")]

use super::{invalid, number, time};
use crate::breaker::numbers::{self, Checked, More, NOTHING_MORE, Plain, ledger, recovery};
use crate::breaker::recovery::Turn;
use crate::breaker::{CallResult, Report, Reported, RollingBreakerState, Status};
use crate::number::MAX_SAFE_MS;
use crate::stored::{LENGTH, Range, TIME};

/// A state in the order of its parameters, then `retryAfterMs`, then more than 0 if one of the state's optional fields is.
pub type Numbers = [f64; 16];

/// The options of a breaker, as the facade lays them out: those of the package's `/breaker`, and of `/breaker/extended`.
pub trait Options: Copy {
    /// Whether the program merges states.
    const MERGES: bool;

    fn split(self) -> (Plain, More);
}

impl Options for Plain {
    const MERGES: bool = false;

    #[inline(always)]
    fn split(self) -> (Plain, More) {
        (self, NOTHING_MORE)
    }
}

/// Both kinds of options, one after the other, and then what [`merge`] is given: a state as [`step`] writes it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Extended(Plain, More, Numbers);

impl Extended {
    pub const ZERO: Self = Self([0.0; 8], [0.0; 6], [0.0; 16]);
}

impl Options for Extended {
    const MERGES: bool = true;

    #[inline(always)]
    fn split(self) -> (Plain, More) {
        (self.0, self.1)
    }
}

/// A state's fields, in the order in which `invalid` counts them. Of a consecutive breaker, `curr_fail` is its run of
/// failures, and what else only a window has is not looked at.
#[derive(Clone, Copy, Debug)]
pub struct StateNumbers {
    pub status: i32,
    pub changed_at: f64,
    pub probes: f64,
    pub successes: f64,
    pub start: f64,
    pub prev_ok: f64,
    pub prev_fail: f64,
    pub curr_ok: f64,
    pub curr_fail: f64,
    pub prev_slow: f64,
    pub curr_slow: f64,
    pub openings: f64,
    pub open_for_ms: f64,
    pub ahead_ms: f64,
}

#[inline(always)]
fn count(value: f64, index: i32) -> Result<u64, i32> {
    // Signed: an unsigned conversion is a dozen instructions in wasm.
    let whole = value as i64 as u64;
    if whole as i64 as f64 == value && whole <= MAX_SAFE_MS as u64 { Ok(whole) } else { Err(invalid(index)) }
}

#[inline(always)]
fn within(range: Range, value: f64, index: i32) -> Result<f64, i32> {
    if range.accepts(value) { Ok(value) } else { Err(invalid(index)) }
}

impl StateNumbers {
    /// The state; `window` tells whether the fields of a window are part of it, `ledger` whether any ledger is.
    #[inline(always)]
    fn read(self, ledger: bool, window: bool) -> Result<RollingBreakerState, i32> {
        let mut state = RollingBreakerState {
            status: match self.status {
                0 => Status::Closed,
                1 => Status::Open,
                2 => Status::HalfOpen,
                _ => return Err(invalid(0)),
            },
            changed_at: within(TIME, self.changed_at, 1)?,
            probes: count(self.probes, 2)?,
            successes: count(self.successes, 3)?,
            start: 0.0,
            prev_ok: 0,
            prev_fail: 0,
            curr_ok: 0,
            curr_fail: 0,
            prev_slow: 0,
            curr_slow: 0,
            openings: count(self.openings, 11)?,
            open_for_ms: within(LENGTH, self.open_for_ms, 12)?,
            ahead_ms: within(LENGTH, self.ahead_ms, 13)?,
        };
        if ledger {
            state.curr_fail = count(self.curr_fail, 8)?;
            if window {
                state.start = within(TIME, self.start, 4)?;
                state.prev_ok = count(self.prev_ok, 5)?;
                state.prev_fail = count(self.prev_fail, 6)?;
                state.curr_ok = count(self.curr_ok, 7)?;
                state.prev_slow = count(self.prev_slow, 9)?;
                state.curr_slow = count(self.curr_slow, 10)?;
            }
        }
        Ok(state)
    }
}

const OPEN: i32 = 4;
const INIT: i32 = 6;
const WRITE: i32 = 7;

const EMPTY: RollingBreakerState = RollingBreakerState {
    status: Status::Closed,
    changed_at: 0.0,
    probes: 0,
    successes: 0,
    start: 0.0,
    prev_ok: 0,
    prev_fail: 0,
    curr_ok: 0,
    curr_fail: 0,
    prev_slow: 0,
    curr_slow: 0,
    openings: 0,
    open_for_ms: 0.0,
    ahead_ms: 0.0,
};

/// What to do with a state.
///
/// `operation` is 0 to request, 1 to 3 to report a success, a failure or an ignored call, 4 and 5 to force it open or
/// closed, 6 for a new state, whatever the one given is, and 7 to check a state that is to be merged and write it as it is. An epoch or a
/// duration that is not known is NaN.
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
pub fn step<O: Options>(
    numbers: &mut Numbers,
    options: O,
    state: StateNumbers,
    call: Call,
    random: impl Fn() -> f64,
) -> i32 {
    let Call { operation, now, epoch, duration_ms } = call;
    let (plain, more) = options.split();
    let (recovery, ledger) = (recovery(&plain, &more), ledger(&plain, &more));
    let state = if operation == INIT {
        EMPTY
    } else {
        match state.read(!(OPEN..=INIT).contains(&operation), !ledger.counts_runs()) {
            Ok(state) => state,
            Err(code) => return code,
        }
    };
    if O::MERGES && operation == WRITE {
        write(numbers, &state);
        return 0;
    }
    let was_closed = state.status == Status::Closed;
    let mut next = Checked(state);
    let mut code = 2;
    if operation == 0 {
        let (admitted, verdict) = recovery.request(next, now);
        numbers[0] = f64::from(verdict.status as i32);
        numbers[14] = verdict.retry_after_ms;
        if was_closed {
            return 1;
        }
        if !verdict.ok {
            return 0;
        }
        next = admitted;
    } else {
        let now = time(now);
        let mut turn = Turn::Open;
        if operation < OPEN {
            let result = match operation {
                1 => CallResult::Success,
                2 => CallResult::Failure,
                _ => CallResult::Ignored,
            };
            let epoch = if epoch.is_nan() { None } else { Some(epoch) };
            let report = Report { result, epoch, duration_ms: Some(duration_ms) };
            let (follows, reported) = recovery.judge(&ledger, &mut next, now, &report);
            turn = follows;
            code = reported as i32;
            let same = match reported {
                // Whatever is counted changes a window.
                Reported::Counted => {
                    was_closed && turn == Turn::Stay && ledger.counts_runs() && next.0.curr_fail == state.curr_fail
                }
                // On trial, a probe's slot is free again.
                Reported::Ignored => was_closed,
                Reported::Stale => true,
            };
            if same {
                return code;
            }
            code += 3;
        } else if operation > OPEN {
            turn = Turn::Close;
            if was_closed {
                turn = Turn::Stay;
                if operation == INIT || now > state.changed_at {
                    next.0.changed_at = now;
                }
                next.0.start = now;
            }
        }
        recovery.turn(&ledger, &mut next, now, turn, &mut || random());
        if operation == OPEN {
            next.0.openings = state.openings;
            next.0.open_for_ms = 0.0;
        }
    }
    write(numbers, &next.0);
    code
}

/// Joins the state in `numbers` with the one in `options`. Not a [`step`], which keeps nothing on the stack in memory: it
/// draws random numbers, and an exception out of that would not give the stack back.
pub fn merge(numbers: &mut Numbers, Extended(plain, more, other): &Extended) {
    let (recovery, ledger) = (recovery(plain, more), ledger(plain, more));
    let merged = numbers::merge(&recovery, &ledger, read_back(other), read_back(numbers)).0;
    write(numbers, &merged);
}

/// What [`write`] wrote.
fn read_back(numbers: &Numbers) -> Checked {
    let count = |index: usize| numbers[index] as i64 as u64;
    Checked(RollingBreakerState {
        status: match count(0) {
            0 => Status::Closed,
            1 => Status::Open,
            _ => Status::HalfOpen,
        },
        changed_at: numbers[1],
        probes: count(2),
        successes: count(3),
        start: numbers[4],
        prev_ok: count(5),
        prev_fail: count(6),
        curr_ok: count(7),
        curr_fail: count(8),
        prev_slow: count(9),
        curr_slow: count(10),
        openings: count(11),
        open_for_ms: numbers[12],
        ahead_ms: numbers[13],
    })
}

#[inline(always)]
fn write(numbers: &mut Numbers, next: &RollingBreakerState) {
    let optional = number(next.openings | next.prev_slow | next.curr_slow) + next.open_for_ms + next.ahead_ms;
    let retry_after_ms = numbers[14];
    *numbers = [
        f64::from(next.status as i32),
        next.changed_at,
        number(next.probes),
        number(next.successes),
        next.start,
        number(next.prev_ok),
        number(next.prev_fail),
        number(next.curr_ok),
        number(next.curr_fail),
        number(next.prev_slow),
        number(next.curr_slow),
        number(next.openings),
        next.open_for_ms,
        next.ahead_ms,
        retry_after_ms,
        optional,
    ];
}
