//! *Who calls again, and who waits?* `retry` and `protect` for async Rust.
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
#[cfg(feature = "std")]
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
