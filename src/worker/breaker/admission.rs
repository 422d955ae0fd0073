//! What a shared breaker says.

use alloc::string::String;
use core::time::Duration;

use crate::{
    breaker::{Status, Verdict},
    number::ms_duration,
    shared::seconds,
};

/// Whether a call may go out; give it back with the call's outcome.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "report how the admitted call ended"]
pub struct Admission {
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// The breaker could not be asked: the call goes out, and is not counted.
    pub(super) blind: bool,
}

impl Admission {
    pub(super) const fn new(name: String, verdict: Verdict) -> Self {
        Self { name, verdict, blind: false }
    }

    pub(super) const fn blind(name: String) -> Self {
        let verdict = Verdict { ok: true, status: Status::Closed, retry_after_ms: 0.0, epoch: 0.0 };
        Self { name, verdict, blind: true }
    }

    /// `true` when the call may go out.
    pub const fn ok(&self) -> bool {
        self.verdict.ok
    }

    /// The name of the dependency.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the breaker said.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// `true` when the breaker could not be asked, so that the call goes out unguarded.
    pub const fn is_blind(&self) -> bool {
        self.blind
    }

    /// How long until it is worth asking again; zero when [`ok`](Self::ok).
    pub fn retry_after(&self) -> Duration {
        ms_duration(self.verdict.retry_after_ms)
    }

    /// [`retry_after`](Self::retry_after) in whole seconds, rounded up: for a `Retry-After` header, or for
    /// [`Message::retry`](crate::worker::queue::Message::retry), whose limit of 86,400 s it keeps.
    pub fn retry_after_seconds(&self) -> u32 {
        seconds(self.verdict.retry_after_ms)
    }
}

/// A breaker as it stands, for showing. JSON: `{"name":"...","status":"open","since":1758124800000,"retryAfterMs":9000}`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The name of the dependency.
    #[serde(default)]
    pub name: String,
    /// Where the breaker stands. It stays open past its open time, until the next call asks.
    #[serde(with = "super::wire::StatusName")]
    pub status: Status,
    /// Since when, in milliseconds since 1970.
    #[serde(serialize_with = "crate::number::js::serialize")]
    pub since: f64,
    /// Milliseconds until a call may be admitted; 0 when one would be now.
    #[serde(serialize_with = "crate::number::js::serialize")]
    pub retry_after_ms: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case 27: a delay of at most 86,400 s.
    #[test]
    fn seconds_are_rounded_up_and_clamped() {
        for (ms, seconds) in [(0.0, 0), (1.0, 1), (30_000.0, 30), (30_001.0, 31), (9e15, 86_400)] {
            let verdict = Verdict { ok: false, status: Status::Open, retry_after_ms: ms, epoch: 0.0 };
            assert_eq!(Admission::new("host".into(), verdict).retry_after_seconds(), seconds);
        }
    }
}
