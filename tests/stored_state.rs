//! Every state that is stored, under the same rules: out of range it is refused by field, by hand and as JSON alike.
#![cfg(feature = "serde")]

use core::time::Duration;
use std::fmt::Debug;

use proptest::prelude::*;
use retry_primitives::{
    Outcome, RetryState, StateError,
    breaker::{Breaker, ConsecutiveBreakerState, RollingBreakerState, consecutive_breaker, rolling_breaker},
    budget::{AdaptiveThrottle, Budget, GrpcThrottle, RetryBudget, TokenBucket},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// What no field of any state may hold, and how a message shows it.
fn wrong() -> [(Value, &'static str); 8] {
    [
        (json!(null), "null"),
        (json!(true), "true"),
        (json!("x"), "a string"),
        (json!({"a": [1]}), "an object"),
        (json!([1]), "a list of 1"),
        (json!([[[]]]), "a list of 1"),
        (json!(-1e300), "-1000"),
        (json!(1e300), "1000"),
    ]
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_str(&value.to_string()).map_err(|error| error.to_string())
}

fn refuses_by_field<T: Serialize + DeserializeOwned + PartialEq + Debug>(state: T) {
    let good = serde_json::to_value(&state).unwrap();
    assert_eq!(read::<T>(&good), Ok(state));
    for field in good.as_object().unwrap().keys() {
        for (value, shown) in wrong() {
            let mut bad = good.clone();
            bad[field] = value;
            let message = read::<T>(&bad).unwrap_err();
            assert!(message.starts_with(&format!("{field} must be ")), "{bad}: {message}");
            assert!(message.contains(&format!(", got {shown}")), "{bad}: {message}");
        }
        let mut missing = good.clone();
        missing.as_object_mut().unwrap().remove(field);
        let message = read::<T>(&missing).unwrap_err();
        assert!(message.contains(&format!("missing field `{field}`")), "{message}");
    }
}

#[test]
fn a_wrong_or_missing_field_is_named_with_what_it_may_hold_and_holds() {
    let second = Duration::from_secs(1);
    refuses_by_field(RetryState::default());
    refuses_by_field(consecutive_breaker(1).open(second).build().unwrap().init(5.0));
    refuses_by_field(rolling_breaker(second).open(second).build().unwrap().init(5.0));
    refuses_by_field(RetryBudget::default().init(5.0));
    refuses_by_field(AdaptiveThrottle::default().init(5.0));
    refuses_by_field(TokenBucket::default().init(5.0));
    refuses_by_field(GrpcThrottle::default().init(5.0));
}

#[test]
fn an_outcome_says_what_it_may_hold() {
    let message = read::<Outcome>(&json!({"retryable": "yes"})).unwrap_err();
    assert!(message.starts_with("retryable must be true or false, got a string"), "{message}");
    let message = read::<Outcome>(&json!({"retryAfterMs": "2"})).unwrap_err();
    assert!(message.starts_with("retryAfterMs must be a number or null, got a string"), "{message}");
    assert_eq!(read::<Outcome>(&json!({"retryAfterMs": null})), Ok(Outcome::RETRYABLE));
}

/// `validate` and JSON have one opinion; numbers that JSON cannot hold are refused by both.
fn agree<T: Copy + Serialize + DeserializeOwned>(state: T, validate: fn(&T) -> Result<(), StateError>) {
    let read = read::<T>(&serde_json::to_value(state).unwrap());
    match (validate(&state), read) {
        (Ok(()), Ok(_)) => {}
        (Err(error), Err(message)) => assert!(message.starts_with(error.field()), "{error}: {message}"),
        (validated, read) => panic!("{validated:?} but {:?}", read.map(|_| ())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn validate_and_json_agree(count in any::<u64>(), small in 0..10u64, time in any::<f64>(), length in -1.0..2e16) {
        agree(RetryState { attempts: count, started_at: time, prev_delay_ms: length }, RetryState::validate);
        let second = Duration::from_secs(1);
        let plain = consecutive_breaker(1).open(second).build().unwrap().init(0.0);
        agree(
            ConsecutiveBreakerState { changed_at: time, probes: small, failures: count, open_for_ms: length, ..plain },
            ConsecutiveBreakerState::validate,
        );
        let plain = rolling_breaker(second).open(second).build().unwrap().init(0.0);
        agree(
            RollingBreakerState { start: time, curr_ok: small, prev_slow: count, ahead_ms: length, ..plain },
            RollingBreakerState::validate,
        );
    }
}
