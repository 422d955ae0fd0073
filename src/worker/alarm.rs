//! Alarms at an absolute time.

use worker::{Result, js_sys, wasm_bindgen::JsValue, worker_sys::types::DurableObjectStorage};

/// Starts to arm the object's alarm for a moment that is [`armable`], or to disarm it. Nothing is awaited, so that a
/// write issued beside it commits with it. The `worker` crate takes a number for an offset; this takes a moment only.
pub(super) fn set(storage: &DurableObjectStorage, at: Option<f64>) -> Result<js_sys::Promise> {
    let options = || JsValue::NULL.into();
    let promise = match at {
        Some(at) => storage.set_alarm(js_sys::Date::new(&at.into()), options()),
        None => storage.delete_alarm(options()),
    };
    Ok(promise?)
}
