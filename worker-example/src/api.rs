//! The routes.

use worker::{Context, Env, Headers, Method, Request, RequestInit, Response};

use crate::{
    auth,
    body::{MAX_BODY, Webhook},
    breakers, demo,
    problem::Problem,
};

pub(crate) async fn route(request: Request, env: &Env, context: &Context) -> Result<Response, Problem> {
    let path = request.path();
    if path == "/demo/receiver" && flag(env, "DEMO_RECEIVER") {
        return Ok(demo::receive(request, env).await?);
    }
    let segments: Vec<_> = path.split('/').skip(1).collect();
    if let ["breakers", rest @ ..] = &segments[..] {
        return breakers::route(rest, &request, env, context).await;
    }
    auth::check(request.headers(), env, "API_TOKEN")?;
    match segments[..] {
        ["deliveries"] => match request.method() {
            Method::Post => create(request, env).await,
            _ => Err(Problem::method("POST")),
        },
        ["deliveries", id] => match request.method() {
            method @ (Method::Get | Method::Delete) => forward(env, id, method, None).await,
            _ => Err(Problem::method("GET, DELETE")),
        },
        _ => Err(Problem::not_found()),
    }
}

async fn create(mut request: Request, env: &Env) -> Result<Response, Problem> {
    let body = read(&mut request).await?;
    let webhook = Webhook::parse(&body, flag(env, "ALLOW_PRIVATE_TARGETS"))?;
    let webhook = serde_json::to_string(&webhook).map_err(worker::Error::from)?;
    let namespace = env.durable_object("DELIVERY")?;
    let id = match idempotency_key(request.headers())? {
        Some(key) => namespace.id_from_name(&key)?,
        None => namespace.unique_id()?,
    };
    forward(env, &id.to_string(), Method::Post, Some(webhook)).await
}

/// The caller's own name for the delivery. Asked for again under the same key, it is the same delivery.
fn idempotency_key(headers: &Headers) -> Result<Option<String>, Problem> {
    match headers.get("idempotency-key")? {
        Some(key) if key.is_empty() || key.len() > 255 => {
            Err(Problem::field("idempotency-key", "must be a header of 1 to 255 bytes"))
        }
        key => Ok(key),
    }
}

/// Passes a request on to the delivery's object.
async fn forward(env: &Env, id: &str, method: Method, body: Option<String>) -> Result<Response, Problem> {
    let namespace = env.durable_object("DELIVERY")?;
    let stub = namespace.id_from_string(id).map_err(|_| Problem::not_found())?.get_stub()?;
    let headers = Headers::new();
    headers.set("content-type", "application/json")?;
    let mut init = RequestInit::new();
    init.with_method(method).with_headers(headers).with_body(body.map(Into::into));
    Ok(stub.fetch_with_request(Request::new_with_init("https://delivery/", &init)?).await?)
}

/// The body, read no further than [`MAX_BODY`].
async fn read(request: &mut Request) -> Result<Vec<u8>, Problem> {
    use worker::js_sys::{self, Reflect, Uint8Array, futures::JsFuture};
    use worker::wasm_bindgen::JsCast;

    let too_large =
        || Problem { status: 413, ..Problem::field("body", format_args!("must be at most {MAX_BODY} bytes")) };
    let Some(stream) = request.inner().body() else { return Ok(Vec::new()) };
    let reader: worker::web_sys::ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    let js = worker::Error::from;
    let mut body = Vec::new();
    loop {
        let next = JsFuture::from(reader.read()).await.map_err(js)?;
        if Reflect::get(&next, &"done".into()).map_err(js)?.is_truthy() {
            return Ok(body);
        }
        let chunk: Uint8Array = Reflect::get(&next, &"value".into()).map_err(js)?.unchecked_into();
        if body.len() + chunk.length() as usize > MAX_BODY {
            let _: js_sys::Promise = reader.cancel();
            return Err(too_large());
        }
        body.extend(chunk.to_vec());
    }
}

/// A variable that is set to `true`.
fn flag(env: &Env, name: &str) -> bool {
    env.var(name).is_ok_and(|value| value.to_string() == "true")
}
