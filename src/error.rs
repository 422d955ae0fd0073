//! The two errors: an option out of range, a stored state out of range.

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
        write(f, self.option, self.allowed, self.value)
    }
}

impl core::error::Error for OptionError {}

/// A value in a stored state that this crate never writes: which field, what it holds, and what is allowed.
///
/// The `validate` of every state gives it. Reading JSON (feature `serde`) refuses the same values with the same words,
/// as an error of the format's.
///
/// ```
/// use retry_primitives::budget::TokenBucketState;
///
/// let error = TokenBucketState { tokens: -1.0 }.validate().unwrap_err();
/// assert_eq!(error.field(), "tokens");
/// assert_eq!(error.to_string(), "tokens must be a whole number from 0 to 2^53 - 1, got -1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateError {
    field: &'static str,
    allowed: &'static str,
    value: Option<f64>,
}

impl StateError {
    /// `allowed` completes the sentence "`field` must be ...".
    pub(crate) const fn new(field: &'static str, allowed: &'static str, value: Option<f64>) -> Self {
        Self { field, allowed, value }
    }

    /// The field's name, as JSON spells it.
    pub const fn field(&self) -> &'static str {
        self.field
    }

    /// What it holds, of several slots the first wrong one; `None` when that is no number.
    pub const fn value(&self) -> Option<f64> {
        self.value
    }

    /// The values that are allowed, in words.
    pub const fn allowed(&self) -> &'static str {
        self.allowed
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.field, self.allowed, self.value)
    }
}

impl core::error::Error for StateError {}

fn write(f: &mut fmt::Formatter<'_>, name: &str, allowed: &str, value: Option<f64>) -> fmt::Result {
    write!(f, "{name} must be {allowed}")?;
    match value {
        Some(value) => write!(f, ", got {value}"),
        None => Ok(()),
    }
}
