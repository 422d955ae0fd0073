//! One isolate's copy of a breaker whose shared copy lives in KV: when to read, when to write, and what. No I/O here.

use super::{Force, Kind};
#[cfg(feature = "worker")]
use crate::breaker::{Breaker, Report, Reported, Verdict};
use crate::breaker::{BreakerState, Status};

/// How old an isolate's knowledge may be before a request reads the shared copy, in milliseconds.
pub(crate) const READ_EVERY_MS: f64 = 30_000.0;

/// The least time from the end of one write of a key to the start of the next, in milliseconds. The platform's limit.
pub(crate) const WRITE_EVERY_MS: f64 = 1_000.0;

/// The most that a row of failed writes holds the next one back, in milliseconds.
const WRITE_AGAIN_MS: f64 = 32_000.0;

/// How long a write that has not ended holds the next one back, in milliseconds: one that never ends was lost.
const WRITE_LOST_MS: f64 = 11_000.0;

/// How far ahead of the clock a shared state may lie, in milliseconds. One further ahead would win every merge and
/// refuse until the clock gets there.
const MAX_AHEAD_MS: f64 = 3_600_000.0;

/// How long after its moment a task that was to write is taken for lost, in milliseconds.
const TASK_LOST_MS: f64 = 5_000.0;

/// The local state and what is known of the shared one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replica<S> {
    pub(crate) state: S,
    pub(crate) pace: Pace,
}

/// When the shared copy was read and written, and what it still lacks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    pub(crate) read_at: Option<f64>,
    /// Whether a read has ended: until then each request reads for itself, since none can wait for another's.
    pub(crate) has_read: bool,
    pub(crate) wrote_at: Option<f64>,
    /// Since when a write is under way.
    pub(crate) writing: Option<f64>,
    pub(crate) failed_writes: u32,
    /// Transitions that happened here, and how many of them the shared copy has.
    pub(crate) transitions: u64,
    pub(crate) published: u64,
    /// Until when a task is expected to write.
    pub(crate) task_until: Option<f64>,
}

/// What a task that wants to write is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Write<S> {
    /// Write this, and say with the number how it went.
    Now(S, u64),
    /// Ask again after so many milliseconds.
    Later(f64),
    /// Nothing is left to write.
    Done,
}

impl<S: BreakerState> Replica<S> {
    #[cfg(feature = "worker")]
    pub(crate) fn new(state: S) -> Self {
        Self { state, pace: Pace::default() }
    }

    #[cfg(feature = "worker")]
    pub(crate) const fn state(&self) -> S {
        self.state
    }

    /// Takes in what was read; `None` when nothing usable was there.
    pub(crate) fn learn(&mut self, kind: &impl Kind<S>, read: Option<S>) {
        self.pace.end_read();
        if let Some(read) = read {
            let known = self.state.recovery();
            self.state = kind.join(self.state, transition(kind, read));
            // Probes of this isolate stay used, also where the trial that is joined has some left.
            let mut recovery = self.state.recovery();
            if (known.status, recovery.status) == (Status::HalfOpen, Status::HalfOpen) {
                recovery.probes = recovery.probes.max(known.probes);
                self.state.set_recovery(recovery);
            }
        }
        // Somebody wrote over a transition of ours without having read it, or the key is gone. A healthy dependency
        // needs no copy at all.
        let healthy = |state: &S| state.recovery().status == Status::Closed;
        let lacking = read.is_none_or(|read| place(&read) != place(&self.state));
        if lacking && !(healthy(&self.state) && read.as_ref().is_none_or(healthy)) {
            self.pace.transitions += 1;
        }
    }

    #[cfg(feature = "worker")]
    pub(crate) fn request<B: Breaker<State = S>>(&mut self, breaker: &B, now: f64) -> Verdict {
        let (state, verdict) = breaker.request(self.state, now);
        self.advance(state);
        verdict
    }

    #[cfg(feature = "worker")]
    pub(crate) fn report<B: Breaker<State = S>>(
        &mut self,
        breaker: &B,
        now: f64,
        report: Report,
        random: &mut dyn FnMut() -> f64,
    ) -> Reported {
        let (state, reported) = breaker.report_with(self.state, now, report, random);
        self.advance(state);
        reported
    }

    pub(crate) fn force(&mut self, kind: &impl Kind<S>, now: f64, force: Force) {
        self.state = force.apply(kind, self.state, now);
        self.pace.transitions += 1;
    }

    /// Takes the state that a call left.
    pub(crate) fn advance(&mut self, state: S) {
        if place(&state) != place(&self.state) {
            self.pace.transitions += 1;
        }
        self.state = state;
    }

    /// What the task that was started for it has to do now. [`Write::Now`] begins a write.
    pub(crate) fn write(&mut self, kind: &impl Kind<S>, now: f64) -> Write<S> {
        match self.pace.write(now) {
            Write::Now((), number) => Write::Now(transition(kind, self.state), number),
            Write::Later(wait) => Write::Later(wait),
            Write::Done => Write::Done,
        }
    }
}

impl Pace {
    /// Whether the shared copy is to be read first. Saying so begins the read: one that gets lost is not waited for.
    pub(crate) fn read_due(&mut self, now: f64) -> bool {
        let due = !self.has_read || since(&mut self.read_at, now) >= READ_EVERY_MS;
        if due {
            self.begin_read(now);
        }
        due
    }

    pub(crate) const fn begin_read(&mut self, now: f64) {
        self.read_at = Some(now);
    }

    /// A read has ended, whatever came of it.
    pub(crate) const fn end_read(&mut self) {
        self.has_read = true;
    }

    /// Whether a task has to be started that writes, and after how many milliseconds; at most [`WRITE_EVERY_MS`], so
    /// that no timer is held for longer. What is not due by then waits for the next call.
    pub(crate) fn publish(&mut self, now: f64) -> Option<f64> {
        let expected = |until: f64| (0.0..=WRITE_EVERY_MS + TASK_LOST_MS).contains(&(until - now));
        if self.is_published() || self.is_writing(now) || self.task_until.is_some_and(expected) {
            return None;
        }
        let wait = self.write_wait(now);
        if wait > WRITE_EVERY_MS {
            return None;
        }
        self.task_until = Some(now + wait + TASK_LOST_MS);
        Some(wait)
    }

    /// What the task that was started for it has to do now. [`Write::Now`] begins a write.
    pub(crate) fn write(&mut self, now: f64) -> Write<()> {
        let wait = self.write_wait(now);
        if self.is_published() || self.is_writing(now) || wait > WRITE_EVERY_MS {
            self.task_until = None;
            return Write::Done;
        }
        if wait > 0.0 {
            self.task_until = Some(now + wait + TASK_LOST_MS);
            return Write::Later(wait);
        }
        self.task_until = None;
        self.wrote_at = Some(now);
        self.writing = Some(now);
        Write::Now((), self.transitions)
    }

    /// The write that `number` stands for has ended.
    pub(crate) fn wrote(&mut self, number: u64, now: f64, ok: bool) {
        self.wrote_at = Some(now);
        self.writing = None;
        if ok {
            self.failed_writes = 0;
            self.published = self.published.max(number);
        } else {
            self.failed_writes = self.failed_writes.saturating_add(1);
        }
    }

    /// Whether the shared copy has every transition that happened here.
    pub(crate) const fn is_published(&self) -> bool {
        self.transitions == self.published
    }

    fn is_writing(&mut self, now: f64) -> bool {
        since(&mut self.writing, now) < WRITE_LOST_MS
    }

    /// How long a write has to wait.
    fn write_wait(&mut self, now: f64) -> f64 {
        let gap = WRITE_EVERY_MS * f64::from(1_u32 << self.failed_writes.min(5));
        (gap.min(WRITE_AGAIN_MS) - since(&mut self.wrote_at, now)).max(0.0)
    }
}

/// Whether a shared state can be one of this time.
pub(crate) fn is_of_this_time<S: BreakerState>(state: &S, now: f64) -> bool {
    state.recovery().changed_at <= now + MAX_AHEAD_MS
}

/// What of a state is shared: the transition. Each isolate counts for itself, so a closed state goes without its
/// ledger; a run of failures that was shared would outlive the success which ended it, as that is no transition.
fn transition<S: BreakerState>(kind: &impl Kind<S>, state: S) -> S {
    let recovery = state.recovery();
    if recovery.status != Status::Closed {
        return state;
    }
    let mut bare = kind.fresh(recovery.changed_at);
    bare.set_recovery(recovery);
    bare
}

/// What a transition changes.
fn place<S: BreakerState>(state: &S) -> (Status, f64) {
    let recovery = state.recovery();
    (recovery.status, recovery.changed_at)
}

/// Milliseconds since a moment that may never have been. A clock that went back starts them anew: then something waits
/// its time once more, and never for the whole jump.
fn since(moment: &mut Option<f64>, now: f64) -> f64 {
    match moment {
        None => f64::INFINITY,
        Some(moment) => {
            if now < *moment {
                *moment = now;
            }
            now - *moment
        }
    }
}

#[cfg(test)]
mod tests;
