//! Retry and circuit-breaker *decisions* for programs that cannot sleep.
#![no_std]
#![forbid(unsafe_code)]

pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod classify;
mod error;
mod number;
#[cfg(feature = "operation")]
pub mod operation;
mod outcome;
#[cfg(feature = "worker")]
pub mod worker;

#[cfg(any(test, feature = "operation"))]
extern crate alloc;
#[cfg(any(test, feature = "worker"))]
extern crate std;

pub use backoff::{Decision, Policy, RetryState, StopReason};
pub use error::OptionError;
pub use number::MAX_SAFE_MS;
pub use outcome::Outcome;
