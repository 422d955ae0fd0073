//! A Durable Object that retries by a plan of its test, and lets its storage be spoilt.

use std::time::Duration;

use retry_primitives::{
    backoff::{Exponential, Jitter, exponential},
    worker::{Attempt, DurableRetry},
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use worker::{Env, Error, Request, Response, Result, ScheduledTime, State, durable_object, js_sys};

use crate::attempt::{self, Behaviour};

const PLAN_KEY: &str = "plan";

/// The policy, and what each attempt does; the last entry serves all that follow.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Plan {
    base_ms: u64,
    max_delay_ms: u64,
    max_attempts: u64,
    jitter: Jitter,
    timeout_ms: u64,
    attempts: Vec<Behaviour>,
}

impl Default for Plan {
    fn default() -> Self {
        let attempts = vec![Behaviour::Fetch];
        Self { base_ms: 50, max_delay_ms: 1 << 40, max_attempts: 5, jitter: Jitter::None, timeout_ms: 1_000, attempts }
    }
}

#[durable_object]
pub struct Probe {
    state: State,
}

impl worker::DurableObject for Probe {
    fn new(state: State, _env: Env) -> Self {
        Self { state }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let path = request.path();
        let answer = match path.split('/').skip(3).collect::<Vec<_>>()[..] {
            ["plan"] => self.state.storage().put(PLAN_KEY, request.json::<Plan>().await?).await.map(|()| None)?,
            ["start"] => Some(self.retry().await?.start(&request.json::<String>().await?).await?),
            ["cancel"] => self.retry().await?.cancel().await?,
            ["clear"] => self.retry().await?.clear().await.map(|()| None)?,
            ["stored", key] => self.spoil(key, &request.text().await?).await.map(|()| None)?,
            ["alarm"] => self.arm(request.json().await?).await.map(|()| None)?,
            [] => self.retry().await?.operation().await?,
            _ => return Response::error("no such route", 404),
        };
        let alarm = self.state.storage().get_alarm().await?;
        Response::from_json(&serde_json::json!({ "operation": answer, "alarm": alarm }))
    }

    async fn alarm(&self) -> Result<Response> {
        let plan = self.plan().await?;
        let retry = self.retry().await?;
        let make = async |attempt: Attempt<String>| {
            let place = (attempt.number() as usize).min(plan.attempts.len()) - 1;
            attempt::make(&attempt, plan.attempts[place]).await
        };
        if let Some(problem) = retry.on_alarm(make).await?.and_then(|operation| operation.recovered) {
            worker::console_log!("recovered: {problem}");
        }
        Response::empty()
    }
}

impl Probe {
    async fn plan(&self) -> Result<Plan> {
        Ok(self.state.storage().get(PLAN_KEY).await?.unwrap_or_default())
    }

    async fn retry(&self) -> Result<DurableRetry<Exponential>> {
        let plan = self.plan().await?;
        let refused = |error: retry_primitives::OptionError| Error::from(error.to_string());
        let builder =
            exponential(Duration::from_millis(plan.base_ms)).max_delay(Duration::from_millis(plan.max_delay_ms));
        let policy = builder.max_attempts(plan.max_attempts).jitter(plan.jitter).build().map_err(refused)?;
        DurableRetry::new(&self.state, policy).request_timeout(Duration::from_millis(plan.timeout_ms)).map_err(refused)
    }

    /// Puts what the text of JSON says under a key, `"NaN"` being the number; an empty text deletes it.
    async fn spoil(&self, key: &str, json: &str) -> Result<()> {
        let storage = self.state.storage();
        if json.is_empty() {
            return storage.delete(key).await.map(drop);
        }
        let value = js_sys::JSON::parse(json)?;
        for phase in [&value, &js_sys::Reflect::get(&value, &"phase".into()).unwrap_or_default()] {
            if let Ok(due) = js_sys::Reflect::get(phase, &"due".into())
                && due.as_string().as_deref() == Some("NaN")
            {
                js_sys::Reflect::set(phase, &"due".into(), &JsValue::from_f64(f64::NAN))?;
            }
        }
        storage.put_raw(key, value).await
    }

    /// Arms the alarm as an enemy of the integration would: by itself; or takes it away.
    #[expect(clippy::disallowed_methods, reason = "proves that the lint is on, too")]
    async fn arm(&self, in_ms: Option<f64>) -> Result<()> {
        let Some(in_ms) = in_ms else { return self.state.storage().delete_alarm().await };
        let moment = js_sys::Date::new(&JsValue::from_f64(js_sys::Date::now() + in_ms));
        self.state.storage().set_alarm(ScheduledTime::new(moment)).await
    }
}
