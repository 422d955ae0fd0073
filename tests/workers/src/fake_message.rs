//! A queue's message made up by a test, for delays that no test can wait for.

use std::time::Duration;

use retry_primitives::{
    Outcome,
    backoff::{Jitter, constant},
    operation::Report,
    worker::queue::{self, Settled},
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsValue, closure::Closure};
use worker::{
    Error, Result,
    js_sys::{Array, Date, Object, Reflect},
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Case {
    delay_ms: u64,
    max_attempts: u64,
    deadline_ms: u64,
    /// Deliveries, by the platform's count.
    attempts: f64,
    age_ms: f64,
    /// How the work went: nothing is success.
    outcome: Option<Outcome>,
}

#[derive(Serialize)]
pub(crate) struct Told {
    settled: String,
    /// The calls that the message received, in order.
    calls: Vec<serde_json::Value>,
}

pub(crate) fn settle(case: &Case) -> Result<Told> {
    let builder = constant(Duration::from_millis(case.delay_ms)).max_attempts(case.max_attempts).unlimited_delay();
    let policy = builder.deadline(Duration::from_millis(case.deadline_ms)).jitter(Jitter::None).build();
    let policy = policy.map_err(|error| Error::from(error.to_string()))?;
    let report = case.outcome.map_or(Report::success(), Report::failure);

    let calls = Array::new();
    let (acks, retries) = (calls.clone(), calls.clone());
    let ack = Closure::<dyn Fn()>::new(move || {
        acks.push(&"ack".into());
    });
    let retry = Closure::<dyn Fn(JsValue)>::new(move |options| {
        retries.push(&options);
    });
    let message = Object::new();
    for (name, value) in [
        ("id", "made up".into()),
        ("body", JsValue::NULL),
        ("attempts", case.attempts.into()),
        ("timestamp", Date::new(&(Date::now() - case.age_ms).into()).into()),
        ("ack", ack.as_ref().clone()),
        ("retry", retry.as_ref().clone()),
    ] {
        Reflect::set(&message, &name.into(), &value)?;
    }
    let batch = Object::new();
    Reflect::set(&batch, &"messages".into(), &Array::of1(&message))?;

    let message = queue::messages(&batch)?.remove(0);
    let settled = match queue::settle(&message, &policy, &report)? {
        Settled::Acknowledged => "acknowledged".to_owned(),
        Settled::Retrying { delay_seconds, attempts } => format!("retrying in {delay_seconds} s after {attempts}"),
        Settled::GaveUp { reason, attempts } => format!("gave up: {reason} after {attempts}"),
    };
    let calls = worker::js_sys::JSON::stringify(&calls)?.as_string().unwrap_or_default();
    Ok(Told { settled, calls: serde_json::from_str(&calls)? })
}
