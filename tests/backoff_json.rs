//! State and outcome as JSON: the reference's text, the same behaviour after a round trip, and nothing trusted.
#![cfg(feature = "serde")]

use core::time::Duration;

use proptest::prelude::*;
use retry_primitives::{Decision, MAX_SAFE_MS, Outcome, RetryState, StopReason};
use serde_json::{Value, json};

#[macro_use]
#[path = "parity/src/policy.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod policy;

use policy::{KINDS, Limit, Options};

fn refusal<T: serde::de::DeserializeOwned>(text: &str) -> String {
    match serde_json::from_str::<T>(text) {
        Ok(_) => panic!("{text} was accepted"),
        Err(error) => error.to_string(),
    }
}

/// Reference, introduction: "State is three numbers": `{ attempts: 0, startedAt: 1758124800000, prevDelayMs: 0 }`.
#[test]
fn the_state_is_the_references_text() {
    for kind in KINDS {
        let policy = Options { max_attempts: Limit::At(5), ..Options::new(kind, Duration::from_millis(63)) };
        let state = each!(policy.build().unwrap(), policy => policy.init(1_758_124_800_000.0));
        let text = r#"{"attempts":0,"startedAt":1758124800000,"prevDelayMs":0}"#;
        assert_eq!(serde_json::to_string(&state).unwrap(), text);
        assert_eq!(serde_json::from_str::<RetryState>(text).unwrap(), state);
    }
}

/// What `JSON.stringify` writes for numbers that clocks and headers give.
#[test]
fn numbers_are_written_as_javascript_writes_them() {
    for (started_at, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (-3.0, "-3"),
        (0.1, "0.1"),
        (12.25, "12.25"),
        (1234.5678, "1234.5678"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-5, "0.00001"),
        (MAX_SAFE_MS, "9007199254740991"),
        (-MAX_SAFE_MS, "-9007199254740991"),
    ] {
        let state = RetryState { attempts: (1 << 53) - 1, started_at, prev_delay_ms: MAX_SAFE_MS };
        let expected = format!(r#"{{"attempts":9007199254740991,"startedAt":{text},"prevDelayMs":9007199254740991}}"#);
        assert_eq!(serde_json::to_string(&state).unwrap(), expected);
        assert_eq!(serde_json::from_str::<RetryState>(&expected).unwrap(), state);
    }
}

/// Reference, API: `Outcome { retryable?: boolean; retryAfterMs?: number }`.
#[test]
fn an_outcome_is_the_references_text_and_both_fields_are_optional() {
    for (outcome, text) in [
        (Outcome::RETRYABLE, r#"{"retryable":true}"#),
        (Outcome::NON_RETRYABLE, r#"{"retryable":false}"#),
        (Outcome::retry_after(Duration::from_secs(2)), r#"{"retryable":true,"retryAfterMs":2000}"#),
    ] {
        assert_eq!(serde_json::to_string(&outcome).unwrap(), text);
        assert_eq!(serde_json::from_str::<Outcome>(text).unwrap(), outcome);
    }
    assert_eq!(serde_json::from_str::<Outcome>("{}").unwrap(), Outcome::RETRYABLE);
    let floor_only = serde_json::from_str::<Outcome>(r#"{"retryAfterMs":1.5}"#).unwrap();
    assert_eq!(floor_only, Outcome { retryable: true, retry_after_ms: Some(1.5) });
}

/// Reference, Decisions: the names of the reasons.
#[test]
fn reasons_are_the_references_text() {
    for (reason, text) in [
        (StopReason::MaxAttempts, "maxAttempts"),
        (StopReason::Deadline, "deadline"),
        (StopReason::NonRetryable, "nonRetryable"),
    ] {
        assert_eq!(serde_json::to_value(reason).unwrap(), text);
        assert_eq!(serde_json::from_value::<StopReason>(json!(text)).unwrap(), reason);
        assert_eq!(reason.to_string(), text);
    }
}

/// Reference, Decisions: `{ retry, delayMs, attempts, remainingMs, reason? }`, "delayMs: 0 when retry is false",
/// "Infinity when unbounded", which `JSON.stringify` writes as null.
#[test]
fn a_decision_is_the_references_text() {
    let stop = |reason, retry_after_ms| Decision::Stop { reason, attempts: 5, remaining_ms: 0.0, retry_after_ms };
    for (decision, text) in [
        (
            Decision::Retry { delay_ms: 63.0, attempts: 1, remaining_ms: 30_000.0 },
            r#"{"retry":true,"delayMs":63,"attempts":1,"remainingMs":30000}"#,
        ),
        (
            Decision::Retry { delay_ms: 0.0, attempts: 2, remaining_ms: f64::INFINITY },
            r#"{"retry":true,"delayMs":0,"attempts":2,"remainingMs":null}"#,
        ),
        (
            Decision::Retry { delay_ms: 7.0, attempts: (1 << 53) - 1, remaining_ms: 0.25 },
            r#"{"retry":true,"delayMs":7,"attempts":9007199254740991,"remainingMs":0.25}"#,
        ),
        (
            stop(StopReason::MaxAttempts, None),
            r#"{"retry":false,"delayMs":0,"attempts":5,"remainingMs":0,"reason":"maxAttempts"}"#,
        ),
        (
            stop(StopReason::NonRetryable, Some(1_500.0)),
            r#"{"retry":false,"delayMs":0,"attempts":5,"remainingMs":0,"reason":"nonRetryable","retryAfterMs":1500}"#,
        ),
        (
            stop(StopReason::Deadline, Some(f64::INFINITY)),
            r#"{"retry":false,"delayMs":0,"attempts":5,"remainingMs":0,"reason":"deadline","retryAfterMs":null}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&decision).unwrap(), text);
    }
}

/// Design, Core: "State read back from a store is untrusted: a typed error".
#[test]
fn a_field_that_is_missing_is_named_as_javascript_names_it() {
    for field in ["attempts", "startedAt", "prevDelayMs"] {
        let mut state = json!({"attempts": 1, "startedAt": 2, "prevDelayMs": 3});
        state.as_object_mut().unwrap().remove(field);
        let message = refusal::<RetryState>(&state.to_string());
        assert!(message.contains(&format!("missing field `{field}`")), "{message}");
    }
}

#[test]
fn a_field_of_a_wrong_type_or_out_of_range_is_named() {
    let types = [json!("1"), json!(true), json!(null), json!([1]), json!({"a": 1})];
    let (negative, huge) = ([json!(-1), json!(-0.5)], [json!(9_007_199_254_740_992u64), json!(1e300), json!(u64::MAX)]);
    let fraction = [json!(1.5)];
    for (field, wrong) in [
        ("attempts", [&types[..], &negative, &huge, &fraction].concat()),
        ("startedAt", [&types[..], &huge, &[json!(-1e16)]].concat()),
        ("prevDelayMs", [&types[..], &negative, &huge].concat()),
    ] {
        for value in wrong {
            let mut state = json!({"attempts": 1, "startedAt": 2, "prevDelayMs": 3});
            state[field] = value;
            let message = refusal::<RetryState>(&state.to_string());
            assert!(message.contains(field), "{state}: {message}");
        }
    }
    for (field, wrong) in [
        ("retryable", vec![json!("yes"), json!(1), json!(null), json!([])]),
        ("retryAfterMs", vec![json!("5"), json!(true), json!([5]), json!({})]),
    ] {
        for value in wrong {
            let message = refusal::<Outcome>(&json!({field: value}).to_string());
            assert!(message.contains(field), "{field} {value}: {message}");
        }
    }
}

#[test]
fn what_is_no_state_is_an_error() {
    for text in
        ["", "null", "1", "[]", "\"x\"", "{", r#"{"attempts":1,"attempts":1}"#, r#"{"attempts":1e999}"#, "[1,2]"]
    {
        refusal::<RetryState>(text);
    }
    let with_more = r#"{"attempts":1,"startedAt":2,"prevDelayMs":3,"version":9}"#;
    assert!(serde_json::from_str::<RetryState>(with_more).is_ok(), "a later version may add fields");
}

fn any_json() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0u32..100).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ]
}

fn clock() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-(1i64 << 53)..1 << 53).prop_map(|microseconds| microseconds as f64 / 1e3),
        (-(1i64 << 53) + 1..1 << 53).prop_map(|milliseconds| milliseconds as f64),
        (1_758_124_800_000i64..1_758_124_900_000).prop_map(|milliseconds| milliseconds as f64),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands in a store: an error, or a state that every policy can take.
    #[test]
    fn any_json_is_a_good_state_or_an_error(
        attempts in any_json(), started_at in any_json(), prev_delay in any_json(), text in ".*",
    ) {
        let value = json!({"attempts": attempts, "startedAt": started_at, "prevDelayMs": prev_delay});
        if let Ok(state) = serde_json::from_value::<RetryState>(value) {
            prop_assert!(state.attempts < 1 << 53);
            prop_assert!(state.started_at.abs() <= MAX_SAFE_MS);
            prop_assert!((0.0..=MAX_SAFE_MS).contains(&state.prev_delay_ms));
        }
        let _ = serde_json::from_str::<RetryState>(&text);
        let _ = serde_json::from_str::<Outcome>(&text);
    }

    /// Text in, the same text out: an object read and written again is byte for byte what JavaScript had stored.
    #[test]
    fn whole_numbers_keep_their_text(
        attempts in 0..1u64 << 53, started_at in -(1i64 << 53) + 1..1 << 53, prev_delay in 0..1u64 << 53,
    ) {
        let text = format!(r#"{{"attempts":{attempts},"startedAt":{started_at},"prevDelayMs":{prev_delay}}}"#);
        let state: RetryState = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&state).unwrap(), text);
    }

    /// Reference, Decisions: "State survives JSON.parse(JSON.stringify(state)) with identical behaviour"; the issue asks
    /// the same of the outcome, whatever a caller has put into it. Clocks tick in microseconds here: serde_json reads
    /// longer fractions exactly only with its feature `float_roundtrip`.
    #[test]
    fn a_round_trip_changes_no_decision(
        kind in prop::sample::select(&KINDS[..]), deadline in prop::option::of(1u64..1 << 54),
        started_at in clock(), now in clock(), steps in prop::collection::vec((0.0..1e6, 0.0..1.0), 1..6),
        retry_after in prop::option::of(prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), 0.0..1e5]),
    ) {
        let options = Options {
            max_attempts: Limit::At(5),
            deadline: deadline.map(Duration::from_millis),
            ..Options::new(kind, Duration::from_micros(100_500))
        };
        let policy = options.build().unwrap();
        let outcome = Outcome { retryable: true, retry_after_ms: retry_after };
        let read_outcome: Outcome = serde_json::from_str(&serde_json::to_string(&outcome).unwrap()).unwrap();
        let mut kept = each!(&policy, policy => policy.init(started_at));
        let mut now = now;
        for (elapsed, draw) in steps {
            let stored: RetryState = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
            prop_assert_eq!(stored, kept);
            now += elapsed;
            let (next, decision) = each!(&policy, policy => policy.next(kept, now, outcome, || draw));
            let (again, same) = each!(&policy, policy => policy.next(stored, now, read_outcome, || draw));
            prop_assert_eq!(next, again);
            prop_assert_eq!(decision.delay(), same.delay());
            prop_assert_eq!(decision.reason(), same.reason());
            prop_assert_eq!(decision.remaining(), same.remaining());
            kept = next;
        }
    }

    /// The same through a store that keeps objects, not text: every bit of every number survives.
    #[test]
    fn any_state_a_policy_gives_survives_as_an_object(
        kind in prop::sample::select(&KINDS[..]), start in any::<u64>(), now in any::<u64>(), after in any::<u64>(),
    ) {
        let options = Options { max_attempts: Limit::At(5), ..Options::new(kind, Duration::from_millis(100)) };
        let policy = options.build().unwrap();
        let outcome = Outcome { retryable: true, retry_after_ms: Some(f64::from_bits(after)) };
        let state = each!(&policy, policy => policy.init(f64::from_bits(start)));
        let (next, _) = each!(&policy, policy => policy.next(state, f64::from_bits(now), outcome, || 0.4));
        for state in [state, next] {
            let stored = serde_json::to_value(state).unwrap();
            prop_assert_eq!(serde_json::from_value::<RetryState>(stored).unwrap(), state);
        }
    }
}
