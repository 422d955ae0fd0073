//! Calls through a breaker.

use core::{fmt, mem};

use super::{
    CallError, CircuitOpen, DefaultShared, EveryFailure, IsFailure, Judge, Permit, Runtime, Shared, Unwatched, Watch,
};
use crate::breaker::{Breaker, BreakerState, CallResult, Report, Reported, Status, Verdict};

/// Guards calls with `breaker`, whose state stays in this process: `Protected` is to be shared by all that call the one
/// dependency. `state` and `on_change` lead out of it.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Status, consecutive_breaker};
/// use retry_primitives::executor::{CallError, FakeTime, protect};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), retry_primitives::OptionError> {
/// let time = FakeTime::new(0.0);
/// let upstream = protect(consecutive_breaker(1).open(Duration::from_secs(30)).build()?, &time);
///
/// assert_eq!(upstream.call(async || Err::<(), _>("down")).await, Err(CallError::Failed("down")));
/// assert_eq!(upstream.status(), Status::Open);
/// let Err(CallError::Open(refused)) = upstream.call(async || Ok::<_, &str>(7)).await else { unreachable!() };
/// assert_eq!(refused.retry_after, Duration::from_secs(30));
///
/// time.advance(Duration::from_secs(30));
/// assert_eq!(upstream.call(async || Ok::<_, &str>(7)).await, Ok(7));
/// assert_eq!(upstream.status(), Status::Closed);
/// # Ok(())
/// # }
/// ```
pub fn protect<B: Breaker, R: Runtime>(breaker: B, runtime: R) -> Protected<B, R> {
    let place = breaker.init(runtime.now()).into();
    Protected { breaker, runtime, place, judge: EveryFailure, watch: Unwatched }
}

/// A breaker with its state; made by [`protect`].
///
/// A call that is dropped before its end gives its place back and counts neither way: a breaker on trial is not left
/// waiting for a probe that will never report. An outcome that comes after the breaker has moved on is ignored.
///
/// Where the breaker says that a closed circuit needs no time ([`Breaker::needs_now`]), a call that succeeds reads no
/// clock.
pub struct Protected<B: Breaker, R, P = DefaultShared<<B as Breaker>::State>, J = EveryFailure, W = Unwatched> {
    breaker: B,
    runtime: R,
    place: P,
    judge: J,
    watch: W,
}

impl<B: Breaker, R: Runtime, P, J, W> Protected<B, R, P, J, W> {
    /// Keeps the state in `place`, and begins with what stands there: one that several threads, or several of these,
    /// share.
    ///
    /// # Default
    /// A `Mutex` of its own with the feature `std`, a `Cell` without.
    ///
    /// ```
    /// use std::{rc::Rc, cell::Cell};
    /// use core::time::Duration;
    /// use retry_primitives::breaker::{Breaker, Status, consecutive_breaker};
    /// use retry_primitives::executor::{FakeTime, protect};
    ///
    /// let time = FakeTime::new(0.0);
    /// let breaker = consecutive_breaker(1).open(Duration::from_secs(30)).build()?;
    /// let state = Rc::new(Cell::new(breaker.init(0.0)));
    /// let one = protect(breaker, &time).kept_in(state.clone());
    /// let other = protect(breaker, &time).kept_in(state);
    /// one.admit().unwrap().report(retry_primitives::breaker::CallResult::Failure);
    /// assert_eq!(other.status(), Status::Open);
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    pub fn kept_in<Q: Shared<B::State>>(self, place: Q) -> Protected<B, R, Q, J, W> {
        let Self { breaker, runtime, judge, watch, .. } = self;
        Protected { breaker, runtime, place, judge, watch }
    }

    /// Which errors count against the dependency. One that does not is an answer, and counts as a success: a 404 says
    /// that the server is there.
    ///
    /// # Default
    /// Every one does.
    pub fn is_failure<F>(self, is_failure: F) -> Protected<B, R, P, IsFailure<F>, W> {
        self.judge(IsFailure(is_failure))
    }

    /// What an error says of the dependency: [`is_failure`](Self::is_failure) with a third answer,
    /// [`Ignored`](CallResult::Ignored).
    pub fn judge<K>(self, judge: K) -> Protected<B, R, P, K, W> {
        let Self { breaker, runtime, place, watch, .. } = self;
        Protected { breaker, runtime, place, judge, watch }
    }

    /// Is given the new state whenever it has changed, to be stored or shown. Called outside of the lock: from several
    /// threads, two states may come in either order, and [`merge`](Breaker::merge) tells which is the later. Should it
    /// panic, the state has changed all the same, and a call that was to be made gives its place back.
    pub fn on_change<F: Fn(B::State)>(self, watch: F) -> Protected<B, R, P, J, F>
    where
        B::State: PartialEq,
    {
        let Self { breaker, runtime, place, judge, .. } = self;
        Protected { breaker, runtime, place, judge, watch }
    }
}

impl<B: Breaker, R: Runtime, P: Shared<B::State>, J, W: Watch<B::State>> Protected<B, R, P, J, W> {
    /// Calls `operation`, or gives a [`CircuitOpen`] without doing so.
    ///
    /// # Errors
    /// [`CallError::Open`] when it was not called, [`CallError::Failed`] with its own error when it was.
    pub async fn call<T, E, F>(&self, operation: F) -> Result<T, CallError<E>>
    where
        F: AsyncFnOnce() -> Result<T, E>,
        J: Judge<E>,
    {
        let permit = self.admit()?;
        let result = operation().await;
        permit.report(match &result {
            Ok(_) => CallResult::Success,
            Err(error) => self.judge.judge(error),
        });
        result.map_err(CallError::Failed)
    }

    /// Asks for one call, for a caller that makes it in its own way; [`call`](Self::call) is `admit`, the call, and
    /// [`report`](Permit::report).
    ///
    /// # Errors
    /// [`CircuitOpen`] when no call may be made.
    #[inline]
    pub fn admit(&self) -> Result<Permit<'_, B, R, P, J, W>, CircuitOpen> {
        let epoch = self.place.mark();
        if !epoch.is_nan() {
            return Ok(Permit::new(self, Verdict::admitted(Status::Closed, epoch), None));
        }
        let (before, after, (verdict, started)) = self.exchange(|state| {
            let started = self.breaker.needs_now(&state, None).then(|| self.runtime.now());
            let (next, verdict) = self.breaker.request(state, started.unwrap_or_default());
            (next, (verdict, started))
        });
        let unclaimed = Unclaimed { protected: self, verdict: &verdict, started };
        self.watch.replaced(before, after);
        mem::forget(unclaimed);
        if verdict.ok { Ok(Permit::new(self, verdict, started)) } else { Err(CircuitOpen::new(&verdict)) }
    }

    #[inline]
    pub(super) fn report(&self, verdict: &Verdict, started: Option<f64>, result: CallResult) -> Reported {
        if result == CallResult::Success && self.place.mark() == verdict.epoch {
            return Reported::Counted;
        }
        let (before, after, reported) = self.record(verdict, started, result);
        self.watch.replaced(before, after);
        reported
    }

    /// What a call would be told now, with nothing advanced.
    pub fn peek(&self) -> Verdict {
        self.breaker.peek(self.state(), self.runtime.now())
    }

    /// Where the breaker stands now: half-open as soon as a probe would be admitted.
    pub fn status(&self) -> Status {
        self.peek().status
    }

    /// The state as it is now.
    pub fn state(&self) -> B::State {
        self.place.transact(|state| (state, state))
    }

    /// Replaces the state: with one that was stored, or with a [`force_open`](crate::breaker::force_open) or
    /// [`force_close`](crate::breaker::force_close) of the present one.
    pub fn load(&self, state: B::State) {
        let (before, after, ()) = self.exchange(|_| (state, ()));
        self.watch.replaced(before, after);
    }
}

impl<B: Breaker, R: Runtime, P: Shared<B::State>, J, W> Protected<B, R, P, J, W> {
    /// The state before, the state after, and what came of it; nobody has been told yet.
    #[inline]
    fn exchange<T>(&self, change: impl FnOnce(B::State) -> (B::State, T)) -> (B::State, B::State, T) {
        self.place.transact(|before| {
            let (after, answer) = change(before);
            if self.breaker.is_at_rest(&after) {
                self.place.set_mark(after.recovery().changed_at);
            }
            (after, (before, after, answer))
        })
    }

    #[inline]
    fn record(&self, verdict: &Verdict, started: Option<f64>, result: CallResult) -> (B::State, B::State, Reported) {
        self.exchange(|state| {
            let mut report = Report::new(result).admitted_by(verdict);
            let ended = self.breaker.needs_now(&state, Some(&report)).then(|| self.runtime.now());
            report.duration_ms = started.zip(ended).map(|(started, ended)| crate::number::elapsed_ms(ended, started));
            self.breaker.report_with(state, ended.unwrap_or_default(), report, &mut || self.runtime.random())
        })
    }
}

/// A place that nobody holds yet. Dropped when whoever watches panics, it gives the place back, and tells nobody.
struct Unclaimed<'a, B: Breaker, R: Runtime, P: Shared<B::State>, J, W> {
    protected: &'a Protected<B, R, P, J, W>,
    verdict: &'a Verdict,
    started: Option<f64>,
}

impl<B: Breaker, R: Runtime, P: Shared<B::State>, J, W> Drop for Unclaimed<'_, B, R, P, J, W> {
    fn drop(&mut self) {
        if self.verdict.ok {
            self.protected.record(self.verdict, self.started, CallResult::Ignored);
        }
    }
}

impl<B, R, P, J, W> fmt::Debug for Protected<B, R, P, J, W>
where
    B: Breaker<State: fmt::Debug> + fmt::Debug,
    P: Shared<B::State>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.place.transact(|state| (state, state));
        f.debug_struct("Protected").field("breaker", &self.breaker).field("state", &state).finish_non_exhaustive()
    }
}
