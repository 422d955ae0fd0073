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
mod stored;
#[cfg(feature = "worker")]
pub mod worker;

#[cfg(any(test, feature = "operation"))]
extern crate alloc;

pub use backoff::{Decision, Policy, RetryState, StopReason};
pub use error::{OptionError, StateError};
pub use number::MAX_SAFE_MS;
pub use outcome::Outcome;
