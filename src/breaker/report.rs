//! What a breaker says of a call, and what the caller says of it afterwards.

use core::time::Duration;

use super::Status;
use crate::number::{duration_ms, ms_duration};

/// May the call go out, and if not, how soon is it worth asking again?
///
/// JSON (feature `serde`): `{"ok":false,"status":"open","retryAfterMs":20000,"epoch":1100}`.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, Status, consecutive_breaker};
///
/// let breaker = consecutive_breaker(1).open(Duration::from_secs(30)).build()?;
/// let open = breaker.fail(breaker.init(0.0), 1_000.0);
/// let verdict = breaker.peek(open, 11_000.0);
/// assert!(!verdict.ok);
/// assert_eq!(verdict.status, Status::Open);
/// assert_eq!(verdict.retry_after(), Duration::from_secs(20));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Verdict {
    /// `true` when the call may go out.
    pub ok: bool,
    /// Where the breaker stands after this verdict: an admitted probe says half-open.
    pub status: Status,
    /// Milliseconds until a call may be admitted, whole and rounded up; 0 when `ok`.
    ///
    /// In half-open it is when the trial will be renewed; a probe that reports may free the way earlier.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::number::js::serialize"))]
    pub retry_after_ms: f64,
    /// The `changedAt` of the state that gave this verdict; give it back with the outcome.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::number::js::serialize"))]
    pub epoch: f64,
}

impl Verdict {
    #[inline]
    pub(crate) const fn admitted(status: Status, epoch: f64) -> Self {
        Self { ok: true, status, retry_after_ms: 0.0, epoch }
    }

    #[inline]
    pub(super) const fn refused(status: Status, epoch: f64, retry_after_ms: f64) -> Self {
        Self { ok: false, status, retry_after_ms, epoch }
    }

    /// [`retry_after_ms`](Self::retry_after_ms) as a [`Duration`].
    pub fn retry_after(&self) -> Duration {
        ms_duration(self.retry_after_ms)
    }
}

/// How a call ended, as far as the breaker is concerned.
///
/// ```
/// use retry_primitives::breaker::{CallResult, Report};
///
/// // A 404 is an answer: it says nothing about the health of the server.
/// let result = |status: u16| match status {
///     500.. => CallResult::Failure,
///     400..500 => CallResult::Ignored,
///     _ => CallResult::Success,
/// };
/// assert_eq!(Report::new(result(404)).result, CallResult::Ignored);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallResult {
    /// The dependency did its work.
    Success,
    /// It did not.
    Failure,
    /// It says nothing either way (the caller cancelled, the request was wrong): a probe's slot is free again, and
    /// nothing is counted.
    Ignored,
}

/// The outcome of a call: its result and, optionally, which epoch admitted it and how long it took.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, Report, Reported, consecutive_breaker};
///
/// let breaker = consecutive_breaker(1).open(Duration::from_secs(5)).build()?;
/// let state = breaker.init(0.0);
/// let (state, slow_call) = breaker.request(state, 0.0);
///
/// // Others fail, the breaker opens, a probe closes it again; only then does the slow call fail.
/// let state = breaker.fail(state, 10.0);
/// let (state, probe) = breaker.request(state, 6_000.0);
/// let (state, _) = breaker.report(state, 6_010.0, Report::success().admitted_by(&probe));
/// let (state, reported) = breaker.report(state, 6_020.0, Report::failure().admitted_by(&slow_call));
/// assert_eq!(reported, Reported::Stale);
/// assert!(breaker.peek(state, 6_020.0).ok);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// How the call ended.
    pub result: CallResult,
    /// [`Verdict::epoch`] of the verdict that admitted it; `None` counts it whatever the epoch.
    pub epoch: Option<f64>,
    /// How long the call took, in milliseconds; only a [`RollingBreaker`](super::RollingBreaker) that counts slow calls
    /// reads it. `None` is not slow.
    pub duration_ms: Option<f64>,
}

impl Report {
    /// A report with neither epoch nor duration.
    #[inline]
    pub const fn new(result: CallResult) -> Self {
        Self { result, epoch: None, duration_ms: None }
    }

    /// The call succeeded.
    #[inline]
    pub const fn success() -> Self {
        Self::new(CallResult::Success)
    }

    /// The call failed.
    #[inline]
    pub const fn failure() -> Self {
        Self::new(CallResult::Failure)
    }

    /// The outcome does not count.
    #[inline]
    pub const fn ignored() -> Self {
        Self::new(CallResult::Ignored)
    }

    /// Carries the epoch of the verdict that admitted the call.
    #[inline]
    pub const fn admitted_by(self, verdict: &Verdict) -> Self {
        self.epoch(verdict.epoch)
    }

    /// Carries an epoch, where the verdict itself is gone.
    #[inline]
    pub const fn epoch(self, epoch: f64) -> Self {
        Self { epoch: Some(epoch), ..self }
    }

    /// Carries how long the call took.
    #[inline]
    pub fn took(self, duration: Duration) -> Self {
        Self { duration_ms: Some(duration_ms(duration)), ..self }
    }
}

/// Whether a reported outcome counted.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, Report, Reported, consecutive_breaker};
///
/// let breaker = consecutive_breaker(5).open(Duration::from_secs(5)).build()?;
/// let state = breaker.init(7.0);
/// assert_eq!(breaker.report(state, 8.0, Report::failure().epoch(7.0)).1, Reported::Counted);
/// assert_eq!(breaker.report(state, 8.0, Report::ignored()).1, Reported::Ignored);
/// assert_eq!(breaker.report(state, 8.0, Report::failure().epoch(6.0)).1, Reported::Stale);
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reported {
    /// It counted.
    Counted,
    /// It was [`CallResult::Ignored`]: nothing counted, a probe's slot is free again.
    Ignored,
    /// The breaker has moved on since the call was admitted: the state is as it was.
    Stale,
}
