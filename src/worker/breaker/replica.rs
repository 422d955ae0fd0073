//! One isolate's copy of a breaker whose shared copy lives in KV: when to read, when to write, and what. No I/O here.

use super::Force;
use crate::breaker::{Breaker, BreakerState, Report, Reported, Status, Verdict};

/// How old an isolate's knowledge may be before a request reads the shared copy, in milliseconds.
pub(super) const READ_EVERY_MS: f64 = 30_000.0;

/// The least time from the end of one write of a key to the start of the next, in milliseconds. The platform's limit.
pub(super) const WRITE_EVERY_MS: f64 = 1_000.0;

/// The most that a row of failed writes holds the next one back, in milliseconds.
const WRITE_AGAIN_MS: f64 = 32_000.0;

/// How long a write that has not ended holds the next one back, in milliseconds: one that never ends was lost.
const WRITE_LOST_MS: f64 = 11_000.0;

/// How far ahead of the clock a shared state may lie, in milliseconds. One further ahead would win every merge and refuse
/// until the clock gets there.
const MAX_AHEAD_MS: f64 = 3_600_000.0;

/// How long after its moment a task that was to write is taken for lost, in milliseconds.
const TASK_LOST_MS: f64 = 5_000.0;

/// The local state and what is known of the shared one.
#[derive(Clone, Debug)]
pub(super) struct Replica<S> {
    state: S,
    read_at: Option<f64>,
    /// Whether a read has ended: until then each request reads for itself, since none can wait for another's.
    has_read: bool,
    wrote_at: Option<f64>,
    /// Since when a write is under way.
    writing: Option<f64>,
    failed_writes: u32,
    /// Transitions that happened here, and how many of them the shared copy has.
    transitions: u64,
    published: u64,
    /// Until when a task is expected to write.
    task_until: Option<f64>,
}

/// What a task that wants to write is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Write<S> {
    /// Write this, and say with the number how it went.
    Now(S, u64),
    /// Ask again after so many milliseconds.
    Later(f64),
    /// Nothing is left to write.
    Done,
}

impl<S: BreakerState> Replica<S> {
    pub(super) const fn new(state: S) -> Self {
        Self {
            state,
            read_at: None,
            has_read: false,
            wrote_at: None,
            writing: None,
            failed_writes: 0,
            transitions: 0,
            published: 0,
            task_until: None,
        }
    }

    pub(super) const fn state(&self) -> S {
        self.state
    }

    /// Whether the shared copy is to be read first. Saying so begins the read: one that gets lost is not waited for.
    pub(super) fn read_due(&mut self, now: f64) -> bool {
        let due = !self.has_read || since(&mut self.read_at, now) >= READ_EVERY_MS;
        if due {
            self.begin_read(now);
        }
        due
    }

    pub(super) const fn begin_read(&mut self, now: f64) {
        self.read_at = Some(now);
    }

    /// A read has ended, whatever came of it.
    pub(super) const fn end_read(&mut self) {
        self.has_read = true;
    }

    /// Takes in what was read; `None` when nothing usable was there.
    pub(super) fn learn<B: Breaker<State = S>>(&mut self, breaker: &B, read: Option<S>) {
        self.end_read();
        if let Some(read) = read {
            let known = self.state.recovery();
            self.state = breaker.merge(self.state, transition(breaker, read));
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
            self.transitions += 1;
        }
    }

    pub(super) fn request<B: Breaker<State = S>>(&mut self, breaker: &B, now: f64) -> Verdict {
        let (state, verdict) = breaker.request(self.state, now);
        self.advance(state);
        verdict
    }

    pub(super) fn report<B: Breaker<State = S>>(
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

    pub(super) fn force<B: Breaker<State = S>>(&mut self, breaker: &B, now: f64, force: Force) {
        self.state = force.apply(breaker, self.state, now);
        self.transitions += 1;
    }

    fn advance(&mut self, state: S) {
        if place(&state) != place(&self.state) {
            self.transitions += 1;
        }
        self.state = state;
    }

    /// Whether a task has to be started that writes, and after how many milliseconds; at most [`WRITE_EVERY_MS`], so
    /// that no timer is held for longer. What is not due by then waits for the next call.
    pub(super) fn publish(&mut self, now: f64) -> Option<f64> {
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
    pub(super) fn write<B: Breaker<State = S>>(&mut self, breaker: &B, now: f64) -> Write<S> {
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
        Write::Now(transition(breaker, self.state), self.transitions)
    }

    /// The write that `number` stands for has ended.
    pub(super) fn wrote(&mut self, number: u64, now: f64, ok: bool) {
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
    pub(super) const fn is_published(&self) -> bool {
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
pub(super) fn is_of_this_time<S: BreakerState>(state: &S, now: f64) -> bool {
    state.recovery().changed_at <= now + MAX_AHEAD_MS
}

/// What of a state is shared: the transition. Each isolate counts for itself, so a closed state goes without its ledger; a
/// run of failures that was shared would outlive the success which ended it, as that is no transition.
fn transition<B: Breaker>(breaker: &B, state: B::State) -> B::State
where
    B::State: BreakerState,
{
    let recovery = state.recovery();
    if recovery.status != Status::Closed {
        return state;
    }
    let mut bare = breaker.init(recovery.changed_at);
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
mod tests {
    use core::time::Duration;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::breaker::{ConsecutiveBreaker, ConsecutiveBreakerState as State, consecutive_breaker};

    fn breaker() -> ConsecutiveBreaker {
        consecutive_breaker(2).open(Duration::from_millis(700)).half_open_probes(2).build().unwrap()
    }

    /// An isolate with its clock, and what it did to the store.
    struct Isolate {
        replica: Replica<State>,
        /// Tasks that sleep, by the moment they wake.
        tasks: Vec<f64>,
        last_read: Option<State>,
        reads: Vec<f64>,
        writes: Vec<f64>,
    }

    impl Isolate {
        fn new(now: f64) -> Self {
            let replica = Replica::new(breaker().init(now));
            Self { replica, tasks: Vec::new(), last_read: None, reads: Vec::new(), writes: Vec::new() }
        }

        /// One call; `ok` is how it ends where it is admitted.
        fn call(&mut self, store: &mut Option<State>, now: f64, ok: bool) -> bool {
            if self.replica.read_due(now) {
                self.reads.push(now);
                self.last_read = *store;
                self.replica.learn(&breaker(), *store);
            }
            let verdict = self.replica.request(&breaker(), now);
            if verdict.ok {
                let report = if ok { Report::success() } else { Report::failure() };
                self.replica.report(&breaker(), now, report.admitted_by(&verdict), &mut || 0.0);
            }
            self.tasks.extend(self.replica.publish(now).map(|wait| now + wait));
            verdict.ok
        }

        /// Wakes the tasks that are due; `works` is what the store says to a write, which takes `took`.
        fn wake(&mut self, store: &mut Option<State>, now: f64, works: bool, took: f64) {
            let due: Vec<_> = self.tasks.extract_if(.., |at| *at <= now).collect();
            for _ in due {
                match self.replica.write(&breaker(), now) {
                    Write::Now(state, number) => {
                        self.writes.push(now);
                        let known = self.last_read.unwrap_or(state);
                        assert_eq!(
                            breaker().merge(known, state),
                            state,
                            "the value is the join of what was read and ours"
                        );
                        if works {
                            *store = Some(state);
                        }
                        self.replica.wrote(number, now + took, works);
                    }
                    Write::Later(wait) => {
                        assert!(wait <= WRITE_EVERY_MS);
                        self.tasks.push(now + wait);
                    }
                    Write::Done => {}
                }
            }
        }
    }

    fn gaps(moments: &[f64]) -> f64 {
        moments.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        /// Asked for: "read back at most every 30 s", "at most one write a second a key whatever happens".
        #[test]
        fn the_limits_hold_whatever_happens(
            calls in prop::collection::vec((0.0..400.0_f64, any::<bool>(), any::<bool>(), 0_usize..2), 1..400),
        ) {
            let mut store = None;
            let mut isolates = [Isolate::new(0.0), Isolate::new(0.0)];
            let mut now = 0.0;
            for (pause, ok, works, which) in calls {
                now += pause;
                isolates[which].call(&mut store, now, ok);
                isolates.iter_mut().for_each(|isolate| isolate.wake(&mut store, now, works, 1.0));
            }
            for isolate in &isolates {
                prop_assert!(isolate.tasks.len() <= 1, "one task at a time");
                prop_assert!(gaps(&isolate.reads) >= READ_EVERY_MS);
                prop_assert!(gaps(&isolate.writes) >= WRITE_EVERY_MS);
            }
        }

        /// Asked for: "Zero KV writes while the dependency is healthy", also after it was ill and its key has expired.
        #[test]
        fn a_healthy_dependency_costs_no_write(ill_before in any::<bool>(), pauses in prop::collection::vec(0.0..9e4, 1..200)) {
            let (mut store, mut now) = (None, 0.0);
            let mut isolate = Isolate::new(now);
            if ill_before {
                for ok in [false, false, true, true, true, true] {
                    now += 1_001.0;
                    isolate.call(&mut store, now, ok);
                    isolate.wake(&mut store, now, true, 0.0);
                }
                now += 1_001.0;
                isolate.wake(&mut store, now, true, 0.0);
                assert_eq!(store.map(|state| state.status), Some(Status::Closed));
                store = None;
            }
            let before = isolate.writes.len();
            for pause in pauses {
                now += pause;
                prop_assert!(isolate.call(&mut store, now, true));
                isolate.wake(&mut store, now, true, 0.0);
            }
            prop_assert_eq!(isolate.writes.len(), before);
        }
    }

    #[test]
    fn a_storm_is_published_at_most_once_a_second_and_its_last_word_gets_out() {
        let mut store = None;
        let mut isolate = Isolate::new(0.0);
        let mut now = 0.0;
        while now < 10_000.0 {
            isolate.call(&mut store, now, false);
            isolate.wake(&mut store, now, true, 20.0);
            now += 10.0;
        }
        assert!((8..=10).contains(&isolate.writes.len()), "{:?}", isolate.writes);
        isolate.wake(&mut store, now + 1_000.0, true, 20.0);
        assert_eq!(store.unwrap(), isolate.replica.state());
    }

    #[test]
    fn another_isolate_learns_of_it_and_refuses() {
        let mut store = None;
        let (mut a, mut b) = (Isolate::new(0.0), Isolate::new(0.0));
        assert!(b.call(&mut store, 0.0, true));
        a.call(&mut store, 0.0, false);
        a.call(&mut store, 1.0, false);
        a.wake(&mut store, 1.0, true, 5.0);
        assert!(b.call(&mut store, 2.0, true), "what it knows is younger than 30 s");
        let mut store = Some(breaker().merge(store.unwrap(), Force::Open.apply(&breaker(), store.unwrap(), 29_900.0)));
        assert!(!b.call(&mut store, READ_EVERY_MS, true));
        assert_eq!(b.writes, [0.0; 0], "what was learnt is not written again");
    }

    /// Reference, consecutiveBreaker: "any success resets the count", also where a run of failures was published meanwhile.
    #[test]
    fn a_run_of_failures_that_a_success_ended_does_not_come_back() {
        let (mut store, mut now) = (None, 0.0);
        let mut a = Isolate::new(now);
        for ok in [false, false, true, true, false, true] {
            now += 1_001.0;
            a.call(&mut store, now, ok);
            a.wake(&mut store, now, true, 0.0);
        }
        let shared = store.expect("it opened, tried and closed");
        assert_eq!((shared.status, shared.failures), (Status::Closed, 0));
        store = Some(State { failures: 1, ..shared }); // as another program might have written it
        now += READ_EVERY_MS;
        a.call(&mut store, now, false);
        assert_eq!((a.replica.state().status, a.replica.state().failures), (Status::Closed, 1));
    }

    /// The bound on probes is of each isolate: joining another's trial gives it no new ones.
    #[test]
    fn probes_stay_used_when_another_trial_is_joined() {
        let breaker = breaker();
        let opened = Force::Open.apply(&breaker, breaker.init(0.0), 0.0);
        let (mut here, mut there) = (Replica::new(opened), Replica::new(opened));
        for _ in 0..2 {
            assert!(here.request(&breaker, 700.0).ok);
        }
        assert!(there.request(&breaker, 750.0).ok);
        here.learn(&breaker, Some(there.state()));
        assert_eq!(here.state().changed_at, there.state().changed_at);
        assert!(!here.request(&breaker, 760.0).ok);
    }

    #[test]
    fn every_request_reads_until_a_read_has_ended() {
        let mut replica = Replica::new(breaker().init(0.0));
        assert!(replica.read_due(0.0) && replica.read_due(1.0));
        replica.end_read();
        assert!(!replica.read_due(2.0));
        assert!(replica.read_due(1.0 + READ_EVERY_MS));
        assert!(!replica.read_due(2.0 + READ_EVERY_MS), "the others go by what is known");
    }

    #[test]
    fn a_write_that_does_not_end_holds_back_the_next_until_it_counts_as_lost() {
        let mut replica = Replica::new(breaker().init(0.0));
        replica.force(&breaker(), 0.0, Force::Open);
        assert!(matches!(replica.write(&breaker(), 0.0), Write::Now(..)));
        replica.force(&breaker(), 5.0, Force::Close);
        assert!(!replica.is_published());
        assert_eq!((replica.publish(5_000.0), replica.write(&breaker(), 5_000.0)), (None, Write::Done));
        assert_eq!(replica.publish(WRITE_LOST_MS), Some(0.0));
    }

    #[test]
    fn a_state_far_ahead_of_the_clock_is_of_no_time() {
        let state = |changed_at| State { changed_at, ..breaker().init(0.0) };
        assert!(is_of_this_time(&state(MAX_AHEAD_MS), 0.0));
        for changed_at in [MAX_AHEAD_MS + 1.0, crate::MAX_SAFE_MS, f64::NAN] {
            assert!(!is_of_this_time(&state(changed_at), 0.0), "{changed_at}");
        }
    }

    /// A write that a stale reader wrote over comes back with the next read.
    #[test]
    fn a_lost_opening_is_written_again() {
        let mut store = None;
        let mut a = Isolate::new(0.0);
        for now in [0.0, 1.0] {
            a.call(&mut store, now, false);
        }
        a.wake(&mut store, 1.0, true, 0.0);
        a.replica.force(&breaker(), 29_900.0, Force::Open);
        a.tasks.extend(a.replica.publish(29_900.0).map(|wait| 29_900.0 + wait));
        a.wake(&mut store, 29_900.0, true, 0.0);
        let mut store = None;
        assert!(!a.call(&mut store, READ_EVERY_MS, true));
        a.wake(&mut store, 31_000.0, true, 0.0);
        assert_eq!(store, Some(a.replica.state()));
    }

    /// Case 25: a put that answers 429 is tried again, ever more rarely, at the next call.
    #[test]
    fn failed_writes_back_off() {
        let mut store = None;
        let mut a = Isolate::new(0.0);
        a.replica.force(&breaker(), 0.0, Force::Open);
        for now in (0..600).map(|tick| f64::from(tick) * 250.0) {
            a.call(&mut store, now, true);
            a.wake(&mut store, now, false, 0.0);
        }
        let gaps: Vec<_> = a.writes.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(gaps[..7], [2e3, 4e3, 8e3, 16e3, 32e3, 32e3, 32e3], "{gaps:?}");
    }

    #[test]
    fn a_clock_that_went_back_holds_nothing_up_for_long() {
        let mut store = None;
        let mut a = Isolate::new(3_600_000.0);
        a.call(&mut store, 3_600_000.0, false);
        a.call(&mut store, 3_600_000.0, false);
        a.wake(&mut store, 3_600_000.0, true, 0.0);
        a.call(&mut store, 0.0, true);
        a.call(&mut store, READ_EVERY_MS, true);
        assert_eq!(a.reads.len(), 2);
        a.replica.force(&breaker(), READ_EVERY_MS, Force::Close);
        assert_eq!(a.replica.publish(READ_EVERY_MS), Some(WRITE_EVERY_MS));
    }

    /// The platform may end a task with its request; the next call starts another.
    #[test]
    fn a_task_that_died_is_replaced() {
        let mut replica = Replica::new(breaker().init(0.0));
        replica.force(&breaker(), 0.0, Force::Open);
        assert_eq!(replica.publish(0.0), Some(0.0));
        assert_eq!(replica.publish(TASK_LOST_MS), None);
        assert_eq!(replica.publish(TASK_LOST_MS + 1.0), Some(0.0));
    }
}
