//! The budgets against models that keep every event with its time.

use std::time::Duration;

use proptest::prelude::*;
use retry_primitives::budget::{
    AdaptiveThrottle, AdaptiveThrottleState, Budget, Failure, GrpcThrottle, GrpcThrottleState, RetryBudget,
    RetryBudgetState, SLOTS, TokenBucket, TokenBucketState, adaptive_throttle, grpc_throttle, retry_budget,
    token_bucket,
};

#[derive(Clone, Copy, Debug)]
enum Step {
    Request(f64),
    Retry(Failure, f64),
    Succeed(Option<Failure>),
    Fail(Failure),
}

/// Plain numbers mapped to steps: ten times as fast to draw as a choice of strategies.
fn step() -> impl Strategy<Value = Step> {
    let failure = |kind: u8| match kind % 4 {
        0 => Failure::Transient,
        1 => Failure::Timeout,
        2 => Failure::Throttling,
        _ => Failure::NonRetryable,
    };
    (0_u8..16, 0_u8..5, 0.0..1.0_f64).prop_map(move |(what, kind, draw)| match what / 4 {
        0 => Step::Request(draw),
        1 => Step::Retry(failure(what), draw),
        2 => Step::Succeed((kind < 4).then(|| failure(kind))),
        _ => Step::Fail(failure(what)),
    })
}

/// Steps, and the milliseconds before each: mostly a moment, sometimes slots, now and then a whole window.
fn history() -> impl Strategy<Value = Vec<(f64, Step)>> {
    let wait = (0_u8..10, 0_u32..25_000).prop_map(|(scale, wait)| {
        f64::from(match scale {
            0 => wait,
            1..4 => wait % 3_000,
            _ => wait % 50,
        })
    });
    proptest::collection::vec((wait, step()), 1..150)
}

fn take<B: Budget>(budget: &B, state: B::State, now: f64, step: Step) -> (B::State, bool) {
    match step {
        Step::Request(draw) => budget.request(state, now, || draw),
        Step::Retry(failure, draw) => budget.retry(state, now, failure, || draw),
        Step::Succeed(retried) => (budget.succeed(state, now, retried), true),
        Step::Fail(failure) => (budget.fail(state, now, failure), true),
    }
}

/// Every event with its time, and nothing ever forgotten.
#[derive(Default)]
struct Events(Vec<f64>);

impl Events {
    /// Those less than `age` milliseconds old.
    fn younger(&self, now: f64, age: f64) -> f64 {
        self.0.iter().filter(|&&time| now - time < age).count() as f64
    }

    /// The least and the most that ten slots may count: the last 9/10 of the window, and the whole of it.
    fn bounds(&self, now: f64, window_ms: f64) -> (f64, f64) {
        (self.younger(now, window_ms * 0.9), self.younger(now, window_ms))
    }
}

const WINDOW_MS: f64 = 10_000.0;
const BEGIN: f64 = 1_758_124_800_000.0;

fn window() -> Duration {
    Duration::from_secs(10)
}

proptest! {
    #[test]
    fn a_retry_budget_decides_within_a_slot_of_the_exact_window(
        history in history(),
        ratio in 0.0..2.0_f64,
        floor in 0.0..1.0_f64,
    ) {
        let budget = retry_budget().ratio(ratio).min_retries_per_second(floor).window(window()).build().unwrap();
        let limit = |requests: f64| floor * WINDOW_MS / 1e3 + ratio * requests;
        let (mut requests, mut retries) = (Events::default(), Events::default());
        let (mut state, mut now) = (budget.init(BEGIN), BEGIN);
        for (wait, step) in history {
            now += wait;
            let (least_requests, most_requests) = requests.bounds(now, WINDOW_MS);
            let (least_retries, most_retries) = retries.bounds(now, WINDOW_MS);
            prop_assert!((least_requests..=most_requests).contains(&budget.requests(&state, now)));
            prop_assert!((least_retries..=most_retries).contains(&budget.retries(&state, now)));

            let balance = budget.balance(&state, now);
            let (next, allowed) = take(&budget, state, now, step);
            state = next;
            match step {
                Step::Request(_) => {
                    prop_assert!(allowed);
                    requests.0.push(now);
                }
                Step::Retry(Failure::NonRetryable, _) => prop_assert!(!allowed),
                Step::Retry(..) => {
                    prop_assert_eq!(allowed, balance > 0.0);
                    if allowed {
                        prop_assert!(least_retries < limit(most_requests));
                        retries.0.push(now);
                    } else {
                        prop_assert!(most_retries >= limit(least_requests));
                    }
                }
                Step::Succeed(_) | Step::Fail(_) => {}
            }
        }
    }

    #[test]
    fn a_retry_budget_on_whole_slots_is_the_exact_window(
        history in proptest::collection::vec((0_u32..4, any::<bool>()), 1..200),
        ratio in 0.0..2.0_f64,
        floor in 0.0..1.0_f64,
    ) {
        let budget = retry_budget().ratio(ratio).min_retries_per_second(floor).window(window()).build().unwrap();
        let (mut requests, mut retries) = (Events::default(), Events::default());
        let (mut state, mut now) = (budget.init(BEGIN), BEGIN);
        for (slots, is_retry) in history {
            now += f64::from(slots) * WINDOW_MS / 10.0;
            let exact = (requests.younger(now, WINDOW_MS), retries.younger(now, WINDOW_MS));
            prop_assert_eq!((budget.requests(&state, now), budget.retries(&state, now)), exact);
            if is_retry {
                let (next, allowed) = budget.retry(state, now, Failure::Transient, || 0.0);
                state = next;
                prop_assert_eq!(allowed, exact.1 < floor * WINDOW_MS / 1e3 + ratio * exact.0);
                if allowed {
                    retries.0.push(now);
                }
            } else {
                state = budget.request(state, now, || 0.0).0;
                requests.0.push(now);
            }
        }
    }

    #[test]
    fn an_adaptive_throttle_decides_within_a_slot_of_the_exact_window(
        history in history(),
        multiplier in 1.0..3.0_f64,
    ) {
        let throttle = adaptive_throttle().multiplier(multiplier).window(window()).build().unwrap();
        let formula = |requests: f64, accepts: f64| ((requests - multiplier * accepts) / (requests + 1.0)).max(0.0);
        let (mut requests, mut accepts) = (Events::default(), Events::default());
        let (mut state, mut now) = (throttle.init(BEGIN), BEGIN);
        for (wait, step) in history {
            now += wait;
            let (least_requests, most_requests) = requests.bounds(now, WINDOW_MS);
            let (least_accepts, most_accepts) = accepts.bounds(now, WINDOW_MS);
            prop_assert!((least_requests..=most_requests).contains(&throttle.requests(&state, now)));
            prop_assert!((least_accepts..=most_accepts).contains(&throttle.accepts(&state, now)));

            // The formula grows with the requests and falls with the accepts.
            let least = formula(least_requests, most_accepts);
            let most = formula(most_requests, least_accepts);
            prop_assert!((least..=most).contains(&throttle.rejection_probability(&state, now)));

            let (next, allowed) = take(&throttle, state, now, step);
            state = next;
            match step {
                Step::Retry(Failure::NonRetryable, _) => prop_assert!(!allowed),
                Step::Request(draw) | Step::Retry(_, draw) => {
                    let in_bounds = if allowed { draw >= least } else { draw < most };
                    prop_assert!(in_bounds);
                    requests.0.push(now);
                }
                Step::Succeed(_) | Step::Fail(Failure::NonRetryable) => accepts.0.push(now),
                Step::Fail(_) => {}
            }
        }
    }

    #[test]
    fn a_token_bucket_is_its_ledger(history in history(), capacity in 10_u32..60) {
        let bucket = token_bucket().capacity(capacity).build().unwrap();
        let mut state = bucket.init(0.0);
        let mut tokens = i64::from(capacity);
        for (wait, step) in history {
            let (next, allowed) = take(&bucket, state, wait, step);
            let price = |failure| match failure {
                Failure::Timeout => 10,
                Failure::Transient | Failure::Throttling => 5,
                Failure::NonRetryable => i64::MAX,
            };
            match step {
                Step::Retry(failure, _) => {
                    prop_assert_eq!(allowed, tokens >= price(failure));
                    tokens -= if allowed { price(failure) } else { 0 };
                }
                Step::Succeed(None | Some(Failure::NonRetryable)) => tokens += 1,
                Step::Succeed(Some(failure)) => tokens += price(failure),
                Step::Request(_) | Step::Fail(_) => prop_assert!(allowed),
            }
            tokens = tokens.min(i64::from(capacity));
            prop_assert_eq!(next.tokens, tokens as f64);
            state = next;
        }
    }

    #[test]
    fn a_grpc_throttle_is_its_ledger(history in history(), max in 1_u32..20, ratio in 1_u32..3_000) {
        let throttle = grpc_throttle().max_tokens(max).token_ratio(f64::from(ratio) / 1e3).build().unwrap();
        let max = i64::from(max) * 1_000;
        let mut state = throttle.init(0.0);
        let mut tokens = max;
        for (wait, step) in history {
            let (next, allowed) = take(&throttle, state, wait, step);
            match step {
                Step::Retry(failure, _) => {
                    prop_assert_eq!(allowed, failure != Failure::NonRetryable && 2 * tokens > max);
                }
                Step::Succeed(_) => tokens += i64::from(ratio),
                Step::Fail(Failure::NonRetryable) | Step::Request(_) => prop_assert!(allowed),
                Step::Fail(_) => tokens -= 1_000,
            }
            tokens = tokens.clamp(0, max);
            prop_assert_eq!(next.milli_tokens, tokens as f64);
            state = next;
        }
    }

    /// Over any history, retries stay within a floor and a share of what was sent in the window and one slot more.
    #[test]
    fn a_dependency_that_is_down_sees_a_fifth_more(calls in proptest::collection::vec(0_u32..20, 1..300)) {
        let budget = retry_budget().min_retries_per_second(0.0).build().unwrap();
        let (mut state, mut now) = (budget.init(0.0), 0.0);
        let (mut requests, mut retries) = (0_u32, 0_u32);
        for wait in calls {
            now += f64::from(wait);
            state = budget.request(state, now, || 0.0).0;
            requests += 1;
            for _ in 0..3 {
                let (next, allowed) = budget.retry(state, now, Failure::Transient, || 0.0);
                state = next;
                retries += u32::from(allowed);
            }
        }
        // At most 6 s in all, so nothing is forgotten; the last retry may round up.
        prop_assert!(f64::from(retries) < 0.2 * f64::from(requests) + 1.0);
        prop_assert!(f64::from(retries) >= 0.2 * f64::from(requests));
    }
}

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

#[cfg(feature = "serde")]
mod json {
    use super::*;

    #[test]
    fn states_are_the_text_that_javascript_writes() {
        let budget = RetryBudget::default();
        let state = budget.request(budget.init(0.0), 1_500.0, || 0.0).0;
        let state = budget.retry(state, 1_500.0, Failure::Transient, || 0.0).0;
        assert_eq!(
            serde_json::to_string(&state).unwrap(),
            r#"{"start":1000,"requests":[1,0,0,0,0,0,0,0,0,0],"retries":[1,0,0,0,0,0,0,0,0,0]}"#
        );
        let throttle = AdaptiveThrottle::default();
        let state = throttle.succeed(throttle.init(0.5), 0.5, None);
        assert_eq!(
            serde_json::to_string(&state).unwrap(),
            r#"{"start":0.5,"requests":[0,0,0,0,0,0,0,0,0,0],"accepts":[1,0,0,0,0,0,0,0,0,0]}"#
        );
        assert_eq!(serde_json::to_string(&TokenBucket::default().init(0.0)).unwrap(), r#"{"tokens":500}"#);
        assert_eq!(serde_json::to_string(&GrpcThrottle::default().init(0.0)).unwrap(), r#"{"milliTokens":10000}"#);
    }

    fn refused<T: serde::de::DeserializeOwned>(json: &str, message: &str) {
        match serde_json::from_str::<T>(json) {
            Ok(_) => panic!("{json} was read"),
            Err(error) => assert!(error.to_string().starts_with(message), "{json}: {error}"),
        }
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let whole = "must be a whole number from 0 to 2^53 - 1, got";
        refused::<TokenBucketState>(r#"{"tokens":-1}"#, &format!("tokens {whole} -1"));
        refused::<TokenBucketState>(r#"{"tokens":1.5}"#, &format!("tokens {whole} 1.5"));
        refused::<TokenBucketState>(r#"{"tokens":9007199254740992}"#, &format!("tokens {whole} 9007199254740992"));
        refused::<TokenBucketState>(r#"{"tokens":null}"#, &format!("tokens {whole} null"));
        refused::<TokenBucketState>("{}", "missing field `tokens`");
        refused::<GrpcThrottleState>(r#"{"milliTokens":"5"}"#, &format!("milliTokens {whole} a string"));

        let slots =
            |requests: &str, retries: &str| format!(r#"{{"start":0,"requests":{requests},"retries":{retries}}}"#);
        let zeros = "[0,0,0,0,0,0,0,0,0,0]";
        assert!(serde_json::from_str::<RetryBudgetState>(&slots(zeros, zeros)).is_ok());
        let list = "must be 10 whole numbers from 0 to 2^53 - 1, got";
        refused::<RetryBudgetState>(&slots("[0,0,0,0,0,0,0,0,0]", zeros), &format!("requests {list} a list of 9"));
        refused::<RetryBudgetState>(
            &slots(zeros, "[0,0,0,0,0,0,0,0,0,0,0,0]"),
            &format!("retries {list} a list of 12"),
        );
        refused::<RetryBudgetState>(&slots(zeros, "[]"), &format!("retries {list} a list of 0"));
        refused::<RetryBudgetState>(&slots("[0,0,0,-4,0,0,0,0,0,0]", zeros), &format!("requests {list} -4"));
        refused::<RetryBudgetState>(&slots("[0,0,null,0,0,0,0,0,0,0]", zeros), &format!("requests {list} null"));
        refused::<RetryBudgetState>(&slots("7", zeros), &format!("requests {list} 7"));
        refused::<AdaptiveThrottleState>(
            r#"{"start":1e300,"requests":[],"accepts":[]}"#,
            "start must be a number of milliseconds from -(2^53 - 1) to 2^53 - 1, got 1000",
        );
        refused::<AdaptiveThrottleState>(
            &format!(r#"{{"start":0,"requests":{zeros},"accepts":[0,0,0,0,0,0,0,0,0,0.5]}}"#),
            &format!("accepts {list} 0.5"),
        );
    }

    proptest! {
        #[test]
        fn a_state_survives_its_store(history in history()) {
            let (budget, throttle) = (RetryBudget::default(), AdaptiveThrottle::default());
            let (bucket, grpc) = (TokenBucket::default(), GrpcThrottle::default());
            let mut states = (budget.init(0.0), throttle.init(0.0), bucket.init(0.0), grpc.init(0.0));
            let mut now = 0.0;
            for (wait, step) in history {
                now += wait;
                states.0 = take(&budget, states.0, now, step).0;
                states.1 = take(&throttle, states.1, now, step).0;
                states.2 = take(&bucket, states.2, now, step).0;
                states.3 = take(&grpc, states.3, now, step).0;
            }
            prop_assert_eq!(serde_json::from_str(&serde_json::to_string(&states).unwrap()).ok(), Some(states));
        }

        #[test]
        fn no_text_panics(json in "\\{\"(tokens|milliTokens|start)\":[-0-9.eE\\[\\],null]{0,20}\\}") {
            let _ = serde_json::from_str::<TokenBucketState>(&json);
            let _ = serde_json::from_str::<GrpcThrottleState>(&json);
            let _ = serde_json::from_str::<RetryBudgetState>(&json);
        }
    }
}
