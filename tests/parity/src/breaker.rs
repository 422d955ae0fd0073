//! The suite `breaker`: one step of one breaker, its state as numbers; made up as the last of a random walk.

use retry_primitives::breaker::{
    Breaker, BreakerBuilder, BreakerState, CallResult, ConsecutiveBreakerState, Growth, RecoveryState, Report,
    Reported, RollingBreakerState, Status, consecutive_breaker, force_close, force_open, rolling_breaker,
};

use crate::{
    IO, Suite,
    number::{duration, given},
    random::Random,
    walk::walk,
};

pub(crate) const SUITE: Suite = Suite { name: "breaker", fill, run, outputs: BUILT..TRAIL + 1 };

// `run.mjs` holds the same layout. NaN stands for an option left out.
const KIND: usize = 0;
const FAILURE_THRESHOLD: usize = 1;
const WINDOW: usize = 2;
const FAILURE_RATIO: usize = 3;
const MINIMUM_THROUGHPUT: usize = 4;
const SLOW_CALL: usize = 5;
const SLOW_RATIO: usize = 6;
const OPEN: usize = 7;
const GROWTH: usize = 8;
const FACTOR: usize = 9;
const MAX_OPEN: usize = 10;
const OPEN_JITTER: usize = 11;
const PROBES: usize = 12;
const SUCCESS_THRESHOLD: usize = 13;
const HALF_OPEN: usize = 14;
const STEP: usize = 15;
const NOW: usize = 16;
const RESULT: usize = 17;
const EPOCH: usize = 18;
const TOOK: usize = 19;
const RANDOM: usize = 20;
const STATE: usize = 21;
const OTHER: usize = STATE + FIELDS;
pub(crate) const BUILT: usize = OTHER + FIELDS;
pub(crate) const NEXT: usize = BUILT + 1;
pub(crate) const OK: usize = NEXT + FIELDS;
const VERDICT_STATUS: usize = OK + 1;
const RETRY_AFTER: usize = OK + 2;
const VERDICT_EPOCH: usize = OK + 3;
pub(crate) const REPORTED: usize = OK + 4;
pub(crate) const DRAWS: usize = OK + 5;
const VALID: usize = OK + 6;
/// What the steps before came to.
const TRAIL: usize = OK + 7;

/// Status, the six other shared fields, `failures`, `start`, the six counts of the window.
const FIELDS: usize = 15;

const STATUSES: [Status; 3] = [Status::Closed, Status::Open, Status::HalfOpen];

fn fill(random: &mut Random, io: &mut [f64; IO]) {
    io[KIND] = random.below(2) as f64;
    io[FAILURE_THRESHOLD] = random.pick(&[1.0, 1.0, 2.0, 5.0]);
    io[WINDOW] = option(random);
    io[FAILURE_RATIO] = random.pick(&[f64::NAN, 0.1, 0.3, 1.0 / 3.0, 0.5, 1.0]);
    io[MINIMUM_THROUGHPUT] = random.pick(&[1.0, 1.0, 2.0, 4.0]);
    io[SLOW_CALL] = random.pick(&[f64::NAN, 1.0, 1_000.5]);
    io[SLOW_RATIO] = random.pick(&[f64::NAN, 0.25, 0.7]);
    io[OPEN] = option(random);
    io[GROWTH] = random.pick(&[f64::NAN, 0.0, 1.0, 2.0, 3.0]);
    io[FACTOR] = random.pick(&[1.0, 1.1, 2.0, 3.0, 1e100]);
    io[MAX_OPEN] = io[OPEN] + option(random);
    io[OPEN_JITTER] = random.pick(&[0.0, 0.0, 0.2, 1.0]);
    io[PROBES] = random.pick(&[f64::NAN, 1.0, 2.0, 3.0]);
    io[SUCCESS_THRESHOLD] = random.pick(&[f64::NAN, 1.0]);
    io[HALF_OPEN] = if random.below(2) == 0 { f64::NAN } else { option(random) };
    io[NOW] = random.moment();
    walk(random, io, run, NEXT..NEXT + FIELDS, STATE, TRAIL, |random, io| {
        let fields: [f64; FIELDS] = core::array::from_fn(|index| io[STATE + index]);
        if random.below(8) == 0 {
            io[OTHER..OTHER + FIELDS].copy_from_slice(&fields);
        }
        io[STEP] = random.pick(&[0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        if random.below(4) != 0 {
            io[STEP] = random.pick(&[1.0, 2.0]);
        }
        io[NOW] = match random.below(8) {
            0 => random.moment(),
            1 => io[NOW] - random.milliseconds(),
            2 => io[NOW] + io[OPEN],
            3 => io[NOW] + io[WINDOW],
            4 => io[NOW],
            _ => io[NOW] + random.below(1_000) as f64,
        };
        io[RESULT] = random.pick(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0]);
        io[EPOCH] = match random.below(8) {
            0 => random.any_f64(),
            1..4 => fields[1],
            _ => f64::NAN,
        };
        io[TOOK] = random.pick(&[f64::NAN, 0.0, 1_000.0, 1_001.0]);
        io[RANDOM] = if random.below(8) == 0 { random.any_f64() } else { random.unit() };
        if random.below(32) == 0 {
            io[STATE] = random.below(3) as f64;
            io[STATE + 1 + random.below(FIELDS as u64 - 1) as usize] = random.any_f64();
        }
    });
}

/// Within the range of an option, also twice.
fn option(random: &mut Random) -> f64 {
    1.0 + random.milliseconds().min(4e15)
}

fn run(io: &mut [f64; IO]) {
    if io[KIND] == 0.0 {
        let built = shared(consecutive_breaker(io[FAILURE_THRESHOLD] as u64), io).build();
        step(built.ok(), io, consecutive, of_consecutive, |state| state.validate().is_ok());
    } else {
        let mut builder = rolling_breaker(duration(io[WINDOW]));
        if let Some(ratio) = given(io[FAILURE_RATIO]) {
            builder = builder.failure_ratio(ratio);
        }
        if let Some(calls) = given(io[MINIMUM_THROUGHPUT]) {
            builder = builder.minimum_throughput(calls as u64);
        }
        if let Some(slow) = given(io[SLOW_CALL]) {
            builder = builder.slow_call(duration(slow));
        }
        if let Some(ratio) = given(io[SLOW_RATIO]) {
            builder = builder.slow_ratio(ratio);
        }
        let built = shared(builder, io).build();
        step(built.ok(), io, rolling, of_rolling, |state| state.validate().is_ok());
    }
}

fn shared<Kind>(mut builder: BreakerBuilder<Kind>, io: &[f64; IO]) -> BreakerBuilder<Kind> {
    builder = builder.open(duration(io[OPEN]));
    if let Some(growth) = given(io[GROWTH]) {
        let growth = match growth as u8 {
            0 => Growth::Exponential { factor: io[FACTOR] },
            1 => Growth::DecorrelatedJitter { factor: io[FACTOR] },
            2 => Growth::Fibonacci,
            _ => Growth::Linear,
        };
        builder = builder.grow_open(growth, duration(io[MAX_OPEN]));
    }
    if let Some(share) = given(io[OPEN_JITTER]) {
        builder = builder.open_jitter(share);
    }
    if let Some(probes) = given(io[PROBES]) {
        builder = builder.half_open_probes(probes as u64);
    }
    if let Some(successes) = given(io[SUCCESS_THRESHOLD]) {
        builder = builder.success_threshold(successes as u64);
    }
    if let Some(half_open) = given(io[HALF_OPEN]) {
        builder = builder.half_open(duration(half_open));
    }
    builder
}

fn step<B: Breaker>(
    breaker: Option<B>,
    io: &mut [f64; IO],
    read: fn(&[f64]) -> B::State,
    write: fn(&B::State) -> [f64; FIELDS],
    valid: fn(&B::State) -> bool,
) {
    io[BUILT] = f64::from(breaker.is_some());
    let Some(breaker) = breaker else { return };
    let now = io[NOW];
    let state = read(&io[STATE..STATE + FIELDS]);
    let (mut reported, mut draws) = (f64::NAN, 0);
    let mut verdict = None;
    let next = match io[STEP] as u8 {
        0 => breaker.init(now),
        1 => {
            let (next, given) = breaker.request(state, now);
            verdict = Some(given);
            next
        }
        2 => {
            let result = [CallResult::Success, CallResult::Failure, CallResult::Ignored][io[RESULT] as usize];
            let report = Report { epoch: given(io[EPOCH]), duration_ms: given(io[TOOK]), ..Report::new(result) };
            let sample = io[RANDOM];
            let (next, outcome) = breaker.report_with(state, now, report, &mut || {
                draws += 1;
                sample
            });
            reported = match outcome {
                Reported::Counted => 0.0,
                Reported::Ignored => 1.0,
                Reported::Stale => 2.0,
            };
            next
        }
        3 => {
            verdict = Some(breaker.peek(state, now));
            state
        }
        4 => breaker.merge(state, read(&io[OTHER..OTHER + FIELDS])),
        5 => force_open(state, now),
        _ => force_close(state, now),
    };
    io[NEXT..NEXT + FIELDS].copy_from_slice(&write(&next));
    (io[OK], io[VERDICT_STATUS], io[RETRY_AFTER], io[VERDICT_EPOCH]) = match verdict {
        Some(given) => (f64::from(given.ok), status(given.status), given.retry_after_ms, given.epoch),
        None => (f64::NAN, f64::NAN, f64::NAN, f64::NAN),
    };
    (io[REPORTED], io[DRAWS], io[VALID]) = (reported, f64::from(draws), f64::from(valid(&next)));
}

fn status(status: Status) -> f64 {
    STATUSES.iter().position(|other| *other == status).map_or(f64::NAN, |index| index as f64)
}

fn recovery(fields: &[f64]) -> RecoveryState {
    RecoveryState {
        status: STATUSES[fields[0] as usize % 3],
        changed_at: fields[1],
        probes: fields[2] as u64,
        successes: fields[3] as u64,
        openings: fields[4] as u64,
        open_for_ms: fields[5],
        ahead_ms: fields[6],
    }
}

fn of_recovery(state: &impl BreakerState) -> [f64; 7] {
    let RecoveryState { status: at, changed_at, probes, successes, openings, open_for_ms, ahead_ms } = state.recovery();
    [status(at), changed_at, probes as f64, successes as f64, openings as f64, open_for_ms, ahead_ms]
}

fn consecutive(fields: &[f64]) -> ConsecutiveBreakerState {
    let RecoveryState { status, changed_at, probes, successes, openings, open_for_ms, ahead_ms } = recovery(fields);
    let failures = fields[7] as u64;
    ConsecutiveBreakerState { status, changed_at, probes, successes, failures, openings, open_for_ms, ahead_ms }
}

fn of_consecutive(state: &ConsecutiveBreakerState) -> [f64; FIELDS] {
    let mut fields = [0.0; FIELDS];
    fields[..7].copy_from_slice(&of_recovery(state));
    fields[7] = state.failures as f64;
    fields
}

fn rolling(fields: &[f64]) -> RollingBreakerState {
    let RecoveryState { status, changed_at, probes, successes, openings, open_for_ms, ahead_ms } = recovery(fields);
    let [prev_ok, prev_fail, prev_slow, curr_ok, curr_fail, curr_slow] =
        core::array::from_fn(|index| fields[9 + index] as u64);
    let start = fields[8];
    RollingBreakerState {
        status,
        changed_at,
        probes,
        successes,
        start,
        prev_ok,
        prev_fail,
        curr_ok,
        curr_fail,
        prev_slow,
        curr_slow,
        openings,
        open_for_ms,
        ahead_ms,
    }
}

fn of_rolling(state: &RollingBreakerState) -> [f64; FIELDS] {
    let mut fields = [0.0; FIELDS];
    fields[..7].copy_from_slice(&of_recovery(state));
    fields[8] = state.start;
    let counts = [state.prev_ok, state.prev_fail, state.prev_slow, state.curr_ok, state.curr_fail, state.curr_slow];
    fields[9..].copy_from_slice(&counts.map(|count| count as f64));
    fields
}
