//! The breaker that a Durable Object keeps, seen from those who call the dependency.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::time::Duration;

use serde::de::DeserializeOwned;
use worker::{Env, Error, Method, ObjectNamespace, Request, RequestInit, Result, js_sys::JSON};

use super::{
    Admission, Force, SharedBreaker, Snapshot, memory,
    wire::{Admitted, Ask, Counted, Names},
};
use crate::{
    breaker::{Report, Reported},
    worker::durable_retry::{to_js, within},
};

/// How long the object may take to answer; then the call goes out unguarded.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// How many dependencies [`SharedBreaker::list`] shows of an [`ObjectBreaker`]: each is a request to its object.
pub const MAX_LISTED: usize = 100;

/// The object that knows the names of the others.
const INDEX: &str = "_index";

/// The breakers of named dependencies, each kept by one Durable Object: exact, for a request to the object before and
/// after each call.
///
/// The object's class holds a [`BreakerObject`](super::BreakerObject), and with it the breaker's options. However many
/// call at once, the breaker opens with the failure that reaches its threshold, and a trial admits `half_open_probes`
/// probes, in all the world. A caller that dies with a probe frees it after `half_open`.
///
/// An object that can't be reached within 5 s ([`ANSWER_TIMEOUT`]) stops no call: it goes out, uncounted, and
/// [`Admission::is_blind`] says so. The first time is logged for each dependency.
#[derive(Debug)]
pub struct ObjectBreaker {
    namespace: ObjectNamespace,
    binding: String,
}

impl ObjectBreaker {
    /// The breakers in the Durable Object namespace of that binding.
    ///
    /// # Errors
    /// There is no such binding.
    pub fn new(env: &Env, binding: &str) -> Result<Self> {
        Ok(Self { namespace: env.durable_object(binding)?, binding: binding.into() })
    }

    async fn ask<T: DeserializeOwned>(&self, name: &str, ask: &Ask) -> Result<T> {
        let mut init = RequestInit::new();
        init.with_method(Method::Post).with_body(Some(JSON::stringify(&to_js(ask)?)?.into()));
        let request = Request::new_with_init("https://breaker/", &init)?;
        let stub = self.namespace.get_by_name(name)?;
        let answer = async {
            let mut response = stub.fetch_with_request(request).await?;
            match response.status_code() {
                200 => response.json().await,
                status => Err(Error::from(alloc::format!("the object answered {status}"))),
            }
        };
        within(ANSWER_TIMEOUT, answer).await.unwrap_or_else(|| Err(Error::from("the object did not answer in time")))
    }

    /// Enters the name in the index and tells its object. What fails here comes again with the next call.
    async fn enlist(&self, name: &str) -> Result<()> {
        self.ask::<()>(INDEX, &Ask::Add { name: name.into() }).await?;
        self.ask(name, &Ask::Listed).await
    }

    fn say(&self, name: &str, problem: &Error) {
        memory::say_once(&self.binding, name, "its object failed", format_args!("{problem}"));
    }
}

impl SharedBreaker for ObjectBreaker {
    async fn request(&self, name: &str) -> Admission {
        let admitted: Admitted = match self.ask(name, &Ask::Request).await {
            Ok(admitted) => admitted,
            Err(problem) => {
                self.say(name, &problem);
                return Admission::blind(name.into());
            }
        };
        if admitted.unlisted
            && let Err(problem) = self.enlist(name).await
        {
            self.say(name, &problem);
        }
        Admission::new(name.into(), admitted.verdict())
    }

    async fn report(&self, admission: Admission, report: Report) -> Reported {
        if admission.blind {
            return Reported::Stale;
        }
        match self.ask(&admission.name, &Ask::report(report, admission.verdict.epoch)).await {
            Ok(Counted { reported }) => reported,
            Err(problem) => {
                self.say(&admission.name, &problem);
                Reported::Stale
            }
        }
    }

    async fn peek(&self, name: &str) -> Result<Snapshot> {
        Ok(Snapshot { name: name.to_string(), ..self.ask(name, &Ask::Peek).await? })
    }

    async fn force(&self, name: &str, force: Force) -> Result<Snapshot> {
        let snapshot = self.ask(name, &Ask::Force { force }).await?;
        self.enlist(name).await?;
        Ok(Snapshot { name: name.to_string(), ..snapshot })
    }

    /// The first [`MAX_LISTED`] that were ever called, by name.
    async fn list(&self) -> Result<Vec<Snapshot>> {
        let Names { names } = self.ask(INDEX, &Ask::Names).await?;
        let mut snapshots = Vec::new();
        for name in names {
            snapshots.push(self.peek(&name).await?);
        }
        Ok(snapshots)
    }
}
