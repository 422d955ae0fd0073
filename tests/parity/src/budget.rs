//! The suite `budget`: one step of one budget, its state as numbers; made up as the last of a random walk.

use retry_primitives::budget::{
    AdaptiveThrottleState, Budget, Failure, GrpcThrottleState, RetryBudgetState, SLOTS, TokenBucketState,
    adaptive_throttle, grpc_throttle, retry_budget, token_bucket,
};

use crate::{IO, Suite, number::duration, random::Random, walk::walk};

pub(crate) const SUITE: Suite = Suite { name: "budget", fill, run, outputs: BUILT..TRAIL + 1 };

const KIND: usize = 0;
/// Ratio, multiplier, capacity, or most tokens.
const FIRST: usize = 1;
/// Retries a second, cost, or tokens for a success.
const SECOND: usize = 2;
const WINDOW: usize = 3;
const STEP: usize = 4;
const NOW: usize = 5;
const FAILURE: usize = 6;
const RANDOM: usize = 7;
const STATE: usize = 8;
pub(crate) const BUILT: usize = STATE + FIELDS;
const NEXT: usize = BUILT + 1;
pub(crate) const ALLOWED: usize = NEXT + FIELDS;
pub(crate) const DRAWS: usize = ALLOWED + 1;
const FIGURE: usize = ALLOWED + 2;
const TRAIL: usize = ALLOWED + 3;

/// `start` or the tokens, then the two lists.
const FIELDS: usize = 1 + 2 * SLOTS;

fn fill(random: &mut Random, io: &mut [f64; IO]) {
    io[KIND] = random.below(4) as f64;
    (io[FIRST], io[SECOND]) = match io[KIND] as u8 {
        0 => (random.pick(&[0.0, 0.1, 0.2, 1.0 / 3.0, 2.0]), random.pick(&[0.0, 0.1, 1.0, 10.0])),
        1 => (random.pick(&[1.0, 1.1, 2.0, 5.0]), 0.0),
        2 => (random.pick(&[10.0, 15.0, 500.0]), random.pick(&[1.0, 5.0, 7.0])),
        _ => (random.pick(&[1.0, 4.0, 10.0, 1_000.0]), random.pick(&[0.1, 0.333, 1.0, 1.6])),
    };
    io[WINDOW] = 10.0 + random.milliseconds().min(1e12);
    io[NOW] = random.moment();
    walk(random, io, run, NEXT..NEXT + FIELDS, STATE, TRAIL, |random, io| {
        io[STEP] = 1.0 + random.below(4) as f64;
        io[NOW] = match random.below(8) {
            0 => random.moment(),
            1 => io[NOW] - random.milliseconds(),
            2 => io[NOW] + io[WINDOW] / 3.0,
            3 => io[NOW],
            _ => io[NOW] + random.below(1_000) as f64,
        };
        io[FAILURE] = random.below(4) as f64;
        io[RANDOM] = if random.below(8) == 0 { random.any_f64() } else { random.unit() };
        if random.below(16) == 0 {
            io[STATE + random.below(FIELDS as u64) as usize] = random.any_f64();
        }
    });
}

fn run(io: &mut [f64; IO]) {
    let (first, second, window) = (io[FIRST], io[SECOND], duration(io[WINDOW]));
    let start = io[STATE];
    let slots = |list: usize| core::array::from_fn(|index| io[STATE + 1 + list * SLOTS + index]);
    let (ones, others): ([f64; SLOTS], [f64; SLOTS]) = (slots(0), slots(1));
    let lists = |start: f64, ones: [f64; SLOTS], others: [f64; SLOTS]| {
        let mut fields = [start; FIELDS];
        fields[1..=SLOTS].copy_from_slice(&ones);
        fields[1 + SLOTS..].copy_from_slice(&others);
        fields
    };
    let tokens = |tokens: f64| lists(tokens, [0.0; SLOTS], [0.0; SLOTS]);
    match io[KIND] as u8 {
        0 => {
            let Ok(budget) = retry_budget().ratio(first).min_retries_per_second(second).window(window).build() else {
                io[BUILT] = 0.0;
                return;
            };
            let state = RetryBudgetState { start, requests: ones, retries: others };
            let next = step(&budget, state, io);
            finish(io, lists(next.start, next.requests, next.retries), budget.balance(&next, io[NOW]));
        }
        1 => {
            let Ok(throttle) = adaptive_throttle().multiplier(first).window(window).build() else {
                io[BUILT] = 0.0;
                return;
            };
            let state = AdaptiveThrottleState { start, requests: ones, accepts: others };
            let next = step(&throttle, state, io);
            let probability = throttle.rejection_probability(&next, io[NOW]);
            finish(io, lists(next.start, next.requests, next.accepts), probability);
        }
        2 => {
            let Ok(bucket) = token_bucket().capacity(first as u32).retry_cost(second as u32).build() else {
                io[BUILT] = 0.0;
                return;
            };
            let next = step(&bucket, TokenBucketState { tokens: start }, io);
            finish(io, tokens(next.tokens), f64::from(next.validate().is_ok()));
        }
        _ => {
            let Ok(throttle) = grpc_throttle().max_tokens(first as u32).token_ratio(second).build() else {
                io[BUILT] = 0.0;
                return;
            };
            let next = step(&throttle, GrpcThrottleState { milli_tokens: start }, io);
            finish(io, tokens(next.milli_tokens), f64::from(next.validate().is_ok()));
        }
    }
}

fn step<B: Budget>(budget: &B, state: B::State, io: &mut [f64; IO]) -> B::State {
    let (now, sample) = (io[NOW], io[RANDOM]);
    let failure = [Failure::Transient, Failure::Timeout, Failure::Throttling, Failure::NonRetryable];
    let failure = failure[io[FAILURE] as usize];
    let mut draws = 0;
    let random = || {
        draws += 1;
        sample
    };
    let (next, allowed) = match io[STEP] as u8 {
        0 => (budget.init(now), true),
        1 => budget.request(state, now, random),
        2 => budget.retry(state, now, failure, random),
        3 => (budget.succeed(state, now, (failure != Failure::NonRetryable).then_some(failure)), true),
        _ => (budget.fail(state, now, failure), true),
    };
    (io[BUILT], io[ALLOWED], io[DRAWS]) = (1.0, f64::from(allowed), f64::from(draws));
    next
}

fn finish(io: &mut [f64; IO], fields: [f64; FIELDS], figure: f64) {
    io[NEXT..NEXT + FIELDS].copy_from_slice(&fields);
    io[FIGURE] = figure;
}
