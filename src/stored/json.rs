//! Reading and writing of single fields.

use core::{fmt, marker::PhantomData};

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTuple, Serializer};

use super::{Field, Range};
use crate::number::js;

/// A field as JSON has it.
pub(crate) trait JsonField: Field + Sized {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// The value found, if it has the field's type; its range is another matter.
    fn read(found: Found<'_>) -> Option<Self>;

    fn read_list<'de, A: SeqAccess<'de>>(list: A) -> Result<Read<Self>, A::Error> {
        Ok(Read(Err(Refused::List(drain(list, 0)?))))
    }
}

/// A value that is no list.
#[derive(Clone, Copy)]
pub(crate) enum Found<'a> {
    Null,
    Boolean(bool),
    Number(f64),
    Text(&'a str),
    Object,
    Bytes,
}

/// A field's value, or what stood in its place. Reading goes on to the end either way: only whoever holds all fields
/// knows the name of this one.
pub(crate) struct Read<T>(Result<T, Refused>);

#[derive(Clone, Copy)]
enum Refused {
    Number(f64),
    Word(&'static str),
    List(usize),
}

impl From<Found<'_>> for Refused {
    fn from(found: Found<'_>) -> Self {
        match found {
            Found::Null => Self::Word("null"),
            Found::Boolean(true) => Self::Word("true"),
            Found::Boolean(false) => Self::Word("false"),
            Found::Number(value) => Self::Number(value),
            Found::Text(_) => Self::Word("a string"),
            Found::Object => Self::Word("an object"),
            Found::Bytes => Self::Word("bytes"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Word(word) => f.write_str(word),
            Self::List(length) => write!(f, "a list of {length}"),
        }
    }
}

impl<T: JsonField> Read<T> {
    /// A value that stands for a field left out.
    pub(crate) fn of(value: T) -> Self {
        Self(Ok(value))
    }

    /// The value, in its range; an error says what the field is called, may hold, and holds.
    pub(crate) fn named<E: Error>(self, field: &'static str, range: &Range) -> Result<T, E> {
        let refused = match self.0 {
            Ok(value) => match value.refused(range.accepts) {
                None => return Ok(value),
                Some(number) => Refused::Number(number),
            },
            Err(refused) => refused,
        };
        Err(E::custom(format_args!("{field} must be {}, got {refused}", range.allowed)))
    }

    fn found(found: Found<'_>) -> Self {
        Self(T::read(found).ok_or_else(|| found.into()))
    }
}

impl<T: JsonField + Default> Default for Read<T> {
    fn default() -> Self {
        Self::of(T::default())
    }
}

// `deserialize_any`, since a typed call would refuse another type without naming the field. State is JSON, or a
// JavaScript object; a format that does not describe itself cannot leave out fields either.
impl<'de, T: JsonField> Deserialize<'de> for Read<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything(PhantomData))
    }
}

struct Anything<T>(PhantomData<T>);

impl<'de, T: JsonField> Visitor<'de> for Anything<T> {
    type Value = Read<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field of a stored state")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Boolean(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Number(value as f64)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Number(value as f64)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Number(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Text(value)))
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Bytes))
    }

    fn visit_unit<E>(self) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Null))
    }

    fn visit_none<E>(self) -> Result<Read<T>, E> {
        Ok(Read::found(Found::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Read<T>, D::Error> {
        Read::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Read<T>, A::Error> {
        T::read_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read<T>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Read::found(Found::Object))
    }
}

/// Reads to the end of a list of which `length` are read, and gives its length.
fn drain<'de, A: SeqAccess<'de>>(mut list: A, mut length: usize) -> Result<usize, A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {
        length += 1;
    }
    Ok(length)
}

impl JsonField for bool {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*self)
    }

    fn read(found: Found<'_>) -> Option<Self> {
        if let Found::Boolean(value) = found { Some(value) } else { None }
    }
}

impl JsonField for f64 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        js::serialize(self, serializer)
    }

    fn read(found: Found<'_>) -> Option<Self> {
        if let Found::Number(value) = found { Some(value) } else { None }
    }
}

impl JsonField for u64 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(*self)
    }

    fn read(found: Found<'_>) -> Option<Self> {
        f64::read(found).filter(|value| *value as u64 as f64 == *value).map(|value| value as u64)
    }
}

impl JsonField for Option<f64> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.write(serializer),
            None => serializer.serialize_none(),
        }
    }

    fn read(found: Found<'_>) -> Option<Self> {
        if let Found::Null = found { Some(None) } else { f64::read(found).map(Some) }
    }
}

impl<const N: usize> JsonField for [f64; N] {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_tuple(N)?;
        for value in self {
            list.serialize_element(&Write(value))?;
        }
        list.end()
    }

    fn read(_: Found<'_>) -> Option<Self> {
        None
    }

    fn read_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Read<Self>, A::Error> {
        let (mut values, mut refused) = ([0.0; N], None);
        for (length, slot) in values.iter_mut().enumerate() {
            match list.next_element::<Read<f64>>()? {
                Some(Read(Ok(value))) => *slot = value,
                Some(Read(Err(other))) => refused = refused.or(Some(other)),
                None => return Ok(Read(Err(Refused::List(length)))),
            }
        }
        Ok(Read(match (drain(list, N)?, refused) {
            (length, _) if length != N => Err(Refused::List(length)),
            (_, Some(refused)) => Err(refused),
            _ => Ok(values),
        }))
    }
}

/// Writes a field.
pub(crate) struct Write<'a, T>(pub(crate) &'a T);

impl<T: JsonField> Serialize for Write<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

/// Functions for `#[serde(with = "...")]` on a field: its name in JSON, for the errors, and its range.
#[cfg(feature = "operation")]
macro_rules! named {
    ($($module:ident: $Type:ty = $name:literal, $range:expr;)*) => {$(
        pub(crate) mod $module {
            use super::*;

            pub(crate) fn serialize<S: serde::Serializer>(value: &$Type, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::stored::json::JsonField::write(value, serializer)
            }

            pub(crate) fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<$Type, D::Error> {
                <$crate::stored::json::Read<$Type> as serde::Deserialize>::deserialize(deserializer)?
                    .named($name, &$range)
            }
        }
    )*};
}
#[cfg(feature = "operation")]
pub(crate) use named;
