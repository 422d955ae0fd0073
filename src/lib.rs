//! Retry and circuit-breaker *decisions* for programs that cannot sleep.
//!
//! A retry is a small value that you store and a moment to come back at; a breaker is a value that many can share. Every
//! decision is a pure function of `(state, now, outcome)`: no clock, no timer, no I/O, no allocation.
//!
//! | module | the question it answers |
//! | --- | --- |
//! | [`backoff`] | may I try again, and when? |
//! | [`classify`] | what does this failure mean? |
//! | [`breaker`] | should I call at all? |
//! | [`budget`] | can the system afford another retry? |
//! | [`limit`] | is there a permit for this call? |
//! | `executor` | who calls and waits, in one process? (feature `executor`) |
//! | `operation` | how does one operation survive its process? (feature `operation`) |
//! | `worker` | how do I do that on Cloudflare Workers? (feature `worker`) |
//!
//! [`recipes`] has a home for each decision: a loop, a Durable Object, a message, a row of a table, a cron.
//!
//! Times are `f64` milliseconds on a clock of the caller's choice, as JavaScript has them; options are
//! [`Duration`](core::time::Duration)s. With feature `serde` every state is JSON that JavaScript reads, field for field.
//! Random numbers come from a function that the caller passes.
#![no_std]
#![forbid(unsafe_code)]

pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod classify;
mod error;
#[cfg(feature = "executor")]
pub mod executor;
pub mod limit;
mod number;
#[cfg(any(feature = "operation", feature = "wasm"))]
pub mod operation;
mod outcome;
#[cfg(any(doc, doctest))]
pub mod recipes;
#[cfg(any(feature = "worker", feature = "wasm"))]
mod shared;
mod stored;
#[cfg(feature = "wasm")]
#[doc(hidden)]
pub mod wasm;
#[cfg(feature = "worker")]
pub mod worker;

#[cfg(any(test, feature = "operation"))]
extern crate alloc;
#[cfg(any(test, feature = "std", feature = "worker"))]
extern crate std;

pub use backoff::{Decision, Policy, RetryState, StopReason};
pub use error::{OptionError, StateError};
pub use number::MAX_SAFE_MS;
pub use outcome::Outcome;

#[cfg(all(doctest, feature = "tokio", feature = "worker"))]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;

#[cfg(all(doctest, feature = "tokio"))]
#[doc = include_str!("../MIGRATING.md")]
struct MigratingExamples;
