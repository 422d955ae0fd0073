//! When to try again: the retry policies.
//!
//! A policy answers two questions about a failed attempt: *may I try again?* and *how long do I wait?* It never sleeps,
//! reads no clock and keeps nothing: the caller holds a [`RetryState`], passes it in with the time and the
//! [`Outcome`](crate::Outcome), and stores what comes back until the next attempt, wherever that happens.
//!
//! ```
//! use core::time::Duration;
//! use retry_primitives::{Decision, Outcome, backoff::exponential};
//!
//! let policy = exponential(Duration::from_millis(100))
//!     .max_attempts(5)
//!     .deadline(Duration::from_secs(30))
//!     .build()?;
//!
//! let started = 1_758_124_800_000.0; // milliseconds on the caller's clock
//! let state = policy.init(started);
//! let (state, decision) = policy.next(state, started + 40.0, Outcome::RETRYABLE, || 0.63);
//! assert_eq!(decision, Decision::Retry { delay_ms: 63.0, attempts: 1, remaining_ms: 29_960.0 });
//! assert_eq!(state.attempts, 1);
//! # Ok::<(), retry_primitives::OptionError>(())
//! ```
//!
//! # Choosing a policy
//!
//! | policy | delay before attempt n + 1 | pick it when |
//! | --- | --- | --- |
//! | [`exponential`] | `base * factor^(n - 1)` | anything remote that can be overloaded: the default |
//! | [`decorrelated_jitter`] | between `base` and `previous * factor` | many clients share the dependency |
//! | [`decorrelated_jitter_v2`] | as Polly spreads a doubling | as above, with waits that crowd nowhere; its state has a fourth number |
//! | [`fibonacci`] | `base * 1, 1, 2, 3, 5, 8, ...` | more attempts in the same budget than doubling allows |
//! | [`linear`] | `base * n` | a lock, a lease or a quota window that frees itself |
//! | [`constant`] | `delay` | polling for something that will appear |
//! | [`backoff`] | what your function says | a curve from a table |
//!
//! # Rules that hold for every policy
//!
//! - The reasons to stop are looked at in one order: non-retryable, then attempts, then the deadline.
//! - A stop returns the state it was given and draws no random number, unless only the drawn delay shows that the
//!   next attempt would miss the deadline.
//! - The next attempt starts strictly inside the deadline, or the policy stops at once.
//! - The server's `Retry-After` is a floor that neither jitter nor the cap undercuts. The deadline still applies.
//! - Delays are whole milliseconds, rounded to nearest (a floor is rounded up); the cap is rounded down.
//! - A clock that jumps back has not moved: elapsed time is never negative.
//! - Nothing panics, and no input gives NaN, a negative delay, or more than [`MAX_SAFE_MS`](crate::MAX_SAFE_MS).

mod builder;
mod constant;
mod curve;
mod custom;
mod decision;
mod decorrelated;
mod exponential;
mod fibonacci;
mod jitter;
mod jitter_v2;
mod linear;
mod policy;
mod preview;
mod state;
mod transcendental;

pub use builder::{Builder, DEFAULT_MAX_DELAY, MAX_ATTEMPTS};
pub use constant::{Constant, constant};
pub use curve::Curve;
pub use custom::{Custom, backoff};
pub use decision::{Decision, StopReason};
pub use decorrelated::{DecorrelatedJitter, decorrelated_jitter};
pub use exponential::{Exponential, exponential};
pub use fibonacci::{Fibonacci, fibonacci};
pub use jitter::Jitter;
#[cfg(feature = "wasm")]
pub(crate) use jitter_v2::growth;
pub use jitter_v2::{DecorrelatedJitterV2, JitterV2State, decorrelated_jitter_v2};
pub use linear::{Linear, linear};
pub use policy::Policy;
pub use preview::Preview;
pub use state::RetryState;
