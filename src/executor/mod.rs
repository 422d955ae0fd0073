//! *Who calls again, and who waits?* `retry` and `protect` for async Rust, within one process.
//!
//! Everything is decided by [`backoff`](crate::backoff), [`budget`](crate::budget) and [`breaker`](crate::breaker);
//! here is the loop around them, on a clock and a timer of your choice. A retry that has to outlive its process needs
//! another home: there is [a recipe](crate::recipes) for each.
//!
//! ```
//! use std::time::Duration;
//! use retry_primitives::{backoff::exponential, executor::{Retryable, Tokio}};
//!
//! # struct Error { transient: bool }
//! async fn fetch() -> Result<String, Error> {
//!     // ...
//! #   Ok("hello".into())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), retry_primitives::OptionError> {
//! let policy = exponential(Duration::from_millis(200)).max_attempts(5).deadline(Duration::from_secs(20)).build()?;
//! let answer = fetch
//!     .retry(policy)
//!     .when(|error| error.transient)
//!     .notify(|_, wait| eprintln!("again in {wait:?}"))
//!     .on(Tokio)
//!     .await;
//! # assert!(answer.is_ok());
//! # Ok(())
//! # }
//! ```
//!
//! When it gives up, the last error comes back unchanged; [`on_give_up`](Retry::on_give_up) is told why.
//!
//! | to say | use |
//! | --- | --- |
//! | what can be retried | [`Retryable`], or [`retry()`]: an async function or closure, given the number of the attempt if it asks for it |
//! | what an error means | [`when`](Retry::when), or [`classify`](Retry::classify) with `Retry-After` and all |
//! | who is told | [`notify`](Retry::notify), [`on_retry`](Retry::on_retry), [`on_give_up`](Retry::on_give_up) |
//! | what all calls together may cost | [`budget`](Retry::budget), [`throttle`](Retry::throttle) |
//! | where to wait | [`on`](Retry::on): `Tokio`, `Worker`, [`FakeTime`], or a [`Runtime`] of your own |
//! | when not to call at all | [`protect()`] |
//!
//! # What a failure means
//!
//! ```
//! use std::time::Duration;
//! use retry_primitives::{backoff::exponential, classify::{HttpOptions, http_outcome}};
//! use retry_primitives::executor::{FakeTime, WallClock, retry};
//!
//! # #[derive(Debug, PartialEq)]
//! struct HttpError {
//!     status: u16,
//!     retry_after: Option<String>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), retry_primitives::OptionError> {
//! # async fn post() -> Result<(), HttpError> { Err(HttpError { status: 500, retry_after: None }) }
//! # let time = FakeTime::new(0.0);
//! # let runtime = WallClock(&time);
//! let policy = exponential(Duration::from_millis(500)).max_attempts(4).deadline(Duration::from_secs(30)).build()?;
//! let options = HttpOptions::new().method("POST");
//! let charge = retry(policy, post).classify(|error, context| {
//!     let header = |name: &str| if name == "retry-after" { error.retry_after.as_deref() } else { None };
//!     http_outcome(error.status, header, context.now, &options)
//! });
//! // A POST that failed with a 500 may have charged the card, so it is not repeated.
//! assert_eq!(charge.on(runtime).await.unwrap_err().status, 500);
//! # Ok(())
//! # }
//! ```
//!
//! For errors of the transport there is `io_outcome` (feature `std`); [`sources`] walks any chain of errors, of
//! whatever length, and ends.
//!
//! # A breaker and a policy, composed
//!
//! A retry against an open circuit burns its attempts on a door that is closed. The refusal says how long it will be,
//! so let the policy wait that long: [`CallError::meaning`].
//!
//! ```
//! use std::time::Duration;
//! use retry_primitives::{backoff::exponential, breaker::consecutive_breaker};
//! use retry_primitives::executor::{Retryable, Tokio, protect};
//!
//! # async fn fetch() -> Result<u32, std::io::Error> { Ok(7) }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = exponential(Duration::from_millis(200)).max_attempts(6).deadline(Duration::from_secs(60)).build()?;
//! let upstream = protect(consecutive_breaker(5).open(Duration::from_secs(10)).build()?, Tokio);
//!
//! let guarded = || upstream.call(fetch);
//! let answer = guarded.retry(policy).classify(|error, _| error.meaning(|_| true)).on(Tokio).await?;
//! # assert_eq!(answer, 7);
//! # Ok(())
//! # }
//! ```
//!
//! # Cancellation
//!
//! To cancel is to drop, whatever it is that drops: `select!`, `timeout`, an aborted task. At every await that ends the
//! attempt or the wait under way and leaves nothing behind: no timer, no task, no lock. A call that is dropped within
//! [`protect()`] gives its place back, so a breaker on trial is not left waiting for a probe that will never report,
//! and counts neither way. What an attempt has already sent is with the receiver.
//!
//! # A body that can be sent once
//!
//! What an attempt consumes it cannot give twice, and the compiler says so: see [`Retryable`]. Where the body is in an
//! [`Option`] for another reason, say that a failure after it was taken is the end:
//!
//! ```
//! use std::{cell::RefCell, time::Duration};
//! use retry_primitives::{backoff::exponential, executor::{FakeTime, Retryable}};
//!
//! # #[derive(Debug, PartialEq)] enum Error { NoConnection, Reset }
//! # struct Stream;
//! # async fn connect() -> Result<(), Error> { Ok(()) }
//! # async fn send(_: Stream) -> Result<(), Error> { Err(Error::Reset) }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), retry_primitives::OptionError> {
//! # let time = FakeTime::new(0.0);
//! let policy = exponential(Duration::from_millis(100)).max_attempts(5).build()?;
//! let body = RefCell::new(Some(Stream));
//! let upload = async || {
//!     connect().await?; // may fail, and be repeated
//!     let body = body.take().expect("`when` looks after it");
//!     send(body).await
//! };
//! let result = upload.retry(policy).when(|_| body.borrow().is_some()).on(&time).await;
//! assert_eq!((result, time.sleeps()), (Err(Error::Reset), 0));
//! # Ok(())
//! # }
//! ```
//!
//! # Coming from backon
//!
//! The shape is the same:
//!
//! ```
//! # use std::time::Duration;
//! # #[derive(Debug, PartialEq)] pub enum Error { Busy, Fatal }
//! # pub async fn fetch() -> Result<u32, Error> { Err(Error::Busy) }
//! mod before {
//!     # use super::*;
//!     use backon::{ExponentialBuilder, Retryable};
//!
//!     pub async fn call() -> Result<u32, Error> {
//!         fetch
//!             .retry(ExponentialBuilder::default().with_jitter().with_max_times(3))
//!             .when(|error| *error == Error::Busy)
//!             .notify(|error, wait| println!("{error:?}, again in {wait:?}"))
//!             .await
//!     }
//! }
//!
//! mod after {
//!     # use super::*;
//!     use retry_primitives::{backoff::exponential, executor::Retryable};
//!
//!     pub async fn call() -> Result<u32, Error> {
//!         fetch
//!             .retry(exponential(Duration::from_secs(1)).max_attempts(4).build().expect("constant options"))
//!             .when(|error| *error == Error::Busy)
//!             .notify(|error, wait| println!("{error:?}, again in {wait:?}"))
//!             .await
//!     }
//! }
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() { assert_eq!(before::call().await, after::call().await) }
//! ```
//!
//! | backon | here | what is different |
//! | --- | --- | --- |
//! | `with_max_times(3)` | `max_attempts(4)` | the first attempt counts |
//! | `with_min_delay`, `with_factor`, `with_max_delay` | the curve's base, `factor`, `max_delay` | at most 30 s unless told, not 60 s |
//! | `with_jitter()` | the default, `Jitter::Full` | spread from 0 to the delay, not from the delay to twice that; `Jitter::None` is without |
//! | `with_total_delay` | `deadline` | what attempts take counts too |
//! | `when`, `notify` | the same | |
//! | `adjust` | [`classify`](Retry::classify) | an `Outcome` with a floor under the wait, or none at all |
//! | `sleep` | [`on`](Retry::on) | brings the clock along |
//! | `RetryableWithContext` | | what the closure holds |
//! | `BlockingRetryable` | | [a loop](crate::recipes#a-loop) of ten lines |

mod circuit_open;
mod fake;
mod hook;
mod judge;
mod limit;
mod meaning;
mod permit;
mod protect;
mod retry;
mod retryable;
mod runtime;
mod shared;
mod source;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "std")]
mod wall_clock;
#[cfg(feature = "worker")]
mod worker;

pub use self::circuit_open::{CallError, CircuitOpen};
pub use self::fake::{FakeSleep, FakeTime};
pub use self::hook::{GiveUp, Hook, Notify, Silent};
pub use self::judge::{EveryFailure, IsFailure, Judge, Unwatched, Watch};
pub use self::limit::{Budgeted, Limit, SharedBudget, Throttled, Unlimited};
pub use self::meaning::{Classify, Context, EveryError, Meaning, When};
pub use self::permit::Permit;
pub use self::protect::{Protected, protect};
pub use self::retry::Retry;
pub use self::retryable::{Retryable, retry};
pub use self::runtime::{DefaultRuntime, MaybeRuntime, NoRuntime, Runtime};
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use self::shared::Guarded;
pub use self::shared::{DefaultShared, Shared};
#[cfg(feature = "std")]
pub use self::source::io_outcome;
pub use self::source::{find_source, sources};
#[cfg(feature = "tokio")]
pub use self::tokio::Tokio;
#[cfg(feature = "std")]
pub use self::wall_clock::WallClock;
#[cfg(feature = "worker")]
pub use self::worker::Worker;
