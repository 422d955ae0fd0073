//! One call that a breaker admitted.

use core::{fmt, mem};

use super::{Protected, Runtime, Shared, Watch};
use crate::breaker::{Breaker, CallResult, Reported, Verdict};

/// One admitted call: [`report`](Self::report) how it ended. Dropped without that, it gives its place back and counts
/// neither way.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::breaker::{CallResult, Status, consecutive_breaker};
/// use retry_primitives::executor::{FakeTime, protect};
///
/// let time = FakeTime::new(0.0);
/// let upstream = protect(consecutive_breaker(1).open(Duration::from_secs(30)).build()?, &time);
/// upstream.admit().expect("closed").report(CallResult::Failure);
///
/// time.advance(Duration::from_secs(30));
/// let probe = upstream.admit().expect("a trial");
/// assert_eq!(upstream.admit().unwrap_err().status, Status::HalfOpen); // one probe at a time
/// drop(probe);
/// assert!(upstream.admit().is_ok());
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[must_use = "a permit that is dropped counts neither way"]
pub struct Permit<'a, B, R, P, J, W>
where
    B: Breaker,
    R: Runtime,
    P: Shared<B::State>,
    W: Watch<B::State>,
{
    protected: &'a Protected<B, R, P, J, W>,
    verdict: Verdict,
    started: Option<f64>,
}

impl<'a, B: Breaker, R: Runtime, P: Shared<B::State>, J, W: Watch<B::State>> Permit<'a, B, R, P, J, W> {
    #[inline]
    pub(super) fn new(protected: &'a Protected<B, R, P, J, W>, verdict: Verdict, started: Option<f64>) -> Self {
        Self { protected, verdict, started }
    }

    /// What the breaker said.
    pub const fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Says how the call ended, and is told whether that counted.
    #[inline]
    pub fn report(self, result: CallResult) -> Reported {
        let (protected, verdict, started) = (self.protected, self.verdict, self.started);
        // First: should whoever watches the state panic, this must not be reported twice.
        mem::forget(self);
        protected.report(&verdict, started, result)
    }
}

impl<B: Breaker, R: Runtime, P: Shared<B::State>, J, W: Watch<B::State>> Drop for Permit<'_, B, R, P, J, W> {
    fn drop(&mut self) {
        self.protected.report(&self.verdict, self.started, CallResult::Ignored);
    }
}

impl<B: Breaker, R: Runtime, P: Shared<B::State>, J, W: Watch<B::State>> fmt::Debug for Permit<'_, B, R, P, J, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("verdict", &self.verdict).finish_non_exhaustive()
    }
}
