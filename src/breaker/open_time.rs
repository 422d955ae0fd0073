//! How long an opening lasts: the same each time, or longer with each opening in a row; exactly that, or jittered.

use super::state::span;
use crate::backoff::{Curve, DecorrelatedJitter, Exponential, Fibonacci, Linear};
use crate::number::{MAX_SAFE_MS, round_ms, unit};

/// Checked by the builder: `base_ms` at least 1, `jitter` in [0, 1], and 0 on a curve that draws for itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OpenTime {
    pub(super) base_ms: f64,
    pub(super) growth: Option<Capped>,
    pub(super) jitter: f64,
}

/// How the open time grows with each opening in a row: a curve of [`backoff`](crate::backoff) whose base is the open time.
///
/// Given to [`grow_open`](super::BreakerBuilder::grow_open). A bare number is the factor of an exponential one.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{Breaker, Growth, consecutive_breaker};
///
/// let second = Duration::from_secs(1);
/// let breaker = consecutive_breaker(1).open(second).grow_open(Growth::Fibonacci, 4 * second).build()?;
/// let (mut state, mut now) = (breaker.init(0.0), 0.0);
/// for lasts in [1_000.0, 1_000.0, 2_000.0, 3_000.0, 4_000.0, 4_000.0] {
///     state = breaker.fail(state, now); // the probe fails
///     assert_eq!(breaker.peek(state, now).retry_after_ms, lasts);
///     now += lasts;
///     state = breaker.request(state, now).0;
/// }
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// `open * factor^(n - 1)` for the nth opening in a row; see [`exponential`](crate::backoff::exponential).
    Exponential {
        /// Finite, at least 1.
        factor: f64,
    },
    /// Random between `open` and `factor` times the opening before; see
    /// [`decorrelated_jitter`](crate::backoff::decorrelated_jitter). It has its own randomness: `open_jitter` does nothing.
    DecorrelatedJitter {
        /// Finite, at least 1.
        factor: f64,
    },
    /// `open * 1, 1, 2, 3, 5, 8, ...`; see [`fibonacci`](crate::backoff::fibonacci()).
    Fibonacci,
    /// `open * n`; see [`linear`](crate::backoff::linear()).
    Linear,
}

/// The factor of an exponential growth.
impl From<f64> for Growth {
    fn from(factor: f64) -> Self {
        Self::Exponential { factor }
    }
}

impl Growth {
    /// How long the `opening`th in a row lasts, uncapped.
    fn at(self, base_ms: f64, opening: u64, previous_ms: f64, random: &mut dyn FnMut() -> f64) -> f64 {
        let random = &mut || random();
        match self {
            Self::Exponential { factor } => Exponential { base_ms, factor }.delay_ms(opening, previous_ms, random),
            Self::DecorrelatedJitter { factor } => {
                DecorrelatedJitter { base_ms, factor }.delay_ms(opening, previous_ms, random)
            }
            Self::Fibonacci => Fibonacci { base_ms }.delay_ms(opening, previous_ms, random),
            Self::Linear => Linear { base_ms }.delay_ms(opening, previous_ms, random),
        }
    }
}

/// Checked by the builder: a good factor, and `max_ms` at least the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Capped {
    pub(super) growth: Growth,
    pub(super) max_ms: f64,
}

impl OpenTime {
    /// The shortest opening.
    #[inline]
    pub(super) const fn shortest(&self) -> f64 {
        self.base_ms
    }

    /// Whether every opening lasts the same.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.growth.is_none() && self.jitter == 0.0
    }

    /// The longest opening.
    fn longest(&self) -> f64 {
        let longest = self.growth.map_or(self.base_ms, |capped| capped.max_ms);
        (longest * (1.0 + self.jitter)).min(MAX_SAFE_MS)
    }

    /// How many openings in a row to store after one more: 0 where nobody needs to know.
    pub(super) fn openings(&self, before: u64) -> u64 {
        if self.growth.is_some() { super::state::one_more(before) } else { 0 }
    }

    /// How long the `openings`th opening in a row lasts, as it is stored: 0 stands for the base.
    ///
    /// `previous` is the stored length of the one before.
    #[cfg_attr(target_family = "wasm", inline(always))]
    pub(super) fn draw(&self, openings: u64, previous: f64, random: &mut dyn FnMut() -> f64) -> f64 {
        if self.is_plain() {
            return 0.0;
        }
        let plain = self.growth.map_or(self.base_ms, |Capped { growth, max_ms }| {
            growth.at(self.base_ms, openings, previous, random).min(max_ms)
        });
        let drawn = if self.jitter > 0.0 { plain * (1.0 + self.jitter * unit(random())) } else { plain };
        let whole = round_ms(drawn);
        if whole > self.base_ms { whole } else { 0.0 }
    }

    /// How long an opening lasts of which `stored` is known, whatever wrote it.
    #[inline]
    pub(super) fn lasts(&self, stored: f64) -> f64 {
        if stored > self.base_ms && !self.is_plain() {
            span(stored).min(self.longest()).max(self.base_ms)
        } else {
            self.base_ms
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn growing(growth: Growth) -> OpenTime {
        OpenTime { base_ms: 1_000.0, growth: Some(Capped { growth, max_ms: 60_000.0 }), jitter: 0.0 }
    }

    const GROWING: OpenTime = growing(Growth::Exponential { factor: 2.0 });

    /// AWS: v = min(cap, base * 2^n), n counting from 0; V2 curves overflowed past 1,024 (cases 1 and 4).
    #[test]
    fn grows_to_the_cap_and_stays() {
        let plain: [f64; 9] = core::array::from_fn(|index| {
            let opening = index as u64 + 1;
            GROWING.lasts(GROWING.draw(opening, 0.0, &mut || panic!("no jitter, no draw")))
        });
        assert_eq!(plain, [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 60e3, 60e3, 60e3]);
        for opening in [64, 1_024, 1_000_000, u64::MAX] {
            assert_eq!(GROWING.draw(opening, 0.0, &mut || 0.0), 60_000.0);
        }
    }

    #[test]
    fn factor_one_is_constant_at_any_opening() {
        let flat = growing(Growth::from(1.0));
        assert_eq!(flat.lasts(flat.draw(u64::MAX, 0.0, &mut || 0.0)), 1_000.0);
    }

    /// Each curve by its formula, base 1,000, capped at 60,000 and never below the base.
    #[test]
    fn grows_along_any_curve() {
        for (growth, lengths) in [
            (Growth::from(3.0), [1e3, 3e3, 9e3, 27e3, 60e3, 60e3, 60e3, 60e3]),
            (Growth::Fibonacci, [1e3, 1e3, 2e3, 3e3, 5e3, 8e3, 13e3, 21e3]),
            (Growth::Linear, [1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3]),
            // Each draw of .5: half-way between 1,000 and three times the one before.
            (
                Growth::DecorrelatedJitter { factor: 3.0 },
                [2_000.0, 3_500.0, 5_750.0, 9_125.0, 14_188.0, 21_782.0, 33_173.0, 50_260.0],
            ),
        ] {
            let open = growing(growth);
            let mut previous = 0.0;
            for (opening, length) in (1..).zip(lengths) {
                previous = open.draw(opening, previous, &mut || 0.5);
                assert_eq!(open.lasts(previous), length, "{growth:?}, opening {opening}");
            }
            for hostile in [f64::NAN, f64::INFINITY, -1.0] {
                let length = open.lasts(open.draw(u64::MAX, hostile, &mut || hostile));
                assert!((1e3..=60e3).contains(&length), "{growth:?} {hostile}: {length}");
            }
        }
    }

    #[test]
    fn jitter_only_lengthens_and_draws_once() {
        let jittered = OpenTime { growth: None, jitter: 0.5, ..GROWING };
        for (random, expected) in [(0.0, 0.0), (0.5, 1_250.0), (1.0, 1_500.0), (9.0, 1_500.0), (f64::NAN, 0.0)] {
            let mut draws = 0;
            let stored = jittered.draw(1, 0.0, &mut || {
                draws += 1;
                random
            });
            assert_eq!((stored, draws), (expected, 1));
        }
        assert_eq!(jittered.lasts(0.0), 1_000.0);
    }

    #[test]
    fn a_plain_opening_is_stored_as_the_base_even_if_that_is_not_whole() {
        let plain = OpenTime { base_ms: 1_000.5, growth: None, jitter: 0.0 };
        assert_eq!(plain.draw(1, 0.0, &mut || panic!("no jitter, no draw")), 0.0);
        for stored in [0.0, 1_001.0, 9e9, f64::NAN] {
            assert_eq!(plain.lasts(stored), 1_000.5);
        }
    }

    #[test]
    fn what_rounds_to_the_base_is_stored_as_the_base() {
        let short = OpenTime { base_ms: 1.0, growth: None, jitter: 0.2 };
        assert_eq!(short.draw(1, 0.0, &mut || 0.5), 0.0);
    }

    #[test]
    fn a_stored_length_is_held_to_the_range() {
        assert_eq!(GROWING.lasts(1e300), 60_000.0);
        assert_eq!(GROWING.lasts(f64::NAN), 1_000.0);
        assert_eq!(GROWING.lasts(-5.0), 1_000.0);
        assert_eq!(GROWING.lasts(5.0), 1_000.0);
    }
}
