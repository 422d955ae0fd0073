//! Opening, trials and closing: written once, for every breaker.

use super::open_time::OpenTime;
use super::report::{CallResult, Report, Reported, Verdict};
use super::state::{RecoveryState, Sound, Status};
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

/// What follows from an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Stay,
    Open,
    Close,
}

impl Recovery {
    #[inline(always)]
    pub(crate) fn request<S: Sound>(&self, state: S, now: f64) -> (S, Verdict) {
        let recovery = state.recovery();
        let (length, free, stranded) = match recovery.status {
            Status::Closed => return (state, Verdict::admitted(Status::Closed, recovery.changed_at)),
            Status::Open => (self.open.lasts(recovery.open_for_ms), false, true),
            Status::HalfOpen => {
                let free = recovery.probes < self.half_open_probes;
                // A trial that is not full and has every probe back waits for nobody: it goes on, however long it took.
                (self.half_open_ms, free, !free || recovery.probes > recovery.successes)
            }
        };
        let now = finite_time(now);
        // At most the whole length: a clock that jumped back has not moved.
        let sound = state.sound();
        let remaining = sound.since() + length - now;
        let remaining = if remaining < length { remaining } else { length };
        let over = stranded && remaining <= 0.0;
        if !over && !free {
            return (state, Verdict::refused(recovery.status, recovery.changed_at, ceil_ms(remaining)));
        }
        let admitted =
            if over { self.fresh_trial(sound, now) } else { RecoveryState { probes: recovery.probes + 1, ..recovery } };
        let mut next = state;
        next.set_recovery(admitted);
        (next, Verdict::admitted(Status::HalfOpen, admitted.changed_at))
    }

    /// The epoch is at least the shortest open time after that of the opening: `merge` counts on it.
    #[cfg_attr(not(target_family = "wasm"), cold, inline(never))]
    #[cfg_attr(target_family = "wasm", inline(always))]
    fn fresh_trial(&self, recovery: RecoveryState, now: f64) -> RecoveryState {
        let before = recovery.changed_at;
        let soonest = if recovery.status == Status::HalfOpen { before + 1.0 } else { before + self.open.shortest() };
        let at = if recovery.status == Status::HalfOpen && now > before || now > soonest { now } else { soonest };
        RecoveryState { probes: 1, successes: 0, ..recovery.at(Status::HalfOpen, at, now) }
    }

    // Left to itself the compiler makes this a call, and the whole state goes through memory on the way in and out.
    #[inline(always)]
    pub(crate) fn report<S: Sound>(
        &self,
        ledger: &impl Ledger<S>,
        mut state: S,
        now: f64,
        report: &Report,
        random: &mut dyn FnMut() -> f64,
    ) -> (S, Reported) {
        let now = finite_time(now);
        let (turn, reported) = self.judge(ledger, &mut state, now, report);
        self.turn(ledger, &mut state, now, turn, random);
        (state, reported)
    }

    /// Counts an outcome, and says what follows from it.
    #[inline(always)]
    pub(crate) fn judge<S: Sound>(
        &self,
        ledger: &impl Ledger<S>,
        state: &mut S,
        now: f64,
        report: &Report,
    ) -> (Turn, Reported) {
        let recovery = state.recovery();
        if report.epoch.is_some_and(|epoch| epoch != recovery.changed_at) {
            return (Turn::Stay, Reported::Stale);
        }
        if recovery.status != Status::Closed {
            let (recovery, turn, reported) = self.end_probe(recovery, report.result, ledger.failed(report));
            state.set_recovery(recovery);
            return (turn, reported);
        }
        if report.result == CallResult::Ignored {
            return (Turn::Stay, Reported::Ignored);
        }
        (if ledger.count(state, now, report) { Turn::Open } else { Turn::Stay }, Reported::Counted)
    }

    #[cfg_attr(not(target_family = "wasm"), cold, inline(never))]
    #[cfg_attr(target_family = "wasm", inline(always))]
    fn end_probe(
        &self,
        mut recovery: RecoveryState,
        result: CallResult,
        failed: bool,
    ) -> (RecoveryState, Turn, Reported) {
        if recovery.status == Status::Open || recovery.probes <= recovery.successes {
            return (recovery, Turn::Stay, Reported::Stale);
        }
        if result == CallResult::Ignored {
            recovery.probes -= 1;
            return (recovery, Turn::Stay, Reported::Ignored);
        }
        if failed {
            return (recovery, Turn::Open, Reported::Counted);
        }
        recovery.successes += 1;
        let turn = if recovery.successes >= self.success_threshold { Turn::Close } else { Turn::Stay };
        (recovery, turn, Reported::Counted)
    }

    /// Opens or closes at `now`, which is finite.
    #[inline(always)]
    pub(crate) fn turn<S: Sound>(
        &self,
        ledger: &impl Ledger<S>,
        state: &mut S,
        now: f64,
        turn: Turn,
        random: &mut dyn FnMut() -> f64,
    ) {
        match turn {
            Turn::Stay => {}
            Turn::Open => state.set_recovery(self.opened(state.sound(), now, random)),
            Turn::Close => {
                state.set_recovery(state.sound().close(now));
                ledger.clear(state, now);
            }
        }
    }

    #[cfg_attr(not(target_family = "wasm"), cold, inline(never))]
    #[cfg_attr(target_family = "wasm", inline(always))]
    fn opened(&self, recovery: RecoveryState, now: f64, random: &mut dyn FnMut() -> f64) -> RecoveryState {
        let openings = self.open.openings(recovery.openings);
        let open_for_ms = self.open.draw(openings, recovery.open_for_ms, random);
        RecoveryState { openings, open_for_ms, ..recovery.open(now) }
    }
}
