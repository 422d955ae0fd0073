//! A state as JSON: the reference's fields and no other on a plain breaker; untrusted when read.
#![cfg(feature = "serde")]

use core::time::Duration;

use retry_primitives::breaker::{
    Breaker, ConsecutiveBreakerState, RollingBreakerState, consecutive_breaker, rolling_breaker,
};
use serde_json::{Value, json};

const CONSECUTIVE: [&str; 5] = ["status", "changedAt", "probes", "successes", "failures"];
const ROLLING: [&str; 9] =
    ["status", "changedAt", "probes", "successes", "start", "prevOk", "prevFail", "currOk", "currFail"];

/// Fields in the order in which they are written.
fn fields(json: &str) -> Vec<String> {
    let inner = json.trim_matches(['{', '}']);
    inner.split(',').map(|field| field.split(':').next().unwrap().trim_matches('"').to_owned()).collect()
}

fn lifecycle<B: Breaker>(breaker: &B, names: &[&str])
where
    B::State: serde::Serialize + serde::de::DeserializeOwned + PartialEq + core::fmt::Debug,
{
    let mut state = breaker.init(1_758_124_800_000.0);
    for (step, now) in
        [1_758_124_800_000.0, 1_758_124_800_100.0, 1_758_124_830_100.0, 1_758_124_830_200.0].into_iter().enumerate()
    {
        state = match step {
            0 => breaker.succeed(state, now),
            1 => breaker.fail(state, now),
            2 => breaker.request(state, now).0,
            _ => breaker.succeed(state, now),
        };
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(fields(&text), names, "{text}");
        assert!(!text.contains('.'), "{text}");
        assert_eq!(serde_json::from_str::<B::State>(&text).unwrap(), state);
    }
}

/// Reference: "// state: { status, changedAt, probes, successes, failures }", and the rolling one.
#[test]
fn a_plain_breaker_writes_the_fields_of_the_reference_all_its_life() {
    let open = Duration::from_secs(30);
    lifecycle(&consecutive_breaker(1).open(open).build().unwrap(), &CONSECUTIVE);
    lifecycle(&rolling_breaker(open).minimum_throughput(2).open(open).build().unwrap(), &ROLLING);
}

#[test]
fn a_fresh_state_is_written_as_javascript_writes_it() {
    let breaker = consecutive_breaker(5).open(Duration::from_secs(30)).build().unwrap();
    assert_eq!(
        serde_json::to_string(&breaker.init(1_758_124_800_000.0)).unwrap(),
        r#"{"status":"closed","changedAt":1758124800000,"probes":0,"successes":0,"failures":0}"#
    );
}

#[test]
fn growth_and_slow_calls_add_their_fields() {
    let second = Duration::from_secs(1);
    let breaker = consecutive_breaker(1).open(second).grow_open(2.0, 60 * second).build().unwrap();
    let state = breaker.fail(breaker.init(0.0), 0.0);
    let state = breaker.fail(breaker.request(state, 1_000.0).0, 1_000.0);
    let written = serde_json::to_value(state).unwrap();
    assert_eq!((&written["openings"], &written["openForMs"]), (&json!(2), &json!(2_000)));
    assert_eq!(serde_json::from_value::<ConsecutiveBreakerState>(written).unwrap(), state);
}

/// The error names the field.
#[test]
fn a_wrong_value_is_refused_by_name() {
    let good = json!({"status": "closed", "changedAt": 0, "probes": 0, "successes": 0, "start": 0, "prevOk": 0,
        "prevFail": 0, "currOk": 0, "currFail": 0, "prevSlow": 0, "currSlow": 0, "openings": 0, "openForMs": 0,
        "aheadMs": 0});
    assert!(serde_json::from_value::<RollingBreakerState>(good.clone()).is_ok());
    let wrong = [json!(null), json!("x"), json!(true), json!([1]), json!({"a": 1}), json!(-1e300)];
    for (field, _) in good.as_object().unwrap() {
        for value in &wrong {
            let mut bad = good.clone();
            bad[field] = value.clone();
            let error = serde_json::from_str::<RollingBreakerState>(&bad.to_string()).unwrap_err().to_string();
            assert!(error.contains(field.as_str()), "{field} = {value}: {error}");
        }
    }
    for field in ["probes", "currFail"] {
        for value in [json!(1.5), json!(-1), json!(9_007_199_254_740_992_u64)] {
            let mut bad = good.clone();
            bad[field] = value;
            let error = serde_json::from_value::<RollingBreakerState>(bad).unwrap_err().to_string();
            assert!(error.starts_with(field), "{error}");
        }
    }
    let mut missing: Value = good;
    missing.as_object_mut().unwrap().remove("currOk");
    assert!(serde_json::from_value::<RollingBreakerState>(missing).unwrap_err().to_string().contains("currOk"));
}
