//! A receiver that fails on demand, for trying the service out. It is on only where `DEMO_RECEIVER` is `true`.
//!
//! `POST /demo/receiver?failures=2&status=503&retryAfter=1&slowMs=500` fails the first two requests of each webhook with
//! a 503 and `Retry-After: 1`, and answers every request half a second late.

use std::time::Duration;

use serde_json::json;
use worker::{Delay, Env, Request, Response, Result, State, durable_object};

/// Passes the request to the object that counts the requests of its webhook.
pub(crate) async fn receive(request: Request, env: &Env) -> Result<Response> {
    let id = request.headers().get("webhook-id")?.unwrap_or_default();
    env.durable_object("DEMO_RECEIVER_COUNT")?.get_by_name(&id)?.fetch_with_request(request).await
}

/// Counts the requests of one webhook.
#[durable_object]
pub struct DemoReceiver {
    state: State,
}

impl worker::DurableObject for DemoReceiver {
    fn new(state: State, _env: Env) -> Self {
        Self { state }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let url = request.url()?;
        let option = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let number = |name: &str, default: u32| option(name).and_then(|value| value.parse().ok()).unwrap_or(default);

        let storage = self.state.storage();
        let received = storage.get("received").await?.unwrap_or(0_u32) + 1;
        storage.put("received", received).await?;
        if let Some(slow) = option("slowMs").and_then(|value| value.parse().ok()) {
            Delay::from(Duration::from_millis(slow).min(Duration::from_secs(120))).await;
        }
        if received > number("failures", 0) {
            return Response::from_json(&json!({ "received": received, "accepted": true }));
        }
        let status = number("status", 503).clamp(200, 599) as u16;
        let response = match status {
            // These have no body: the platform refuses to make one.
            204 | 205 | 304 => Response::empty()?,
            _ => Response::from_json(&json!({ "received": received, "accepted": false }))?,
        };
        let response = response.with_status(status);
        if let Some(retry_after) = option("retryAfter") {
            response.headers().set("retry-after", &retry_after)?;
        }
        Ok(response)
    }
}
