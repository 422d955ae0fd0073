//! Options as numbers.

use core::time::Duration;

/// An option that may be left out.
pub(crate) fn given(option: f64) -> Option<f64> {
    (!option.is_nan()).then_some(option)
}

/// Milliseconds as a caller of the JavaScript package writes them; whole nanoseconds survive.
pub(crate) fn duration(ms: f64) -> Duration {
    let whole = ms as u64;
    Duration::from_millis(whole) + Duration::from_nanos(((ms - whole as f64) * 1e6) as u64)
}
