//! One circuit breaker a destination host, shared by all deliveries.
//!
//! | variable | what it sets | default |
//! | --- | --- | --- |
//! | `BREAKER` | `kv`: an isolate counts for itself and tells the others; `object`: one Durable Object a host counts | `kv` |
//! | `BREAKER_FAILURES` | how many failures in a row open it | 5 |
//! | `BREAKER_OPEN_MS` | how long it then refuses | 30000 |

use std::time::Duration;

use retry_primitives::{
    breaker::{ConsecutiveBreaker, Report, Reported, consecutive_breaker},
    worker::breaker::{Admission, BreakerObject, Force, KvBreaker, ObjectBreaker, SharedBreaker, Snapshot, WaitUntil},
};
use serde_json::json;
use worker::{
    Env, Error, Method, Request, Response, Result, State, durable_object, js_sys,
    url::{Position, Url},
};

use crate::{auth, problem::Problem};

/// The breakers of all hosts, of the kind that `BREAKER` names.
pub(crate) enum Breakers<'a> {
    Kv(KvBreaker<'a, ConsecutiveBreaker>),
    Object(ObjectBreaker),
}

impl<'a> Breakers<'a> {
    pub(crate) fn new(env: &Env, background: &'a dyn WaitUntil) -> Result<Self> {
        match env.var("BREAKER").map(|kind| kind.to_string()).as_deref() {
            Err(_) | Ok("kv") => Ok(Self::Kv(KvBreaker::new(env, "BREAKERS", options(env)?, background)?)),
            Ok("object") => Ok(Self::Object(ObjectBreaker::new(env, "HOST_BREAKER")?)),
            Ok(other) => Err(Error::from(format!("BREAKER must be kv or object, got {other}"))),
        }
    }
}

impl SharedBreaker for Breakers<'_> {
    async fn request(&self, name: &str) -> Admission {
        match self {
            Self::Kv(breaker) => breaker.request(name).await,
            Self::Object(breaker) => breaker.request(name).await,
        }
    }

    async fn report(&self, admission: Admission, report: Report) -> Reported {
        match self {
            Self::Kv(breaker) => breaker.report(admission, report).await,
            Self::Object(breaker) => breaker.report(admission, report).await,
        }
    }

    async fn peek(&self, name: &str) -> Result<Snapshot> {
        match self {
            Self::Kv(breaker) => breaker.peek(name).await,
            Self::Object(breaker) => breaker.peek(name).await,
        }
    }

    async fn force(&self, name: &str, force: Force) -> Result<Snapshot> {
        match self {
            Self::Kv(breaker) => breaker.force(name, force).await,
            Self::Object(breaker) => breaker.force(name, force).await,
        }
    }

    async fn list(&self) -> Result<Vec<Snapshot>> {
        match self {
            Self::Kv(breaker) => breaker.list().await,
            Self::Object(breaker) => breaker.list().await,
        }
    }
}

fn options(env: &Env) -> Result<ConsecutiveBreaker> {
    let number = |name: &str, default: u64| match env.var(name).map(|value| value.to_string()) {
        Err(_) => Ok(default),
        Ok(text) => text.parse().map_err(|_| Error::from(format!("{name} must be a whole number, got {text}"))),
    };
    let open = Duration::from_millis(number("BREAKER_OPEN_MS", 30_000)?);
    let breaker = consecutive_breaker(number("BREAKER_FAILURES", 5)?).open(open).open_jitter(0.1).build();
    breaker.map_err(|error| Error::from(error.to_string()))
}

/// The breaker of one host, where `BREAKER` is `object`.
#[durable_object]
pub struct HostBreaker {
    object: Result<BreakerObject<ConsecutiveBreaker>>,
}

impl worker::DurableObject for HostBreaker {
    fn new(state: State, env: Env) -> Self {
        Self { object: options(&env).map(|options| BreakerObject::new(state.storage(), options)) }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        match &self.object {
            Ok(object) => object.handle(request).await,
            Err(error) => Response::error(error.to_string(), 500),
        }
    }
}

/// The host of a URL, with its port where that is not the scheme's own: what its breaker is called.
pub(crate) fn host(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = &url[Position::BeforeHost..Position::AfterPort];
    (!host.is_empty()).then(|| host.to_owned())
}

/// The longest host, in bytes: a name of 253 (RFC 1035) and a port.
const MAX_HOST: usize = 259;

/// `GET /breakers` and `POST /breakers/:host/{open,close,reset}`, for whoever shows the token of `ADMIN_TOKEN`.
pub(crate) async fn route(
    path: &[&str],
    request: &Request,
    env: &Env,
    background: &dyn WaitUntil,
) -> Result<Response, Problem> {
    auth::check(request.headers(), env, "ADMIN_TOKEN")?;
    let breakers = Breakers::new(env, background)?;
    match *path {
        [] => match request.method() {
            Method::Get => Ok(Response::from_json(&json!({ "breakers": breakers.list().await? }))?),
            _ => Err(Problem::method("GET")),
        },
        [name, action] => {
            let force = Force::parse(action).ok_or_else(Problem::not_found)?;
            if request.method() != Method::Post {
                return Err(Problem::method("POST"));
            }
            let name = decode(name).and_then(|name| {
                host(&format!("http://{name}/")).filter(|host| *host == name && host.len() <= MAX_HOST)
            });
            let name = name.ok_or_else(|| {
                Problem::field(
                    "host",
                    "must be a host as its URL spells it, in lower case, with the port if it has one, at most 259 bytes",
                )
            })?;
            Ok(Response::from_json(&breakers.force(&name, force).await?)?)
        }
        _ => Err(Problem::not_found()),
    }
}

fn decode(segment: &str) -> Option<String> {
    js_sys::decode_uri_component(segment).ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_as_its_url_spells_it() {
        for (url, name) in [
            ("https://Example.COM/hook?x=1", "example.com"),
            ("https://example.com:443/", "example.com"),
            ("http://example.com:8080/", "example.com:8080"),
            ("http://[2606:4700::1111]:81/", "[2606:4700::1111]:81"),
            ("https://bücher.example/", "xn--bcher-kva.example"),
        ] {
            assert_eq!(host(url).as_deref(), Some(name), "{url}");
        }
        assert_eq!(host("data:x"), None);
        assert_eq!(host("no url"), None);
    }
}
