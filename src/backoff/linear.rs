//! `base * n`.

use core::time::Duration;

use super::{Builder, Curve};
use crate::number::duration_ms;

/// The curve `base * n`; see [`linear`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    pub(crate) base_ms: f64,
}

/// Waits `base * n` after attempt n: for a lock, a lease or a quota window that frees itself.
///
/// `base` may be zero, which retries at once.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::{Jitter, linear};
///
/// let policy = linear(Duration::from_millis(100)).max_attempts(5).jitter(Jitter::None).build()?;
/// let waits: Vec<_> = policy.preview(|| 0.0).take(10).collect();
/// assert_eq!(waits, [100, 200, 300, 400].map(Duration::from_millis));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn linear(base: Duration) -> Builder<Linear> {
    Builder::new(Linear { base_ms: duration_ms(base) })
}

impl Curve for Linear {
    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, _: f64, _: &mut R) -> f64 {
        self.base_ms * attempt as f64
    }
}
