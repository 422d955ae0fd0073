//! The options that every policy shares.

use core::time::Duration;

use super::{Curve, Jitter, Policy};
use crate::{
    OptionError,
    number::{MAX_SAFE_MS, duration_ms, floor_ms},
};

/// The ceiling on one wait when [`Builder::max_delay`] is not called.
pub const DEFAULT_MAX_DELAY: Duration = Duration::from_secs(30);

/// The most attempts that can be counted exactly: 2^53 - 1.
pub const MAX_ATTEMPTS: u64 = (1 << 53) - 1;

/// A policy in the making: the limits and the jitter around a curve.
///
/// At least one of [`max_attempts`](Self::max_attempts) and [`deadline`](Self::deadline) is required. Retrying for
/// ever is possible, but has to be spelled out with [`unlimited_attempts`](Self::unlimited_attempts).
#[derive(Clone, Copy, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder<C> {
    pub(super) curve: C,
    max_attempts: Option<u64>,
    unlimited: bool,
    deadline: Option<Duration>,
    max_delay: Option<Duration>,
    jitter: Jitter,
}

impl<C> Builder<C> {
    pub(super) const fn new(curve: C) -> Self {
        Self {
            curve,
            max_attempts: None,
            unlimited: false,
            deadline: None,
            max_delay: Some(DEFAULT_MAX_DELAY),
            jitter: Jitter::Full,
        }
    }

    /// Total attempts, counting the first: 1 to [`MAX_ATTEMPTS`].
    ///
    /// # Default
    /// None: then a [`deadline`](Self::deadline) is required.
    pub fn max_attempts(mut self, attempts: u64) -> Self {
        self.max_attempts = Some(attempts);
        self.unlimited = false;
        self
    }

    /// No end to the attempts. A real choice behind a circuit breaker, so it is allowed, but never by omission.
    pub fn unlimited_attempts(mut self) -> Self {
        self.max_attempts = None;
        self.unlimited = true;
        self
    }

    /// The budget for the whole operation, measured from its start; more than zero. An attempt that would not start
    /// strictly inside it is not made.
    ///
    /// # Default
    /// None: then [`max_attempts`](Self::max_attempts) is required.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The ceiling on a single wait, applied before jitter. It does not cap a server's `Retry-After`. A ceiling below
    /// the base is allowed: it then holds from the first wait on.
    ///
    /// # Default
    /// 30 s ([`DEFAULT_MAX_DELAY`]): an uncapped doubling is measured in days within twenty attempts.
    pub fn max_delay(mut self, max_delay: Duration) -> Self {
        self.max_delay = Some(max_delay);
        self
    }

    /// No ceiling on a single wait but [`MAX_SAFE_MS`].
    pub fn unlimited_delay(mut self) -> Self {
        self.max_delay = None;
        self
    }

    /// How waits are spread.
    ///
    /// # Default
    /// [`Jitter::Full`].
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }
}

impl<C: Curve> Builder<C> {
    /// The policy.
    ///
    /// # Errors
    /// An [`OptionError`] that names the first option out of its range.
    pub fn build(self) -> Result<Policy<C>, OptionError> {
        self.curve.validate()?;
        self.limited()
    }
}

impl<C> Builder<C> {
    /// The policy, of a curve that has been validated.
    pub(super) fn limited(self) -> Result<Policy<C>, OptionError> {
        if let Some(attempts) = self.max_attempts
            && !(1..=MAX_ATTEMPTS).contains(&attempts)
        {
            let allowed = "from 1 to 9007199254740991 (unlimited_attempts() for no end)";
            return Err(OptionError::new("max_attempts", allowed, attempts as f64));
        }
        if self.deadline == Some(Duration::ZERO) {
            return Err(OptionError::new("deadline", "more than 0 ms", 0.0));
        }
        if self.max_attempts.is_none() && self.deadline.is_none() && !self.unlimited {
            let allowed = "given when there is no deadline (unlimited_attempts() for no end)";
            return Err(OptionError::missing("max_attempts", allowed));
        }
        Ok(Policy {
            curve: self.curve,
            jitter: self.jitter,
            max_attempts: self.max_attempts.map_or(f64::INFINITY, |attempts| attempts as f64),
            deadline_ms: self.deadline.map_or(f64::INFINITY, duration_ms),
            max_delay_ms: self.max_delay.map_or(MAX_SAFE_MS, |max| floor_ms(duration_ms(max))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backoff::{constant, decorrelated_jitter, exponential};

    const BASE: Duration = Duration::from_millis(100);

    fn message<C: Curve>(builder: Builder<C>) -> alloc::string::String {
        alloc::string::ToString::to_string(&builder.build().err().expect("refused"))
    }

    /// Reference, Budgets: "at least one stopping condition is required".
    #[test]
    fn a_policy_without_an_end_is_refused() {
        assert_eq!(
            message(exponential(BASE)),
            "max_attempts must be given when there is no deadline (unlimited_attempts() for no end)"
        );
        assert!(exponential(BASE).deadline(BASE).build().is_ok());
        assert!(exponential(BASE).max_attempts(1).build().is_ok());
        assert!(exponential(BASE).unlimited_attempts().build().is_ok());
    }

    #[test]
    fn an_option_out_of_range_is_named_with_its_value() {
        assert_eq!(
            message(constant(BASE).max_attempts(0)),
            "max_attempts must be from 1 to 9007199254740991 (unlimited_attempts() for no end), got 0"
        );
        assert!(message(constant(BASE).max_attempts(1 << 53)).ends_with("got 9007199254740992"));
        assert_eq!(message(constant(BASE).deadline(Duration::ZERO)), "deadline must be more than 0 ms, got 0");
        for factor in [0.99, -2.0, f64::NAN, f64::INFINITY] {
            let error = exponential(BASE).factor(factor).max_attempts(2).build().unwrap_err();
            assert_eq!(error.option(), "factor");
            let error = decorrelated_jitter(BASE).factor(factor).max_attempts(2).build().unwrap_err();
            assert_eq!(error.option(), "factor");
        }
    }

    /// Reference, Budgets: the table of defaults.
    #[test]
    fn the_defaults_are_the_references() {
        let policy = exponential(BASE).max_attempts(2).build().unwrap();
        assert_eq!(policy.max_delay_ms, 30_000.0);
        assert_eq!(policy.jitter, Jitter::Full);
        assert_eq!(policy.deadline_ms, f64::INFINITY);
        assert_eq!(policy.curve.factor, 2.0);
        assert_eq!(decorrelated_jitter(BASE).max_attempts(2).build().unwrap().curve.factor, 3.0);
    }
}
