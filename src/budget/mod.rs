//! Why budgets, and not just a maximum number of retries?
//!
//! A maximum bounds one call. When a dependency goes down *every* call fails, every call retries, and four attempts a
//! call are four times the load on a service that could not carry one; three such layers on top of each other make it
//! sixty-four. A budget bounds the *sum*: all calls to one dependency share one small state, and once retries are more
//! than a fair share of the traffic, they stop. The first attempts go on, so recovery is still noticed.
//!
//! Use both: the policy says whether *this call* may be tried again and when, the budget whether *the dependency* can
//! bear it. Ask the policy first, so that no budget is spent on a retry that will not be made.
//!
//! | budget | what it bounds | state | holds back first attempts |
//! | --- | --- | --- | --- |
//! | [`retry_budget`] | retries to a share of the requests, plus a floor a second | counts of a sliding window | no |
//! | [`token_bucket`] | retries to what successes give back; dearer after a timeout | one number | no |
//! | [`grpc_throttle`] | the ratio of failures to successes beyond which nothing is retried | one number | no |
//! | [`adaptive_throttle`] | every attempt, in proportion to what the server turns away | counts of a sliding window | yes |
//!
//! Start with [`retry_budget`]. Take [`adaptive_throttle`] when even first attempts are too much for an overloaded server.
//!
//! # One trait
//!
//! [`Budget`] has one method for each thing that happens to a call, so an executor takes any of them:
//!
//! ```
//! use retry_primitives::budget::{Budget, Failure, adaptive_throttle, grpc_throttle, retry_budget, token_bucket};
//!
//! /// Calls until it succeeds, is refused, or has made `attempts` attempts; says how many were made.
//! fn run<B: Budget>(
//!     budget: &B,
//!     state: &mut B::State,
//!     attempts: u32,
//!     mut call: impl FnMut() -> Result<(), Failure>,
//!     mut random: impl FnMut() -> f64,
//! ) -> u32 {
//!     let now = 0.0; // milliseconds, from your clock
//!     let (next, admitted) = budget.request(*state, now, &mut random);
//!     *state = next;
//!     if !admitted {
//!         return 0;
//!     }
//!     let mut retried = None;
//!     for made in 1.. {
//!         let failure = match call() {
//!             Ok(()) => {
//!                 *state = budget.succeed(*state, now, retried);
//!                 return made;
//!             }
//!             Err(failure) => failure,
//!         };
//!         *state = budget.fail(*state, now, failure);
//!         if made == attempts {
//!             return made;
//!         }
//!         let (next, allowed) = budget.retry(*state, now, failure, &mut random);
//!         *state = next;
//!         if !allowed {
//!             return made;
//!         }
//!         retried = Some(failure);
//!     }
//!     unreachable!()
//! }
//!
//! /// A hundred calls, of up to four attempts each, on a dependency that is down.
//! fn load<B: Budget>(budget: B) -> u32 {
//!     let mut state = budget.init(0.0);
//!     (0..100).map(|_| run(&budget, &mut state, 4, || Err(Failure::Transient), || 0.5)).sum()
//! }
//!
//! // Without a budget these would be 400 attempts.
//! let small = retry_budget().min_retries_per_second(1.0).build()?;
//! assert_eq!(load(small), 130); // a floor of 1/s * 10 s, and .2 * 100 requests
//! assert_eq!(load(token_bucket().build()?), 200); // 500 tokens, 5 a retry
//! assert_eq!(load(grpc_throttle().build()?), 103); // 10 tokens: the fifth failure leaves 5, no more than half
//! assert_eq!(load(adaptive_throttle().build()?), 2); // the first attempt and one retry, then p > .5
//! # Ok::<(), retry_primitives::OptionError>(())
//! ```
//!
//! # State
//!
//! Small `Copy` values with public fields, to be kept wherever the calls meet: a static, a Durable Object, a row. No
//! method reads a clock, draws a number of its own, or fails: a field out of range is brought into range first. With the
//! feature `serde` they are JSON, whole numbers written as JavaScript writes them; a field out of range is an error then,
//! with the field's name in it, and `validate` says the same of a state that came another way.

mod adaptive_throttle;
mod grpc_throttle;
mod retry_budget;
mod token_bucket;
mod window;

pub use adaptive_throttle::{AdaptiveThrottle, AdaptiveThrottleBuilder, AdaptiveThrottleState, adaptive_throttle};
pub use grpc_throttle::{GrpcThrottle, GrpcThrottleBuilder, GrpcThrottleState, grpc_throttle};
pub use retry_budget::{RetryBudget, RetryBudgetBuilder, RetryBudgetState, retry_budget};
pub use token_bucket::{TokenBucket, TokenBucketBuilder, TokenBucketState, token_bucket};
pub use window::SLOTS;

use crate::Outcome;

/// How an attempt failed, as far as a budget cares.
///
/// JSON (feature `serde`): `"transient"`, `"timeout"`, `"throttling"`, `"nonRetryable"`.
///
/// ```
/// use retry_primitives::{Outcome, budget::Failure};
///
/// assert_eq!(Failure::from(Outcome::RETRYABLE), Failure::Transient);
/// assert_eq!(Failure::from(Outcome::NON_RETRYABLE), Failure::NonRetryable);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum Failure {
    /// The server or the way to it failed: a 500, a 502, a connection reset.
    Transient,
    /// No answer in time. [`token_bucket`] charges double: the server may still be at work on it.
    Timeout,
    /// The server turned the request away for its load: a 429, a 503.
    Throttling,
    /// The request's own fault, the same next time: a 400, a 404. Never retried, and no sign of an overloaded server.
    NonRetryable,
}

/// Not retryable is [`NonRetryable`](Failure::NonRetryable); a server that named a time is [`Throttling`](Failure::Throttling);
/// everything else is [`Transient`](Failure::Transient). An outcome does not tell a timeout: only the caller can.
impl From<Outcome> for Failure {
    fn from(outcome: Outcome) -> Self {
        if !outcome.retryable {
            Self::NonRetryable
        } else if outcome.retry_after_ms.is_some() {
            Self::Throttling
        } else {
            Self::Transient
        }
    }
}

/// A limit on attempts that many calls share.
///
/// For each call: [`request`](Budget::request) once; after each attempt [`succeed`](Budget::succeed) or
/// [`fail`](Budget::fail); before each further attempt [`retry`](Budget::retry). The [module](self) has a whole executor.
///
/// `now` is milliseconds on any one clock. Of a clock that jumps only the budgets with a window take notice: far ahead, the
/// window is empty; back by less than the window, no time has passed; back by more, the counts stay for one window from
/// there. NaN is taken for no time passed.
///
/// `random` gives a number in \[0, 1), evenly spread, and is called at most once, only by a budget that decides by chance
/// and only when chance decides.
///
/// ```
/// use retry_primitives::budget::{Budget, Failure, token_bucket};
///
/// let bucket = token_bucket().capacity(10).build()?;
/// let state = bucket.init(0.0);
/// let (state, admitted) = bucket.request(state, 0.0, || 0.5);
/// assert!(admitted);
/// let state = bucket.fail(state, 20.0, Failure::Timeout);
/// let (state, allowed) = bucket.retry(state, 20.0, Failure::Timeout, || 0.5);
/// assert!(allowed);
/// // The one retry after a timeout that a bucket of 10 pays for; the next call's must wait for a success.
/// let (_, allowed) = bucket.retry(state, 40.0, Failure::Transient, || 0.5);
/// assert!(!allowed);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub trait Budget {
    /// What is remembered between calls.
    type State: Copy;

    /// The state of a client that has made no call yet.
    fn init(&self, now: f64) -> Self::State;

    /// A call begins: the new state, and whether its first attempt may go.
    fn request(&self, state: Self::State, now: f64, random: impl FnOnce() -> f64) -> (Self::State, bool);

    /// An attempt failed with `failure` and the policy would repeat it: the new state, and whether it may.
    ///
    /// What a retry costs is taken here and only if it may go. After [`Failure::NonRetryable`] none may.
    fn retry(
        &self,
        state: Self::State,
        now: f64,
        failure: Failure,
        random: impl FnOnce() -> f64,
    ) -> (Self::State, bool);

    /// An attempt succeeded.
    ///
    /// `retried` is the failure that was given to the call's last [`retry`](Budget::retry), `None` when its first attempt
    /// succeeded.
    fn succeed(&self, state: Self::State, now: f64, retried: Option<Failure>) -> Self::State;

    /// An attempt failed. To be called for each one, whether or not a retry is asked for next.
    fn fail(&self, state: Self::State, now: f64, failure: Failure) -> Self::State;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_of_an_outcome() {
        let asked_to_wait = Outcome { retryable: true, retry_after_ms: Some(0.0) };
        assert_eq!(Failure::from(asked_to_wait), Failure::Throttling);
        assert_eq!(Failure::from(Outcome { retryable: false, ..asked_to_wait }), Failure::NonRetryable);
        assert_eq!(Failure::from(Outcome::default()), Failure::Transient);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn failure_is_a_word_in_json() {
        extern crate std;
        for (failure, json) in [
            (Failure::Transient, r#""transient""#),
            (Failure::Timeout, r#""timeout""#),
            (Failure::Throttling, r#""throttling""#),
            (Failure::NonRetryable, r#""nonRetryable""#),
        ] {
            assert_eq!(serde_json::to_string(&failure).unwrap(), json);
            assert_eq!(serde_json::from_str::<Failure>(json).unwrap(), failure);
        }
    }
}
