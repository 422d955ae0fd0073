//! What is kept between attempts.

/// What is kept between attempts: three numbers, to be stored wherever the caller likes.
///
/// JSON (feature `serde`) is `{"attempts":1,"startedAt":1758124800000,"prevDelayMs":63}`, the same text that
/// JavaScript writes. When read back, a missing field or a value out of range is an error that names the field.
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
    use serde::{Deserializer, de::Error};

    use crate::number::{MAX_SAFE_MS, js};

    pub(super) fn attempts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let value = js::read(deserializer, "attempts", 0.0..=MAX_SAFE_MS)?;
        let whole = value as u64;
        if whole as f64 == value {
            Ok(whole)
        } else {
            Err(D::Error::custom(format_args!("attempts must be a whole number, got {value}")))
        }
    }

    pub(super) fn started_at<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        js::read(deserializer, "startedAt", -MAX_SAFE_MS..=MAX_SAFE_MS)
    }

    pub(super) fn prev_delay_ms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        js::read(deserializer, "prevDelayMs", 0.0..=MAX_SAFE_MS)
    }
}
