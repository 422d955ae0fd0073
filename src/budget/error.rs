//! One error for a state out of range.

use core::fmt;

use crate::number::MAX_SAFE_MS;

/// A stored state that cannot be right: which field, what it holds, and what is allowed.
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
    value: f64,
}

impl StateError {
    /// The field's name, as the JSON spells it.
    pub const fn field(&self) -> &'static str {
        self.field
    }

    /// What it holds: of several slots the first wrong one, of a list of the wrong length its length.
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The values that are allowed, in words.
    pub const fn allowed(&self) -> &'static str {
        self.allowed
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}, got {}", self.field, self.allowed, self.value)
    }
}

impl core::error::Error for StateError {}

/// A whole number that `f64` and JavaScript hold exactly, not negative.
pub(super) fn whole(field: &'static str, value: f64) -> Result<f64, StateError> {
    if (0.0..=MAX_SAFE_MS).contains(&value) && value == crate::number::floor_ms(value) {
        Ok(value)
    } else {
        Err(StateError { field, allowed: "a whole number from 0 to 2^53 - 1", value })
    }
}

/// A moment, on either side of the clock's zero.
pub(super) fn moment(field: &'static str, value: f64) -> Result<f64, StateError> {
    if (-MAX_SAFE_MS..=MAX_SAFE_MS).contains(&value) {
        Ok(value)
    } else {
        Err(StateError { field, allowed: "a number of milliseconds between -(2^53 - 1) and 2^53 - 1", value })
    }
}

/// Fields as they are read from and written to a store, each checked under its own name.
#[cfg(feature = "serde")]
pub(super) mod json {
    use core::fmt;

    use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
    use serde::ser::{Serialize, SerializeTuple, Serializer};

    use super::{StateError, moment, whole};
    use crate::budget::SLOTS;
    use crate::number::js;

    /// One function a field, since `deserialize_with` cannot be told the field's name.
    macro_rules! fields {
        ($($function:ident: $read:ident $name:literal -> $value:ty;)*) => {$(
            pub(crate) fn $function<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$value, D::Error> {
                $read($name, deserializer)
            }
        )*};
    }
    fields! {
        start: read_moment "start" -> f64;
        tokens: read_whole "tokens" -> f64;
        milli_tokens: read_whole "milliTokens" -> f64;
        requests: read_slots "requests" -> [f64; SLOTS];
        retries: read_slots "retries" -> [f64; SLOTS];
        accepts: read_slots "accepts" -> [f64; SLOTS];
    }

    fn named<E: Error>(field: &'static str, error: E) -> E {
        E::custom(format_args!("{field}: {error}"))
    }

    fn read_moment<'de, D: Deserializer<'de>>(field: &'static str, deserializer: D) -> Result<f64, D::Error> {
        let value = f64::deserialize(deserializer).map_err(|error| named(field, error))?;
        moment(field, value).map_err(D::Error::custom)
    }

    fn read_whole<'de, D: Deserializer<'de>>(field: &'static str, deserializer: D) -> Result<f64, D::Error> {
        let value = f64::deserialize(deserializer).map_err(|error| named(field, error))?;
        whole(field, value).map_err(D::Error::custom)
    }

    fn read_slots<'de, D: Deserializer<'de>>(field: &'static str, deserializer: D) -> Result<[f64; SLOTS], D::Error> {
        let slots = deserializer.deserialize_seq(Slots).map_err(|error| named(field, error))?;
        if slots.length != SLOTS {
            let allowed = "a list of 10 whole numbers";
            return Err(D::Error::custom(StateError { field, allowed, value: slots.length as f64 }));
        }
        for value in slots.values {
            whole(field, value).map_err(D::Error::custom)?;
        }
        Ok(slots.values)
    }

    struct Read {
        values: [f64; SLOTS],
        length: usize,
    }

    struct Slots;

    impl<'de> Visitor<'de> for Slots {
        type Value = Read;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of 10 whole numbers")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Read, A::Error> {
            let mut read = Read { values: [0.0; SLOTS], length: 0 };
            for slot in &mut read.values {
                match list.next_element()? {
                    Some(value) => *slot = value,
                    None => return Ok(read),
                }
                read.length += 1;
            }
            while list.next_element::<IgnoredAny>()?.is_some() {
                read.length = read.length.saturating_add(1);
            }
            Ok(read)
        }
    }

    struct Js(f64);

    impl Serialize for Js {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            js::serialize(&self.0, serializer)
        }
    }

    pub(crate) fn write_slots<S: Serializer>(slots: &[f64; SLOTS], serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_tuple(SLOTS)?;
        for slot in slots {
            list.serialize_element(&Js(*slot))?;
        }
        list.end()
    }
}
