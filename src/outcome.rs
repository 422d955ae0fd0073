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
pub struct Outcome {
    /// `false` stops the policy at once. Default `true`.
    pub retryable: bool,
    /// A floor under the next delay, in milliseconds: the policy never waits less, and `max_delay` does not cap it.
    /// A value that is not a positive number sets no floor. Default `None`.
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
    use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};

    use super::Outcome;
    use crate::{
        number::finite_time,
        stored::{
            Range,
            json::{Read, Write},
        },
    };

    impl Serialize for Outcome {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let fields = 1 + usize::from(self.retry_after_ms.is_some());
            let mut object = serializer.serialize_struct("Outcome", fields)?;
            object.serialize_field("retryable", &self.retryable)?;
            if let Some(ms) = self.retry_after_ms {
                // JSON has no infinity: as `null` an endless floor would come back as none at all.
                object.serialize_field("retryAfterMs", &Write(&finite_time(ms)))?;
            }
            object.end()
        }
    }

    impl<'de> Deserialize<'de> for Outcome {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            #[derive(serde::Deserialize)]
            #[serde(rename_all = "camelCase")]
            struct Fields {
                #[serde(default = "retryable")]
                retryable: Read<bool>,
                #[serde(default)]
                retry_after_ms: Read<Option<f64>>,
            }

            fn retryable() -> Read<bool> {
                Read::of(true)
            }

            let Fields { retryable, retry_after_ms } = Fields::deserialize(deserializer)?;
            Ok(Self {
                retryable: retryable.named("retryable", &Range::any("true or false"))?,
                retry_after_ms: retry_after_ms.named("retryAfterMs", &Range::any("a number or null"))?,
            })
        }
    }
}
