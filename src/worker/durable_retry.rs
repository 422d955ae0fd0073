//! One operation in a Durable Object's storage.

use alloc::string::{String, ToString};
use core::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use worker::{AbortController, AbortSignal, Delay, Result, State, Storage, js_sys, wasm_bindgen::JsValue};

use super::{alarm, now, random, watchdog::Watchdog};
use crate::{
    OptionError, Outcome, Policy,
    backoff::Curve,
    number::duration_ms,
    operation::{Operation, Phase, Report, Ticket, Wake},
    shared::{GRACE_MS, armable},
};

/// The storage key of the [`Operation`].
pub const OPERATION_KEY: &str = "retry";
/// The storage key of the payload. It is deleted once the operation has been delivered or cancelled, and kept when it was
/// given up on.
pub const PAYLOAD_KEY: &str = "payload";

/// How long an attempt may take when [`DurableRetry::request_timeout`] is not called.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest an attempt may take: an alarm's handler has 15 minutes, and needs some of them itself.
pub const MAX_REQUEST_TIMEOUT: Duration = Duration::from_secs(600);
/// How long after an attempt's timeout the dead-man alarm waits, so that it never meets an attempt still being made.
pub const GRACE: Duration = Duration::from_millis(GRACE_MS as u64);

/// One operation that is retried by a Durable Object's alarm until it succeeds or its policy stops.
///
/// Its state is written, and a dead-man alarm armed with it, before each attempt; after the attempt the state and the
/// next alarm are written together. Wherever the process dies, an alarm is armed and the operation goes on. The other
/// side may see an attempt twice, so send something that tells it: see [`Attempt::number`] and an idempotency key.
///
/// The object's alarm and the two keys [`OPERATION_KEY`] and [`PAYLOAD_KEY`] belong to it. Don't set an alarm in the
/// object's constructor: that would cancel the one that is armed.
#[derive(Debug)]
pub struct DurableRetry<C> {
    state: JsValue,
    storage: Storage,
    policy: Policy<C>,
    request_timeout: Duration,
}

impl<C: Curve> DurableRetry<C> {
    /// The operation in the storage of the object whose state is `state`, under `policy`.
    pub fn new(state: &State, policy: Policy<C>) -> Self {
        let (state, storage) = (JsValue::clone(state.as_raw()), state.storage());
        Self { state, storage, policy, request_timeout: DEFAULT_REQUEST_TIMEOUT }
    }

    /// How long one attempt may take; then it is aborted and counts as failed. 1 ms to [`MAX_REQUEST_TIMEOUT`].
    ///
    /// # Default
    /// 10 s ([`DEFAULT_REQUEST_TIMEOUT`]).
    ///
    /// # Errors
    /// A timeout out of that range.
    pub fn request_timeout(mut self, timeout: Duration) -> core::result::Result<Self, OptionError> {
        if !(Duration::from_millis(1)..=MAX_REQUEST_TIMEOUT).contains(&timeout) {
            return Err(OptionError::new("request_timeout", "from 1 to 600000 ms", duration_ms(timeout)));
        }
        self.request_timeout = timeout;
        Ok(self)
    }

    /// Begins the operation: stores `payload` and arms the alarm for the first attempt, at once.
    ///
    /// An operation that is already there is left as it is and returned, so that a call which the platform repeats does
    /// not repeat the operation; should it have lost its alarm, that is armed again. [`clear`](Self::clear) makes room for
    /// another. One that can't be read is replaced, its payload with it.
    ///
    /// # Errors
    /// The storage's own, or a payload that can't be serialized.
    pub async fn start<P: Serialize>(&self, payload: &P) -> Result<Operation> {
        let mut operation = match self.stored().await? {
            None => Operation::start(&self.policy, now()),
            Some(Ok(operation)) => return self.rearm(operation).await,
            Some(Err(problem)) => self.start_over(&problem),
        };
        let payload = self.storage.as_raw().put(PAYLOAD_KEY, to_js(payload)?)?;
        self.store(&mut operation, Some(payload)).await?;
        Ok(operation)
    }

    /// Makes the attempt that is due and stores what comes of it. Call it from the object's `alarm()`, with the
    /// operation's request as `attempt`.
    ///
    /// Returns the operation as it stands now, with [`progress`](Operation::progress), history, and whether it had to be
    /// [`recovered`](Operation::recovered); `None` when the object holds none. A failed attempt is no error here.
    ///
    /// An attempt that panics or lets an exception through stops the object's code for good. The object is then reset at
    /// the dead-man's moment, and the operation goes on with the next attempt.
    ///
    /// # Errors
    /// Only the storage's own. Let them escape `alarm()`: the alarm armed last still stands.
    pub async fn on_alarm<P, F>(&self, attempt: F) -> Result<Option<Operation>>
    where
        P: DeserializeOwned,
        F: AsyncFnOnce(Attempt<P>) -> Report,
    {
        let Some(mut operation) = self.read().await? else { return Ok(None) };
        let dead_man = self.request_timeout + GRACE;
        let wake = operation.wake(&self.policy, now(), dead_man, random);
        self.store(&mut operation, None).await?;
        let Wake::Attempt(ticket) = wake else { return Ok(Some(operation)) };

        let _watchdog = Watchdog::start(&self.state, dead_man)?;
        let report = self.make(ticket, attempt).await;

        // Others may have run while the request was out: what was read before it counts no longer.
        let Some(mut operation) = self.read().await? else { return Ok(None) };
        operation.settle(&self.policy, ticket, now(), report, random);
        self.store(&mut operation, None).await?;
        Ok(Some(operation))
    }

    /// The operation as it is stored, for showing; `None` when there is none. One that can't be read is replaced by a
    /// new start, [`recovered`](Operation::recovered) saying why; where no alarm is armed that would come to it, it is
    /// stored and armed here.
    ///
    /// # Errors
    /// The storage's own.
    pub async fn operation(&self) -> Result<Option<Operation>> {
        match self.stored().await? {
            Some(Err(problem)) => self.rearm(self.start_over(&problem)).await.map(Some),
            stored => Ok(stored.and_then(core::result::Result::ok)),
        }
    }

    /// The operation to go on with: as it is stored, or begun anew.
    pub(super) async fn read(&self) -> Result<Option<Operation>> {
        let stored = self.stored().await?;
        Ok(stored.map(|stored| stored.unwrap_or_else(|problem| self.start_over(&problem))))
    }

    /// Calls the operation off. What comes of an attempt that is being made no longer counts. Returns the operation as
    /// it stands now: [`Cancelled`](crate::operation::Phase::Cancelled), or as it ended before.
    ///
    /// # Errors
    /// The storage's own.
    pub async fn cancel(&self) -> Result<Option<Operation>> {
        let Some(mut operation) = self.read().await? else { return Ok(None) };
        if operation.cancel(now()) {
            self.store(&mut operation, None).await?;
        }
        Ok(Some(operation))
    }

    /// Puts the operation off until `until`, in milliseconds since 1970, without spending an attempt; see
    /// [`Operation::postpone`]. Returns the operation as it stands now.
    ///
    /// # Errors
    /// The storage's own.
    pub async fn postpone(&self, until: f64) -> Result<Option<Operation>> {
        let Some(mut operation) = self.read().await? else { return Ok(None) };
        operation.postpone(&self.policy, now(), until);
        self.store(&mut operation, None).await?;
        Ok(Some(operation))
    }

    /// Forgets the operation, its payload and its alarm.
    ///
    /// # Errors
    /// The storage's own.
    pub async fn clear(&self) -> Result<()> {
        let storage = self.storage.as_raw();
        let delete = storage.delete_multiple([OPERATION_KEY, PAYLOAD_KEY].map(JsValue::from).into())?;
        all([delete, alarm::set(storage, None)?]).await
    }

    /// Arms the alarm of an operation that goes on without one: the platform drops an alarm whose handler failed six
    /// times, as it does while the storage is out of order.
    async fn rearm(&self, mut operation: Operation) -> Result<Operation> {
        if !operation.is_over() && self.storage.get_alarm().await?.is_none() {
            self.store(&mut operation, None).await?;
        }
        Ok(operation)
    }

    /// The operation as it is stored, or what is wrong with it.
    async fn stored(&self) -> Result<Option<core::result::Result<Operation, String>>> {
        let stored = self.storage.as_raw().get(OPERATION_KEY)?;
        let stored = js_sys::futures::JsFuture::from(stored).await?;
        let read = || serde_wasm_bindgen::from_value(stored.clone());
        Ok((!stored.is_undefined()).then(|| read().map_err(|problem| problem.to_string())))
    }

    fn start_over(&self, problem: &str) -> Operation {
        Operation::start_over(&self.policy, now(), &alloc::format!("the stored state was unreadable: {problem}"))
    }

    async fn make<P, F>(&self, ticket: Ticket, attempt: F) -> Report
    where
        P: DeserializeOwned,
        F: AsyncFnOnce(Attempt<P>) -> Report,
    {
        let payload = match self.storage.get(PAYLOAD_KEY).await {
            Ok(Some(payload)) => payload,
            Ok(None) => return Report::failure(Outcome::NON_RETRYABLE).with_error("the stored payload is gone"),
            // The error in detail quotes what is stored, which may be secret.
            Err(_) => return Report::failure(Outcome::NON_RETRYABLE).with_error("the stored payload was unreadable"),
        };
        let abort = AbortController::default();
        let number = ticket.attempt();
        let attempt = attempt(Attempt { number, payload, timeout: self.request_timeout, signal: abort.signal() });
        let report = within(self.request_timeout, attempt).await.unwrap_or_else(|| {
            let error = alloc::format!("no answer within {} ms", self.request_timeout.as_millis());
            Report::failure(Outcome::RETRYABLE).with_error(error)
        });
        // Also when it ended in time: a body that nobody read would hold its connection.
        abort.abort();
        report
    }

    /// Writes the operation and arms its alarm in one turn, without an await between: the platform commits both or
    /// neither.
    async fn store(&self, operation: &mut Operation, with: Option<js_sys::Promise>) -> Result<()> {
        let storage = self.storage.as_raw();
        // No work between now and the alarm: the platform moves an alarm on whose moment has passed.
        let at = operation.alarm().map(|due| armable(due, now()));
        let alarm = alarm::set(storage, at)?;
        if let Some(at) = at {
            operation.armed_at(at);
        }
        let put = storage.put(OPERATION_KEY, to_js(operation)?)?;
        // Nobody will send it again. One that was given up on keeps it, for a person to look into.
        let done = matches!(operation.phase, Phase::Delivered { .. } | Phase::Cancelled { .. });
        let delete = if done { Some(storage.delete(PAYLOAD_KEY)?) } else { None };
        all([put, alarm].into_iter().chain(delete).chain(with)).await
    }
}

/// One attempt to be made: what to send, and how long it may take.
#[derive(Debug)]
pub struct Attempt<P> {
    number: u64,
    payload: P,
    timeout: Duration,
    signal: AbortSignal,
}

impl<P> Attempt<P> {
    /// 1 for the first. After a crash the other side may see a number's request and then the next number's.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// What [`DurableRetry::start`] stored.
    pub const fn payload(&self) -> &P {
        &self.payload
    }

    /// How long the attempt may take.
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Fires when the time is up, and once the attempt is over. Pass it to every request.
    pub const fn signal(&self) -> &AbortSignal {
        &self.signal
    }
}

/// The future's result, or `None` once `timeout` has passed.
pub(super) async fn within<T>(timeout: Duration, future: impl Future<Output = T>) -> Option<T> {
    let (mut future, mut delay) = (pin!(future), pin!(Delay::from(timeout)));
    poll_fn(|context| {
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            return Poll::Ready(Some(value));
        }
        delay.as_mut().poll(context).map(|()| None)
    })
    .await
}

async fn all(promises: impl IntoIterator<Item = js_sys::Promise>) -> Result<()> {
    let promises: js_sys::Array = promises.into_iter().collect();
    js_sys::futures::JsFuture::from(js_sys::Promise::all(&promises)).await?;
    Ok(())
}

pub(super) fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    Ok(value.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
}
