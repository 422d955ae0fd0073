//! The walks of an operation that every runtime shares, taken natively, through its JSON between any two steps.
#![cfg(feature = "operation")]

use core::time::Duration;
use std::collections::BTreeMap;

use retry_primitives::{
    Outcome, Policy,
    backoff::{Curve, Jitter, constant, exponential},
    operation::{Operation, Report, Wake},
};
use serde_json::{Value, json};

#[test]
fn every_operation_vector_comes_out() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("vectors/operation.json")).unwrap();
    assert!(vectors.len() >= 50, "only {} walks", vectors.len());
    for vector in &vectors {
        let options = &vector["options"];
        let ms = |name: &str| options[name].as_u64().map(Duration::from_millis);
        macro_rules! walk {
            ($builder:expr) => {{
                let mut builder = $builder.jitter(Jitter::None);
                if let Some(attempts) = options["maxAttempts"].as_u64() {
                    builder = builder.max_attempts(attempts);
                }
                if let Some(deadline) = ms("deadlineMs") {
                    builder = builder.deadline(deadline);
                }
                if let Some(delay) = ms("maxDelayMs") {
                    builder = builder.max_delay(delay);
                }
                walk(vector, &builder.build().unwrap());
            }};
        }
        match ms("baseMs") {
            Some(base) => walk!(exponential(base).factor(options["factor"].as_f64().unwrap_or(2.0))),
            None => walk!(constant(ms("delayMs").unwrap())),
        }
    }
}

fn walk<C: Curve>(vector: &Value, policy: &Policy<C>) {
    let undrawn = || panic!("no jitter, no draw");
    let dead_man = Duration::from_millis(vector["deadManMs"].as_u64().unwrap());
    let mut operation = Operation::start(policy, vector["start"].as_f64().unwrap());
    let mut expected = vector["started"].clone();
    let mut tickets = BTreeMap::new();
    for (index, step) in vector["steps"].as_array().unwrap().iter().enumerate() {
        let at = || format!("step {index} of {vector}");
        let text = serde_json::to_string(&operation).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected, "before {}", at());
        operation = serde_json::from_str(&text).unwrap();

        let now = step["now"].as_f64().unwrap();
        match step["do"].as_str().unwrap() {
            "wake" => {
                let attempt = match operation.wake(policy, now, dead_man, undrawn) {
                    Wake::Attempt(ticket) => {
                        tickets.insert(index as u64, ticket);
                        json!(ticket.attempt())
                    }
                    Wake::Nothing(_) => Value::Null,
                };
                assert_eq!(attempt, step["expected"]["attempt"], "{}", at());
            }
            "settle" => {
                let ticket = tickets[&step["ticket"].as_u64().unwrap()];
                operation.settle(policy, ticket, now, report(&step["report"]), undrawn);
            }
            "postpone" => {
                operation.postpone(policy, now, step["until"].as_f64().unwrap());
            }
            _ => {
                operation.cancel(now);
            }
        }
        assert_eq!(operation.alarm(), step["expected"]["alarm"].as_f64(), "{}", at());
        if let Some(changed) = step["expected"].get("operation") {
            expected = changed.clone();
        }
    }
    assert_eq!(serde_json::to_value(&operation).unwrap(), expected, "after {vector}");
}

fn report(value: &Value) -> Report {
    let mut report = if value["ok"] == true {
        Report::success()
    } else {
        Report::failure(
            serde_json::from_value::<Option<Outcome>>(value["outcome"].clone()).unwrap().unwrap_or_default(),
        )
    };
    if let Some(status) = value["status"].as_u64() {
        report = report.with_status(status as u16);
    }
    match value["error"].as_str() {
        Some(error) => report.with_error(error),
        None => report,
    }
}
