//! On Cloudflare Workers.

use core::time::Duration;

use worker::Delay;

use super::Runtime;
use crate::worker::{now, random};

/// The platform's clock and [`worker::Delay`], for waits within one request. A wait that may outlive the isolate
/// belongs in an alarm: see [`DurableRetry`](crate::worker::DurableRetry).
///
/// ```no_run
/// use core::time::Duration;
/// use retry_primitives::{backoff::exponential, executor::{Retryable, Worker}};
/// use worker::{Fetch, Response, Result};
///
/// async fn fetch() -> Result<Response> {
///     let policy = exponential(Duration::from_millis(100)).max_attempts(3).build().expect("constant options");
///     let get = async || Fetch::Url("https://example.com/".parse()?).send().await;
///     get.retry(policy).on(Worker).await
/// }
/// # let _ = fetch;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Worker;

impl Runtime for Worker {
    type Sleep = Delay;

    /// 2^31 - 1 ms, the most that `setTimeout` counts to; more would end at once.
    const LONGEST_SLEEP: Duration = Duration::from_millis(i32::MAX as u64);

    fn now(&self) -> f64 {
        now()
    }

    fn sleep(&self, duration: Duration) -> Delay {
        Delay::from(duration)
    }

    fn random(&self) -> f64 {
        random()
    }
}
