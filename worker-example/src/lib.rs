//! A webhook delivery service: accepts a webhook, and delivers it however often the receiver or this service fails.
//!
//! | route | what it does |
//! | --- | --- |
//! | `POST /deliveries` | accepts `{url, payload, policy?}`, answers 202 with the delivery's id |
//! | `GET /deliveries/:id` | where it stands: status, attempts, the next time |
//! | `DELETE /deliveries/:id` | calls it off |
//! | `GET /breakers` | the circuit breakers of the receivers' hosts |
//! | `POST /breakers/:host/{open,close,reset}` | changes one by hand |
//! | `/demo/receiver` | a receiver that fails on demand; only in development |
//!
//! Those of deliveries ask for `Authorization: Bearer <API_TOKEN>`, those of breakers for `Bearer <ADMIN_TOKEN>`.
//!
//! A `POST` with an `Idempotency-Key` can be repeated when its answer was lost: the same key is the same delivery.
//!
//! A delivery whose host's breaker is open waits for the moment at which the breaker will let it through; that spends
//! none of its attempts.

mod api;
mod auth;
mod body;
mod breakers;
mod delivery;
mod demo;
mod options;
mod problem;
mod target;
mod view;

use worker::{Context, Env, Request, Response, Result, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
    match api::route(request, &env, &context).await {
        Ok(response) => Ok(response),
        Err(problem) => problem.response(),
    }
}
