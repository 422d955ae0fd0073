//! A breaker whose shared copy lies in Workers KV.

use alloc::{
    boxed::Box,
    format,
    rc::Rc,
    string::{String, ToString},
    vec::Vec,
};
use core::{cell::RefCell, fmt, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use worker::{Delay, Env, Error, Result, js_sys::JSON, kv::KvStore, wasm_bindgen::JsValue};

use super::{Admission, Force, SharedBreaker, Snapshot, WaitUntil, memory};
use crate::{
    breaker::{Breaker, BreakerState, Report, Reported},
    number::duration_ms,
    shared::{MIN_KEEP_MS, READ_EVERY_MS, Replica, Write, is_of_this_time, seconds_to_live},
    worker::{
        durable_retry::{to_js, within},
        now, random,
    },
};

/// What stands before a dependency's name in its key.
pub const KEY_PREFIX: &str = "breaker:";

/// The least time to live of a key: the platform refuses less.
pub const MIN_KEEP: Duration = Duration::from_millis(MIN_KEEP_MS as u64);

/// How long a key is kept when [`KvBreaker::keep`] is not called.
pub const DEFAULT_KEEP: Duration = Duration::from_secs(86_400);

/// How long a request waits for a read of KV, at most once in 30 s; then it goes by what its isolate knows.
pub const READ_TIMEOUT: Duration = Duration::from_secs(1);

const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// The breakers of named dependencies, shared by every isolate that has the same KV namespace.
///
/// Each isolate counts for itself, without I/O. A transition is written to KV after the response; an isolate whose
/// knowledge is 30 s old reads before it answers a request. What is read and what is known is joined by
/// [`Breaker::merge`].
///
/// - **Cost.** A dependency that is healthy costs one read in 30 s an isolate, and no write. Whatever happens, an isolate
///   writes a key at most once a second; a transition that comes sooner is kept and written when the second is over.
///   Refused writes are repeated with the next calls, after 2, 4, 8, 16 and then 32 s.
/// - **How late others know.** As a rule within 91 s: the second above, 60 s until KV shows a write everywhere (the
///   platform says 60 s or more), and 30 s until the next read. A read or a write that KV refuses adds its own wait. A new
///   isolate reads before its first answers, each request for itself until a read has ended.
/// - **Probes.** Each isolate that calls a dependency runs its own trial until it has read of another's. With N such
///   isolates at most N x `half_open_probes` probes go out per trial, not `half_open_probes`; a trial whose probes are lost
///   is renewed after `half_open`. Use [`ObjectBreaker`](super::ObjectBreaker) where that is too many. Jitter of the open
///   time is drawn by the isolate that opens: those that learn of it share its moment.
/// - **Failures of KV** reach no request: refused, late (1 s), or junk in the value (a state over an hour ahead of the
///   clock is junk too), the isolate goes by what it knows. The
///   first of each kind is logged for each dependency.
///
/// Keys are [`KEY_PREFIX`] and the name. KV takes keys up to 512 bytes: a longer name is a breaker of one isolate, and
/// logged.
pub struct KvBreaker<'a, B> {
    kv: KvStore,
    binding: String,
    breaker: B,
    keep: Duration,
    background: &'a dyn WaitUntil,
}

impl<B: fmt::Debug> fmt::Debug for KvBreaker<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KvBreaker").field("binding", &self.binding).field("breaker", &self.breaker).finish()
    }
}

impl<'a, B: Breaker> KvBreaker<'a, B> {
    /// The breakers in the KV namespace of that binding. `background` outlives the response: the `Context` of a fetch, or
    /// an object's `State`.
    ///
    /// # Errors
    /// There is no such binding.
    pub fn new(env: &Env, binding: &str, breaker: B, background: &'a dyn WaitUntil) -> Result<Self> {
        Ok(Self { kv: env.kv(binding)?, binding: binding.into(), breaker, keep: DEFAULT_KEEP, background })
    }

    /// How long KV keeps the state of a dependency that has no transition. Less than [`MIN_KEEP`] is taken as that; an
    /// opening is kept past its end in any case. A key that vanishes closes nothing: isolates go by the state they know.
    ///
    /// # Default
    /// One day ([`DEFAULT_KEEP`]).
    #[must_use]
    pub const fn keep(mut self, keep: Duration) -> Self {
        self.keep = keep;
        self
    }
}

impl<B> KvBreaker<'_, B>
where
    B: Breaker + Clone + 'static,
    B::State: Serialize + DeserializeOwned + 'static,
{
    fn shared(&self, name: &str) -> Shared<B> {
        Shared {
            replica: memory::replica(&self.binding, name, now(), || self.breaker.init(now())),
            kv: self.kv.clone(),
            binding: self.binding.clone(),
            name: name.into(),
            breaker: self.breaker.clone(),
            keep: self.keep,
        }
    }

    /// Starts the task that writes what has to be written.
    fn publish(&self, shared: Shared<B>) {
        let wait = shared.replica.borrow_mut().pace.publish(now());
        if let Some(wait) = wait {
            self.background.wait_until(Box::pin(async move { drop(shared.write(wait).await) }));
        }
    }
}

impl<B> SharedBreaker for KvBreaker<'_, B>
where
    B: Breaker + Clone + 'static,
    B::State: Serialize + DeserializeOwned + 'static,
{
    async fn request(&self, name: &str) -> Admission {
        let shared = self.shared(name);
        shared.refresh().await;
        let verdict = shared.replica.borrow_mut().request(&self.breaker, now());
        self.publish(shared);
        Admission::new(name.into(), verdict)
    }

    async fn report(&self, admission: Admission, report: Report) -> Reported {
        let shared = self.shared(&admission.name);
        let report = report.admitted_by(&admission.verdict);
        let reported = shared.replica.borrow_mut().report(&self.breaker, now(), report, &mut random);
        self.publish(shared);
        reported
    }

    async fn peek(&self, name: &str) -> Result<Snapshot> {
        let shared = self.shared(name);
        shared.refresh().await;
        let state = shared.replica.borrow().state();
        Ok(Snapshot::new(name, &self.breaker, state))
    }

    /// Waits for the write, so that the caller knows. What could not be written, or is held back since KV refused the
    /// last write, is an error; it is still in force in this isolate, and tried again with its next calls.
    async fn force(&self, name: &str, force: Force) -> Result<Snapshot> {
        let shared = self.shared(name);
        shared.replica.borrow_mut().pace.begin_read(now());
        shared.read().await;
        shared.replica.borrow_mut().force(&self.breaker, now(), force);
        let state = shared.replica.borrow().state();
        shared.write(0.0).await?;
        if !shared.replica.borrow().pace.is_published() {
            return Err(Error::from("KV took no write just now; it is in force in this isolate, and tried again"));
        }
        Ok(Snapshot::new(name, &self.breaker, state))
    }

    /// Those in KV, which are the dependencies that have been open within [`keep`](Self::keep), and those that this
    /// isolate has called; the first thousand of KV, by name.
    async fn list(&self) -> Result<Vec<Snapshot>> {
        let mut states = memory::replicas::<B::State>(&self.binding);
        let listed = self.kv.list().prefix(KEY_PREFIX.into()).execute().await?;
        for key in listed.keys {
            let Some(name) = key.name.strip_prefix(KEY_PREFIX) else { continue };
            // The state lies in the metadata too, so that a list is one call.
            let read = key.metadata.and_then(|metadata| serde::Deserialize::deserialize(metadata).ok());
            let Some(read) = read.filter(|read| is_of_this_time(read, now())) else { continue };
            let join = |known: &B::State| self.breaker.merge(*known, read);
            let state = states.get(name).map_or(read, join);
            states.insert(name.into(), state);
        }
        Ok(states.into_iter().map(|(name, state)| Snapshot::new(&name, &self.breaker, state)).collect())
    }
}

/// One dependency, with all that a task needs which outlives its request.
struct Shared<B: Breaker> {
    replica: Rc<RefCell<Replica<B::State>>>,
    kv: KvStore,
    binding: String,
    name: String,
    breaker: B,
    keep: Duration,
}

// No borrow of the replica is held across an await.
impl<B> Shared<B>
where
    B: Breaker,
    B::State: Serialize + DeserializeOwned,
{
    async fn refresh(&self) {
        let due = self.replica.borrow_mut().pace.read_due(now());
        if due {
            self.read().await;
            self.replica.borrow_mut().pace.end_read();
        }
    }

    async fn read(&self) {
        let key = self.key();
        let text = self.kv.get(&key).cache_ttl((READ_EVERY_MS / 1e3) as u64).text();
        let read = match within(READ_TIMEOUT, text).await {
            Some(Ok(None)) => None,
            Some(Ok(Some(text))) => self.parse(&text).map_err(|problem| self.say("junk in the value", problem)).ok(),
            Some(Err(error)) => return self.say("a read failed", error),
            None => return self.say("a read failed", "no answer in time"),
        };
        self.replica.borrow_mut().learn(&self.breaker, read);
    }

    /// Writes what is to be written, after `wait` milliseconds.
    async fn write(&self, mut wait: f64) -> Result<()> {
        loop {
            if wait > 0.0 {
                Delay::from(Duration::from_millis(wait.ceil() as u64)).await;
            }
            let next = self.replica.borrow_mut().write(&self.breaker, now());
            match next {
                Write::Done => return Ok(()),
                Write::Later(later) => wait = later,
                Write::Now(state, number) => {
                    let put = within(WRITE_TIMEOUT, self.put(state)).await;
                    let put = put.unwrap_or_else(|| Err(Error::from("no answer in time")));
                    self.replica.borrow_mut().pace.wrote(number, now(), put.is_ok());
                    return put.inspect_err(|error| self.say("a write failed", error));
                }
            }
        }
    }

    fn parse(&self, text: &str) -> core::result::Result<B::State, String> {
        let value = JSON::parse(text).map_err(|error: JsValue| Error::from(error).to_string())?;
        let state: B::State = serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())?;
        if is_of_this_time(&state, now()) { Ok(state) } else { Err("changedAt is far ahead of the clock".into()) }
    }

    async fn put(&self, state: B::State) -> Result<()> {
        let value = to_js(&state)?;
        let text = String::from(JSON::stringify(&value)?);
        let retry_after_ms = self.breaker.peek(state, now()).retry_after_ms;
        let put = self
            .kv
            .put(&self.key(), text)?
            .expiration_ttl(seconds_to_live(duration_ms(self.keep), retry_after_ms) as u64);
        Ok(put.metadata(state)?.execute().await?)
    }

    fn key(&self) -> String {
        format!("{KEY_PREFIX}{}", self.name)
    }

    fn say(&self, kind: &'static str, problem: impl fmt::Display) {
        memory::say_once(&self.binding, &self.name, kind, format_args!("{problem}"));
    }
}

impl Snapshot {
    pub(super) fn new<B: Breaker>(name: &str, breaker: &B, state: B::State) -> Self {
        let recovery = state.recovery();
        let retry_after_ms = breaker.peek(state, now()).retry_after_ms;
        Self { name: name.into(), status: recovery.status, since: recovery.changed_at, retry_after_ms }
    }
}
