//! The budgets.

use super::{invalid, is_count};
use crate::budget::{
    AdaptiveThrottle, AdaptiveThrottleState, Budget, Failure, GrpcThrottle, GrpcThrottleState, RetryBudget,
    RetryBudgetState, SLOTS, TokenBucket, TokenBucketState, token_bucket,
};
use crate::stored::TIME;

/// A state before a step and after it, and what a window shows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Numbers {
    /// `start`, `tokens` or `milliTokens`.
    pub first: f64,
    /// `requests`, of the budgets with a window.
    pub requests: [f64; SLOTS],
    /// `retries` or `accepts`.
    pub others: [f64; SLOTS],
    /// What a look finds: requests and others in the window, and the balance or the probability of a rejection.
    pub figures: [f64; 3],
}

/// What to do.
///
/// `budget` is 0 to 3: retry budget, adaptive throttle, token bucket, gRPC's throttle, whose options come in the order
/// of their builders. `operation` is 0 to 5: init, look, request, retry, succeed, fail. `failure` is 0 to 3 as in
/// [`Failure`], and negative for none.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "said above")]
pub struct Step {
    pub budget: i32,
    pub options: [f64; 5],
    pub operation: i32,
    pub now: f64,
    pub failure: i32,
}

impl Numbers {
    /// Nothing yet.
    pub const EMPTY: Self = Self::tokens(0.0);

    const fn tokens(tokens: f64) -> Self {
        Self { first: tokens, requests: [0.0; SLOTS], others: [0.0; SLOTS], figures: [0.0; 3] }
    }
}

/// One step on the state in `numbers`: 1 more if the call may go, 2 more if the state is another than before. Negative
/// is `invalid`. 4 is a question: chance decides, so come again with a number that has been drawn.
///
/// A callback would be simpler, but these functions keep their windows on the stack, and one that throws would not give
/// its part of the stack back.
pub fn step(numbers: &mut Numbers, step: Step, drawn: Option<f64>) -> i32 {
    let before = *numbers;
    let mut undecided = false;
    let random = || {
        undecided = drawn.is_none();
        drawn.unwrap_or(0.0)
    };
    if step.operation > 0
        && let Some(wrong) = wrong(&before, step.budget)
    {
        return invalid(wrong);
    }
    let Numbers { first, requests, others, .. } = before;
    let [one, two, three, four, five] = step.options;
    let (after, allowed) = match step.budget {
        0 => {
            let budget = RetryBudget::of(one, two, three);
            let (state, allowed) =
                take(&budget, RetryBudgetState { start: first, requests, retries: others }, step, random);
            let RetryBudgetState { start, requests, retries } = state;
            let at = step.now;
            let figures = [budget.requests(&state, at), budget.retries(&state, at), budget.balance(&state, at)];
            (Numbers { first: start, requests, others: retries, figures }, allowed)
        }
        1 => {
            let budget = AdaptiveThrottle::of(one, two);
            let state = AdaptiveThrottleState { start: first, requests, accepts: others };
            let (state, allowed) = take(&budget, state, step, random);
            let AdaptiveThrottleState { start, requests, accepts } = state;
            let at = step.now;
            let probability = budget.rejection_probability(&state, at);
            let figures = [budget.requests(&state, at), budget.accepts(&state, at), probability];
            (Numbers { first: start, requests, others: accepts, figures }, allowed)
        }
        2 => {
            let options = token_bucket()
                .capacity(one as u32)
                .retry_cost(two as u32)
                .timeout_retry_cost(three as u32)
                .throttling_retry_cost(four as u32)
                .no_retry_increment(five as u32);
            let (state, allowed) = take(&TokenBucket::of(options), TokenBucketState { tokens: first }, step, random);
            (Numbers::tokens(state.tokens), allowed)
        }
        _ => {
            let state = GrpcThrottleState { milli_tokens: first };
            let (state, allowed) = take(&GrpcThrottle::of(one, two), state, step, random);
            (Numbers::tokens(state.milli_tokens), allowed)
        }
    };
    if undecided {
        return 4;
    }
    let figures = before.figures;
    let changed = Numbers { figures, ..after } != before;
    *numbers = after;
    i32::from(allowed) + 2 * i32::from(changed)
}

/// The first number that cannot be right.
fn wrong(numbers: &Numbers, budget: i32) -> Option<i32> {
    if budget > 1 {
        return if is_count(numbers.first) { None } else { Some(0) };
    }
    if !TIME.accepts(numbers.first) {
        return Some(0);
    }
    let counts = numbers.requests.iter().chain(&numbers.others);
    (1..).zip(counts).find(|(_, count)| !is_count(**count)).map(|(index, _)| index)
}

fn take<B: Budget>(budget: &B, state: B::State, step: Step, random: impl FnOnce() -> f64) -> (B::State, bool) {
    let Step { operation, now, failure, .. } = step;
    let retried = match failure {
        0 => Some(Failure::Transient),
        1 => Some(Failure::Timeout),
        2 => Some(Failure::Throttling),
        3 => Some(Failure::NonRetryable),
        _ => None,
    };
    let failure = retried.unwrap_or(Failure::Transient);
    match operation {
        0 => (budget.init(now), true),
        1 => (state, true),
        2 => budget.request(state, now, random),
        3 => budget.retry(state, now, failure, random),
        4 => (budget.succeed(state, now, retried), true),
        _ => (budget.fail(state, now, failure), true),
    }
}
