//! On tokio.

use core::time::Duration;
use std::sync::OnceLock;

use tokio::time::{Instant, Sleep, sleep};

use super::Runtime;
use crate::number::duration_ms;

/// Tokio's clock and timer, within a tokio runtime that has time enabled; random numbers from `fastrand`.
///
/// The clock is monotonic and means nothing outside this process: to store a state, or to share it, go by
/// [`WallClock`](super::WallClock). Tokio's paused clock (`#[tokio::test(start_paused = true)]`) is respected, so a
/// test waits for nothing.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{backoff::exponential, executor::{Retryable, Tokio}};
/// use tokio::time::Instant;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), retry_primitives::OptionError> {
/// let policy = exponential(Duration::from_secs(60)).max_attempts(3).build()?;
/// let result: Result<(), _> = (async || Err("down")).retry(policy).on(Tokio).await;
/// assert_eq!(result, Err("down"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokio;

impl Runtime for Tokio {
    type Sleep = Sleep;

    /// A year: tokio's documentation names an end at about 2.2 years.
    const LONGEST_SLEEP: Duration = Duration::from_secs(365 * 24 * 60 * 60);

    fn now(&self) -> f64 {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        let now = Instant::now();
        let origin = *ORIGIN.get_or_init(|| now);
        // A runtime with a paused clock may stand before the origin that another one set.
        match now.checked_duration_since(origin) {
            Some(since) => duration_ms(since),
            None => -duration_ms(origin.duration_since(now)),
        }
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        sleep(duration)
    }

    fn random(&self) -> f64 {
        fastrand::f64()
    }
}
