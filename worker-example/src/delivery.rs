//! One delivery: a Durable Object whose alarm makes the attempts.

use retry_primitives::{
    Outcome,
    backoff::Exponential,
    classify::HttpOptions,
    operation::{Operation, Phase, Report},
    worker::{Attempt, DurableRetry, PAYLOAD_KEY, breaker::judge_fetch, now, report_fetch},
};
use worker::{
    Env, Error, Fetch, Headers, Method, Request, RequestInit, RequestRedirect, Response, Result, State, durable_object,
};

use crate::{
    body::Webhook,
    breakers::{self, Breakers},
    options::Options,
    problem::Problem,
    view::View,
};

/// One delivery.
#[durable_object]
pub struct Delivery {
    state: State,
    env: Env,
}

impl worker::DurableObject for Delivery {
    fn new(state: State, env: Env) -> Self {
        Self { state, env }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        match request.method() {
            Method::Post => {
                let webhook: Webhook = request.json().await?;
                let operation = self.retry(&webhook.options)?.start(&webhook).await?;
                self.show(operation, 202).await
            }
            Method::Delete => {
                let operation = self.stored_retry().await?.cancel().await?;
                match operation {
                    None => Problem::not_found().response(),
                    Some(Operation { phase: Phase::Delivered { .. } | Phase::GaveUp { .. }, .. }) => {
                        Problem::new(409, "the delivery is over and can't be cancelled").response()
                    }
                    Some(operation) => self.show(operation, 200).await,
                }
            }
            _ => match self.stored_retry().await?.operation().await? {
                None => Problem::not_found().response(),
                Some(operation) => self.show(operation, 200).await,
            },
        }
    }

    async fn alarm(&self) -> Result<Response> {
        let webhook = self.webhook().await;
        let host = webhook.as_ref().and_then(|webhook| breakers::host(&webhook.url));
        let retry = self.retry_of(webhook)?;
        let id = self.state.id().to_string();
        let attempt = async |attempt: Attempt<Webhook>| send(&attempt, &id).await;
        let breakers = Breakers::new(&self.env, &self.state)
            .inspect_err(|error| worker::console_error!("delivering without a breaker: {error}"));
        let handled = match (breakers, host) {
            (Ok(breakers), Some(host)) => retry.on_alarm_behind(&breakers, &host, judge_fetch, attempt).await?,
            _ => retry.on_alarm(attempt).await?,
        };
        if let Some(problem) = handled.and_then(|operation| operation.recovered) {
            worker::console_error!("delivery {id} was started over: {problem}");
        }
        Response::empty()
    }
}

impl Delivery {
    fn retry(&self, options: &Options) -> Result<DurableRetry<Exponential>> {
        let refused = |error: retry_primitives::OptionError| Error::from(error.to_string());
        let retry = DurableRetry::new(&self.state, options.policy().map_err(refused)?);
        retry.request_timeout(options.timeout()).map_err(refused)
    }

    /// The retry under the options that the delivery was stored with.
    async fn stored_retry(&self) -> Result<DurableRetry<Exponential>> {
        self.retry_of(self.webhook().await)
    }

    async fn webhook(&self) -> Option<Webhook> {
        self.state.storage().get(PAYLOAD_KEY).await.unwrap_or_default()
    }

    fn retry_of(&self, webhook: Option<Webhook>) -> Result<DurableRetry<Exponential>> {
        let options = webhook.map(|webhook| webhook.options).unwrap_or_default();
        self.retry(&options).or_else(|_| self.retry(&Options::default()))
    }

    async fn show(&self, operation: Operation, status: u16) -> Result<Response> {
        let alarm = self.state.storage().get_alarm().await?;
        let view = View::new(self.state.id().to_string(), alarm, operation);
        Ok(Response::from_json(&view)?.with_status(status))
    }
}

/// One request to the receiver.
async fn send(attempt: &Attempt<Webhook>, id: &str) -> Report {
    let answer = match request(attempt.payload(), id) {
        Ok(request) => Fetch::Request(request).send_with_signal(attempt.signal()).await,
        Err(error) => Err(error),
    };
    // Whatever else a receiver answers may be mended by the next attempt; 410 says that it never will.
    report_fetch(answer, &HttpOptions::default())
        .map_outcome(|status, outcome| Outcome { retryable: status != Some(410), ..outcome })
}

fn request(webhook: &Webhook, id: &str) -> Result<Request> {
    let headers = Headers::new();
    headers.set("content-type", "application/json")?;
    headers.set("user-agent", concat!("retry-primitives-example/", env!("CARGO_PKG_VERSION")))?;
    // The names of the Standard Webhooks specification. The id is the same on every attempt.
    headers.set("webhook-id", id)?;
    headers.set("webhook-timestamp", &((now() / 1e3) as u64).to_string())?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(webhook.payload.as_str().into()));
    Request::new_with_init(&webhook.url, &init)
}
