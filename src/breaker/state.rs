//! What every breaker's state has in common, and the two overrides that need no more than that.

use core::fmt;

use crate::number::{MAX_SAFE_MS, finite_time};
use crate::stored::Field;
#[cfg(feature = "serde")]
use crate::stored::json::{Found, JsonField};

/// The largest count, 2^53 - 1: what JSON and JavaScript hold exactly.
pub(super) const MAX_COUNT: u64 = MAX_SAFE_MS as u64;

/// Where a breaker stands. JSON: `"closed"`, `"open"`, `"halfOpen"`.
///
/// ```
/// use retry_primitives::breaker::Status;
///
/// assert_eq!(Status::HalfOpen.as_str(), "halfOpen");
/// ```
// A word, as every field beside it in a state: a byte would be copied with seven of padding, in two moves that overlap, and
// reading such a copy back stalls for longer than all of a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Status {
    /// Calls go out, outcomes are counted.
    Closed,
    /// Calls are refused.
    Open,
    /// A trial: a few calls go out as probes, the rest is refused.
    HalfOpen,
}

impl Status {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "halfOpen",
        }
    }
}

impl Field for Status {}

#[cfg(feature = "serde")]
impl JsonField for Status {
    fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }

    fn read(found: Found<'_>) -> Option<Self> {
        let Found::Text(name) = found else { return None };
        [Self::Closed, Self::Open, Self::HalfOpen].into_iter().find(|status| status.as_str() == name)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Status {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(serializer)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The part of a state that every breaker shares: where it stands, since when, and its trial.
///
/// The last three fields are 0, and absent from JSON, on a plain breaker.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, BreakerState, Status, consecutive_breaker};
///
/// let breaker = consecutive_breaker(5).open(Duration::from_secs(30)).build()?;
/// let shared = breaker.init(1_000.0).recovery();
/// assert_eq!((shared.status, shared.changed_at), (Status::Closed, 1_000.0));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecoveryState {
    /// Where the breaker stands.
    pub status: Status,
    /// When it came to stand there, in milliseconds, and the epoch of the calls it admits.
    pub changed_at: f64,
    /// Probes admitted in this trial, without those whose outcome was ignored.
    pub probes: u64,
    /// Probes that succeeded in this trial; on a closed breaker, in the trial that closed it. A closed breaker with 0
    /// has never been open.
    pub successes: u64,
    /// Openings in a row with no closing between them; counted only where the open time grows.
    pub openings: u64,
    /// How long this opening lasts, in milliseconds, where that is not just the open time.
    pub open_for_ms: f64,
    /// How far `changed_at` is ahead of the clock that set it, in milliseconds: more than 0 only after the clock went
    /// back.
    pub ahead_ms: f64,
}

impl RecoveryState {
    /// Closed, and never open before.
    #[inline]
    pub(super) fn closed(now: f64) -> Self {
        Self {
            status: Status::Closed,
            changed_at: finite_time(now),
            probes: 0,
            successes: 0,
            openings: 0,
            open_for_ms: 0.0,
            ahead_ms: 0.0,
        }
    }

    /// The same with times that can be counted with. What follows needs it, and so returns it.
    #[inline(always)]
    pub(super) fn sound(self) -> Self {
        Self { changed_at: finite_time(self.changed_at), ahead_ms: span(self.ahead_ms), ..self }
    }

    /// The moment of the last transition on the clock that made it.
    #[inline]
    pub(super) fn since(&self) -> f64 {
        self.changed_at - self.ahead_ms
    }

    /// Takes the epoch `at`, which the clock may not have reached.
    #[inline]
    pub(super) fn at(mut self, status: Status, at: f64, now: f64) -> Self {
        self.status = status;
        self.changed_at = if at < MAX_SAFE_MS { at } else { MAX_SAFE_MS };
        let ahead_ms = self.changed_at - now;
        self.ahead_ms = if ahead_ms > 0.0 { ahead_ms } else { 0.0 };
        self
    }

    /// Open, at the earliest epoch that does not go back.
    #[inline(always)]
    pub(super) fn open(self, now: f64) -> Self {
        let at = if now > self.changed_at { now } else { self.changed_at };
        Self { probes: 0, successes: 0, ..self.at(Status::Open, at, now) }
    }

    /// Closed, at an epoch that no call in flight carries.
    #[inline(always)]
    pub(super) fn close(self, now: f64) -> Self {
        let before = self.changed_at;
        let in_flight = self.status != Status::HalfOpen || self.probes > self.successes;
        let at = if now > before || (now == before && !in_flight) { now } else { before + 1.0 };
        Self {
            status: Status::Closed,
            changed_at: if at < MAX_SAFE_MS { at } else { MAX_SAFE_MS },
            probes: 0,
            successes: self.successes.max(1),
            openings: 0,
            open_for_ms: 0.0,
            ahead_ms: 0.0,
        }
    }
}

/// What can be opened and closed: a state, and what may be counted with in it.
pub(crate) trait Sound: BreakerState {
    /// The shared part, with times that are sound.
    #[inline(always)]
    fn sound(&self) -> RecoveryState {
        self.recovery().sound()
    }
}

/// A length of time out of a state; NaN and negatives are 0.
#[inline]
pub(super) fn span(ms: f64) -> f64 {
    if ms > 0.0 { ms.min(2.0 * MAX_SAFE_MS) } else { 0.0 }
}

/// One more, up to [`MAX_COUNT`].
#[inline]
pub(super) fn one_more(count: u64) -> u64 {
    if count < MAX_COUNT { count + 1 } else { MAX_COUNT }
}

/// A breaker's state, seen by what works for all of them: implement it for the state of a breaker of your own.
///
/// ```
/// use retry_primitives::breaker::{BreakerState, RecoveryState, Status, force_open};
///
/// #[derive(Clone, Copy)]
/// struct Mine {
///     recovery: RecoveryState,
///     errors: u64,
/// }
///
/// impl BreakerState for Mine {
///     fn recovery(&self) -> RecoveryState {
///         self.recovery
///     }
///     fn set_recovery(&mut self, recovery: RecoveryState) {
///         self.recovery = recovery;
///     }
/// }
///
/// let recovery = RecoveryState {
///     status: Status::Closed,
///     changed_at: 0.0,
///     probes: 0,
///     successes: 0,
///     openings: 0,
///     open_for_ms: 0.0,
///     ahead_ms: 0.0,
/// };
/// let opened = force_open(Mine { recovery, errors: 3 }, 1_000.0);
/// assert_eq!((opened.recovery.status, opened.errors), (Status::Open, 3));
/// ```
pub trait BreakerState: Copy {
    /// The shared part.
    fn recovery(&self) -> RecoveryState;
    /// Replaces the shared part and leaves the ledger of outcomes alone.
    fn set_recovery(&mut self, recovery: RecoveryState);
}

/// Opens a breaker by hand, for its plain open time: an admin's endpoint, a feature flag.
///
/// After the open time a probe goes out as ever; open it again before that to keep it open.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, consecutive_breaker, force_open};
///
/// let breaker = consecutive_breaker(5).open(Duration::from_secs(30)).build()?;
/// let state = force_open(breaker.init(0.0), 1_000.0);
/// assert_eq!(breaker.peek(state, 1_000.0).retry_after_ms, 30_000.0);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn force_open<S: BreakerState>(mut state: S, now: f64) -> S {
    let recovery = state.recovery().sound().open(finite_time(now));
    state.set_recovery(RecoveryState { open_for_ms: 0.0, ..recovery });
    state
}

/// Closes a breaker by hand. It cannot see the ledger of outcomes, which stays: a breaker that was one failure short of
/// tripping is so still. To forget what happened as well, start from [`init`](super::Breaker::init).
///
/// In a [`merge`](super::Breaker::merge), closing what was open or half-open counts as a closing; `init` does not.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, consecutive_breaker, force_close};
///
/// let breaker = consecutive_breaker(2).open(Duration::from_secs(30)).build()?;
/// let one_short = breaker.fail(breaker.init(0.0), 500.0);
/// let state = force_close(one_short, 1_000.0);
/// assert!(breaker.peek(state, 1_000.0).ok);
/// assert!(!breaker.peek(breaker.fail(state, 2_000.0), 2_000.0).ok);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn force_close<S: BreakerState>(mut state: S, now: f64) -> S {
    let now = finite_time(now);
    let recovery = state.recovery();
    state.set_recovery(match recovery.status {
        Status::Closed => RecoveryState { changed_at: finite_time(recovery.changed_at).max(now), ..recovery },
        Status::Open | Status::HalfOpen => recovery.sound().close(now),
    });
    state
}

/// What every breaker's state has in common: its shared part, and the JSON of that around the fields of the ledger.
macro_rules! breaker_state {
    ($State:ident { $($ledger:tt)* } $(optional { $($more:tt)* })?) => {
        crate::stored::stored!($State {
            status: Status = "status", crate::stored::Range::any("\"closed\", \"open\" or \"halfOpen\"");
            changed_at: f64 = "changedAt", crate::stored::TIME;
            probes: u64 = "probes", crate::stored::COUNT;
            successes: u64 = "successes", crate::stored::COUNT;
            $($ledger)*
        } optional {
            $($($more)*)?
            openings: u64 = "openings", crate::stored::COUNT;
            open_for_ms: f64 = "openForMs", crate::stored::LENGTH;
            ahead_ms: f64 = "aheadMs", crate::stored::LENGTH;
        });

        impl crate::breaker::state::Sound for $State {}

        impl BreakerState for $State {
            #[inline]
            fn recovery(&self) -> RecoveryState {
                RecoveryState {
                    status: self.status,
                    changed_at: self.changed_at,
                    probes: self.probes,
                    successes: self.successes,
                    openings: self.openings,
                    open_for_ms: self.open_for_ms,
                    ahead_ms: self.ahead_ms,
                }
            }

            #[inline]
            fn set_recovery(&mut self, recovery: RecoveryState) {
                self.status = recovery.status;
                self.changed_at = recovery.changed_at;
                self.probes = recovery.probes;
                self.successes = recovery.successes;
                self.openings = recovery.openings;
                self.open_for_ms = recovery.open_for_ms;
                self.ahead_ms = recovery.ahead_ms;
            }
        }
    };
}
pub(super) use breaker_state;
