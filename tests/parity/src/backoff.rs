//! The suite `backoff`: one decision of one policy, numbers in and numbers out.

use retry_primitives::{Decision, Outcome, RetryState, StopReason, backoff::Jitter};

use crate::{
    IO, Suite,
    number::{duration, given},
    policy::{CURVES, KINDS, Kind, Limit, Options},
    random::Random,
};

pub(crate) const SUITE: Suite = Suite { name: "backoff", fill, run, outputs: BUILT..DRAWS + 1 };

// `run.mjs` holds the same layout. NaN stands for an option left out.
const KIND: usize = 0;
const CURVE: usize = 1;
const BASE: usize = 2;
const FACTOR: usize = 3;
const MAX_ATTEMPTS: usize = 4;
const DEADLINE: usize = 5;
const MAX_DELAY: usize = 6;
const JITTER: usize = 7;
const ATTEMPTS: usize = 8;
const STARTED_AT: usize = 9;
const PREV_DELAY: usize = 10;
const NOW: usize = 11;
const RETRYABLE: usize = 12;
const HAS_RETRY_AFTER: usize = 13;
const RETRY_AFTER: usize = 14;
const RANDOM: usize = 15;
const BUILT: usize = 16;
const NEXT_ATTEMPTS: usize = 17;
const NEXT_STARTED_AT: usize = 18;
const NEXT_PREV_DELAY: usize = 19;
const RETRY: usize = 20;
const DELAY: usize = 21;
const MADE: usize = 22;
const REMAINING: usize = 23;
const REASON: usize = 24;
const SERVER: usize = 25;
const DRAWS: usize = 26;

/// Half of the numbers are what a real caller passes, the others whatever 64 bits can hold.
fn fill(random: &mut Random, io: &mut [f64; IO]) {
    io[KIND] = random.below(KINDS.len() as u64) as f64;
    io[CURVE] = random.below(CURVES.len() as u64) as f64;
    io[BASE] = random.milliseconds();
    io[FACTOR] = random.pick(&[f64::NAN, 1.0, 1.1, 1.5, 2.0, 3.0, 10.0, 1e100]);
    io[MAX_ATTEMPTS] = if random.below(4) == 0 { random.pick(&[1.0, 2.0, 5.0, 100.0]) } else { f64::INFINITY };
    io[DEADLINE] = if random.below(2) == 0 { f64::NAN } else { 1.0 + random.milliseconds() };
    io[MAX_DELAY] = match random.below(4) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        _ => random.milliseconds(),
    };
    io[JITTER] = random.pick(&[f64::NAN, 0.0, 1.0, 2.0, 3.0]);
    io[ATTEMPTS] = match random.below(4) {
        0 => random.any_f64(),
        1 => random.below(1 << 54) as f64,
        _ => random.below(70) as f64,
    };
    io[STARTED_AT] = random.moment();
    io[PREV_DELAY] = if random.below(4) == 0 { random.any_f64() } else { random.milliseconds() };
    io[NOW] = if random.below(4) == 0 { random.moment() } else { io[STARTED_AT] + random.milliseconds() };
    io[RETRYABLE] = f64::from(u8::from(random.below(16) != 0));
    io[HAS_RETRY_AFTER] = random.below(2) as f64;
    io[RETRY_AFTER] = if random.below(2) == 0 { random.any_f64() } else { random.milliseconds() };
    io[RANDOM] = if random.below(8) == 0 { random.any_f64() } else { random.unit() };
}

fn run(io: &mut [f64; IO]) {
    let jitter = [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Quarter];
    let options = Options {
        kind: match KINDS[io[KIND] as usize] {
            Kind::Custom(_) => Kind::Custom(io[CURVE] as usize),
            kind => kind,
        },
        factor: given(io[FACTOR]),
        max_attempts: limit(io[MAX_ATTEMPTS], |attempts| attempts as u64),
        deadline: given(io[DEADLINE]).map(duration),
        max_delay: limit(io[MAX_DELAY], duration),
        jitter: given(io[JITTER]).map(|index| jitter[index as usize]),
        ..Options::new(Kind::Constant, duration(io[BASE]))
    };
    let Ok(policy) = options.build() else {
        io[BUILT] = 0.0;
        return;
    };
    let state = RetryState { attempts: io[ATTEMPTS] as u64, started_at: io[STARTED_AT], prev_delay_ms: io[PREV_DELAY] };
    let outcome = Outcome {
        retryable: io[RETRYABLE] != 0.0,
        retry_after_ms: (io[HAS_RETRY_AFTER] != 0.0).then_some(io[RETRY_AFTER]),
    };
    let mut draws = 0;
    let random = || {
        draws += 1;
        io[RANDOM]
    };
    let (next, decision) = each!(policy, policy => policy.next(state, io[NOW], outcome, random));

    io[BUILT] = 1.0;
    io[NEXT_ATTEMPTS] = next.attempts as f64;
    io[NEXT_STARTED_AT] = next.started_at;
    io[NEXT_PREV_DELAY] = next.prev_delay_ms;
    io[MADE] = decision.attempts() as f64;
    io[DRAWS] = f64::from(draws);
    match decision {
        Decision::Retry { delay_ms, remaining_ms, .. } => {
            (io[RETRY], io[DELAY], io[REMAINING], io[REASON], io[SERVER]) =
                (1.0, delay_ms, remaining_ms, 0.0, f64::NAN);
        }
        Decision::Stop { reason, remaining_ms, retry_after_ms, .. } => {
            let reason = match reason {
                StopReason::NonRetryable => 1.0,
                StopReason::MaxAttempts => 2.0,
                StopReason::Deadline => 3.0,
            };
            let server = retry_after_ms.unwrap_or(f64::NAN);
            (io[RETRY], io[DELAY], io[REMAINING], io[REASON], io[SERVER]) = (0.0, 0.0, remaining_ms, reason, server);
        }
    }
}

fn limit<T>(option: f64, at: impl FnOnce(f64) -> T) -> Limit<T> {
    if option.is_nan() {
        Limit::Omitted
    } else if option == f64::INFINITY {
        Limit::Unlimited
    } else {
        Limit::At(at(option))
    }
}
