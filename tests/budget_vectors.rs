//! The walks of budgets that every runtime shares, taken natively, the state through its JSON between any two steps.
#![cfg(feature = "serde")]

use core::{fmt::Debug, time::Duration};

use retry_primitives::budget::{
    AdaptiveThrottle, AdaptiveThrottleState, Budget, Failure, RetryBudget, RetryBudgetState, adaptive_throttle,
    grpc_throttle, retry_budget, token_bucket,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

#[test]
fn every_budget_vector_comes_out() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("vectors/budget.json")).unwrap();
    assert!(vectors.len() >= 50, "only {} walks", vectors.len());
    for vector in &vectors {
        let options = &vector["options"];
        let number = |name: &str| options[name].as_f64();
        let tokens = |name: &str| options[name].as_u64().map(|tokens| tokens as u32);
        let window = options["windowMs"].as_u64().map(Duration::from_millis);
        match vector["budget"].as_str().unwrap() {
            "retryBudget" => {
                let mut builder = retry_budget();
                builder = set(builder, number("ratio"), |builder, ratio| builder.ratio(ratio));
                builder = set(builder, number("minRetriesPerSecond"), |builder, a| builder.min_retries_per_second(a));
                builder = set(builder, window, |builder, window| builder.window(window));
                walk(vector, &builder.build().unwrap(), stats_of_retries);
            }
            "adaptiveThrottle" => {
                let mut builder = adaptive_throttle();
                builder = set(builder, number("multiplier"), |builder, multiplier| builder.multiplier(multiplier));
                builder = set(builder, window, |builder, window| builder.window(window));
                walk(vector, &builder.build().unwrap(), stats_of_accepts);
            }
            "tokenBucket" => {
                let mut builder = token_bucket();
                builder = set(builder, tokens("capacity"), |builder, tokens| builder.capacity(tokens));
                builder = set(builder, tokens("retryCost"), |builder, tokens| builder.retry_cost(tokens));
                builder = set(builder, tokens("timeoutRetryCost"), |builder, cost| builder.timeout_retry_cost(cost));
                builder = set(builder, tokens("throttlingRetryCost"), |builder, c| builder.throttling_retry_cost(c));
                builder = set(builder, tokens("noRetryIncrement"), |builder, more| builder.no_retry_increment(more));
                walk(vector, &builder.build().unwrap(), |_, _, _| Value::Null);
            }
            _ => {
                let mut builder = grpc_throttle();
                builder = set(builder, tokens("maxTokens"), |builder, tokens| builder.max_tokens(tokens));
                builder = set(builder, number("tokenRatio"), |builder, ratio| builder.token_ratio(ratio));
                walk(vector, &builder.build().unwrap(), |_, _, _| Value::Null);
            }
        }
    }
}

fn set<B, T>(builder: B, option: Option<T>, with: impl FnOnce(B, T) -> B) -> B {
    match option {
        Some(option) => with(builder, option),
        None => builder,
    }
}

fn whole(value: f64) -> u64 {
    assert_eq!(value.fract(), 0.0);
    value as u64
}

fn stats_of_retries(budget: &RetryBudget, state: &RetryBudgetState, now: f64) -> Value {
    let [requests, retries] = [budget.requests(state, now), budget.retries(state, now)].map(whole);
    json!({ "requests": requests, "retries": retries, "balance": whole(budget.balance(state, now)) })
}

fn stats_of_accepts(throttle: &AdaptiveThrottle, state: &AdaptiveThrottleState, now: f64) -> Value {
    let [requests, accepts] = [throttle.requests(state, now), throttle.accepts(state, now)].map(whole);
    json!({ "requests": requests, "accepts": accepts })
}

fn walk<B: Budget>(vector: &Value, budget: &B, stats: impl Fn(&B, &B::State, f64) -> Value)
where
    B::State: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let mut state = budget.init(vector["start"].as_f64().unwrap());
    let mut expected_state = vector["init"].clone();
    for (index, step) in vector["steps"].as_array().unwrap().iter().enumerate() {
        let at = || format!("step {index} of {vector}");
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected_state, "before {}", at());
        state = serde_json::from_str(&text).unwrap();

        let now = step["now"].as_f64().unwrap();
        let failure = |name: &str| serde_json::from_value::<Failure>(step[name].clone()).ok();
        let (drawn, mut draws) = (step["random"].as_f64(), 0);
        let random = || {
            draws += 1;
            drawn.unwrap()
        };
        let mut answer = json!({});
        let allowed = match step["do"].as_str().unwrap() {
            "request" => Some(budget.request(state, now, random)),
            "retry" => Some(budget.retry(state, now, failure("failure").unwrap(), random)),
            "succeed" => {
                state = budget.succeed(state, now, failure("retried"));
                None
            }
            "fail" => {
                state = budget.fail(state, now, failure("failure").unwrap());
                None
            }
            _ => {
                answer["stats"] = stats(budget, &state, now);
                None
            }
        };
        if let Some((next, allowed)) = allowed {
            state = next;
            answer = json!({ "allowed": allowed, "draws": draws });
        }
        let mut expected = step["expected"].clone();
        if let Some(changed) = expected.as_object_mut().unwrap().remove("state") {
            expected_state = changed;
        }
        assert_eq!(answer, expected, "{}", at());
    }
    assert_eq!(serde_json::to_value(state).unwrap(), expected_state, "after {vector}");
}
