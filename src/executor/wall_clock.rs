//! Time that another process and the next start agree on.

use core::time::Duration;
use std::time::SystemTime;

use super::Runtime;
use crate::number::duration_ms;

/// A runtime on the system's clock, in milliseconds since 1970: for a state that is stored or shared with other
/// machines.
///
/// Such a clock is corrected now and then. Going back does no harm; going forward may end a deadline or an open time
/// early.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::consecutive_breaker;
/// use retry_primitives::executor::{FakeTime, WallClock, protect};
///
/// let breaker = consecutive_breaker(5).open(Duration::from_secs(30)).build()?;
/// let time = FakeTime::new(0.0);
/// let upstream = protect(breaker, WallClock(&time));
/// assert!(upstream.state().changed_at > 1_758_124_800_000.0); // September 2025
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock<R>(
    /// Waits and gives random numbers.
    pub R,
);

impl<R: Runtime> Runtime for WallClock<R> {
    type Sleep = R::Sleep;

    const LONGEST_SLEEP: Duration = R::LONGEST_SLEEP;

    fn now(&self) -> f64 {
        match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => duration_ms(since),
            Err(before) => -duration_ms(before.duration()),
        }
    }

    fn sleep(&self, duration: Duration) -> R::Sleep {
        self.0.sleep(duration)
    }

    fn random(&self) -> f64 {
        self.0.random()
    }
}
