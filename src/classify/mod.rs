//! What does this failure mean, and is it worth repeating?
//!
//! Deciding *whether* a failure may be repeated is a separate job from deciding *when*, and it is the one that double
//! charges cards when it goes wrong. [`http_outcome`] judges a response, [`error_outcome`] an error that `fetch` threw;
//! both answer with an [`Outcome`](crate::Outcome) that a policy takes as it is. The rules they are made of stand alone.
//!
//! ```
//! use retry_primitives::classify::{HttpOptions, http_outcome};
//!
//! let headers = [("retry-after", "120")];
//! let header = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
//!
//! // A 503 says that the server did nothing: even a POST may be repeated, in two minutes.
//! let outcome = http_outcome(503, header, 0.0, &HttpOptions::new().method("POST"));
//! assert!(outcome.retryable);
//! assert_eq!(outcome.retry_after_ms, Some(120_000.0));
//! ```

mod error;
mod hints;
mod http;
mod http_date;
#[cfg(not(target_family = "wasm"))]
mod http_date_fast;
#[cfg(any(target_family = "wasm", test))]
mod http_date_small;
mod method;
mod retry_after;
mod sign;
mod status;
mod words;

pub use error::{
    ErrorFacts, ErrorKind, MAX_CAUSES, error_kind, error_outcome, is_abort_error, is_network_error, is_timeout_error,
};
pub use hints::Hints;
pub use http::{HttpOptions, http_outcome};
#[cfg(feature = "wasm")]
pub(crate) use http::{outcome, parse};
#[cfg(feature = "wasm")]
pub(crate) use http_date::moment;
pub use http_date::parse_http_date;
pub use method::is_idempotent_method;
pub use retry_after::parse_retry_after;
#[cfg(feature = "wasm")]
pub(crate) use sign::retryable_codes;
pub use status::is_retryable_status;
