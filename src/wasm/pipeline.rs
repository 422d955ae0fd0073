//! What a pipeline's strategies decide.

use crate::backoff::{Constant, Curve, DecorrelatedJitterV2, Exponential, Jitter, Linear, Policy, growth};
use crate::limit::RateLimit;
use crate::number::{ceil_ms, floor_ms, round_ms};

use super::count;

/// The formula of a wait.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// 0 constant, 1 linear, 2 exponential.
    pub curve: i32,
    /// 0 none, 1 full, 2 equal, 3 Polly's: a quarter either way, or for an exponential curve its own curve.
    pub jitter: i32,
    /// The first wait.
    pub base_ms: f64,
    /// Of an exponential curve.
    pub factor: f64,
    /// The ceiling on a wait.
    pub max_delay_ms: f64,
}

/// What is known when a retry is due.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// Retries made before.
    pub retries: f64,
    /// What the growth of Polly's curve had reached at the wait before; NaN when nobody kept it.
    pub reached: f64,
    /// A wait of the caller's own; NaN or negative for none.
    pub generated_ms: f64,
    /// What the error asks for; NaN for nothing.
    pub retry_after_ms: f64,
    /// Since the first attempt.
    pub elapsed_ms: f64,
    /// What may not be passed.
    pub max_retry_time_ms: f64,
}

/// The wait before a retry, or -1 when that would pass the time that there is; and what the growth has reached.
///
/// A generated wait is not capped. What the error asks for is, and raises either.
#[inline]
pub fn wait(backoff: Backoff, retry: Retry, mut random: impl FnMut() -> f64) -> (f64, f64) {
    let max_delay_ms = floor_ms(backoff.max_delay_ms);
    let (mut delay_ms, reached) = if retry.generated_ms >= 0.0 {
        (round_ms(retry.generated_ms), retry.reached)
    } else {
        computed(backoff, max_delay_ms, retry, &mut random)
    };
    let asked_ms = ceil_ms(retry.retry_after_ms).min(max_delay_ms);
    if asked_ms > delay_ms {
        delay_ms = asked_ms;
    }
    (if retry.elapsed_ms + delay_ms > retry.max_retry_time_ms { -1.0 } else { delay_ms }, reached)
}

#[inline]
fn computed(backoff: Backoff, max_delay_ms: f64, retry: Retry, random: &mut impl FnMut() -> f64) -> (f64, f64) {
    let Backoff { curve, jitter, base_ms, factor, .. } = backoff;
    let attempt = count(retry.retries) + 1;
    let jitter_mode = match jitter {
        0 => Jitter::None,
        1 => Jitter::Full,
        2 => Jitter::Equal,
        _ => Jitter::Quarter,
    };
    let policy = Policy {
        curve: Formula { curve, base_ms, factor },
        jitter: jitter_mode,
        max_attempts: f64::INFINITY,
        deadline_ms: f64::INFINITY,
        max_delay_ms,
    };
    if curve == 2 && jitter == 3 {
        let v2 = DecorrelatedJitterV2 { base_ms };
        // Who keeps nothing draws again where the wait before may have ended: each wait is spread as it should be.
        let before = if retry.reached >= 0.0 { retry.reached } else { growth(retry.retries - 1.0 + random()) };
        let (delay_ms, reached) = v2.delay_ms(attempt, before, random);
        (policy.capped(delay_ms), reached)
    } else {
        (policy.delay_ms(attempt, 0.0, random), 0.0)
    }
}

/// One of the three curves.
#[derive(Clone, Copy)]
struct Formula {
    curve: i32,
    base_ms: f64,
    factor: f64,
}

impl Curve for Formula {
    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, _: f64, random: &mut R) -> f64 {
        let Self { curve, base_ms, factor } = *self;
        match curve {
            0 => Constant { delay_ms: base_ms }.delay_ms(attempt, 0.0, random),
            1 => Linear { base_ms }.delay_ms(attempt, 0.0, random),
            _ => Exponential { base_ms, factor }.delay_ms(attempt, 0.0, random),
        }
    }
}

/// Whether an answer of this status says that the same request may succeed later: none of 4xx does but 408 and 429.
pub fn is_transient(status: f64) -> bool {
    !(400.0..500.0).contains(&status) || status == 408.0 || status == 429.0
}

/// Takes a permit of a rate limit: 0, or how long to wait; and the moment at which the bucket is full again.
#[inline]
pub fn take(permits: f64, window_ms: f64, full_at: f64, now: f64) -> (f64, f64) {
    let (full_at, answer) = RateLimit { permits, window_ms }.take(full_at, now);
    (answer.err().unwrap_or(0.0), full_at)
}
