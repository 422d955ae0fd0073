//! What comes back from a store. Anyone may have written there, so each field has a range, and a value out of it is
//! refused under the field's name in JSON.

#[cfg(feature = "serde")]
pub(crate) mod json;

use crate::{StateError, number::MAX_SAFE_MS};

/// What a field may hold.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    allowed: &'static str,
    accepts: fn(f64) -> bool,
}

/// A count that `f64` and JavaScript hold exactly.
pub(crate) const COUNT: Range = Range {
    allowed: "a whole number from 0 to 2^53 - 1",
    accepts: |value| value as u64 as f64 == value && value <= MAX_SAFE_MS,
};
/// A moment, on either side of the clock's zero.
pub(crate) const TIME: Range = Range {
    allowed: "a number of milliseconds from -(2^53 - 1) to 2^53 - 1",
    accepts: |value| value.abs() <= MAX_SAFE_MS,
};
/// A moment that JavaScript can hold as a date.
#[cfg(any(feature = "operation", feature = "wasm"))]
pub(crate) const DATE: Range = Range {
    allowed: "a number of milliseconds from -8.64e15 to 8.64e15",
    accepts: |value| value.abs() <= crate::number::MAX_DATE_MS,
};
/// A wait.
pub(crate) const DELAY: Range = Range {
    allowed: "a number of milliseconds from 0 to 2^53 - 1",
    accepts: |value| (0.0..=MAX_SAFE_MS).contains(&value),
};
/// Any number that does not shrink.
pub(crate) const POSITIVE: Range =
    Range { allowed: "a finite number of at least 0", accepts: |value| (0.0..=f64::MAX).contains(&value) };
/// What lies between two moments.
pub(crate) const LENGTH: Range = Range {
    allowed: "a number of milliseconds from 0 to 2^54 - 2",
    accepts: |value| (0.0..=2.0 * MAX_SAFE_MS).contains(&value),
};

impl Range {
    #[cfg(feature = "wasm")]
    #[inline]
    pub(crate) fn accepts(&self, value: f64) -> bool {
        (self.accepts)(value)
    }

    /// Of a type that holds nothing wrong.
    pub(crate) const fn any(allowed: &'static str) -> Self {
        Self { allowed, accepts: |_| true }
    }

    /// The same range in other words.
    pub(crate) const fn in_words(self, allowed: &'static str) -> Self {
        Self { allowed, ..self }
    }

    pub(crate) fn check(&self, field: &'static str, value: &impl Field) -> Result<(), StateError> {
        match value.refused(self.accepts) {
            None => Ok(()),
            refused => Err(StateError::new(field, self.allowed, refused)),
        }
    }
}

/// The type of a field.
pub(crate) trait Field {
    /// The first number in it that is not accepted.
    fn refused(&self, _accepts: fn(f64) -> bool) -> Option<f64> {
        None
    }
}

impl Field for bool {}

impl Field for f64 {
    fn refused(&self, accepts: fn(f64) -> bool) -> Option<f64> {
        (!accepts(*self)).then_some(*self)
    }
}

impl Field for u64 {
    fn refused(&self, accepts: fn(f64) -> bool) -> Option<f64> {
        (*self as f64).refused(accepts)
    }
}

impl Field for Option<f64> {
    fn refused(&self, accepts: fn(f64) -> bool) -> Option<f64> {
        self.and_then(|value| value.refused(accepts))
    }
}

impl<const N: usize> Field for [f64; N] {
    fn refused(&self, accepts: fn(f64) -> bool) -> Option<f64> {
        self.iter().find_map(|value| value.refused(accepts))
    }
}

/// Gives a state its `validate`, and with the feature `serde` its JSON: for each field its name there and its range, in
/// the order in which they are written. An optional one
/// may be left out, and is where it is 0.
macro_rules! stored {
    ($State:ident {
        $($field:ident: $Type:ty = $name:literal, $range:expr;)*
    } $(optional {
        $($more:ident: $MoreType:ty = $more_name:literal, $more_range:expr;)*
    })?) => {
        impl $State {
            /// Checks a state that was built by hand or read without this crate's JSON.
            ///
            /// No method needs it, they bear any value; but a state that fails it was not written by this crate.
            ///
            /// # Errors
            /// [`StateError`](crate::StateError) for the first field out of its range.
            pub fn validate(&self) -> Result<(), crate::StateError> {
                $($range.check($name, &self.$field)?;)*
                $($($more_range.check($more_name, &self.$more)?;)*)?
                Ok(())
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $State {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use crate::stored::json::Write;
                use serde::ser::SerializeStruct;

                let fields = [$($name),*].len() $($(+ usize::from(self.$more != <$MoreType>::default()))*)?;
                let mut object = serializer.serialize_struct(stringify!($State), fields)?;
                $(object.serialize_field($name, &Write(&self.$field))?;)*
                $($(if self.$more != <$MoreType>::default() {
                    object.serialize_field($more_name, &Write(&self.$more))?;
                })*)?
                object.end()
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $State {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use crate::stored::json::Read;

                #[derive(serde::Deserialize)]
                struct Fields {
                    $(#[serde(rename = $name)] $field: Read<$Type>,)*
                    $($(#[serde(rename = $more_name, default)] $more: Read<$MoreType>,)*)?
                }
                let read = Fields::deserialize(deserializer)?;
                Ok(Self {
                    $($field: read.$field.named($name, &$range)?,)*
                    $($($more: read.$more.named($more_name, &$more_range)?,)*)?
                })
            }
        }
    };
}
pub(crate) use stored;
