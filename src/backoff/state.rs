//! What is kept between attempts.

use crate::stored::{COUNT, DELAY, TIME, stored};

/// What is kept between attempts: three numbers, to be stored wherever the caller likes.
///
/// JSON (feature `serde`) is `{"attempts":1,"startedAt":1758124800000,"prevDelayMs":63}`, the same text that
/// JavaScript writes. When read back, a field that is missing, of a wrong type or out of range is an error that
/// names it; [`validate`](Self::validate) says the same of a state that came another way.
///
/// ```
/// use retry_primitives::RetryState;
///
/// let error = RetryState { started_at: f64::NAN, ..RetryState::default() }.validate().unwrap_err();
/// assert_eq!(error.field(), "startedAt");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RetryState {
    /// Attempts that have failed so far; 0 to 2^53 - 1.
    pub attempts: u64,
    /// When the operation began, in milliseconds on the caller's clock; within 2^53 - 1 of 0.
    pub started_at: f64,
    /// The last wait, in milliseconds; 0 to 2^53 - 1, 0 before the first.
    pub prev_delay_ms: f64,
}

stored!(RetryState {
    attempts: u64 = "attempts", COUNT;
    started_at: f64 = "startedAt", TIME;
    prev_delay_ms: f64 = "prevDelayMs", DELAY;
});
