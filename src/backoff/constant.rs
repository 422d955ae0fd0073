//! The same wait every time.

use core::time::Duration;

use super::{Builder, Curve};
use crate::number::duration_ms;

/// The curve that stays where it is; see [`constant`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    pub(crate) delay_ms: f64,
}

/// Waits `delay` after every attempt: for polling something that will appear.
///
/// `delay` may be zero, which retries at once.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::{Jitter, constant};
///
/// let policy = constant(Duration::from_secs(1)).max_attempts(4).jitter(Jitter::None).build()?;
/// let waits: Vec<_> = policy.preview(|| 0.0).take(10).collect();
/// assert_eq!(waits, [1, 1, 1].map(Duration::from_secs));
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub fn constant(delay: Duration) -> Builder<Constant> {
    Builder::new(Constant { delay_ms: duration_ms(delay) })
}

impl Curve for Constant {
    #[inline]
    fn delay_ms<R: FnMut() -> f64>(&self, _: u64, _: f64, _: &mut R) -> f64 {
        self.delay_ms
    }
}
