//! Calls through shared breakers as the tests tell it.
//!
//! `/breakers/{kv,object}/{name}/{call,request,peek,open,close,reset}`, and `/breakers/{kv,object}` for the list. `call` asks the breaker,
//! calls `?url=` where it may, and reports; without a URL the call ends as `?ok=` says. `?times=` repeats that one after
//! another. `request` takes an admission and never reports, as a caller does that dies.

use std::time::Duration;

use retry_primitives::{
    breaker::{ConsecutiveBreaker, Report, consecutive_breaker},
    worker::breaker::{BreakerObject, Force, KvBreaker, ObjectBreaker, SharedBreaker},
};
use serde_json::json;
use worker::{Context, Env, Error, Fetch, Request, Response, Result, State, durable_object, url::Url};

pub(crate) async fn route(kind: &str, path: &[&str], url: &Url, env: &Env, context: &Context) -> Result<Response> {
    match kind {
        "kv" => serve(&KvBreaker::new(env, "BREAKERS", options(env)?, context)?, path, url).await,
        _ => serve(&ObjectBreaker::new(env, "BREAKER")?, path, url).await,
    }
}

async fn serve(breaker: &impl SharedBreaker, path: &[&str], url: &Url) -> Result<Response> {
    match *path {
        [] => Response::from_json(&breaker.list().await?),
        [name, "call"] => {
            let times = option(url, "times").and_then(|times| times.parse().ok()).unwrap_or(1);
            let mut calls = Vec::new();
            for _ in 0..times {
                calls.push(call(breaker, name, url).await?);
            }
            Response::from_json(&calls)
        }
        [name, "request"] => {
            let admission = breaker.request(name).await;
            Response::from_json(&json!({ "ok": admission.ok(), "status": admission.verdict().status.as_str() }))
        }
        [name, "peek"] => Response::from_json(&breaker.peek(name).await?),
        [name, action] => {
            let force = Force::parse(action).ok_or_else(|| Error::from("no such action"))?;
            Response::from_json(&breaker.force(name, force).await?)
        }
        _ => Response::error("not found", 404),
    }
}

async fn call(breaker: &impl SharedBreaker, name: &str, url: &Url) -> Result<serde_json::Value> {
    let admission = breaker.request(name).await;
    let (ok, status, blind) = (admission.ok(), admission.verdict().status.as_str(), admission.is_blind());
    if !ok {
        return Ok(json!({ "ok": ok, "status": status, "retryAfterMs": admission.verdict().retry_after_ms }));
    }
    let works = match option(url, "url") {
        Some(upstream) => {
            let answer = Fetch::Url(upstream.parse()?).send().await;
            answer.is_ok_and(|response| response.status_code() < 500)
        }
        None => option(url, "ok").as_deref() != Some("false"),
    };
    let reported = breaker.report(admission, if works { Report::success() } else { Report::failure() }).await;
    Ok(json!({ "ok": ok, "status": status, "blind": blind, "reported": format!("{reported:?}") }))
}

fn option(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn options(env: &Env) -> Result<ConsecutiveBreaker> {
    let number = |name: &str| env.var(name).ok().and_then(|value| value.to_string().parse().ok());
    let breaker = consecutive_breaker(number("FAILURES").unwrap_or(5))
        .open(Duration::from_millis(number("OPEN_MS").unwrap_or(30_000)))
        .half_open_probes(number("PROBES").unwrap_or(1))
        .build();
    breaker.map_err(|error| Error::from(error.to_string()))
}

/// Keeps the breaker of one dependency.
#[durable_object]
pub struct Breaker {
    object: Result<BreakerObject<ConsecutiveBreaker>>,
}

impl worker::DurableObject for Breaker {
    fn new(state: State, env: Env) -> Self {
        Self { object: options(&env).map(|options| BreakerObject::new(state.storage(), options)) }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        match &self.object {
            Ok(object) => object.handle(request).await,
            Err(error) => Response::error(error.to_string(), 500),
        }
    }
}
