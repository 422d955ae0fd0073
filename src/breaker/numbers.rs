//! Either breaker, from numbers that JavaScript has checked. One state and one ledger serve both, so that the code of
//! recovery is compiled once: a consecutive breaker keeps its run of failures in `curr_fail`.

#![allow(missing_docs, reason = "fields are named as the options are")]

use super::RollingBreakerState;
use super::consecutive::Threshold;
use super::open_time::{Capped, Growth, OpenTime};
use super::recovery::{Ledger, Recovery};
use super::report::Report;
use super::window::Window;

/// The options of recovery. `growth` is 0 for none, then the variants of [`Growth`] in their order.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryNumbers {
    pub open_ms: f64,
    pub growth: i32,
    pub factor: f64,
    pub max_open_ms: f64,
    pub open_jitter: f64,
    pub half_open_probes: f64,
    pub success_threshold: f64,
    pub half_open_ms: f64,
}

impl RecoveryNumbers {
    #[inline]
    pub(crate) fn build(self) -> Recovery {
        let factor = self.factor;
        let growth = match self.growth {
            1 => Some(Growth::Exponential { factor }),
            2 => Some(Growth::DecorrelatedJitter { factor }),
            3 => Some(Growth::Fibonacci),
            4 => Some(Growth::Linear),
            _ => None,
        };
        Recovery {
            open: OpenTime {
                base_ms: self.open_ms,
                growth: growth.map(|growth| Capped { growth, max_ms: self.max_open_ms }),
                jitter: if self.growth == 2 { 0.0 } else { self.open_jitter },
            },
            half_open_probes: self.half_open_probes as i64 as u64,
            success_threshold: self.success_threshold as i64 as u64,
            half_open_ms: self.half_open_ms,
        }
    }
}

/// The options of a ledger: with a `failure_threshold` above 0 it counts failures in a row, else it is a window.
#[derive(Clone, Copy, Debug)]
pub struct LedgerNumbers {
    pub failure_threshold: f64,
    pub window_ms: f64,
    pub failure_ratio: f64,
    pub minimum_throughput: f64,
    pub slow_call_ms: f64,
    pub slow_ratio: f64,
}

pub(crate) struct Either {
    failure_threshold: f64,
    window: Window,
}

impl LedgerNumbers {
    #[inline]
    pub(crate) fn build(self) -> Either {
        let Self { failure_threshold, window_ms, failure_ratio, minimum_throughput, slow_call_ms, slow_ratio } = self;
        let window = Window { window_ms, failure_ratio, minimum_throughput, slow_call_ms, slow_ratio };
        Either { failure_threshold, window }
    }
}

impl Ledger<RollingBreakerState> for Either {
    #[inline(always)]
    fn count(&self, state: &mut RollingBreakerState, now: f64, report: &Report) -> bool {
        if self.failure_threshold > 0.0 {
            let threshold = Threshold { failure_threshold: self.failure_threshold as i64 as u64 };
            threshold.count_run(&mut state.curr_fail, report)
        } else {
            self.window.count(state, now, report)
        }
    }

    #[inline(always)]
    fn clear(&self, state: &mut RollingBreakerState, now: f64) {
        self.window.clear(state, now);
    }

    #[inline(always)]
    fn failed(&self, report: &Report) -> bool {
        self.window.failed(report)
    }
}
