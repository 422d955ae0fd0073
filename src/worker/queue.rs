//! Queue consumers: decide and settle a message.
//!
//! A queue counts the deliveries of a message itself, so nothing has to be stored: the count and the time of sending
//! are the whole state. `worker` 0.8 hides the count, so the messages here are read through a binding of their own.
//!
//! ```no_run
#![doc = include_str!("examples/consumer.rs")]
//! ```

use alloc::{string::String, vec::Vec};

use worker::{
    js_sys::{self, Function, Reflect},
    wasm_bindgen::{JsCast, JsValue},
};

use super::{now, random};
pub use crate::shared::MAX_DELAY_SECONDS;
use crate::{
    Decision, Policy, RetryState, StopReason,
    backoff::Curve,
    operation::Report,
    shared::{deliveries_before, seconds},
};

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a message that was given up on is not settled"]
pub enum Settled {
    /// It is done with, and acknowledged.
    Acknowledged,
    /// It will be delivered again.
    Retrying {
        /// After how many seconds; at most [`MAX_DELAY_SECONDS`].
        delay_seconds: u32,
        /// Deliveries so far.
        attempts: u64,
    },
    /// The policy stopped. The message is **not** settled, so that it can be kept first: acknowledge it, or ask for a
    /// retry to let the queue's own `max_retries` move it to the dead-letter queue. Left as it is, it counts as
    /// acknowledged when the handler returns.
    GaveUp {
        /// Why.
        reason: StopReason,
        /// Deliveries so far.
        attempts: u64,
    },
}

/// Settles a message on the report of its work: acknowledges it, asks for another delivery after the policy's delay, or
/// says that the policy stopped.
///
/// A queue does not tell the wait before, so a curve that leans on it (decorrelated jitter, some of one's own) starts
/// from its base each time: use one that counts attempts. The policy's `deadline` counts from the moment the message
/// was sent. Keep its attempts at or below the queue's own `max_retries + 1` (4 by default), or the queue ends first.
///
/// # Errors
/// A value that is not a queue's message.
pub fn settle<C: Curve>(message: &Message, policy: &Policy<C>, report: &Report) -> Result<Settled, JsValue> {
    let Some(outcome) = report.outcome() else {
        message.ack()?;
        return Ok(Settled::Acknowledged);
    };
    let attempts = deliveries_before(message.attempts()?);
    let state = RetryState { attempts, started_at: message.timestamp()?, prev_delay_ms: 0.0 };
    Ok(match policy.next(state, now(), outcome, random).1 {
        Decision::Retry { delay_ms, attempts, .. } => {
            let delay_seconds = seconds(delay_ms);
            message.retry(delay_seconds)?;
            Settled::Retrying { delay_seconds, attempts }
        }
        Decision::Stop { reason, attempts, .. } => Settled::GaveUp { reason, attempts },
    })
}

/// The messages of a batch, as the platform passed it to the queue handler.
///
/// # Errors
/// A value that is not a queue's batch.
pub fn messages(batch: &JsValue) -> Result<Vec<Message>, JsValue> {
    let messages: js_sys::Array = get(batch, "messages")?.dyn_into()?;
    Ok(messages.iter().map(Message).collect())
}

/// A message as the platform delivers it.
#[derive(Clone, Debug)]
pub struct Message(JsValue);

impl Message {
    /// The platform's id of the message.
    ///
    /// # Errors
    /// A value that is not a queue's message.
    pub fn id(&self) -> Result<String, JsValue> {
        let id = get(&self.0, "id")?;
        id.as_string().ok_or(id)
    }

    /// The body, as it was sent.
    ///
    /// # Errors
    /// A value that is not a queue's message.
    pub fn body(&self) -> Result<JsValue, JsValue> {
        get(&self.0, "body")
    }

    /// How often the message has been delivered, this time included.
    ///
    /// # Errors
    /// A value that is not a queue's message.
    pub fn attempts(&self) -> Result<f64, JsValue> {
        let attempts = get(&self.0, "attempts")?;
        attempts.as_f64().ok_or(attempts)
    }

    /// When the message was sent, in milliseconds since 1970.
    ///
    /// # Errors
    /// A value that is not a queue's message.
    pub fn timestamp(&self) -> Result<f64, JsValue> {
        Ok(get(&self.0, "timestamp")?.dyn_into::<js_sys::Date>()?.get_time())
    }

    /// Marks the message as done. The first of `ack` and `retry` counts.
    ///
    /// # Errors
    /// A value that is not a queue's message.
    pub fn ack(&self) -> Result<(), JsValue> {
        method(&self.0, "ack")?.call0(&self.0).map(drop)
    }

    /// Asks for another delivery after `delay_seconds`, at most [`MAX_DELAY_SECONDS`].
    ///
    /// # Errors
    /// A value that is not a queue's message.
    pub fn retry(&self, delay_seconds: u32) -> Result<(), JsValue> {
        let options = js_sys::Object::new();
        Reflect::set(&options, &"delaySeconds".into(), &delay_seconds.min(MAX_DELAY_SECONDS).into())?;
        method(&self.0, "retry")?.call1(&self.0, &options).map(drop)
    }
}

fn get(object: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    Reflect::get(object, &name.into())
}

fn method(object: &JsValue, name: &str) -> Result<Function, JsValue> {
    get(object, name)?.dyn_into()
}
