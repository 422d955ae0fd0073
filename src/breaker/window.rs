//! The sliding-window counter: two buckets, the previous one weighted by how much of it still overlaps.

use super::RollingBreakerState;
use super::recovery::Ledger;
use super::report::{CallResult, Report};
use super::state::one_more;
use crate::number::{finite_time, positive};

/// Checked by the builder: ratios above 0, up to 1, the rest at least 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub(super) window_ms: f64,
    pub(super) failure_ratio: f64,
    pub(super) minimum_throughput: f64,
    /// Infinite where no call is slow.
    pub(super) slow_call_ms: f64,
    pub(super) slow_ratio: f64,
}

impl Window {
    #[inline(always)]
    fn is_slow(&self, report: &Report) -> bool {
        report.duration_ms.is_some_and(|duration| duration > self.slow_call_ms)
    }

    /// Out of line: a failure is the rarer case, and its divisions would crowd the common one out of registers.
    #[cold]
    fn trips(&self, counts: [u64; 6], elapsed: f64, failed: bool, slow: bool) -> bool {
        let [prev_ok, prev_fail, prev_slow, curr_ok, curr_fail, curr_slow] = counts;
        let weight = positive(1.0 - elapsed / self.window_ms);
        let estimate = |prev: u64, curr: u64| prev as f64 * weight + curr as f64;
        let failures = estimate(prev_fail, curr_fail);
        let calls = failures + estimate(prev_ok, curr_ok);
        calls >= self.minimum_throughput
            && (failed && failures / calls >= self.failure_ratio
                || slow && estimate(prev_slow, curr_slow) / calls >= self.slow_ratio)
    }

    /// Moves the buckets on to the one that holds `now`; how far into it `now` is.
    #[inline(always)]
    fn roll(&self, state: &mut RollingBreakerState, now: f64) -> f64 {
        let start = finite_time(state.start);
        let elapsed = positive(now - start);
        if elapsed < self.window_ms {
            return elapsed;
        }
        let [_, _, _, ok, fail, slow] = state.counts();
        if elapsed < 2.0 * self.window_ms {
            state.start = start + self.window_ms;
            state.set_counts([ok, fail, slow, 0, 0, 0]);
            positive(now - state.start)
        } else {
            self.clear(state, now);
            0.0
        }
    }
}

impl Ledger<RollingBreakerState> for Window {
    #[inline(always)]
    fn count(&self, state: &mut RollingBreakerState, now: f64, report: &Report) -> bool {
        let elapsed = self.roll(state, now);
        let (failed, slow) = (report.result == CallResult::Failure, self.is_slow(report));
        if failed {
            state.curr_fail = one_more(state.curr_fail);
        } else {
            state.curr_ok = one_more(state.curr_ok);
        }
        if slow {
            state.curr_slow = one_more(state.curr_slow);
        }
        if !failed && !slow {
            return false;
        }
        self.trips(state.counts(), elapsed, failed, slow)
    }

    #[inline(always)]
    fn clear(&self, state: &mut RollingBreakerState, now: f64) {
        state.start = now;
        state.set_counts([0; 6]);
    }

    #[inline(always)]
    fn failed(&self, report: &Report) -> bool {
        report.result == CallResult::Failure || self.is_slow(report)
    }
}

impl RollingBreakerState {
    fn counts(&self) -> [u64; 6] {
        [self.prev_ok, self.prev_fail, self.prev_slow, self.curr_ok, self.curr_fail, self.curr_slow]
    }

    fn set_counts(&mut self, counts: [u64; 6]) {
        [self.prev_ok, self.prev_fail, self.prev_slow, self.curr_ok, self.curr_fail, self.curr_slow] = counts;
    }

    /// The newer window that holds calls; of one window the larger counts.
    pub(super) fn join_window(&mut self, other: &Self) {
        let (counts, others) = (self.counts(), other.counts());
        let age = |state: &Self, counts: &[u64; 6]| (*counts != [0; 6], finite_time(state.start) + 0.0);
        let (mine, theirs) = (age(self, &counts), age(other, &others));
        if mine < theirs {
            self.start = other.start;
            self.set_counts(others);
        } else if mine == theirs {
            self.start = mine.1;
            self.set_counts(core::array::from_fn(|index| counts[index].max(others[index])));
        }
    }
}
