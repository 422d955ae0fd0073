//! A durable operation behind a breaker.

use core::cell::Cell;

use serde::de::DeserializeOwned;
use worker::Result;

use super::SharedBreaker;
use crate::{
    backoff::Curve,
    breaker::{self, CallResult},
    operation::{Operation, Report},
    shared::{self, put_off},
    worker::{Attempt, DurableRetry, now, random},
};

/// What an HTTP attempt says of its host. No answer in time, no connection, any 5xx, 408 and 429 are failures; every
/// other status is a success, since the host is there and answers: a 404 is the request's fault.
///
/// Those are what .NET's standard resilience handler counts; Envoy's outlier detection counts the same but 408 and 429.
pub fn judge_fetch(report: &Report) -> CallResult {
    shared::judge(report.status(), report.is_success())
}

enum Made {
    No,
    Begun,
    Ended(CallResult),
}

impl<C: Curve> DurableRetry<C> {
    /// [`on_alarm`](Self::on_alarm) behind the breaker of the dependency `name`.
    ///
    /// While the breaker refuses, the operation is put off to the moment at which it will admit a call, and up to a
    /// tenth ([`POSTPONE_JITTER`](super::POSTPONE_JITTER)) longer; that spends no attempt, see [`Operation::postpone`].
    /// Otherwise the attempt is made, and `judge` says what it means for the dependency: [`judge_fetch`] for HTTP. One
    /// that ran out of time is a failure.
    ///
    /// The breaker is asked before the attempt is marked as begun, so its answer takes nothing from the attempt's time,
    /// and a process that ends meanwhile has spent nothing.
    ///
    /// # Errors
    /// As [`on_alarm`](Self::on_alarm).
    pub async fn on_alarm_behind<S, P, F>(
        &self,
        breaker: &S,
        name: &str,
        judge: impl FnOnce(&Report) -> CallResult,
        attempt: F,
    ) -> Result<Option<Operation>>
    where
        S: SharedBreaker,
        P: DeserializeOwned,
        F: AsyncFnOnce(Attempt<P>) -> Report,
    {
        let due = self.read().await?.is_some_and(|operation| operation.is_due(now()));
        if !due {
            // Early, lost or over: nobody is called.
            return self.on_alarm(attempt).await;
        }
        let admission = breaker.request(name).await;
        if !admission.ok() {
            return self.postpone(put_off(now(), admission.verdict().retry_after_ms, random())).await;
        }
        let made = Cell::new(Made::No);
        let handled = self
            .on_alarm(async |what| {
                made.set(Made::Begun);
                let report = attempt(what).await;
                made.set(Made::Ended(judge(&report)));
                report
            })
            .await;
        let result = match made.into_inner() {
            Made::No => CallResult::Ignored,
            Made::Begun => CallResult::Failure,
            Made::Ended(result) => result,
        };
        breaker.report(admission, breaker::Report::new(result)).await;
        handled
    }
}
