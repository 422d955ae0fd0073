//! What a policy decided.

use core::{fmt, time::Duration};

use crate::number::ms_duration;

/// What a policy decided about a failed attempt. Times are milliseconds; the methods give a [`Duration`].
///
/// JSON (feature `serde`), to be written only: `{"retry":true,"delayMs":63,"attempts":1,"remainingMs":29960}`. A stop is
/// `{"retry":false,"delayMs":0,"attempts":5,"remainingMs":1200,"reason":"maxAttempts"}`, with the server's
/// `retryAfterMs` where there is one. Without a deadline `remainingMs` is infinite, so `null` in JSON's text as
/// `JSON.stringify` writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Wait, then try again.
    Retry {
        /// How long to wait first: whole, from 0 to [`MAX_SAFE_MS`](crate::MAX_SAFE_MS).
        delay_ms: f64,
        /// Attempts made so far, counting the one that just failed.
        attempts: u64,
        /// What is left of the deadline now, before the wait; infinite when there is none.
        remaining_ms: f64,
    },
    /// Give up.
    Stop {
        /// Why.
        reason: StopReason,
        /// Attempts made so far, counting the one that just failed.
        attempts: u64,
        /// What is left of the deadline now; infinite when there is none.
        remaining_ms: f64,
        /// The server's figure, when the outcome carried one: a caller told to stop can still pass it on.
        retry_after_ms: Option<f64>,
    },
}

/// Why a policy stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum StopReason {
    /// The outcome said that repeating is of no use.
    NonRetryable,
    /// All attempts are spent.
    MaxAttempts,
    /// The next attempt would not start strictly inside the deadline.
    Deadline,
}

impl StopReason {
    /// The name in JSON: `nonRetryable`, `maxAttempts` or `deadline`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NonRetryable => "nonRetryable",
            Self::MaxAttempts => "maxAttempts",
            Self::Deadline => "deadline",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Decision {
    /// How long to wait before the next attempt; `None` when there is none.
    pub fn delay(&self) -> Option<Duration> {
        match *self {
            Self::Retry { delay_ms, .. } => Some(ms_duration(delay_ms)),
            Self::Stop { .. } => None,
        }
    }

    /// When the next attempt is due, given the `now` of the decision; `None` when there is none.
    ///
    /// ```
    /// # use core::time::Duration;
    /// use retry_primitives::{Outcome, backoff::constant};
    ///
    /// let policy = constant(Duration::from_secs(5)).max_attempts(3).build()?;
    /// let now = 1_758_124_800_000.0;
    /// let (_, decision) = policy.next(policy.init(now), now, Outcome::RETRYABLE, || 1.0);
    /// assert_eq!(decision.retry_at(now), Some(1_758_124_805_000.0)); // for a `retry_at` column or an alarm
    /// # Ok::<(), retry_primitives::OptionError>(())
    /// ```
    pub fn retry_at(&self, now: f64) -> Option<f64> {
        match *self {
            Self::Retry { delay_ms, .. } => Some(now + delay_ms),
            Self::Stop { .. } => None,
        }
    }

    /// Attempts made so far, counting the one that just failed.
    pub const fn attempts(&self) -> u64 {
        match *self {
            Self::Retry { attempts, .. } | Self::Stop { attempts, .. } => attempts,
        }
    }

    /// What is left of the deadline; `None` when there is no deadline.
    pub fn remaining(&self) -> Option<Duration> {
        let (Self::Retry { remaining_ms, .. } | Self::Stop { remaining_ms, .. }) = *self;
        remaining_ms.is_finite().then(|| ms_duration(remaining_ms))
    }

    /// Why the policy stopped; `None` when it did not.
    pub const fn reason(&self) -> Option<StopReason> {
        match *self {
            Self::Stop { reason, .. } => Some(reason),
            Self::Retry { .. } => None,
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Decision {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use crate::stored::json::Write;
        use serde::ser::SerializeStruct;

        let (delay_ms, remaining_ms, stop) = match self {
            Self::Retry { delay_ms, remaining_ms, .. } => (delay_ms, remaining_ms, None),
            Self::Stop { reason, remaining_ms, retry_after_ms, .. } => {
                (&0.0, remaining_ms, Some((reason, retry_after_ms)))
            }
        };
        let server = stop.and_then(|(_, retry_after_ms)| retry_after_ms.as_ref());
        let fields = 4 + usize::from(stop.is_some()) + usize::from(server.is_some());
        let mut object = serializer.serialize_struct("Decision", fields)?;
        object.serialize_field("retry", &stop.is_none())?;
        object.serialize_field("delayMs", &Write(delay_ms))?;
        object.serialize_field("attempts", &self.attempts())?;
        object.serialize_field("remainingMs", &Write(remaining_ms))?;
        if let Some((reason, _)) = stop {
            object.serialize_field("reason", reason)?;
        }
        if let Some(server) = server {
            object.serialize_field("retryAfterMs", &Write(server))?;
        }
        object.end()
    }
}
