//! A policy on an imaginary clock.

use core::{iter::FusedIterator, time::Duration};

use super::{Curve, Decision, Policy, RetryState};
use crate::{Outcome, number::ms_duration};

/// The waits of an operation that always fails; see [`Policy::preview`].
#[derive(Clone, Debug)]
pub struct Preview<'a, C, R> {
    policy: &'a Policy<C>,
    state: RetryState,
    now: f64,
    outcome: Outcome,
    random: R,
    stopped: bool,
}

impl<'a, C: Curve, R: FnMut() -> f64> Preview<'a, C, R> {
    pub(super) fn new(policy: &'a Policy<C>, now: f64, outcome: Outcome, random: R) -> Self {
        Self { policy, state: policy.init(now), now, outcome, random, stopped: false }
    }
}

impl<C: Curve, R: FnMut() -> f64> Iterator for Preview<'_, C, R> {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        if self.stopped {
            return None;
        }
        let (state, decision) = self.policy.next(self.state, self.now, self.outcome, &mut self.random);
        match decision {
            Decision::Retry { delay_ms, .. } => {
                self.state = state;
                self.now += delay_ms;
                Some(ms_duration(delay_ms))
            }
            Decision::Stop { .. } => {
                self.stopped = true;
                None
            }
        }
    }
}

impl<C: Curve, R: FnMut() -> f64> FusedIterator for Preview<'_, C, R> {}
