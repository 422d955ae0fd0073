//! One error for an option out of range.

use core::fmt;

/// An option that a builder refused: which one, what it was, and what is allowed.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::exponential;
///
/// let error = exponential(Duration::from_millis(100)).factor(0.5).max_attempts(3).build().unwrap_err();
/// assert_eq!(error.option(), "factor");
/// assert_eq!(error.to_string(), "factor must be a finite number of at least 1, got 0.5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionError {
    option: &'static str,
    allowed: &'static str,
    value: Option<f64>,
}

impl OptionError {
    /// `allowed` completes the sentence "`option` must be ...".
    pub(crate) const fn new(option: &'static str, allowed: &'static str, value: f64) -> Self {
        Self { option, allowed, value: Some(value) }
    }

    /// An option that was left out.
    pub(crate) const fn missing(option: &'static str, allowed: &'static str) -> Self {
        Self { option, allowed, value: None }
    }

    /// The option's name, as the builder method spells it.
    pub const fn option(&self) -> &'static str {
        self.option
    }

    /// What was given, in the option's unit (milliseconds for a duration); `None` when it was left out.
    pub const fn value(&self) -> Option<f64> {
        self.value
    }

    /// The values that are allowed, in words.
    pub const fn allowed(&self) -> &'static str {
        self.allowed
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}", self.option, self.allowed)?;
        match self.value {
            Some(value) => write!(f, ", got {value}"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for OptionError {}
