//! Whatever the state, the clock and the draws: the budgets give a valid state and sound figures.

use proptest::prelude::*;
use retry_primitives::budget::{
    AdaptiveThrottle, AdaptiveThrottleState, Budget, Failure, GrpcThrottle, GrpcThrottleState, RetryBudget,
    RetryBudgetState, SLOTS, TokenBucket, TokenBucketState,
};

#[path = "budget/steps.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod steps;

use steps::{Step, step, take};

fn any_slots() -> impl Strategy<Value = [f64; SLOTS]> {
    // A vector keeps the ten strategies off the stack.
    proptest::collection::vec(any_number(), SLOTS).prop_map(|slots| slots.try_into().unwrap())
}

/// Any bit pattern, and those that hurt most.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        prop_oneof![
            Just(f64::NAN),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(-0.0),
            Just(f64::MAX),
            Just(f64::MIN),
            Just(f64::MIN_POSITIVE),
            Just(9_007_199_254_740_991.0),
            Just(9_007_199_254_740_992.0),
        ],
        -1e3..1e13_f64,
    ]
}

fn survives<B: Budget>(budget: &B, state: B::State, steps: &[(f64, Step, f64)], valid: impl Fn(B::State) -> bool) {
    let mut state = state;
    for &(now, step, draw) in steps {
        let step = match step {
            Step::Request(_) => Step::Request(draw),
            Step::Retry(failure, _) => Step::Retry(failure, draw),
            other => other,
        };
        let (next, allowed) = take(budget, state, now, step);
        assert!(valid(next));
        assert!(!allowed || !matches!(step, Step::Retry(Failure::NonRetryable, _)));
        // A step again from what it made, at the same time, is as good.
        assert!(valid(take(budget, next, now, step).0));
        state = next;
    }
}

proptest! {
    #[test]
    fn hostile_states_clocks_and_draws_leave_a_valid_state(
        start in any_number(),
        first in any_slots(),
        second in any_slots(),
        tokens in any_number(),
        steps in proptest::collection::vec((any_number(), step(), any_number()), 1..20),
    ) {
        let state = RetryBudgetState { start, requests: first, retries: second };
        survives(&RetryBudget::default(), state, &steps, |state| state.validate().is_ok());
        let state = AdaptiveThrottleState { start, requests: first, accepts: second };
        survives(&AdaptiveThrottle::default(), state, &steps, |state| state.validate().is_ok());
        let state = TokenBucketState { tokens };
        survives(&TokenBucket::default(), state, &steps, |state| state.validate().is_ok());
        let state = GrpcThrottleState { milli_tokens: tokens };
        survives(&GrpcThrottle::default(), state, &steps, |state| state.validate().is_ok());

        let state = RetryBudgetState { start, requests: first, retries: second };
        let balance = RetryBudget::default().balance(&state, steps[0].0);
        prop_assert!((0.0..=9_007_199_254_740_991.0).contains(&balance));
        let state = AdaptiveThrottleState { start, requests: first, accepts: second };
        let probability = AdaptiveThrottle::default().rejection_probability(&state, steps[0].0);
        prop_assert!((0.0..1.0).contains(&probability));
    }
}
