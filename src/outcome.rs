//! What a failed attempt tells a policy.

use core::time::Duration;

use crate::number::{duration_ms, ms_duration};

/// What a failed attempt tells a policy: may it be repeated at all, and how soon at the earliest.
///
/// The default is a plain failure: retryable, with no word from the server. JSON (feature `serde`):
/// `{"retryable":true,"retryAfterMs":2000}`, both fields optional when read.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::Outcome;
///
/// let outcome = Outcome::retry_after(Duration::from_secs(2));
/// assert_eq!(outcome.retry_after_ms, Some(2_000.0));
/// assert!(outcome.retryable);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct Outcome {
    /// `false` stops the policy at once. Default `true`.
    pub retryable: bool,
    /// A floor under the next delay, in milliseconds: the policy never waits less, and `max_delay` does not cap it.
    /// A value that is not a positive number sets no floor. Default `None`.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", serialize_with = "crate::number::js::serialize_option")
    )]
    pub retry_after_ms: Option<f64>,
}

impl Default for Outcome {
    fn default() -> Self {
        Self::RETRYABLE
    }
}

impl Outcome {
    /// A failure that may be repeated.
    pub const RETRYABLE: Self = Self { retryable: true, retry_after_ms: None };
    /// A failure that will be the same next time.
    pub const NON_RETRYABLE: Self = Self { retryable: false, retry_after_ms: None };

    /// A failure that may be repeated, but not before `delay` has passed.
    pub fn retry_after(delay: Duration) -> Self {
        Self { retryable: true, retry_after_ms: Some(duration_ms(delay)) }
    }

    /// The server's floor as a [`Duration`], `None` when there is none.
    pub fn floor(&self) -> Option<Duration> {
        self.retry_after_ms.map(ms_duration)
    }
}
