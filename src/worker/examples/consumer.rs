use std::time::Duration;

use retry_primitives::backoff::exponential;
use retry_primitives::classify::HttpOptions;
use retry_primitives::worker::{queue, report_fetch};
use worker::wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use worker::{Env, Fetch, console_error};

/// Each message is a url to call.
#[wasm_bindgen(wasm_bindgen = worker::wasm_bindgen, js_sys = worker::js_sys, wasm_bindgen_futures = worker::wasm_bindgen_futures)]
pub async fn queue(batch: JsValue, _env: Env, _context: JsValue) -> Result<(), JsValue> {
    let policy = exponential(Duration::from_secs(1)).max_attempts(3).build().expect("constant options");
    for message in queue::messages(&batch)? {
        let url = message.body()?.as_string().unwrap_or_default();
        let answer = match url.parse() {
            Ok(url) => Fetch::Url(url).send().await,
            Err(error) => Err(worker::Error::from(error)),
        };
        let report = report_fetch(answer, &HttpOptions::default());
        if let queue::Settled::GaveUp { reason, .. } = queue::settle(&message, &policy, &report)? {
            console_error!("giving up on {}: {reason}", message.id()?);
            message.retry(0)?; // with `max_retries = 2` the queue now moves it to its dead-letter queue
        }
    }
    Ok(())
}
