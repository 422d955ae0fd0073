//! The end of an object whose handler will never return.

use core::time::Duration;

use worker::{
    Result,
    js_sys::{self, Function, Reflect},
    wasm_bindgen::{JsCast, JsValue},
    web_sys::WorkerGlobalScope,
};

/// Resets the object (`state.abort()`) after a time, unless dropped before.
///
/// A panic or an exception that crosses Rust's frames leaves the handler's promise pending for ever, and an object runs
/// one `alarm()` at a time: the dead-man alarm would wait out the platform's 15 minutes. So would that of every other
/// object in the isolate, since they share the WebAssembly instance. No Rust code can be relied on then; this is a
/// timer on a function of the platform's own.
#[derive(Debug)]
pub(super) struct Watchdog(i32);

impl Watchdog {
    pub(super) fn start(state: &JsValue, after: Duration) -> Result<Self> {
        let abort: Function = Reflect::get(state, &"abort".into())?.dyn_into()?;
        let after = after.as_millis() as i32;
        Ok(Self(global().set_timeout_with_callback_and_timeout_and_arguments_0(&abort.bind0(state), after)?))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        global().clear_timeout_with_handle(self.0);
    }
}

fn global() -> WorkerGlobalScope {
    js_sys::global().unchecked_into()
}
