//! What can be retried.

use core::future::Future;

use super::{Retry, runtime::DefaultRuntime};
use crate::{Policy, backoff::Curve};

/// An operation that can be called again: a function or closure that gives a future of a [`Result`], without an
/// argument, or with the number of the attempt, from 1.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{backoff::exponential, executor::{FakeTime, Retryable}};
///
/// async fn fetch() -> Result<u32, &'static str> {
///     Ok(7)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), retry_primitives::OptionError> {
/// let policy = exponential(Duration::from_millis(100)).max_attempts(3).build()?;
/// let time = FakeTime::new(0.0);
/// assert_eq!(fetch.retry(policy).on(&time).await, Ok(7));
///
/// let third = |attempt: u64| async move { if attempt < 3 { Err("not yet") } else { Ok(attempt) } };
/// assert_eq!(third.retry(policy).on(&time).await, Ok(3));
/// # Ok(())
/// # }
/// ```
///
/// What it owns and can give only once does not get through the compiler, so a body that is consumed is never sent
/// twice:
///
/// ```compile_fail,E0525
/// # use core::time::Duration;
/// # use retry_primitives::{backoff::exponential, executor::{FakeTime, Retryable}};
/// # let policy = exponential(Duration::from_millis(100)).max_attempts(3).build().unwrap();
/// # struct Stream;
/// # async fn send(_: Stream) -> Result<(), ()> { Ok(()) }
/// let body = Stream;
/// let upload = || send(body); // moves `body` out: FnOnce
/// let _ = upload.retry(policy);
/// ```
///
/// Clone it for each attempt where it can be cloned. Where it can't, see
/// [a body that can be sent once](super#a-body-that-can-be-sent-once).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that can be retried",
    label = "needs to be `FnMut() -> impl Future<Output = Result<_, _>>`, or that with the attempt's number, `FnMut(u64)`"
)]
pub trait Retryable<Arguments>: Sized {
    /// What it gives.
    type Output;
    /// How it fails.
    type Error;
    /// One attempt under way.
    type Attempt: Future<Output = Result<Self::Output, Self::Error>>;

    /// Begins attempt number `number`, from 1.
    fn attempt(&mut self, number: u64) -> Self::Attempt;

    /// Calls it until it succeeds or `policy` stops: a future, to be told more about before it is awaited.
    fn retry<C: Curve>(self, policy: Policy<C>) -> Retry<Self, Arguments, C, DefaultRuntime> {
        Retry::new(self, policy)
    }
}

impl<F, A, T, E> Retryable<()> for F
where
    F: FnMut() -> A,
    A: Future<Output = Result<T, E>>,
{
    type Output = T;
    type Error = E;
    type Attempt = A;

    #[inline]
    fn attempt(&mut self, _number: u64) -> A {
        self()
    }
}

impl<F, A, T, E> Retryable<(u64,)> for F
where
    F: FnMut(u64) -> A,
    A: Future<Output = Result<T, E>>,
{
    type Output = T;
    type Error = E;
    type Attempt = A;

    #[inline]
    fn attempt(&mut self, number: u64) -> A {
        self(number)
    }
}

/// Calls `operation` until it succeeds or `policy` stops: [`Retryable::retry`] as a function.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{backoff::exponential, executor::{FakeTime, retry}};
///
/// # async fn fetch() -> Result<u32, &'static str> { Ok(7) }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), retry_primitives::OptionError> {
/// let policy = exponential(Duration::from_millis(100)).max_attempts(3).build()?;
/// assert_eq!(retry(policy, fetch).on(&FakeTime::new(0.0)).await, Ok(7));
/// # Ok(())
/// # }
/// ```
pub fn retry<O, Arguments, C>(policy: Policy<C>, operation: O) -> Retry<O, Arguments, C, DefaultRuntime>
where
    O: Retryable<Arguments>,
    C: Curve,
{
    operation.retry(policy)
}
