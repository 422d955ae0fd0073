//! What a failed attempt means.

use crate::{Outcome, budget::Failure};

/// Which attempt failed, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// The number of the attempt, from 1.
    pub attempt: u64,
    /// Now, in milliseconds on the runtime's clock. For an HTTP-date in `Retry-After` it has to be the time of day: see
    /// `WallClock`.
    pub now: f64,
}

/// What a failure means to the policy and, where there is one, to the budget.
///
/// Made of an [`Outcome`]; of a `bool` that says whether it may be repeated; of a [`Failure`] or of both, where a
/// budget should know of a timeout.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{Outcome, budget::Failure, executor::Meaning};
///
/// assert_eq!(Meaning::from(false).outcome, Outcome::NON_RETRYABLE);
/// assert_eq!(Meaning::from(Outcome::retry_after(Duration::from_secs(2))).failure, Failure::Throttling);
/// assert_eq!(Meaning::from(Failure::Timeout).outcome, Outcome::RETRYABLE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    /// What the policy is told.
    pub outcome: Outcome,
    /// What the budget is told.
    pub failure: Failure,
}

impl From<Outcome> for Meaning {
    #[inline]
    fn from(outcome: Outcome) -> Self {
        Self { outcome, failure: outcome.into() }
    }
}

impl From<bool> for Meaning {
    fn from(retryable: bool) -> Self {
        Outcome { retryable, ..Outcome::RETRYABLE }.into()
    }
}

impl From<Failure> for Meaning {
    fn from(failure: Failure) -> Self {
        let retryable = failure != Failure::NonRetryable;
        Self { outcome: Outcome { retryable, ..Outcome::RETRYABLE }, failure }
    }
}

impl From<(Outcome, Failure)> for Meaning {
    fn from((outcome, failure): (Outcome, Failure)) -> Self {
        Self { outcome, failure }
    }
}

/// Says what an error means: any function of the error and the [`Context`] that gives something to make a [`Meaning`]
/// of.
pub trait Classify<E> {
    #[doc(hidden)]
    const ASKED: bool = true;

    /// What `error` means.
    fn classify(&mut self, error: &E, context: Context) -> Meaning;
}

impl<E, F, M> Classify<E> for F
where
    F: FnMut(&E, Context) -> M,
    M: Into<Meaning>,
{
    fn classify(&mut self, error: &E, context: Context) -> Meaning {
        self(error, context).into()
    }
}

/// Every error may be repeated: what holds until [`classify`](super::Retry::classify) or [`when`](super::Retry::when)
/// is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryError;

impl<E> Classify<E> for EveryError {
    const ASKED: bool = false;

    fn classify(&mut self, _: &E, _: Context) -> Meaning {
        Outcome::RETRYABLE.into()
    }
}

/// What [`when`](super::Retry::when) makes of a predicate.
#[derive(Clone, Copy, Debug)]
pub struct When<F>(pub(super) F);

impl<E, F: FnMut(&E) -> bool> Classify<E> for When<F> {
    fn classify(&mut self, error: &E, _: Context) -> Meaning {
        (self.0)(error).into()
    }
}
