//! Time and delays as JavaScript holds them: `f64` milliseconds, whole where they are stored.

/// The largest delay, 2^53 - 1 ms: the last whole number that `f64`, JSON and JavaScript all hold exactly.
///
/// Every delay and every `Retry-After` saturates here, about 285,000 years.
pub const MAX_SAFE_MS: f64 = 9_007_199_254_740_991.0;

/// JavaScript's last date, in milliseconds since 1970: the bound on a moment that is stored.
#[cfg(any(feature = "operation", feature = "wasm"))]
pub(crate) const MAX_DATE_MS: f64 = 8.64e15;

/// A moment that JavaScript can hold as a date.
#[cfg(any(feature = "operation", feature = "wasm"))]
pub(crate) fn date_ms(moment: f64) -> f64 {
    finite_time(moment).clamp(-MAX_DATE_MS, MAX_DATE_MS)
}

/// The nearest whole number, halves up; NaN and negatives are 0, the top is [`MAX_SAFE_MS`].
#[inline]
pub(crate) fn round_ms(ms: f64) -> f64 {
    // From here on f64 has whole numbers only: adding it and taking it away again rounds, ties to even.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    if ms >= WHOLE {
        return if ms < MAX_SAFE_MS { ms } else { MAX_SAFE_MS };
    }
    let positive = if ms > 0.0 { ms } else { 0.0 };
    let nearest = (positive + WHOLE) - WHOLE;
    if positive - nearest >= 0.5 { nearest + 1.0 } else { nearest }
}

/// Held between 0 and [`MAX_SAFE_MS`]; NaN is 0.
#[inline]
fn held(ms: f64) -> f64 {
    // Written as comparisons: a NaN fails the first one and becomes 0.
    let ms = positive(ms);
    if ms < MAX_SAFE_MS { ms } else { MAX_SAFE_MS }
}

/// The whole number at or below; NaN and negatives are 0, the top is [`MAX_SAFE_MS`].
#[inline]
pub(crate) fn floor_ms(ms: f64) -> f64 {
    held(ms) as i64 as f64
}

/// The whole number at or above; NaN and negatives are 0, the top is [`MAX_SAFE_MS`].
#[inline]
pub(crate) fn ceil_ms(ms: f64) -> f64 {
    let (ms, floor) = (held(ms), floor_ms(ms));
    floor + f64::from(u8::from(ms > floor))
}

/// A moment that can be stored: NaN becomes 0 and infinities the last safe whole numbers.
#[inline]
pub(crate) fn finite_time(now: f64) -> f64 {
    if now.is_nan() { 0.0 } else { now.clamp(-MAX_SAFE_MS, MAX_SAFE_MS) }
}

/// At least 0; NaN is 0.
#[inline]
pub(crate) fn positive(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.0 }
}

/// Milliseconds from `since` to `now`, never negative: a clock that jumps back has not moved.
#[inline]
pub(crate) fn elapsed_ms(now: f64, since: f64) -> f64 {
    let elapsed = now - since;
    let elapsed = if elapsed > 0.0 { elapsed } else { 0.0 };
    if elapsed < f64::MAX { elapsed } else { f64::MAX }
}

/// A draw brought into [0, 1]; NaN is 0.
#[inline]
pub(crate) fn unit(random: f64) -> f64 {
    let random = if random > 0.0 { random } else { 0.0 };
    if random < 1.0 { random } else { 1.0 }
}

/// Milliseconds of a [`Duration`](core::time::Duration), fractions kept.
pub(crate) fn duration_ms(duration: core::time::Duration) -> f64 {
    // Not `as_secs_f64() * 1e3`: that makes 1000.9999999999999 of 1,001 ms.
    duration.as_secs() as f64 * 1e3 + f64::from(duration.subsec_nanos()) / 1e6
}

/// A [`Duration`](core::time::Duration) of whole milliseconds; NaN and negatives are zero.
pub(crate) fn ms_duration(ms: f64) -> core::time::Duration {
    core::time::Duration::from_millis(ms as u64)
}

/// Numbers as JSON in JavaScript writes them: whole ones without `.0`.
#[cfg(feature = "serde")]
pub(crate) mod js {
    use serde::Serializer;

    use super::MAX_SAFE_MS;

    /// Serializes an `f64`; the signature is the one `serialize_with` asks for.
    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = *value as i64;
        if whole as f64 == *value && value.abs() <= MAX_SAFE_MS {
            serializer.serialize_i64(whole)
        } else {
            serializer.serialize_f64(*value)
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    #[test]
    fn whole_milliseconds_of_a_duration_stay_whole() {
        for ms in 0..100_000_u64 {
            assert_eq!(duration_ms(Duration::from_millis(ms)), ms as f64);
        }
        assert_eq!(duration_ms(Duration::from_micros(1_500)), 1.5);
    }

    #[test]
    fn rounding_is_to_nearest_and_saturates() {
        for (ms, down, nearest, up) in [
            (0.0, 0.0, 0.0, 0.0),
            (0.49999999999999994, 0.0, 0.0, 1.0),
            (0.5, 0.0, 1.0, 1.0),
            (2.5, 2.0, 3.0, 3.0),
            (7.0, 7.0, 7.0, 7.0),
            (-3.0, 0.0, 0.0, 0.0),
            (f64::NAN, 0.0, 0.0, 0.0),
            (MAX_SAFE_MS, MAX_SAFE_MS, MAX_SAFE_MS, MAX_SAFE_MS),
            (f64::INFINITY, MAX_SAFE_MS, MAX_SAFE_MS, MAX_SAFE_MS),
        ] {
            assert_eq!((floor_ms(ms), round_ms(ms), ceil_ms(ms)), (down, nearest, up), "{ms}");
        }
    }

    #[test]
    fn rounding_is_to_nearest_halves_up() {
        const WHOLE: f64 = 4_503_599_627_370_496.0;
        for (ms, rounded) in [
            (0.49999999999999994, 0.0),
            (0.5, 1.0),
            (1.5, 2.0),
            (2.5, 3.0),
            (2.4999999999999996, 2.0),
            (WHOLE - 0.5, WHOLE),
            (WHOLE - 1.5, WHOLE - 1.0),
            (WHOLE + 1.0, WHOLE + 1.0),
            (MAX_SAFE_MS, MAX_SAFE_MS),
            (f64::INFINITY, MAX_SAFE_MS),
            (f64::NAN, 0.0),
            (f64::NEG_INFINITY, 0.0),
        ] {
            assert_eq!(round_ms(ms), rounded, "{ms}");
        }
    }
}
