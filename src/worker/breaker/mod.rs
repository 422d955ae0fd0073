//! *This isolate knows that the dependency is down: how do the others learn of it?* Circuit breakers that isolates share.
//!
//! | | [`KvBreaker`] | [`ObjectBreaker`] |
//! | --- | --- | --- |
//! | the state lies in | KV, and a copy in each isolate | one Durable Object a dependency |
//! | a call costs | nothing; a KV read in 30 s an isolate | a request to the object before it, and one after |
//! | a healthy dependency writes | nothing | nothing after its first call (consecutive failures) |
//! | opens | at the threshold in one isolate, in others as a rule within 91 s | at the threshold, everywhere |
//! | probes a trial, N isolates | at most N x `half_open_probes` | at most `half_open_probes` |
//! | when the store fails | each isolate on its own | calls go out unguarded |
//!
//! Both are a [`SharedBreaker`], and one line changes one for the other:
//!
//! ```no_run,standalone_crate
//! # fn main() {}
//! use std::time::Duration;
//!
//! use retry_primitives::breaker::{ConsecutiveBreaker, Report, consecutive_breaker};
//! use retry_primitives::worker::breaker::{BreakerObject, KvBreaker, ObjectBreaker, SharedBreaker};
//! use worker::*;
//!
//! fn options() -> ConsecutiveBreaker {
//!     consecutive_breaker(5).open(Duration::from_secs(30)).build().expect("constant options")
//! }
//!
//! #[event(fetch)]
//! async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
//!     let breaker = KvBreaker::new(&env, "BREAKERS", options(), &context)?;
//!     // let breaker = ObjectBreaker::new(&env, "BREAKER")?;
//!     call(request, &breaker).await
//! }
//!
//! async fn call(request: Request, breaker: &impl SharedBreaker) -> Result<Response> {
//!     let admission = breaker.request("api.example.com").await;
//!     if !admission.ok() {
//!         let response = Response::error("the service behind this one is down", 503)?;
//!         response.headers().set("retry-after", &admission.retry_after_seconds().to_string())?;
//!         return Ok(response);
//!     }
//!     let answer = Fetch::Request(request).send().await;
//!     let works = answer.as_ref().is_ok_and(|response| response.status_code() < 500);
//!     breaker.report(admission, if works { Report::success() } else { Report::failure() }).await;
//!     answer
//! }
//!
//! // The class behind the binding BREAKER; only an ObjectBreaker needs it.
//! #[durable_object]
//! pub struct Breaker {
//!     object: BreakerObject<ConsecutiveBreaker>,
//! }
//!
//! impl DurableObject for Breaker {
//!     fn new(state: State, _: Env) -> Self {
//!         Self { object: BreakerObject::new(state.storage(), options()) }
//!     }
//!
//!     async fn fetch(&self, request: Request) -> Result<Response> {
//!         self.object.handle(request).await
//!     }
//! }
//! ```
//!
//! [`DurableRetry::on_alarm_behind`](super::DurableRetry::on_alarm_behind) puts a durable operation behind either.

mod admission;
mod guard;
mod keeper;
mod kv;
mod memory;
mod object;
mod wire;

use alloc::{boxed::Box, vec::Vec};
use core::{future::Future, pin::Pin};

use worker::{Context, Result, State};

pub use admission::{Admission, Snapshot};
pub use guard::judge_fetch;
pub use keeper::BreakerObject;
pub use kv::{DEFAULT_KEEP, KEY_PREFIX, KvBreaker, MIN_KEEP, READ_TIMEOUT};
pub use object::{ANSWER_TIMEOUT, MAX_LISTED, ObjectBreaker};

pub use crate::shared::{Force, POSTPONE_JITTER};

use crate::breaker::{Report, Reported};

/// The circuit breakers of named dependencies, shared by isolates.
///
/// Neither [`request`](Self::request) nor [`report`](Self::report) can fail: where the store does, the breaker says so in
/// the log and gets out of the way.
// Workers have one thread: no future needs to be `Send`.
#[allow(async_fn_in_trait)]
pub trait SharedBreaker {
    /// Asks whether a call to the dependency may go out now. Report how each admitted call ended.
    async fn request(&self, name: &str) -> Admission;

    /// Records how an admitted call ended, and says whether that counted. An epoch that the report carries gives way to the
    /// admission's.
    async fn report(&self, admission: Admission, report: Report) -> Reported;

    /// How the breaker stands, with nothing advanced.
    ///
    /// # Errors
    /// The store's own.
    async fn peek(&self, name: &str) -> Result<Snapshot>;

    /// Opens, closes or resets the breaker by hand; returns it as it stands then.
    ///
    /// # Errors
    /// The store's own.
    async fn force(&self, name: &str, force: Force) -> Result<Snapshot>;

    /// The breakers that the store knows of, by name.
    ///
    /// # Errors
    /// The store's own.
    async fn list(&self) -> Result<Vec<Snapshot>>;
}

/// Work that goes on after the response.
pub type Task = Pin<Box<dyn Future<Output = ()>>>;

/// What outlives a response: the `Context` of a fetch, or a Durable Object's `State`.
pub trait WaitUntil {
    /// Lets the task run to its end.
    fn wait_until(&self, task: Task);
}

impl WaitUntil for Context {
    fn wait_until(&self, task: Task) {
        Self::wait_until(self, task);
    }
}

impl WaitUntil for State {
    fn wait_until(&self, task: Task) {
        Self::wait_until(self, task);
    }
}
