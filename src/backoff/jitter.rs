//! Spreading clients out.

use crate::number::unit;

/// How a wait of `d` is spread, so that clients which failed together do not come back together.
///
/// Source: the AWS Architecture Blog's "Exponential Backoff And Jitter"; Polly for [`Quarter`](Self::Quarter).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum Jitter {
    /// `d` itself: predictable, and the reason herds retry in lockstep.
    None,
    /// Anywhere from 0 to `d`: the strongest spread; halves the mean wait. The default.
    #[default]
    Full,
    /// Anywhere from `d / 2` to `d`: keeps most of the backoff and still spreads.
    Equal,
    /// Anywhere from `.75 d` to `1.25 d`, and no more than the cap: keeps the mean wait.
    Quarter,
}

impl Jitter {
    /// The spread wait; draws one random number, or none for [`Jitter::None`].
    #[inline]
    pub(super) fn apply<R: FnMut() -> f64>(self, delay_ms: f64, random: &mut R) -> f64 {
        let (low, span) = match self {
            Self::None => return delay_ms,
            Self::Full => (0.0, delay_ms),
            Self::Equal => (delay_ms / 2.0, delay_ms / 2.0),
            Self::Quarter => return delay_ms * (0.75 + 0.5 * unit(random())),
        };
        low + span * unit(random())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_spreads_over_its_own_range() {
        for (mode, low, middle, high) in [
            (Jitter::None, 800.0, 800.0, 800.0),
            (Jitter::Full, 0.0, 400.0, 800.0),
            (Jitter::Equal, 400.0, 600.0, 800.0),
            (Jitter::Quarter, 600.0, 800.0, 1_000.0),
        ] {
            assert_eq!(mode.apply(800.0, &mut || 0.0), low, "{mode:?}");
            assert_eq!(mode.apply(800.0, &mut || 0.5), middle, "{mode:?}");
            assert_eq!(mode.apply(800.0, &mut || 1.0), high, "{mode:?}");
        }
    }

    #[test]
    fn a_draw_out_of_range_is_brought_back() {
        for (draw, wait) in [(f64::NAN, 0.0), (-1.0, 0.0), (7.0, 800.0), (f64::INFINITY, 800.0)] {
            assert_eq!(Jitter::Full.apply(800.0, &mut || draw), wait, "{draw}");
        }
    }
}
