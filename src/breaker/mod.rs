//! *Should this call go out at all?* Circuit breakers as values.
//!
//! A dependency that is down answers faster when nobody asks it. A breaker counts outcomes, refuses calls for a while
//! once too many have failed, then lets a few probes through and resumes when they succeed:
//!
//! ```text
//! closed --(enough failures)--> open --(open time over)--> half-open --(enough probes succeed)--> closed
//!                                ^                             |
//!                                +------(any probe fails)------+
//! ```
//!
//! [`consecutive_breaker`] trips after failures in a row, [`rolling_breaker`] on a failure ratio over a trailing
//! window. Both are a few options; what changes is a small [`Copy`] state that the caller keeps: in memory, in a Durable
//! Object, in KV. Every method of [`Breaker`] is a pure function of the state and of `now`.
//!
//! ```
//! use core::time::Duration;
//! use retry_primitives::breaker::{Breaker, Report, Reported, Status, consecutive_breaker};
//!
//! let breaker = consecutive_breaker(2).open(Duration::from_secs(30)).build()?;
//! let mut state = breaker.init(0.0);
//!
//! let (next, verdict) = breaker.request(state, 1_000.0);
//! assert!(verdict.ok);
//! state = breaker.fail(next, 1_050.0);
//! state = breaker.fail(state, 1_100.0);
//! assert_eq!(state.status, Status::Open);
//!
//! // Refused, and the verdict says for how long.
//! assert_eq!(breaker.peek(state, 11_100.0).retry_after_ms, 20_000.0);
//!
//! // The open time is over: one probe goes out. Store what `request` returns before the call.
//! let (next, probe) = breaker.request(state, 31_100.0);
//! assert!(probe.ok);
//! let (state, reported) = breaker.report(next, 31_200.0, Report::success().admitted_by(&probe));
//! assert_eq!((state.status, reported), (Status::Closed, Reported::Counted));
//! # Ok::<(), retry_primitives::OptionError>(())
//! ```
//!
//! # Time
//!
//! `now` is milliseconds on a clock of the caller's choice. Time that has passed is never negative: a clock that jumps
//! back has not moved. So a jump back lengthens what is under way (an open time, a trial, a window) by the jump, and a
//! jump forward shortens it. What begins after a jump back takes its normal time. The state itself stays sound.
//!
//! # Epochs
//!
//! A verdict carries the epoch that admitted the call: the state's `changedAt`. Give it back with the outcome
//! ([`Report::admitted_by`]) and an outcome that comes too late is [`Reported::Stale`]: it changes nothing, where it
//! would otherwise close a breaker that has re-opened, or count against a period it does not belong to.
//!
//! `changedAt` is the moment of the last transition, and along the life of a breaker it never goes back:
//!
//! - Opening takes `now`, or keeps the old `changedAt` if that is later. It may repeat the old one, since an open
//!   breaker admits nothing.
//! - A trial, first or renewed, always takes a later one.
//! - Closing takes a later one too. It repeats the trial's only when it comes in the same millisecond and no probe is
//!   left out there that could report.
//!
//! Where that puts `changedAt` ahead of `now` (the clock went back), `aheadMs` in the state says by how much, and times
//! run from the difference; otherwise the field is 0, and absent from JSON.
//!
//! # Sharing a state without transactions
//!
//! [`Breaker::merge`] joins two states of one breaker. See there for what it guarantees and what it cannot.

mod builder;
mod consecutive;
mod merge;
#[cfg(feature = "wasm")]
pub(crate) mod merging;
#[cfg(feature = "wasm")]
pub(crate) mod numbers;
mod open_time;
pub(crate) mod recovery;
mod report;
mod rolling;
pub(crate) mod state;
mod window;

pub use builder::BreakerBuilder;
pub use consecutive::{ConsecutiveBreaker, ConsecutiveBreakerState, ConsecutiveOptions, consecutive_breaker};
pub use open_time::Growth;
pub use report::{CallResult, Report, Reported, Verdict};
pub use rolling::{RollingBreaker, RollingBreakerState, RollingOptions, rolling_breaker};
pub use state::{BreakerState, RecoveryState, Status, force_close, force_open};

/// What every breaker can do: pure functions of a state and of `now`, in milliseconds.
///
/// No method reads a clock, keeps anything or fails; each returns the state to keep. The two of this crate are
/// [`ConsecutiveBreaker`] and [`RollingBreaker`].
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, consecutive_breaker, rolling_breaker};
///
/// fn call<B: Breaker>(breaker: &B, state: &mut B::State, now: f64, works: bool) -> bool {
///     let (next, verdict) = breaker.request(*state, now);
///     *state = next;
///     if verdict.ok {
///         *state = if works { breaker.succeed(*state, now) } else { breaker.fail(*state, now) };
///     }
///     verdict.ok
/// }
///
/// let breaker = consecutive_breaker(1).open(Duration::from_secs(5)).build()?;
/// let mut state = breaker.init(0.0);
/// assert!(call(&breaker, &mut state, 0.0, false));
/// assert!(!call(&breaker, &mut state, 4_999.0, true));
/// assert!(call(&breaker, &mut state, 5_000.0, true));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub trait Breaker {
    /// The state the caller keeps between calls.
    type State: BreakerState;

    /// A closed breaker that knows of no failure.
    fn init(&self, now: f64) -> Self::State;

    /// Asks whether a call may go out now.
    ///
    /// The state changes when a probe is admitted: store it before making the call. Otherwise it comes back as it was.
    fn request(&self, state: Self::State, now: f64) -> (Self::State, Verdict);

    /// [`report`](Self::report) with a source of random numbers in [0, 1), for a breaker with an open time that is
    /// jittered, or grows at random. It is drawn from at most once, and only when this outcome opens the breaker.
    fn report_with(
        &self,
        state: Self::State,
        now: f64,
        report: Report,
        random: &mut dyn FnMut() -> f64,
    ) -> (Self::State, Reported);

    /// Whether `now` matters to [`request`](Self::request) on this state, or with a report to
    /// [`report_with`](Self::report_with): where it does not, any number will do, and a caller whose clock is dear may
    /// leave it unread. A breaker that goes by how long a call took says yes to the request too.
    ///
    /// # Default
    /// It always does.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_primitives::breaker::{Breaker, Report, consecutive_breaker};
    ///
    /// let breaker = consecutive_breaker(5).open(Duration::from_secs(30)).build()?;
    /// let state = breaker.init(1_000.0);
    /// assert!(!breaker.needs_now(&state, None));
    /// assert!(!breaker.needs_now(&state, Some(&Report::success())));
    /// assert!(breaker.needs_now(&state, Some(&Report::failure())));
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    fn needs_now(&self, state: &Self::State, report: Option<&Report>) -> bool {
        let _ = (state, report);
        true
    }

    /// Whether this state is at rest: [`request`](Self::request) admits and leaves it as it is, and so does a success,
    /// whatever the time. Whoever knows that need not ask.
    ///
    /// # Default
    /// It never is.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_primitives::breaker::{Breaker, consecutive_breaker};
    ///
    /// let breaker = consecutive_breaker(5).open(Duration::from_secs(30)).build()?;
    /// let state = breaker.init(1_000.0);
    /// assert!(breaker.is_at_rest(&state));
    /// assert!(!breaker.is_at_rest(&breaker.fail(state, 2_000.0)));
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    fn is_at_rest(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Joins two states of this breaker, for a store that cannot serialize a read-modify-write (Workers KV): before
    /// writing, read what is there and write the join; after reading, join with the state at hand.
    ///
    /// `merge` is commutative, associative and idempotent, so the order and number of reads do not matter: whoever has
    /// seen the same states holds the same state.
    ///
    /// **Guaranteed, whatever the clocks:** a state that came out of another one wins over it. An opening that was
    /// closed by a trial (or by [`force_close`]) stays closed when its old copy turns up, and a closing does not cover
    /// an opening that came out of it. A state that no opening ever touched, such as a fresh [`init`](Self::init) in a
    /// new isolate, never outvotes one that has been open: not by being newer, and not by any number of successes.
    ///
    /// **Guaranteed as far as the clocks agree:** of openings and closings that did not know each other, the latest
    /// counts; in the same millisecond, the opening.
    ///
    /// **Bounded:** a trial that begins in an isolate which missed the closing of its opening loses to that closing if
    /// it begins less than the open time after it. One that begins later wins, and costs at most one trial: calls are
    /// refused until its probes succeed or it is renewed.
    ///
    /// **Not guaranteed:** a clock that runs ahead makes its openings and closings win over those of others that have
    /// not seen them, until their clocks catch up. Two isolates may each run a trial of the same opening, so the limit
    /// on probes holds for each, not for all together. Counts are joined by maximum and not added, since adding is not
    /// idempotent: the failures that two isolates count apart do not sum up, and a success in one does not erase the run
    /// of failures that the other had published. Windows of different age do not mix: the newer one that holds calls
    /// is kept.
    ///
    /// How it tells them apart: `successes` of the closing trial stays in the closed state (at least 1 after
    /// `force_close` on a breaker that was not closed), so a closed state with 0 has never been open.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_primitives::breaker::{Breaker, Status, consecutive_breaker};
    ///
    /// let breaker = consecutive_breaker(1).open(Duration::from_secs(30)).build()?;
    /// let opened = breaker.fail(breaker.init(0.0), 1_000.0);
    ///
    /// // A new isolate starts later and knows nothing: it learns of the opening, and does not undo it.
    /// let fresh = breaker.init(2_000.0);
    /// assert_eq!(breaker.merge(fresh, opened).status, Status::Open);
    ///
    /// // A trial closes the breaker; the old copy of the opening does not bring it back.
    /// let closed = breaker.succeed(breaker.request(opened, 31_000.0).0, 31_050.0);
    /// assert_eq!(breaker.merge(opened, closed).status, Status::Closed);
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    fn merge(&self, a: Self::State, b: Self::State) -> Self::State;

    /// Records how a call ended, and says whether that counted.
    ///
    /// An outcome changes nothing and is [`Reported::Stale`] when the breaker is open (it belongs to a call that was
    /// not admitted since), when its epoch is not the state's, or when a trial has no probe outstanding it could be from.
    ///
    /// Draws no random number: if this outcome opens a breaker with jitter, it opens for the shortest time in its range.
    #[inline(always)]
    fn report(&self, state: Self::State, now: f64, report: Report) -> (Self::State, Reported) {
        self.report_with(state, now, report, &mut || 0.0)
    }

    /// Records a success of unknown epoch: [`report`](Self::report) of [`Report::success`].
    #[inline(always)]
    fn succeed(&self, state: Self::State, now: f64) -> Self::State {
        self.report(state, now, Report::success()).0
    }

    /// Records a failure of unknown epoch: [`report`](Self::report) of [`Report::failure`].
    #[inline(always)]
    fn fail(&self, state: Self::State, now: f64) -> Self::State {
        self.report(state, now, Report::failure()).0
    }

    /// Frees the slot of a call whose outcome says nothing about the dependency: [`report`](Self::report) of
    /// [`Report::ignored`].
    #[inline(always)]
    fn ignore(&self, state: Self::State, now: f64) -> Self::State {
        self.report(state, now, Report::ignored()).0
    }

    /// What [`request`](Self::request) would answer now, with nothing advanced.
    #[inline(always)]
    fn peek(&self, state: Self::State, now: f64) -> Verdict {
        self.request(state, now).1
    }
}
