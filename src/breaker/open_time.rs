//! How long an opening lasts: the same each time, or longer with each opening in a row; exactly that, or jittered.

use super::state::span;
use crate::number::{MAX_SAFE_MS, round_ms, unit};

/// Checked by the builder: `base_ms` at least 1, `factor` at least 1, `max_ms` at least `base_ms`, `jitter` in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OpenTime {
    pub(super) base_ms: f64,
    pub(super) growth: Option<Growth>,
    pub(super) jitter: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    pub(super) factor: f64,
    pub(super) max_ms: f64,
}

impl OpenTime {
    /// The shortest opening.
    #[inline]
    pub(super) const fn shortest(&self) -> f64 {
        self.base_ms
    }

    /// The longest opening.
    fn longest(&self) -> f64 {
        let longest = self.growth.map_or(self.base_ms, |growth| growth.max_ms);
        (longest * (1.0 + self.jitter)).min(MAX_SAFE_MS)
    }

    /// How many openings in a row to store after one more: 0 where nobody needs to know.
    pub(super) fn openings(&self, before: u64) -> u64 {
        if self.growth.is_some() { super::state::one_more(before) } else { 0 }
    }

    /// How long the `openings`th opening in a row lasts, as it is stored: 0 stands for the base.
    ///
    /// `previous` is the stored length of the one before; a curve such as decorrelated jitter wants it.
    pub(super) fn draw(&self, openings: u64, _previous: f64, random: &mut dyn FnMut() -> f64) -> f64 {
        let plain = self.growth.map_or(self.base_ms, |growth| growth.at(self.base_ms, openings));
        let drawn = if self.jitter > 0.0 { plain * (1.0 + self.jitter * unit(random())) } else { plain };
        // A plain base is kept as it is: rounding is for what was computed.
        if drawn > self.base_ms { round_ms(drawn).max(self.base_ms) } else { 0.0 }
    }

    /// How long an opening lasts of which `stored` is known, whatever wrote it.
    #[inline]
    pub(super) fn lasts(&self, stored: f64) -> f64 {
        if stored > self.base_ms { span(stored).min(self.longest()).max(self.base_ms) } else { self.base_ms }
    }
}

impl Growth {
    /// `base * factor^(opening - 1)`, at most `max_ms`.
    fn at(&self, base_ms: f64, opening: u64) -> f64 {
        let mut exponent = opening.saturating_sub(1);
        let (mut power, mut square) = (1.0, self.factor);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power *= square;
            }
            square *= square;
            exponent >>= 1;
        }
        (base_ms * power).min(self.max_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROWING: OpenTime =
        OpenTime { base_ms: 1_000.0, growth: Some(Growth { factor: 2.0, max_ms: 60_000.0 }), jitter: 0.0 };

    /// AWS: v = min(cap, base * 2^n), n counting from 0 (peers.md); V2 curves overflowed past 1,024 (cases 1 and 4).
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
        let flat = OpenTime { growth: Some(Growth { factor: 1.0, max_ms: 9e3 }), ..GROWING };
        assert_eq!(flat.lasts(flat.draw(u64::MAX, 0.0, &mut || 0.0)), 1_000.0);
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
    fn a_stored_length_is_held_to_the_range() {
        assert_eq!(GROWING.lasts(1e300), 60_000.0);
        assert_eq!(GROWING.lasts(f64::NAN), 1_000.0);
        assert_eq!(GROWING.lasts(-5.0), 1_000.0);
        assert_eq!(GROWING.lasts(5.0), 1_000.0);
    }
}
