//! Retries within a budget.

use super::{DefaultShared, Runtime, Shared};
use crate::budget::{Budget, Failure};

/// A [`Budget`] and its state, shared by all calls to one dependency: for [`budget`](super::Retry::budget) and
/// [`throttle`](super::Retry::throttle).
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::{Jitter, constant};
/// use retry_primitives::budget::token_bucket;
/// use retry_primitives::executor::{FakeTime, Retryable, SharedBudget};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), retry_primitives::OptionError> {
/// let policy = constant(Duration::from_millis(100)).max_attempts(4).build()?;
/// let budget = SharedBudget::new(token_bucket().capacity(10).build()?); // a retry costs 5
/// let time = FakeTime::new(0.0);
///
/// let mut attempts = 0;
/// let down = || {
///     attempts += 1;
///     async { Err::<(), _>("down") }
/// };
/// assert_eq!(down.retry(policy).budget(&budget).on(&time).await, Err("down"));
/// assert_eq!(attempts, 3); // the policy would have made a fourth
/// assert_eq!(budget.state().tokens, 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SharedBudget<B: Budget, P = DefaultShared<<B as Budget>::State>> {
    budget: B,
    place: P,
}

impl<B: Budget> SharedBudget<B> {
    /// The budget of a client that has made no call yet.
    pub fn new(budget: B) -> Self {
        // A moment long past on any clock: a window that has moved on is empty all the same.
        let place = budget.init(0.0).into();
        Self { budget, place }
    }
}

impl<B: Budget, P: Shared<B::State>> SharedBudget<B, P> {
    /// The budget with its state in `place`, as that stands there.
    pub fn kept_in(budget: B, place: P) -> Self {
        Self { budget, place }
    }

    /// The state as it is now.
    pub fn state(&self) -> B::State {
        self.place.transact(|state| (state, state))
    }

    /// Replaces the state.
    pub fn load(&self, state: B::State) {
        self.place.transact(|_| (state, ()));
    }
}

/// What holds back attempts besides the policy.
pub trait Limit<E> {
    #[doc(hidden)]
    const TIMED: bool;
    #[doc(hidden)]
    fn begin<R: Runtime>(&mut self, runtime: &R, now: f64) -> Result<(), E>;
    #[doc(hidden)]
    fn succeeded<R: Runtime>(&mut self, runtime: &R);
    #[doc(hidden)]
    fn failed(&mut self, now: f64, failure: Failure);
    #[doc(hidden)]
    fn allows<R: Runtime>(&mut self, runtime: &R, now: f64, failure: Failure) -> bool;
}

/// Only the policy: what holds until [`budget`](super::Retry::budget) or [`throttle`](super::Retry::throttle) is
/// called.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl<E> Limit<E> for Unlimited {
    const TIMED: bool = false;

    #[inline]
    fn begin<R: Runtime>(&mut self, _: &R, _: f64) -> Result<(), E> {
        Ok(())
    }

    #[inline]
    fn succeeded<R: Runtime>(&mut self, _: &R) {}

    #[inline]
    fn failed(&mut self, _: f64, _: Failure) {}

    #[inline]
    fn allows<R: Runtime>(&mut self, _: &R, _: f64, _: Failure) -> bool {
        true
    }
}

/// What [`budget`](super::Retry::budget) makes of a budget.
#[derive(Debug)]
pub struct Budgeted<'a, B: Budget, P> {
    shared: &'a SharedBudget<B, P>,
    retried: Option<Failure>,
}

impl<'a, B: Budget, P: Shared<B::State>> Budgeted<'a, B, P> {
    pub(super) fn new(shared: &'a SharedBudget<B, P>) -> Self {
        Self { shared, retried: None }
    }

    fn request<R: Runtime>(&self, runtime: &R, now: f64) -> bool {
        let SharedBudget { budget, place } = self.shared;
        place.transact(|state| budget.request(state, now, || runtime.random()))
    }
}

impl<E, B: Budget, P: Shared<B::State>> Limit<E> for Budgeted<'_, B, P> {
    const TIMED: bool = true;

    fn begin<R: Runtime>(&mut self, runtime: &R, now: f64) -> Result<(), E> {
        self.request(runtime, now);
        Ok(())
    }

    fn succeeded<R: Runtime>(&mut self, runtime: &R) {
        let SharedBudget { budget, place } = self.shared;
        let now = runtime.now();
        place.transact(|state| (budget.succeed(state, now, self.retried), ()));
    }

    fn failed(&mut self, now: f64, failure: Failure) {
        let SharedBudget { budget, place } = self.shared;
        place.transact(|state| (budget.fail(state, now, failure), ()));
    }

    fn allows<R: Runtime>(&mut self, runtime: &R, now: f64, failure: Failure) -> bool {
        let SharedBudget { budget, place } = self.shared;
        self.retried = Some(failure);
        place.transact(|state| budget.retry(state, now, failure, || runtime.random()))
    }
}

/// What [`throttle`](super::Retry::throttle) makes of a budget.
#[derive(Debug)]
pub struct Throttled<'a, B: Budget, P, F> {
    retries: Budgeted<'a, B, P>,
    refused: F,
}

impl<'a, B: Budget, P: Shared<B::State>, F> Throttled<'a, B, P, F> {
    pub(super) fn new(shared: &'a SharedBudget<B, P>, refused: F) -> Self {
        Self { retries: Budgeted::new(shared), refused }
    }
}

impl<E, B: Budget, P: Shared<B::State>, F: FnMut() -> E> Limit<E> for Throttled<'_, B, P, F> {
    const TIMED: bool = true;

    fn begin<R: Runtime>(&mut self, runtime: &R, now: f64) -> Result<(), E> {
        if self.retries.request(runtime, now) { Ok(()) } else { Err((self.refused)()) }
    }

    fn succeeded<R: Runtime>(&mut self, runtime: &R) {
        Limit::<E>::succeeded(&mut self.retries, runtime);
    }

    fn failed(&mut self, now: f64, failure: Failure) {
        Limit::<E>::failed(&mut self.retries, now, failure);
    }

    fn allows<R: Runtime>(&mut self, runtime: &R, now: f64, failure: Failure) -> bool {
        Limit::<E>::allows(&mut self.retries, runtime, now, failure)
    }
}
