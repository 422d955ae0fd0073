//! What an attempt of the probe does.

use retry_primitives::{
    Outcome,
    classify::HttpOptions,
    operation::Report,
    worker::{Attempt, report_fetch},
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use worker::{Fetch, Method, Request, RequestInit, js_sys};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Behaviour {
    /// Calls the url that is the payload.
    Fetch,
    /// Fails at once.
    Fail,
    /// Fails with 503 and the longest `Retry-After` there is.
    FailForEver,
    /// Panics before any await.
    Panic,
    /// Panics once the receiver has answered.
    PanicAfterFetch,
    /// Throws a JavaScript exception through Rust's frames.
    Throw,
    /// The same once the receiver has answered.
    ThrowAfterFetch,
    /// Never resolves.
    Hang,
}

#[wasm_bindgen]
extern "C" {
    /// Declared without `catch`: what it throws unwinds no Rust frame.
    #[wasm_bindgen(js_namespace = JSON, js_name = parse)]
    fn parse_or_throw(text: &str) -> JsValue;
}

pub(crate) async fn make(attempt: &Attempt<String>, behaviour: Behaviour) -> Report {
    match behaviour {
        Behaviour::Fetch => call(attempt).await,
        Behaviour::Fail => Report::failure(Outcome::RETRYABLE),
        Behaviour::FailForEver => {
            Report::failure(Outcome { retryable: true, retry_after_ms: Some(f64::MAX) }).with_status(503)
        }
        Behaviour::Panic => panic!("as planned"),
        Behaviour::PanicAfterFetch => {
            let _ = call(attempt).await;
            panic!("as planned, late")
        }
        Behaviour::Throw => throw(),
        Behaviour::ThrowAfterFetch => {
            let _ = call(attempt).await;
            throw()
        }
        Behaviour::Hang => std::future::pending().await,
    }
}

fn throw() -> Report {
    parse_or_throw("{");
    Report::success()
}

async fn call(attempt: &Attempt<String>) -> Report {
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_body(Some(js_sys::JsString::from(attempt.number().to_string()).into()));
    let answer = match Request::new_with_init(attempt.payload(), &init) {
        Ok(request) => Fetch::Request(request).send_with_signal(attempt.signal()).await,
        Err(error) => Err(error),
    };
    report_fetch(answer, &HttpOptions::default())
}
