//! Cloudflare Workers: retries that outlive the isolate, with no timer held open between attempts.
//!
//! | where the wait happens | here |
//! | --- | --- |
//! | a Durable Object's alarm | [`DurableRetry`] |
//! | a Queue's redelivery | [`queue::settle`] |
//!
//! [`breaker`] has circuit breakers that isolates share, in KV or in a Durable Object.
//!
//! A complete Durable Object that delivers a webhook, whatever happens to its isolate:
//!
//! ```no_run
#![doc = include_str!("examples/webhook.rs")]
//! ```

mod alarm;
pub mod breaker;
mod durable_retry;
mod fetch;
pub mod queue;
mod watchdog;

pub use crate::shared::{MAX_ALARM, armable};
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
