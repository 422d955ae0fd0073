//! Either breaker from plain numbers that JavaScript has checked.

use super::RollingBreakerState;
use super::consecutive::Threshold;
use super::open_time::{Capped, Growth, OpenTime};
use super::recovery::{Ledger, Recovery};
use super::report::{CallResult, Report};
use super::window::Window;

pub(crate) use super::recovery::Recovery as Rec;

pub(crate) struct Either { pub(crate) recovery: Recovery, pub(crate) ledger: AnyLedger }
pub(crate) struct AnyLedger { pub(crate) threshold: f64, pub(crate) window: Window }

impl Ledger<RollingBreakerState> for AnyLedger {
    #[inline(always)]
    fn count(&self, state: &mut RollingBreakerState, now: f64, report: &Report) -> bool {
        if self.threshold > 0.0 {
            if report.result == CallResult::Failure { state.curr_fail += 1; state.curr_fail as f64 >= self.threshold } else { state.curr_fail = 0; false }
        } else { self.window.count(state, now, report) }
    }
    #[inline(always)]
    fn clear(&self, state: &mut RollingBreakerState, now: f64) { self.window.clear(state, now) }
    #[inline(always)]
    fn failed(&self, report: &Report) -> bool { self.window.failed(report) }
}
#[inline(always)]
pub(crate) fn recovery(open_ms: f64, growth: i32, factor: f64, max_open_ms: f64, open_jitter: f64, half_open_probes: f64, success_threshold: f64, half_open_ms: f64) -> Recovery {
        let _ = growth;
        let growth: Option<Growth> = None; let _ = factor;
        Recovery {
            open: OpenTime {
                base_ms: open_ms,
                growth: growth.map(|growth| Capped { growth, max_ms: max_open_ms }),
                jitter: open_jitter,
            },
            half_open_probes: half_open_probes as i64 as u64,
            success_threshold: success_threshold as i64 as u64,
            half_open_ms,
        }
}
#[inline(always)]
pub(crate) fn window(window_ms: f64, failure_ratio: f64, minimum_throughput: f64, slow_call_ms: f64, slow_ratio: f64) -> Window { Window { window_ms, failure_ratio, minimum_throughput, slow_call_ms, slow_ratio } }
