//! Retry and circuit-breaker *decisions* for programs that cannot sleep.
#![no_std]
#![forbid(unsafe_code)]

pub mod backoff;
pub mod breaker;
pub mod classify;
mod error;
mod number;
mod outcome;

pub use error::OptionError;
pub use number::MAX_SAFE_MS;
pub use outcome::Outcome;
