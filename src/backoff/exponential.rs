//! `base * factor^(n - 1)`.

use core::time::Duration;

use super::{Builder, Curve, curve::validate_factor};
use crate::{OptionError, number::duration_ms};

/// The curve `base * factor^(n - 1)`; see [`exponential`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    pub(crate) base_ms: f64,
    pub(crate) factor: f64,
}

/// Waits `base * factor^(n - 1)` after attempt n: the default choice for anything that can be overloaded.
///
/// `base` may be zero, which retries at once.
///
/// Source: the "Exponential" curve of the AWS Architecture Blog's "Exponential Backoff And Jitter".
///
/// # Default
/// [`factor`](Builder::factor) 2.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::{Jitter, exponential};
///
/// let policy = exponential(Duration::from_millis(100)).max_attempts(6).jitter(Jitter::None).build()?;
/// let waits: Vec<_> = policy.preview(|| 0.0).take(10).collect();
/// assert_eq!(waits, [100, 200, 400, 800, 1600].map(Duration::from_millis));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn exponential(base: Duration) -> Builder<Exponential> {
    Builder::new(Exponential { base_ms: duration_ms(base), factor: 2.0 })
}

impl Builder<Exponential> {
    /// The growth from one wait to the next: finite, at least 1.
    ///
    /// # Default
    /// 2.
    pub fn factor(mut self, factor: f64) -> Self {
        self.curve.factor = factor;
        self
    }
}

impl Curve for Exponential {
    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, _: f64, _: &mut R) -> f64 {
        self.base_ms * power(self.factor, attempt.saturating_sub(1))
    }

    fn validate(&self) -> Result<(), OptionError> {
        validate_factor(self.factor)
    }
}

/// `factor^exponent` by squaring, at most `f64::MAX` for a factor of at least 1: a platform's `powf` differs in bits.
#[inline]
fn power(factor: f64, mut exponent: u64) -> f64 {
    let mut square = factor;
    let mut product = 1.0;
    loop {
        if exponent & 1 == 1 {
            product *= square;
        }
        exponent >>= 1;
        if exponent == 0 || product > f64::MAX {
            break;
        }
        square *= square;
    }
    product.min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_exact_where_f64_is() {
        assert_eq!(power(2.0, 0), 1.0);
        assert_eq!(power(2.0, 10), 1_024.0);
        assert_eq!(power(3.0, 20), 3_486_784_401.0);
        assert_eq!(power(1.5, 3), 3.375);
        assert_eq!(power(1.0, u64::MAX), 1.0);
    }

    /// Case 1 from the field: attempts 64, 1,024, 1e6 and 2^53 saturate.
    #[test]
    fn a_power_saturates() {
        assert_eq!(power(2.0, 1_024), f64::MAX);
        for exponent in [1_000_000, 1 << 53, u64::MAX] {
            assert_eq!(power(1.5, exponent), f64::MAX);
            assert_eq!(power(f64::MAX, exponent), f64::MAX);
        }
    }

    #[test]
    fn a_zero_base_stays_zero_at_any_attempt() {
        let curve = Exponential { base_ms: 0.0, factor: 2.0 };
        assert_eq!(curve.delay_ms(u64::MAX, 0.0, &mut || 0.0), 0.0);
    }
}
