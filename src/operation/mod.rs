//! One operation from its start to its end, as a value that is safe to crash around.
//!
//! *What if the process dies between the request and the write that says how it went?* Then a retry loop loses the
//! operation. An [`Operation`] is written **before** the request leaves, with the moment by which somebody must look at
//! it again. Whoever owns it keeps one rule: after every change, store the operation and arm [`Operation::alarm`]
//! together. Then a crash at any instruction leaves an armed alarm: the request may be repeated, it is never lost.
//!
//! ```text
//!            wake                        settle: success
//! waiting ───────────> running ──┬──────────────────────> delivered
//!    ^                           │       settle: stop
//!    ├── settle: retry ──────────┼──────────────────────> gave up
//!    └── wake after the dead-man ┘
//!                cancel, from waiting or running ───────> cancelled
//! ```
//!
//! [`Operation::postpone`] keeps it waiting for longer, where a circuit breaker would refuse the attempt.
//!
//! The Workers integration stores it in a Durable Object; a job table or a file does as well.
//!
//! ```
//! use core::time::Duration;
//! use retry_primitives::{Outcome, backoff::{Jitter, constant}};
//! use retry_primitives::operation::{Operation, Progress, Report, Wake};
//!
//! let policy = constant(Duration::from_secs(5)).max_attempts(3).jitter(Jitter::None).build()?;
//! let dead_man = Duration::from_secs(15); // longer than any request may take
//! let mut operation = Operation::start(&policy, 1_000.0);
//! assert_eq!(operation.alarm(), Some(1_000.0));
//!
//! // Awake: mark the attempt as running and store that before the request leaves.
//! let Wake::Attempt(ticket) = operation.wake(&policy, 1_000.0, dead_man, || 0.0) else { unreachable!() };
//! assert_eq!(operation.alarm(), Some(16_000.0));
//!
//! // The answer is in: store where that leaves the operation.
//! let report = Report::failure(Outcome::RETRYABLE).with_status(503);
//! let progress = operation.settle(&policy, ticket, 1_200.0, report, || 0.0);
//! assert_eq!(progress, Progress::Retrying { at: 6_200.0, attempts: 1 });
//! assert_eq!(operation.alarm(), Some(6_200.0));
//! # Ok::<(), retry_primitives::OptionError>(())
//! ```

/// The numbers of an operation as a store gives them back.
#[cfg(feature = "operation")]
mod fields {
    use crate::stored::{COUNT, DATE, DELAY, LENGTH, json::named};

    named! {
        due: f64 = "due", DATE;
        since: f64 = "since", DATE;
        until: f64 = "until", DATE;
        at: f64 = "at", DATE;
        started_at: f64 = "startedAt", DATE;
        took_ms: f64 = "tookMs", LENGTH;
        delay_ms: Option<f64> = "delayMs", DELAY;
        retry_after_ms: Option<f64> = "retryAfterMs", DELAY;
        attempt: u64 = "attempt", COUNT;
        attempts: u64 = "attempts", COUNT;
    }
}
#[cfg(feature = "operation")]
mod history;
pub(crate) mod lifecycle;
#[cfg(feature = "operation")]
mod machine;
#[cfg(feature = "operation")]
mod report;

#[cfg(feature = "operation")]
pub use history::{AttemptRecord, MAX_ERROR_BYTES, MAX_HISTORY};
pub use lifecycle::{Phase, Progress, Ticket};
#[cfg(feature = "operation")]
pub use machine::{Operation, Wake};
#[cfg(feature = "operation")]
pub use report::Report;
