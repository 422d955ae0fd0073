//! The few functions beyond `+ - * /` that a curve needs, made of nothing else: so they have the same bits on every target.

use core::f64::consts::{LN_2, LOG2_E};

/// `2^x` for x from 0 up to, not including, 1,024; relative error below 1e-14.
#[inline]
pub(super) fn exp2(x: f64) -> f64 {
    // The nearest whole number, so that the series below has to reach no further than ln 2 / 2.
    let whole = (x + 0.5) as i64;
    let exponent = (x - whole as f64) * LN_2;
    let mut series = 1.0;
    let mut term = 16.0;
    while term > 0.0 {
        series = 1.0 + series * exponent / term;
        term -= 1.0;
    }
    // In two halves: 2^1024 itself is no f64, but its product with a series below 1 is.
    let half = whole >> 1;
    series * power_of_two(half) * power_of_two(whole - half)
}

/// `2^exponent` for a whole exponent from 0 to 1,023.
#[inline]
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits((1_023 + exponent as u64) << 52)
}

/// The square root of a positive number, to the last bit or the one before.
#[inline]
pub(super) fn square_root(x: f64) -> f64 {
    // Half the exponent is a guess within 6 %, and each step of Newton's squares what is wrong with it.
    let mut root = f64::from_bits((x.to_bits() >> 1) + (1_023 << 51));
    let mut steps = 5;
    while steps > 0 {
        root = (root + x / root) / 2.0;
        steps -= 1;
    }
    root
}

/// The hyperbolic tangent of a number of at least 0; absolute error below 1e-15.
#[inline]
pub(super) fn hyperbolic_tangent(x: f64) -> f64 {
    // From 19.1 on it is 1 in f64.
    let x = if x < 20.0 { x } else { 20.0 };
    1.0 - 2.0 / (exp2(2.0 * LOG2_E * x) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(ours: f64, exact: f64, allowed: f64) {
        assert!((ours / exact - 1.0).abs() < allowed, "{ours} is not {exact}");
    }

    #[test]
    fn powers_of_two_are_those_of_the_standard_library() {
        for step in 0..1_023_000 {
            let x = f64::from(step) / 1e3;
            near(exp2(x), x.exp2(), 2e-15);
        }
        assert_eq!([0.0, 1.0, 10.0, 1_023.0].map(exp2), [1.0, 2.0, 1_024.0, 2_f64.powi(1_023)]);
        assert!(exp2(1_023.999_999).is_finite());
    }

    #[test]
    fn square_roots_are_those_of_the_standard_library() {
        for step in 1..200_000 {
            let x = f64::from(step) / 977.0;
            near(square_root(x), x.sqrt(), 3e-16);
        }
        near(square_root(1e-300), 1e-150, 3e-16);
    }

    #[test]
    fn tangents_are_those_of_the_standard_library() {
        for step in 0..250_000 {
            let x = f64::from(step) / 1e4;
            assert!((hyperbolic_tangent(x) - x.tanh()).abs() < 1e-15, "{x}");
        }
        assert_eq!(hyperbolic_tangent(0.0), 0.0);
    }
}
