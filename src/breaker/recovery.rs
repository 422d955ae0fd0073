//! Opening, trials and closing: written once, for every breaker.

use super::open_time::OpenTime;
use super::report::{CallResult, Report, Reported, Verdict};
use super::state::{BreakerState, RecoveryState, Status};
use crate::number::{ceil_ms, finite_time};

/// Checked by the builder: each number at least 1, `success_threshold` at most `half_open_probes`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Recovery {
    pub(super) open: OpenTime,
    pub(super) half_open_probes: u64,
    pub(super) success_threshold: u64,
    pub(super) half_open_ms: f64,
}

/// What a breaker of one kind does with the outcomes of a closed period.
pub(crate) trait Ledger<S> {
    /// Counts an outcome that is not ignored; `true` trips the breaker.
    fn count(&self, state: &mut S, now: f64, report: &Report) -> bool;
    /// Starts a closed period on an empty ledger.
    fn clear(&self, state: &mut S, now: f64);
    /// Whether a probe that ended so has failed.
    fn failed(&self, report: &Report) -> bool;
}

impl Recovery {
    #[inline]
    pub(crate) fn request<S: BreakerState>(&self, state: S, now: f64) -> (S, Verdict) {
        let recovery = state.recovery();
        if recovery.status == Status::Closed {
            return (state, Verdict::admitted(Status::Closed, recovery.changed_at));
        }
        let (recovery, verdict) = self.admit(recovery, finite_time(now));
        let mut next = state;
        if verdict.ok {
            next.set_recovery(recovery);
        }
        (next, verdict)
    }

    fn admit(&self, recovery: RecoveryState, now: f64) -> (RecoveryState, Verdict) {
        let (length, free, stranded) = match recovery.status {
            Status::Closed => return (recovery, Verdict::admitted(Status::Closed, recovery.changed_at)),
            Status::Open => (self.open.lasts(recovery.open_for_ms), false, true),
            Status::HalfOpen => {
                let free = recovery.probes < self.half_open_probes;
                // A trial that is not full and has every probe back waits for nobody: it goes on, however long it took.
                (self.half_open_ms, free, !free || recovery.probes > recovery.successes)
            }
        };
        // At most the whole length: a clock that jumped back has not moved.
        let remaining = (recovery.since() + length - now).min(length);
        let next = if stranded && remaining <= 0.0 {
            self.fresh_trial(recovery, now)
        } else if free {
            RecoveryState { probes: recovery.probes + 1, ..recovery }
        } else {
            return (recovery, Verdict::refused(recovery.status, recovery.changed_at, ceil_ms(remaining)));
        };
        (next, Verdict::admitted(Status::HalfOpen, next.changed_at))
    }

    /// The epoch is at least the shortest open time after that of the opening: `merge` counts on it.
    fn fresh_trial(&self, recovery: RecoveryState, now: f64) -> RecoveryState {
        let before = finite_time(recovery.changed_at);
        let at = match recovery.status {
            Status::HalfOpen if now > before => now,
            Status::HalfOpen => before + 1.0,
            Status::Closed | Status::Open => now.max(before + self.open.shortest()),
        };
        RecoveryState { probes: 1, successes: 0, ..recovery.at(Status::HalfOpen, at, now) }
    }

    // Left to itself the compiler makes this a call, and the whole state goes through memory on the way in and out.
    #[inline(always)]
    pub(crate) fn report<S: BreakerState>(
        &self,
        ledger: &impl Ledger<S>,
        mut state: S,
        now: f64,
        report: &Report,
        random: &mut dyn FnMut() -> f64,
    ) -> (S, Reported) {
        let mut recovery = state.recovery();
        if report.epoch.is_some_and(|epoch| epoch != recovery.changed_at) {
            return (state, Reported::Stale);
        }
        let now = finite_time(now);
        let ignored = report.result == CallResult::Ignored;
        let opens = match recovery.status {
            Status::Closed => {
                if ignored {
                    return (state, Reported::Ignored);
                }
                ledger.count(&mut state, now, report)
            }
            Status::HalfOpen if recovery.probes > recovery.successes => {
                if ignored {
                    recovery.probes -= 1;
                    state.set_recovery(recovery);
                    return (state, Reported::Ignored);
                }
                let failed = ledger.failed(report);
                if !failed {
                    recovery.successes += 1;
                    if recovery.successes >= self.success_threshold {
                        recovery = recovery.close(now);
                        ledger.clear(&mut state, now);
                    }
                }
                failed
            }
            Status::HalfOpen | Status::Open => return (state, Reported::Stale),
        };
        if opens {
            recovery = self.opened(recovery, now, random);
        }
        state.set_recovery(recovery);
        (state, Reported::Counted)
    }

    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), cold)]
    fn opened(&self, recovery: RecoveryState, now: f64, random: &mut dyn FnMut() -> f64) -> RecoveryState {
        let openings = self.open.openings(recovery.openings);
        let open_for_ms = self.open.draw(openings, recovery.open_for_ms, random);
        RecoveryState { openings, open_for_ms, ..recovery.open(now) }
    }
}
