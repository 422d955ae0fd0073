//! What is kept between attempts.

/// What is kept between attempts: three numbers, to be stored wherever the caller likes.
///
/// JSON (feature `serde`) is `{"attempts":1,"startedAt":1758124800000,"prevDelayMs":63}`, the same text that
/// JavaScript writes. When read back, a field that is missing, of a wrong type or out of range is an error that
/// names it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct RetryState {
    /// Attempts that have failed so far; 0 to 2^53 - 1.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "read::attempts"))]
    pub attempts: u64,
    /// When the operation began, in milliseconds on the caller's clock; finite.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::number::js::serialize", deserialize_with = "read::started_at")
    )]
    pub started_at: f64,
    /// The last wait, in milliseconds; 0 before the first.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::number::js::serialize", deserialize_with = "read::prev_delay_ms")
    )]
    pub prev_delay_ms: f64,
}

#[cfg(feature = "serde")]
mod read {
    use serde::Deserializer;

    use crate::number::{MAX_SAFE_MS, js::Field};

    pub(super) fn attempts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let field = Field {
            name: "attempts",
            allowed: "a whole number from 0 to 2^53 - 1",
            accepts: |value| value as u64 as f64 == value && value <= MAX_SAFE_MS,
        };
        field.read(deserializer).map(|value| value as u64)
    }

    pub(super) fn started_at<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let field = Field {
            name: "startedAt",
            allowed: "a number from -(2^53 - 1) to 2^53 - 1",
            accepts: |value| value.abs() <= MAX_SAFE_MS,
        };
        field.read(deserializer)
    }

    pub(super) fn prev_delay_ms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let field = Field {
            name: "prevDelayMs",
            allowed: "a number from 0 to 2^53 - 1",
            accepts: |value| (0.0..=MAX_SAFE_MS).contains(&value),
        };
        field.read(deserializer)
    }
}
