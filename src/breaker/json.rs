//! Reading a state as JSON. It comes from a store that anyone may have written to, so any value gets as far as the check
//! that can name its field.

use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use super::state::{COUNT, LENGTH, MAX_COUNT, TIME};
use super::{ConsecutiveBreakerState, RollingBreakerState, StateError, Status};

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Consecutive {
    status: Name,
    changed_at: Number,
    probes: Count,
    successes: Count,
    failures: Count,
    #[serde(default)]
    openings: Count,
    #[serde(default)]
    open_for_ms: Number,
    #[serde(default)]
    ahead_ms: Number,
}

impl TryFrom<Consecutive> for ConsecutiveBreakerState {
    type Error = StateError;

    fn try_from(read: Consecutive) -> Result<Self, StateError> {
        let state = Self {
            status: read.status.named("status")?,
            changed_at: read.changed_at.named("changedAt", TIME)?,
            probes: read.probes.named("probes")?,
            successes: read.successes.named("successes")?,
            failures: read.failures.named("failures")?,
            openings: read.openings.named("openings")?,
            open_for_ms: read.open_for_ms.named("openForMs", LENGTH)?,
            ahead_ms: read.ahead_ms.named("aheadMs", LENGTH)?,
        };
        state.validate().map(|()| state)
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rolling {
    status: Name,
    changed_at: Number,
    probes: Count,
    successes: Count,
    start: Number,
    prev_ok: Count,
    prev_fail: Count,
    curr_ok: Count,
    curr_fail: Count,
    #[serde(default)]
    prev_slow: Count,
    #[serde(default)]
    curr_slow: Count,
    #[serde(default)]
    openings: Count,
    #[serde(default)]
    open_for_ms: Number,
    #[serde(default)]
    ahead_ms: Number,
}

impl TryFrom<Rolling> for RollingBreakerState {
    type Error = StateError;

    fn try_from(read: Rolling) -> Result<Self, StateError> {
        let state = Self {
            status: read.status.named("status")?,
            changed_at: read.changed_at.named("changedAt", TIME)?,
            probes: read.probes.named("probes")?,
            successes: read.successes.named("successes")?,
            start: read.start.named("start", TIME)?,
            prev_ok: read.prev_ok.named("prevOk")?,
            prev_fail: read.prev_fail.named("prevFail")?,
            curr_ok: read.curr_ok.named("currOk")?,
            curr_fail: read.curr_fail.named("currFail")?,
            prev_slow: read.prev_slow.named("prevSlow")?,
            curr_slow: read.curr_slow.named("currSlow")?,
            openings: read.openings.named("openings")?,
            open_for_ms: read.open_for_ms.named("openForMs", LENGTH)?,
            ahead_ms: read.ahead_ms.named("aheadMs", LENGTH)?,
        };
        state.validate().map(|()| state)
    }
}

/// Whether a count beyond the reference's fields is left out.
pub(super) fn unused(count: &u64) -> bool {
    *count == 0
}

/// Whether a length beyond the reference's fields is left out.
pub(super) fn zero(ms: &f64) -> bool {
    *ms == 0.0
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What a field held, as far as any field wants to know.
enum Found {
    Number(f64),
    Status(Status),
    Other,
}

#[derive(serde::Deserialize)]
struct Name(Found);

#[derive(serde::Deserialize)]
struct Number(Found);

#[derive(serde::Deserialize)]
struct Count(Found);

impl Name {
    fn named(self, field: &'static str) -> Result<Status, StateError> {
        match self.0 {
            Found::Status(status) => Ok(status),
            found => Err(refused(field, "\"closed\", \"open\" or \"halfOpen\"", &found)),
        }
    }
}

impl Number {
    fn named(self, field: &'static str, allowed: &'static str) -> Result<f64, StateError> {
        match self.0 {
            Found::Number(value) => Ok(value),
            found => Err(refused(field, allowed, &found)),
        }
    }
}

impl Count {
    fn named(self, field: &'static str) -> Result<u64, StateError> {
        match self.0 {
            Found::Number(value) if (0.0..=MAX_COUNT as f64).contains(&value) && value as u64 as f64 == value => {
                Ok(value as u64)
            }
            found => Err(refused(field, COUNT, &found)),
        }
    }
}

fn refused(field: &'static str, allowed: &'static str, found: &Found) -> StateError {
    let value = if let Found::Number(value) = found { Some(*value) } else { None };
    StateError::new(field, allowed, value)
}

impl Default for Number {
    fn default() -> Self {
        Self(Found::Number(0.0))
    }
}

impl Default for Count {
    fn default() -> Self {
        Self(Found::Number(0.0))
    }
}

// `deserialize_any`, since a typed call would refuse another type without naming the field. State is JSON, or a
// JavaScript object; a format that does not describe itself cannot leave out fields either.
impl<'de> Deserialize<'de> for Found {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything)
    }
}

struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field of a breaker's state")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Found, E> {
        Ok(Found::Other)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Found, E> {
        Ok(Found::Number(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Found, E> {
        Ok(Found::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Found, E> {
        Ok(Found::Number(value))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Found, E> {
        Ok(Status::parse(name).map_or(Found::Other, Found::Status))
    }

    fn visit_unit<E: Error>(self) -> Result<Found, E> {
        Ok(Found::Other)
    }

    fn visit_none<E: Error>(self) -> Result<Found, E> {
        Ok(Found::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Found::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Found::Other)
    }
}
