//! The shape of the waits.

/// The shape of the waits: the delay before the next attempt, before cap, jitter and limits.
///
/// Implemented by the curves of this module; [`backoff`](super::backoff()) makes one of a function.
pub trait Curve {
    /// Whether the curve draws its own randomness, so that [`Jitter`](super::Jitter) is not applied on top.
    const JITTERED: bool = false;

    /// The delay in milliseconds after attempt number `attempt` (1 is the first) has failed.
    ///
    /// `prev_delay_ms` is the wait before that attempt, 0 for the first. Any `f64` may come back: the policy takes
    /// a negative one for 0, and one that is not a number, or too large, for the cap.
    fn delay_ms<R: FnMut() -> f64>(&self, attempt: u64, prev_delay_ms: f64, random: &mut R) -> f64;

    /// What is wrong with the curve's own options, asked once when a policy is built.
    fn validate(&self) -> Result<(), crate::OptionError> {
        Ok(())
    }
}

/// The factor by which a curve grows: finite and at least 1.
pub(super) fn validate_factor(factor: f64) -> Result<(), crate::OptionError> {
    if factor >= 1.0 && factor.is_finite() {
        Ok(())
    } else {
        Err(crate::OptionError::new("factor", "a finite number of at least 1", factor))
    }
}
