//! `base * 1, 1, 2, 3, 5, 8, ...`.

use core::time::Duration;

use super::{Builder, Curve};
use crate::number::duration_ms;

/// The curve `base * fib(n)`; see [`fibonacci`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibonacci {
    pub(crate) base_ms: f64,
}

/// Waits `base` times the n-th Fibonacci number (1, 1, 2, 3, 5, 8, ...) after attempt n: grows by 1.6, gentler than
/// doubling.
///
/// `base` may be zero, which retries at once.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::{Jitter, fibonacci};
///
/// let policy = fibonacci(Duration::from_millis(100)).max_attempts(7).jitter(Jitter::None).build()?;
/// let waits: Vec<_> = policy.preview(|| 0.0).take(10).collect();
/// assert_eq!(waits, [100, 100, 200, 300, 500, 800].map(Duration::from_millis));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn fibonacci(base: Duration) -> Builder<Fibonacci> {
    Builder::new(Fibonacci { base_ms: duration_ms(base) })
}

impl Curve for Fibonacci {
    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, _: f64, _: &mut R) -> f64 {
        self.base_ms * number(attempt)
    }
}

/// The n-th Fibonacci number, exact up to the largest below 2^53 (the 78th), which stands for all after it.
#[inline]
fn number(n: u64) -> f64 {
    const FIRST: [u8; 14] = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233];
    // In wasm its size counts more than what it saves.
    if cfg!(not(target_family = "wasm")) && n < FIRST.len() as u64 {
        return f64::from(FIRST[n as usize]);
    }
    // Integers add faster than floats, and every one of these is exact in both.
    let (mut current, mut next) = (0_i64, 1_i64);
    for _ in 0..n.min(78) {
        (current, next) = (next, current + next);
    }
    current as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_fibonaccis() {
        let first = [0.0, 1.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0];
        for (n, expected) in (0..).zip(first) {
            assert_eq!(number(n), expected, "fib({n})");
        }
        for n in 2..=78 {
            assert_eq!(number(n), number(n - 1) + number(n - 2), "fib({n})");
        }
        assert_eq!(number(78), 8_944_394_323_791_464.0);
    }

    #[test]
    fn the_numbers_saturate() {
        for n in [79, 1_024, 1 << 53, u64::MAX] {
            assert_eq!(number(n), 8_944_394_323_791_464.0, "fib({n})");
        }
    }
}
