//! The budgets' states as JSON: the text that JavaScript writes, and untrusted when read.
#![cfg(feature = "serde")]

use proptest::prelude::*;
use retry_primitives::budget::{
    AdaptiveThrottle, AdaptiveThrottleState, Budget, Failure, GrpcThrottle, GrpcThrottleState, RetryBudget,
    RetryBudgetState, TokenBucket, TokenBucketState,
};

#[path = "budget/steps.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod steps;

use steps::{history, take};

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

    let slots = |requests: &str, retries: &str| format!(r#"{{"start":0,"requests":{requests},"retries":{retries}}}"#);
    let zeros = "[0,0,0,0,0,0,0,0,0,0]";
    assert!(serde_json::from_str::<RetryBudgetState>(&slots(zeros, zeros)).is_ok());
    let list = "must be 10 whole numbers from 0 to 2^53 - 1, got";
    refused::<RetryBudgetState>(&slots("[0,0,0,0,0,0,0,0,0]", zeros), &format!("requests {list} a list of 9"));
    refused::<RetryBudgetState>(&slots(zeros, "[0,0,0,0,0,0,0,0,0,0,0,0]"), &format!("retries {list} a list of 12"));
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
