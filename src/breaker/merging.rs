//! Either breaker as far as sharing its state needs it, for JavaScript, whose breakers keep their options to
//! themselves.

use super::RollingBreakerState;
use super::merge;
use super::open_time::OpenTime;
use super::recovery::Recovery;
use super::state::RecoveryState;
use crate::shared::Kind;

/// A breaker of that open time, whose state is a rolling one: a consecutive breaker keeps its run of failures in
/// `curr_fail`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merging {
    pub(crate) open_ms: f64,
    pub(crate) is_rolling: bool,
}

impl Kind<RollingBreakerState> for Merging {
    fn fresh(&self, now: f64) -> RollingBreakerState {
        let RecoveryState { status, changed_at, probes, successes, openings, open_for_ms, ahead_ms } =
            RecoveryState::closed(now);
        RollingBreakerState {
            status,
            changed_at,
            probes,
            successes,
            start: if self.is_rolling { changed_at } else { 0.0 },
            prev_ok: 0,
            prev_fail: 0,
            curr_ok: 0,
            curr_fail: 0,
            prev_slow: 0,
            curr_slow: 0,
            openings,
            open_for_ms,
            ahead_ms,
        }
    }

    fn join(&self, a: RollingBreakerState, b: RollingBreakerState) -> RollingBreakerState {
        let recovery = Recovery {
            open: OpenTime { base_ms: self.open_ms, growth: None, jitter: 0.0 },
            half_open_probes: 1,
            success_threshold: 1,
            half_open_ms: self.open_ms,
        };
        // A run of failures is a window of one bucket, all of which began at 0: of two the longer is kept.
        merge::merge(&recovery, a, b, RollingBreakerState::join_window)
    }
}
