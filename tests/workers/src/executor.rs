//! Waits within one request, on the platform's timer.

use core::{
    cell::RefCell,
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};
use std::time::Duration;

use retry_primitives::{
    backoff::{Jitter, constant},
    breaker::consecutive_breaker,
    executor::{Retryable, protect},
};
use serde::{Deserialize, Serialize};
use worker::{Delay, Fetch, Response, Result};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    url: String,
    delay_ms: u64,
    max_attempts: u64,
    /// When the retry is dropped.
    patience_ms: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    /// The status of each attempt.
    statuses: Vec<u16>,
    /// `None` when it was dropped.
    succeeded: Option<bool>,
    took_ms: f64,
}

/// Gets the url until it answers with a success, behind a breaker that opens at the third failure for as long as a delay.
pub(crate) async fn retry(plan: &Plan) -> Result<Response> {
    let delay = Duration::from_millis(plan.delay_ms);
    let policy = constant(delay).unlimited_delay().jitter(Jitter::None).max_attempts(plan.max_attempts);
    let policy = policy.build().map_err(|error| error.to_string())?;
    let breaker = consecutive_breaker(3).open(delay).build().map_err(|error| error.to_string())?;
    let upstream = protect(breaker, retry_primitives::executor::Worker);
    let statuses = RefCell::new(vec![]);
    let get = || {
        upstream.call(async || {
            let status = Fetch::Url(plan.url.parse()?).send().await?.status_code();
            statuses.borrow_mut().push(status);
            if status < 300 { Ok(()) } else { Err(worker::Error::from(status.to_string())) }
        })
    };
    let started = retry_primitives::worker::now();
    let succeeded = {
        // No word on where to wait: on Workers that is the platform.
        let mut retry = pin!(get.retry(policy).classify(|error, _| error.meaning(|_| true)));
        let mut patience = pin!(Delay::from(Duration::from_millis(plan.patience_ms)));
        poll_fn(|context| match retry.as_mut().poll(context) {
            Poll::Ready(result) => Poll::Ready(Some(result.is_ok())),
            Poll::Pending => patience.as_mut().poll(context).map(|()| None),
        })
        .await
    };
    let took_ms = retry_primitives::worker::now() - started;
    Response::from_json(&Outcome { statuses: statuses.into_inner(), succeeded, took_ms })
}
