//! A Worker that shows the Workers integration to its tests, route by route.
//!
//! | route | what it does |
//! | --- | --- |
//! | `/probe/<name>/...` | a `Probe`, a Durable Object that does as its plan says |
//! | `/webhook/<name>` | the Durable Object of the module doc |
//! | `POST /queue` | sends the body, a text, to the queue |
//! | `POST /settle` | settles a made-up message, and answers with what it was told |
//! | `/breakers/...` | calls through shared breakers |
//! | `POST /retry` | gets a url until it succeeds, within the request |
//! | `/random` | some random numbers |

// The examples of the documentation, as they stand there.
#[path = "../../../src/worker/examples/consumer.rs"]
mod consumer;
#[path = "../../../src/worker/examples/webhook.rs"]
mod webhook;

mod attempt;
mod breakers;
mod executor;
mod fake_message;
mod probe;

use worker::{Context, Env, Fetch, Request, Response, Result, event, js_sys, wasm_bindgen::JsCast};

#[event(fetch)]
async fn fetch(mut request: Request, env: Env, context: Context) -> Result<Response> {
    let path = request.path();
    match path.split('/').skip(1).collect::<Vec<_>>()[..] {
        ["probe", name, ..] => env.durable_object("PROBE")?.get_by_name(name)?.fetch_with_request(request).await,
        ["webhook", name] => env.durable_object("WEBHOOK")?.get_by_name(name)?.fetch_with_request(request).await,
        ["queue"] => send(&env, &request.text().await?).await,
        ["settle"] => Response::from_json(&fake_message::settle(&request.json().await?)?),
        ["breakers", kind, ref rest @ ..] => breakers::route(kind, rest, &request.url()?, &env, &context).await,
        ["retry"] => executor::retry(&request.json().await?).await,
        ["random"] => Response::from_json(&[(); 8].map(|()| retry_primitives::worker::random())),
        ["fetch"] => Fetch::Url(request.text().await?.parse()?).send().await,
        _ => Response::error("no such route", 404),
    }
}

async fn send(env: &Env, body: &str) -> Result<Response> {
    let queue = js_sys::Reflect::get(env, &"QUEUE".into())?;
    let send: js_sys::Function = js_sys::Reflect::get(&queue, &"send".into())?.dyn_into()?;
    let sent: js_sys::Promise = send.call1(&queue, &body.into())?.dyn_into()?;
    js_sys::futures::JsFuture::from(sent).await?;
    Response::empty()
}
