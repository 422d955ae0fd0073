use std::time::Duration;

use retry_primitives::backoff::{Exponential, exponential};
use retry_primitives::classify::HttpOptions;
use retry_primitives::worker::{Attempt, DurableRetry, report_fetch};
use worker::*;

#[durable_object]
pub struct Webhook {
    state: State,
}

impl Webhook {
    fn retry(&self) -> DurableRetry<Exponential> {
        let policy = exponential(Duration::from_secs(1)).max_attempts(8).deadline(Duration::from_secs(3_600));
        DurableRetry::new(&self.state, policy.build().expect("constant options"))
    }
}

impl DurableObject for Webhook {
    fn new(state: State, _: Env) -> Self {
        Self { state }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        Response::from_json(&self.retry().start(&request.text().await?).await?)
    }

    async fn alarm(&self) -> Result<Response> {
        let send = async |attempt: Attempt<String>| {
            let mut init = RequestInit::new();
            init.with_method(Method::Post).with_body(Some(attempt.payload().into()));
            let request = Request::new_with_init("https://example.com/hook", &init).expect("constant url");
            report_fetch(Fetch::Request(request).send_with_signal(attempt.signal()).await, &HttpOptions::default())
        };
        self.retry().on_alarm(send).await?;
        Response::empty()
    }
}
