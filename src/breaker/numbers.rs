//! Either breaker, from numbers that JavaScript has checked. One state and one ledger serve both, so that the code of
//! recovery is compiled once: a consecutive breaker keeps its run of failures in `curr_fail`.

use super::RollingBreakerState;
use super::consecutive::Threshold;
use super::open_time::{Capped, Growth, OpenTime};
use super::recovery::{Ledger, Recovery};
use super::report::Report;
use super::state::{BreakerState, RecoveryState, Sound};
use super::window::Window;

/// `openMs`, `halfOpenProbes`, `successThreshold`, `halfOpenMs`, `failureThreshold`, `windowMs`, `failureRatio`,
/// `minimumThroughput`. A `failureThreshold` above 0 counts failures in a row, else the ledger is a window.
pub(crate) type Plain = [f64; 8];

/// `openGrowth.curve` (0 for none, then the variants of [`Growth`] in their order), its `factor`, its `maxOpenMs`,
/// `openJitter`, `slowCallMs` (infinite for none), `slowRatio`.
pub(crate) type More = [f64; 6];

/// What a breaker has that is not asked for anything beyond [`Plain`].
pub(crate) const NOTHING_MORE: More = [0.0, 1.0, 1.0, 0.0, f64::INFINITY, 1.0];

#[inline(always)]
pub(crate) fn recovery(plain: &Plain, more: &More) -> Recovery {
    let [open_ms, half_open_probes, success_threshold, half_open_ms, ..] = *plain;
    let [curve, factor, max_ms, jitter, ..] = *more;
    let curve = curve as i32;
    let growth = match curve {
        1 => Some(Growth::Exponential { factor }),
        2 => Some(Growth::DecorrelatedJitter { factor }),
        3 => Some(Growth::Fibonacci),
        4 => Some(Growth::Linear),
        _ => None,
    };
    Recovery {
        open: OpenTime {
            base_ms: open_ms,
            growth: growth.map(|growth| Capped { growth, max_ms }),
            jitter: if curve == 2 { 0.0 } else { jitter },
        },
        half_open_probes: half_open_probes as i64 as u64,
        success_threshold: success_threshold as i64 as u64,
        half_open_ms,
    }
}

pub(crate) struct Either {
    failure_threshold: f64,
    window: Window,
}

#[inline(always)]
pub(crate) fn ledger(plain: &Plain, more: &More) -> Either {
    let [.., failure_threshold, window_ms, failure_ratio, minimum_throughput] = *plain;
    let [.., slow_call_ms, slow_ratio] = *more;
    Either {
        failure_threshold,
        window: Window { window_ms, failure_ratio, minimum_throughput, slow_call_ms, slow_ratio },
    }
}

impl Either {
    #[inline(always)]
    pub(crate) fn counts_runs(&self) -> bool {
        self.failure_threshold > 0.0
    }
}

/// A state of either breaker whose fields have been checked: there is nothing to make sound.
#[derive(Clone, Copy)]
pub(crate) struct Checked(pub(crate) RollingBreakerState);

impl BreakerState for Checked {
    #[inline(always)]
    fn recovery(&self) -> RecoveryState {
        self.0.recovery()
    }

    #[inline(always)]
    fn set_recovery(&mut self, recovery: RecoveryState) {
        self.0.set_recovery(recovery);
    }
}

impl Sound for Checked {
    #[inline(always)]
    fn sound(&self) -> RecoveryState {
        self.0.recovery()
    }
}

impl Ledger<Checked> for Either {
    #[inline(always)]
    fn count(&self, state: &mut Checked, now: f64, report: &Report) -> bool {
        if self.counts_runs() {
            let threshold = Threshold { failure_threshold: self.failure_threshold as i64 as u64 };
            threshold.count_run(&mut state.0.curr_fail, report)
        } else {
            self.window.count(&mut state.0, now, report)
        }
    }

    #[inline(always)]
    fn clear(&self, state: &mut Checked, now: f64) {
        self.window.clear(&mut state.0, now);
    }

    #[inline(always)]
    fn failed(&self, report: &Report) -> bool {
        self.window.failed(report)
    }
}

/// Joins two states of one breaker.
pub(crate) fn merge(recovery: &Recovery, either: &Either, a: Checked, b: Checked) -> Checked {
    super::merge::merge(recovery, a, b, |joined, other| {
        if either.counts_runs() {
            joined.0.curr_fail = joined.0.curr_fail.max(other.0.curr_fail);
        } else {
            joined.0.join_window(&other.0);
        }
    })
}
