//! A webhook delivery service: accepts a webhook, and delivers it however often the receiver or this service fails.
//!
//! | route | what it does |
//! | --- | --- |
//! | `POST /deliveries` | accepts `{url, payload, policy?}`, answers 202 with the delivery's id |
//! | `GET /deliveries/:id` | where it stands: status, attempts, the next time |
//! | `DELETE /deliveries/:id` | calls it off |
//! | `/demo/receiver` | a receiver that fails on demand; only in development |
//!
//! Every route but the last asks for `Authorization: Bearer <API_TOKEN>`.

mod api;
mod auth;
mod body;
mod delivery;
mod demo;
mod options;
mod problem;
mod target;

use worker::{Context, Env, Request, Response, Result, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> Result<Response> {
    match api::route(request, &env).await {
        Ok(response) => Ok(response),
        Err(problem) => problem.response(),
    }
}
