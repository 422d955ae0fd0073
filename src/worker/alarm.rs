//! Alarms at an absolute time.

use worker::{Result, js_sys, wasm_bindgen::JsValue, worker_sys::types::DurableObjectStorage};

/// The last moment that an alarm is armed for, the first of January 2189, in milliseconds since 1970: the platform refuses
/// "dates after 2189". An operation that is due later is woken then, and armed again.
pub const MAX_ALARM: f64 = 6_911_049_600_000.0;

/// The moment that an alarm wanted at `due` can be armed for: whole, after `now`, and not past [`MAX_ALARM`].
///
/// A moment that has passed becomes `now + 1`, since an alarm set for this very millisecond by its own handler can get
/// lost; so does one that is not a number.
pub fn armable(due: f64, now: f64) -> f64 {
    let first = now.floor() + 1.0;
    if due > first { due.ceil().min(MAX_ALARM) } else { first }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_is_armed_for_the_moment_itself() {
        assert_eq!(armable(1_758_124_805_000.0, 1_758_124_800_000.0), 1_758_124_805_000.0);
        assert_eq!(armable(10.25, 1.0), 11.0);
    }

    /// A past time fires at once; a time of now can get lost inside the handler; zero and less throw.
    #[test]
    fn a_moment_that_has_passed_is_armed_just_after_now() {
        for due in [f64::NEG_INFINITY, -5.0, 0.0, 99.0, 100.0, 100.5, f64::NAN] {
            assert_eq!(armable(due, 100.0), 101.0, "{due}");
        }
        assert_eq!(armable(0.0, 100.7), 101.0);
    }

    #[test]
    fn no_alarm_is_past_the_last_date() {
        assert_eq!(armable(f64::INFINITY, 100.0), MAX_ALARM);
        assert_eq!(armable(crate::MAX_SAFE_MS, 100.0), MAX_ALARM);
    }
}
