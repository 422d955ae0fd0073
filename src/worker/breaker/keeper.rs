//! The Durable Object's side of an object breaker.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::{cell::Cell, fmt};

use serde::{Serialize, de::DeserializeOwned};
use worker::{
    ListOptions, Request, Response, Result, Storage,
    js_sys::{self, JSON},
};

use super::{
    Snapshot,
    object::MAX_LISTED,
    wire::{Admitted, Ask, Counted, Names},
};
use crate::{
    breaker::{Breaker, Report},
    worker::{durable_retry::to_js, now, random},
};

const STATE_KEY: &str = "breaker";
const LISTED_KEY: &str = "listed";
const NAME_PREFIX: &str = "name:";

/// What a Durable Object class of an [`ObjectBreaker`](super::ObjectBreaker) consists of: keep it in the object, and let
/// it [`handle`](Self::handle) every request.
///
/// Each change is made in memory in one go and stored before the answer leaves, so neither two callers at once nor the
/// end of the object lose any. A healthy dependency under a
/// [`ConsecutiveBreaker`](crate::breaker::ConsecutiveBreaker) writes nothing.
pub struct BreakerObject<B: Breaker> {
    storage: Storage,
    breaker: B,
    known: Cell<Option<Known<B::State>>>,
}

#[derive(Clone, Copy)]
struct Known<S> {
    state: S,
    listed: bool,
}

impl<B: Breaker + fmt::Debug> fmt::Debug for BreakerObject<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BreakerObject").field("breaker", &self.breaker).finish_non_exhaustive()
    }
}

impl<B> BreakerObject<B>
where
    B: Breaker,
    B::State: Serialize + DeserializeOwned + PartialEq,
{
    /// The breaker in an object's storage.
    pub const fn new(storage: Storage, breaker: B) -> Self {
        Self { storage, breaker, known: Cell::new(None) }
    }

    /// Answers a request of an [`ObjectBreaker`](super::ObjectBreaker).
    ///
    /// # Errors
    /// The storage's own. Let them escape `fetch`.
    pub async fn handle(&self, mut request: Request) -> Result<Response> {
        let text = request.text().await?;
        let ask = JSON::parse(&text).map_err(drop).and_then(|ask| serde_wasm_bindgen::from_value(ask).map_err(drop));
        let Ok(ask) = ask else { return Response::error("not a question for a breaker", 400) };
        match ask {
            Ask::Add { name } => {
                self.storage.put(&alloc::format!("{NAME_PREFIX}{name}"), true).await?;
                return answer(&());
            }
            Ask::Names => return answer(&Names { names: self.names().await? }),
            _ => {}
        }

        // From here on there is no await before the new state is in memory: nobody else comes in between.
        let Known { state, listed } = self.load().await?;
        let now = now();
        let (next, answer) = match ask {
            Ask::Request => {
                let (next, verdict) = self.breaker.request(state, now);
                (next, answer(&Admitted::new(verdict, !listed)))
            }
            Ask::Report { result, epoch, duration_ms } => {
                let report = Report { result, epoch: Some(epoch), duration_ms };
                let (next, reported) = self.breaker.report_with(state, now, report, &mut random);
                (next, answer(&Counted { reported }))
            }
            Ask::Force { force } => {
                let next = force.apply(&self.breaker, state, now);
                (next, answer(&Snapshot::new("", &self.breaker, next)))
            }
            Ask::Listed => {
                self.known.set(Some(Known { state, listed: true }));
                self.storage.put(LISTED_KEY, true).await?;
                return answer(&());
            }
            Ask::Peek | Ask::Add { .. } | Ask::Names => (state, answer(&Snapshot::new("", &self.breaker, state))),
        };
        if next != state {
            self.store(next, listed).await?;
        }
        answer
    }

    async fn load(&self) -> Result<Known<B::State>> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        // The platform lets no other event in while a read of the storage is under way.
        let listed = self.storage.get(LISTED_KEY).await.ok().flatten().unwrap_or(false);
        let stored = js_sys::futures::JsFuture::from(self.storage.as_raw().get(STATE_KEY)?).await?;
        let state = if stored.is_undefined() {
            None
        } else {
            serde_wasm_bindgen::from_value(stored).map(Some).unwrap_or_else(|problem| {
                worker::console_error!("the breaker's stored state was unreadable, it starts over: {problem}");
                None
            })
        };
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        match state {
            Some(state) => {
                let known = Known { state, listed };
                self.known.set(Some(known));
                Ok(known)
            }
            // Stored although nothing has happened: the epoch of the calls that it admits must outlive the object.
            None => {
                let state = self.breaker.init(now());
                self.store(state, listed).await?;
                Ok(self.known.get().unwrap_or(Known { state, listed }))
            }
        }
    }

    async fn store(&self, state: B::State, listed: bool) -> Result<()> {
        self.known.set(Some(Known { state, listed }));
        let stored = self.storage.put(STATE_KEY, state).await;
        if stored.is_err() {
            // What is in memory is ahead of the storage: read it again.
            self.known.set(None);
        }
        stored
    }

    async fn names(&self) -> Result<Vec<String>> {
        let options = ListOptions::new().prefix(NAME_PREFIX).limit(MAX_LISTED);
        let keys = self.storage.list_with_options(options).await?.keys();
        let names = keys.into_iter().filter_map(|key| key.ok()?.as_string());
        Ok(names.filter_map(|key| key.strip_prefix(NAME_PREFIX).map(String::from)).collect())
    }
}

fn answer<T: Serialize>(value: &T) -> Result<Response> {
    Response::ok(String::from(JSON::stringify(&to_js(value)?)?))
}
