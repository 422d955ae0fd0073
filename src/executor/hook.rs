//! What is told of a retry while it goes on.

use core::{fmt, time::Duration};

use crate::Decision;

/// Why there will be no further attempt, with the decision about the last one.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::{StopReason, backoff::exponential};
/// use retry_primitives::executor::{FakeTime, GiveUp, Retryable};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), retry_primitives::OptionError> {
/// let policy = exponential(Duration::from_millis(100)).max_attempts(3).build()?;
/// let mut log = String::new();
/// let down = async || Err::<(), _>("down");
/// let give_up = |error: &&str, why: GiveUp| {
///     log = format!("{error}: {why} after {} attempts", why.decision().attempts());
/// };
/// down.retry(policy).on_give_up(give_up).on(&FakeTime::new(0.0)).await.unwrap_err();
/// assert_eq!(log, "down: maxAttempts after 3 attempts");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GiveUp {
    /// The policy stopped; the decision is its [`Stop`](Decision::Stop).
    Policy(Decision),
    /// The budget could not bear the retry that the policy would have made; the decision is that
    /// [`Retry`](Decision::Retry).
    Budget(Decision),
}

impl GiveUp {
    /// The policy's decision about the last attempt.
    pub const fn decision(&self) -> Decision {
        match *self {
            Self::Policy(decision) | Self::Budget(decision) => decision,
        }
    }
}

/// The [`StopReason`](crate::StopReason)'s name, or `budget`.
impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy(decision) => decision.reason().map_or(Ok(()), |reason| reason.fmt(f)),
            Self::Budget(_) => f.write_str("budget"),
        }
    }
}

/// Is told of an error and of what was decided about it: any function of the two.
pub trait Hook<E, D> {
    #[doc(hidden)]
    const SILENT: bool = false;

    /// Called once for each such decision.
    fn call(&mut self, error: &E, decided: D);
}

impl<E, D, F: FnMut(&E, D)> Hook<E, D> for F {
    fn call(&mut self, error: &E, decided: D) {
        self(error, decided);
    }
}

/// Nobody is told: what holds until a hook is set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<E, D> Hook<E, D> for Silent {
    const SILENT: bool = true;

    fn call(&mut self, _: &E, _: D) {}
}

/// What [`notify`](super::Retry::notify) makes of a function.
#[derive(Clone, Copy, Debug)]
pub struct Notify<F>(pub(super) F);

impl<E, F: FnMut(&E, Duration)> Hook<E, Decision> for Notify<F> {
    fn call(&mut self, error: &E, decision: Decision) {
        (self.0)(error, decision.delay().unwrap_or_default());
    }
}
