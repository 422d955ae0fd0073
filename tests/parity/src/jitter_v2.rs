//! The suite `jitter_v2`: one decision of Polly's decorrelated jitter, whose curve is the only transcendental one.

use retry_primitives::{
    Outcome,
    backoff::{JitterV2State, decorrelated_jitter_v2},
};

use crate::{IO, Suite, number::duration, random::Random};

pub(crate) const SUITE: Suite = Suite { name: "jitter_v2", fill, run, outputs: NEXT_ATTEMPTS..DELAY + 1 };

const BASE: usize = 0;
const MAX_DELAY: usize = 1;
const DEADLINE: usize = 2;
const ATTEMPTS: usize = 3;
const PREV_DELAY: usize = 4;
const REACHED: usize = 5;
const NOW: usize = 6;
const RANDOM: usize = 7;
const NEXT_ATTEMPTS: usize = 8;
const NEXT_PREV_DELAY: usize = 9;
pub(crate) const NEXT_REACHED: usize = 10;
pub(crate) const DELAY: usize = 11;

fn fill(random: &mut Random, io: &mut [f64; IO]) {
    io[BASE] = random.milliseconds();
    io[MAX_DELAY] = random.milliseconds();
    io[DEADLINE] = if random.below(4) == 0 { 1.0 + random.milliseconds() } else { 1e18 };
    io[ATTEMPTS] = match random.below(4) {
        0 => random.below(1 << 54) as f64,
        1 => random.below(1_100) as f64,
        _ => random.below(12) as f64,
    };
    io[PREV_DELAY] = random.milliseconds();
    io[REACHED] = match random.below(4) {
        0 => random.any_f64(),
        1 => 0.0,
        _ => random.unit() * (1_u64 << random.below(40)) as f64,
    };
    io[NOW] = random.milliseconds();
    io[RANDOM] = if random.below(8) == 0 { random.any_f64() } else { random.unit() };
}

fn run(io: &mut [f64; IO]) {
    let policy = decorrelated_jitter_v2(duration(io[BASE]))
        .max_delay(duration(io[MAX_DELAY]))
        .deadline(duration(io[DEADLINE]))
        .build()
        .expect("options in range");
    let state = JitterV2State {
        attempts: io[ATTEMPTS] as u64,
        started_at: 0.0,
        prev_delay_ms: io[PREV_DELAY],
        reached: io[REACHED],
    };
    let (next, decision) = policy.next(state, io[NOW], Outcome::RETRYABLE, || io[RANDOM]);
    io[NEXT_ATTEMPTS] = next.attempts as f64;
    io[NEXT_PREV_DELAY] = next.prev_delay_ms;
    io[NEXT_REACHED] = next.reached;
    io[DELAY] = decision.delay().map_or(f64::NAN, |delay| delay.as_millis() as f64);
}
