//! A call that a breaker refused.

use core::{error::Error, fmt, time::Duration};

use super::{Meaning, find_source};
use crate::{Outcome, breaker::Status, breaker::Verdict};

/// A breaker refused the call; nothing was sent.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{Outcome, breaker::Status, executor::CircuitOpen};
///
/// let refused = CircuitOpen { retry_after: Duration::from_secs(20), status: Status::Open };
/// assert_eq!(refused.outcome(), Outcome::retry_after(Duration::from_secs(20)));
/// assert_eq!(refused.to_string(), "the circuit is open, to be tried again in 20000 ms");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitOpen {
    /// How long until a call may be admitted, in whole milliseconds, rounded up. In half-open it is when the trial will
    /// be renewed; a probe that reports may free the way earlier.
    pub retry_after: Duration,
    /// [`Open`](Status::Open), or [`HalfOpen`](Status::HalfOpen) when the trial has all its probes.
    pub status: Status,
}

impl CircuitOpen {
    pub(super) fn new(verdict: &Verdict) -> Self {
        Self { retry_after: verdict.retry_after(), status: verdict.status }
    }

    /// To be repeated, but not before the breaker may admit a call: a policy that is told this spends no attempt on a
    /// door that is closed.
    pub fn outcome(&self) -> Outcome {
        Outcome::retry_after(self.retry_after)
    }

    /// The refusal that is `error`, or lies beneath it: at most [`MAX_CAUSES`](crate::classify::MAX_CAUSES) sources are
    /// asked for.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_primitives::{breaker::Status, executor::{CallError, CircuitOpen}};
    ///
    /// let refused = CircuitOpen { retry_after: Duration::from_secs(20), status: Status::Open };
    /// let error: Box<dyn std::error::Error> = CallError::<std::io::Error>::Open(refused).into();
    /// assert_eq!(CircuitOpen::find(&*error), Some(&refused));
    /// ```
    pub fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        find_source(error)
    }
}

impl fmt::Display for CircuitOpen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = if self.status == Status::HalfOpen { "half-open" } else { "open" };
        write!(f, "the circuit is {status}, to be tried again in {} ms", self.retry_after.as_millis())
    }
}

impl Error for CircuitOpen {}

/// How a call through a breaker failed.
///
/// As an error it says which of the two it was, and what it was is its source.
///
/// ```
/// use std::error::Error;
/// use retry_primitives::executor::CallError;
///
/// let error = CallError::Failed(std::io::Error::other("reset by peer"));
/// assert_eq!(error.to_string(), "the call failed");
/// assert_eq!(error.source().unwrap().to_string(), "reset by peer");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError<E> {
    /// It was not made.
    Open(CircuitOpen),
    /// It was made, and this is its error, unchanged.
    Failed(E),
}

impl<E> CallError<E> {
    /// The refusal, if that is what it was.
    pub fn circuit_open(&self) -> Option<&CircuitOpen> {
        match self {
            Self::Open(refused) => Some(refused),
            Self::Failed(_) => None,
        }
    }

    /// The call's own error, if it was made.
    pub fn failed(self) -> Option<E> {
        match self {
            Self::Open(_) => None,
            Self::Failed(error) => Some(error),
        }
    }

    /// What it means to a retry around the breaker: a refusal is repeated once the breaker may admit a call, and of an
    /// error of the call `classify` says it.
    ///
    /// ```
    /// use core::{cell::RefCell, time::Duration};
    /// use retry_primitives::backoff::{Jitter, constant};
    /// use retry_primitives::breaker::consecutive_breaker;
    /// use retry_primitives::executor::{FakeTime, Retryable, protect};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), retry_primitives::OptionError> {
    /// let time = FakeTime::new(0.0);
    /// let breaker = consecutive_breaker(2).open(Duration::from_secs(10)).build()?;
    /// let policy = constant(Duration::from_millis(100)).jitter(Jitter::None).max_attempts(4).build()?;
    /// let upstream = protect(breaker, &time);
    ///
    /// let sent = RefCell::new(vec![]);
    /// let fetch = || {
    ///     upstream.call(async || {
    ///         let mut sent = sent.borrow_mut();
    ///         sent.push(time.elapsed());
    ///         if sent.len() < 3 { Err("down") } else { Ok(7) }
    ///     })
    /// };
    /// let result = fetch.retry(policy).classify(|error, _| error.meaning(|_| true)).on(&time).await;
    /// assert_eq!(result, Ok(7));
    /// // The third attempt found the breaker open and sent nothing; the fourth waited for it.
    /// assert_eq!(sent.into_inner(), [0, 100, 10_100].map(Duration::from_millis));
    /// # Ok(())
    /// # }
    /// ```
    pub fn meaning<M: Into<Meaning>>(&self, classify: impl FnOnce(&E) -> M) -> Meaning {
        match self {
            Self::Open(refused) => refused.outcome().into(),
            Self::Failed(error) => classify(error).into(),
        }
    }
}

impl<E> From<CircuitOpen> for CallError<E> {
    fn from(refused: CircuitOpen) -> Self {
        Self::Open(refused)
    }
}

impl<E> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open(_) => "the call was not made",
            Self::Failed(_) => "the call failed",
        })
    }
}

impl<E: Error + 'static> Error for CallError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(match self {
            Self::Open(refused) => refused,
            Self::Failed(error) => error,
        })
    }
}
