//! What a failed attempt tells a policy.

use core::time::Duration;

use crate::number::{ceil_ms, duration_ms, ms_duration};

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
    #[cfg_attr(feature = "serde", serde(deserialize_with = "json::read_retryable"))]
    pub retryable: bool,
    /// A floor under the next delay, in milliseconds: the policy never waits less, and `max_delay` does not cap it.
    /// A value that is not a positive number sets no floor. Default `None`.
    #[cfg_attr(
        feature = "serde",
        serde(
            skip_serializing_if = "Option::is_none",
            serialize_with = "json::write_retry_after",
            deserialize_with = "json::read_retry_after"
        )
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

    /// The server's floor as a [`Duration`] of whole milliseconds, rounded up; `None` when there is none.
    pub fn floor(&self) -> Option<Duration> {
        self.retry_after_ms.map(|ms| ms_duration(ceil_ms(ms)))
    }
}

#[cfg(feature = "serde")]
mod json {
    use core::fmt;

    use serde::{Deserializer, Serializer, de::Visitor};

    use crate::number::{finite_time, js};

    pub(super) fn write_retry_after<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            // JSON has no infinity: as `null` an endless floor would come back as none at all.
            Some(value) => js::serialize(&finite_time(*value), serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn read_retry_after<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        struct RetryAfter;

        impl<'de> Visitor<'de> for RetryAfter {
            type Value = Option<f64>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("retryAfterMs to be a number or null")
            }

            fn visit_none<E>(self) -> Result<Option<f64>, E> {
                Ok(None)
            }

            fn visit_unit<E>(self) -> Result<Option<f64>, E> {
                Ok(None)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<f64>, D::Error> {
                let field = js::Field { name: "retryAfterMs", allowed: "a number", accepts: |_| true };
                field.read(deserializer).map(Some)
            }
        }

        deserializer.deserialize_option(RetryAfter)
    }

    pub(super) fn read_retryable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
        struct Retryable;

        impl Visitor<'_> for Retryable {
            type Value = bool;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("retryable to be true or false")
            }

            fn visit_bool<E>(self, value: bool) -> Result<bool, E> {
                Ok(value)
            }
        }

        deserializer.deserialize_bool(Retryable)
    }
}
