//! The options that both breakers share: when to try again after opening, and what it takes to close.

use core::time::Duration;

use super::open_time::{Capped, Growth, OpenTime};
use super::recovery::Recovery;
use super::state::MAX_COUNT;
use crate::OptionError;
use crate::number::{MAX_SAFE_MS, duration_ms};

/// The options of a breaker, checked by `build`: made by [`consecutive_breaker`](super::consecutive_breaker) and
/// [`rolling_breaker`](super::rolling_breaker).
///
/// | Option | Default | Range |
/// | --- | --- | --- |
/// | [`open`](Self::open) | required | 1 ms to 2^53 - 1 ms |
/// | [`half_open_probes`](Self::half_open_probes) | 1 | 1 to 2^53 - 1 |
/// | [`success_threshold`](Self::success_threshold) | `half_open_probes` | 1 to `half_open_probes` |
/// | [`half_open`](Self::half_open) | `open` | 1 ms to 2^53 - 1 ms |
/// | [`grow_open`](Self::grow_open) | constant | a factor at least 1; the cap `open` to 2^53 - 1 ms |
/// | [`open_jitter`](Self::open_jitter) | 0 | 0 to 1 |
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::consecutive_breaker;
///
/// let breaker = consecutive_breaker(5)
///     .open(Duration::from_secs(10))
///     .grow_open(2.0, Duration::from_secs(300))
///     .open_jitter(0.2)
///     .half_open_probes(3)
///     .success_threshold(2)
///     .half_open(Duration::from_secs(20))
///     .build();
/// assert!(breaker.is_ok());
///
/// let error = consecutive_breaker(5).build().unwrap_err();
/// assert_eq!(error.option(), "open");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakerBuilder<Kind> {
    pub(super) kind: Kind,
    open_ms: Option<f64>,
    growth: Option<Capped>,
    open_jitter: f64,
    half_open_probes: u64,
    success_threshold: Option<u64>,
    half_open_ms: Option<f64>,
}

impl<Kind> BreakerBuilder<Kind> {
    pub(super) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            open_ms: None,
            growth: None,
            open_jitter: 0.0,
            half_open_probes: 1,
            success_threshold: None,
            half_open_ms: None,
        }
    }

    /// How long calls are refused before a probe is admitted: 1 ms to 2^53 - 1 ms. Required.
    #[must_use]
    pub fn open(mut self, open: Duration) -> Self {
        self.open_ms = Some(duration_ms(open));
        self
    }

    /// Lets the open time grow with each opening in a row, along a curve that begins at `open`, to at most `max`, in whole
    /// milliseconds. A trial that closes the breaker, or [`force_close`](super::force_close), starts over.
    ///
    /// `growth` is a [`Growth`], or just the factor of an exponential one: finite, at least 1. `max` is from `open` to
    /// 2^53 - 1 ms.
    ///
    /// # Default
    /// Every opening lasts the same.
    #[must_use]
    pub fn grow_open(mut self, growth: impl Into<Growth>, max: Duration) -> Self {
        self.growth = Some(Capped { growth: growth.into(), max_ms: duration_ms(max) });
        self
    }

    /// Lengthens each opening by a random part of itself, up to this share, so that a fleet that opened together does
    /// not probe in step: with 0.2, an open time of 10 s becomes 10 s to 12 s, in whole milliseconds. It is added after
    /// the cap of [`grow_open`](Self::grow_open).
    ///
    /// From 0 to 1. The draw comes from the source that [`report_with`](super::Breaker::report_with) takes; methods without
    /// one add nothing. With [`Growth::DecorrelatedJitter`], which draws for itself, it has no effect.
    ///
    /// # Default
    /// 0: nothing is added.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_primitives::breaker::{Breaker, Report, consecutive_breaker};
    ///
    /// let breaker = consecutive_breaker(1).open(Duration::from_secs(10)).open_jitter(0.2).build()?;
    /// let state = breaker.init(0.0);
    /// let (state, _) = breaker.report_with(state, 0.0, Report::failure(), &mut || 0.5);
    /// assert_eq!(breaker.peek(state, 0.0).retry_after_ms, 11_000.0);
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    #[must_use]
    pub fn open_jitter(mut self, share: f64) -> Self {
        self.open_jitter = share;
        self
    }

    /// How many calls a trial admits: 1 to 2^53 - 1. A probe whose outcome is ignored gives its slot back.
    ///
    /// # Default
    /// 1
    #[must_use]
    pub fn half_open_probes(mut self, probes: u64) -> Self {
        self.half_open_probes = probes;
        self
    }

    /// How many probes must succeed to close: 1 to `half_open_probes`, for a trial that admits fewer could never close.
    ///
    /// # Default
    /// [`half_open_probes`](Self::half_open_probes)
    #[must_use]
    pub fn success_threshold(mut self, successes: u64) -> Self {
        self.success_threshold = Some(successes);
        self
    }

    /// How long a trial waits for its probes before a fresh one takes its place: 1 ms to 2^53 - 1 ms.
    ///
    /// A probe that never reports (the isolate was evicted, the caller forgot) would else hold its slot forever. The
    /// fresh trial begins with the next request, and takes a new epoch: a probe of the old one is stale from then on.
    ///
    /// # Default
    /// [`open`](Self::open), however much that may grow
    #[must_use]
    pub fn half_open(mut self, half_open: Duration) -> Self {
        self.half_open_ms = Some(duration_ms(half_open));
        self
    }

    pub(super) fn recovery(&self) -> Result<Recovery, OptionError> {
        let open_ms = milliseconds("open", self.open_ms.ok_or(OptionError::missing("open", MILLISECONDS))?)?;
        let mut open_jitter = self.open_jitter;
        if let Some(Capped { growth, max_ms }) = self.growth {
            if let Growth::Exponential { factor } | Growth::DecorrelatedJitter { factor } = growth
                && !(factor >= 1.0 && factor.is_finite())
            {
                return Err(OptionError::new("grow_open", "given a finite factor of at least 1", factor));
            }
            if milliseconds("grow_open", max_ms)? < open_ms {
                return Err(OptionError::new("grow_open", "given a cap of at least the open time", max_ms));
            }
            if let Growth::DecorrelatedJitter { .. } = growth {
                open_jitter = 0.0;
            }
        }
        if !(0.0..=1.0).contains(&self.open_jitter) {
            return Err(OptionError::new("open_jitter", "a number from 0 to 1", self.open_jitter));
        }
        let half_open_probes = at_least_one("half_open_probes", self.half_open_probes)?;
        let success_threshold = self.success_threshold.unwrap_or(half_open_probes);
        if !(1..=half_open_probes).contains(&success_threshold) {
            const ALLOWED: &str = "a whole number from 1 to half_open_probes";
            return Err(OptionError::new("success_threshold", ALLOWED, success_threshold as f64));
        }
        Ok(Recovery {
            open: OpenTime { base_ms: open_ms, growth: self.growth, jitter: open_jitter },
            half_open_probes,
            success_threshold,
            half_open_ms: milliseconds("half_open", self.half_open_ms.unwrap_or(open_ms))?,
        })
    }
}

const MILLISECONDS: &str = "a duration from 1 ms to 9007199254740991 ms";

pub(super) fn milliseconds(option: &'static str, ms: f64) -> Result<f64, OptionError> {
    if (1.0..=MAX_SAFE_MS).contains(&ms) { Ok(ms) } else { Err(OptionError::new(option, MILLISECONDS, ms)) }
}

pub(super) fn at_least_one(option: &'static str, count: u64) -> Result<u64, OptionError> {
    if (1..=MAX_COUNT).contains(&count) {
        Ok(count)
    } else {
        Err(OptionError::new(option, "a whole number from 1 to 9007199254740991", count as f64))
    }
}
