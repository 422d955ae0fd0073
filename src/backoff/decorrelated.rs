//! Random between `base` and `previous * factor`.

use core::time::Duration;

use super::{Builder, Curve, curve::validate_factor};
use crate::{
    OptionError,
    number::{duration_ms, unit},
};

/// The curve `random(base, previous * factor)`; see [`decorrelated_jitter`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecorrelatedJitter {
    pub(crate) base_ms: f64,
    pub(crate) factor: f64,
}

/// Waits a random time between `base` and `factor` times the previous wait, which starts at `base`.
///
/// Each draw leans on the one before, so clients that failed together drift apart fastest. It is random by
/// construction: [`Builder::jitter`] has no effect on it. The cap applies to the drawn wait. `base` may be zero, which
/// retries at once.
///
/// Source: "Decorrelated Jitter" of the AWS Architecture Blog's "Exponential Backoff And Jitter".
///
/// # Default
/// [`factor`](Builder::factor) 3.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::decorrelated_jitter;
///
/// let policy = decorrelated_jitter(Duration::from_millis(100)).max_attempts(5).build()?;
/// let top_of_each_range: Vec<_> = policy.preview(|| 1.0).take(10).collect();
/// assert_eq!(top_of_each_range, [300, 900, 2700, 8100].map(Duration::from_millis));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn decorrelated_jitter(base: Duration) -> Builder<DecorrelatedJitter> {
    Builder::new(DecorrelatedJitter { base_ms: duration_ms(base), factor: 3.0 })
}

impl Builder<DecorrelatedJitter> {
    /// How far one wait may outgrow the one before: finite, at least 1.
    ///
    /// # Default
    /// 3.
    pub fn factor(mut self, factor: f64) -> Self {
        self.curve.factor = factor;
        self
    }
}

impl Curve for DecorrelatedJitter {
    const JITTERED: bool = true;

    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, _: u64, prev_delay_ms: f64, random: &mut R) -> f64 {
        let previous = if prev_delay_ms > self.base_ms { prev_delay_ms } else { self.base_ms };
        let top = (previous * self.factor).min(f64::MAX);
        self.base_ms + unit(random()) * (top - self.base_ms)
    }

    fn validate(&self) -> Result<(), OptionError> {
        validate_factor(self.factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_lies_between_base_and_factor_times_the_previous() {
        let curve = DecorrelatedJitter { base_ms: 100.0, factor: 3.0 };
        for (previous, random, wait) in [
            (0.0, 0.0, 100.0),
            (0.0, 0.5, 200.0),
            (0.0, 1.0, 300.0),
            (1_000.0, 0.0, 100.0),
            (1_000.0, 0.5, 1_550.0),
            (f64::NAN, 1.0, 300.0),
        ] {
            assert_eq!(curve.delay_ms(1, previous, &mut || random), wait, "{previous} {random}");
        }
    }
}
