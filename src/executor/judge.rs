//! What a call that failed says of the dependency.

use crate::breaker::CallResult;

/// Says what an error means to a breaker: any function of the error that gives a [`CallResult`].
pub trait Judge<E> {
    /// Whether `error` counts against the dependency.
    fn judge(&self, error: &E) -> CallResult;
}

impl<E, F: Fn(&E) -> CallResult> Judge<E> for F {
    fn judge(&self, error: &E) -> CallResult {
        self(error)
    }
}

/// Every error counts against the dependency: what holds until [`is_failure`](super::Protected::is_failure) or
/// [`judge`](super::Protected::judge) is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryFailure;

impl<E> Judge<E> for EveryFailure {
    #[inline]
    fn judge(&self, _: &E) -> CallResult {
        CallResult::Failure
    }
}

/// What [`is_failure`](super::Protected::is_failure) makes of a predicate.
#[derive(Clone, Copy, Debug)]
pub struct IsFailure<F>(pub(super) F);

impl<E, F: Fn(&E) -> bool> Judge<E> for IsFailure<F> {
    fn judge(&self, error: &E) -> CallResult {
        if (self.0)(error) { CallResult::Failure } else { CallResult::Success }
    }
}

/// Is told when a breaker's state has changed: any function of the new state.
pub trait Watch<S> {
    #[doc(hidden)]
    fn replaced(&self, before: S, after: S);
}

impl<S: Copy + PartialEq, F: Fn(S)> Watch<S> for F {
    fn replaced(&self, before: S, after: S) {
        if before != after {
            self(after);
        }
    }
}

/// Nobody is told: what holds until [`on_change`](super::Protected::on_change) is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl<S> Watch<S> for Unwatched {
    #[inline]
    fn replaced(&self, _: S, _: S) {}
}
