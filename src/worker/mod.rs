//! Cloudflare Workers: retries that outlive the isolate, with no timer held open between attempts.
//!
//! | where the wait happens | here |
//! | --- | --- |
//! | a Durable Object's alarm | [`DurableRetry`] |
//! | a Queue's redelivery | [`queue::settle`] |
//!
//! A complete Durable Object that delivers a webhook, whatever happens to its isolate:
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use retry_primitives::{backoff::exponential, classify::HttpOptions, worker::{DurableRetry, report_fetch}};
//! use worker::*;
//!
//! #[durable_object]
//! pub struct Webhook {
//!     state: State,
//! }
//!
//! impl Webhook {
//!     fn retry(&self) -> DurableRetry<impl retry_primitives::backoff::Curve> {
//!         let policy = exponential(Duration::from_secs(1)).max_attempts(8).deadline(Duration::from_secs(3_600));
//!         DurableRetry::new(self.state.storage(), policy.build().expect("constant options"))
//!     }
//! }
//!
//! impl DurableObject for Webhook {
//!     fn new(state: State, _: Env) -> Self {
//!         Self { state }
//!     }
//!
//!     async fn fetch(&self, mut request: Request) -> Result<Response> {
//!         self.retry().start(&request.text().await?).await?;
//!         Response::empty()
//!     }
//!
//!     async fn alarm(&self) -> Result<Response> {
//!         self.retry()
//!             .on_alarm(async |attempt: retry_primitives::worker::Attempt<String>| {
//!                 let mut init = RequestInit::new();
//!                 init.with_method(Method::Post).with_body(Some(attempt.payload().into()));
//!                 let request = Request::new_with_init("https://example.com/hook", &init);
//!                 let answer = match request {
//!                     Ok(request) => Fetch::Request(request).send_with_signal(attempt.signal()).await,
//!                     Err(error) => Err(error),
//!                 };
//!                 report_fetch(answer, &HttpOptions::default())
//!             })
//!             .await?;
//!         Response::empty()
//!     }
//! }
//! ```

mod alarm;
pub mod breaker;
mod durable_retry;
mod fetch;
pub mod queue;

pub use alarm::{MAX_ALARM, armable};
pub use durable_retry::{
    Attempt, DEFAULT_REQUEST_TIMEOUT, DurableRetry, GRACE, MAX_REQUEST_TIMEOUT, OPERATION_KEY, PAYLOAD_KEY,
};
pub use fetch::report_fetch;

/// A random number in [0, 1) from the platform's secure source. Call it inside a handler only: at global scope the
/// platform refuses to give any.
pub fn random() -> f64 {
    // Without randomness the longest wait is the safe one.
    getrandom::u64().map_or(1.0, |bits| (bits >> 11) as f64 / (1_u64 << 53) as f64)
}

/// Milliseconds since 1970, by the platform's clock, which moves only with I/O.
pub fn now() -> f64 {
    worker::js_sys::Date::now()
}
