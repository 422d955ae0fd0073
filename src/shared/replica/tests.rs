use core::time::Duration;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::breaker::{Breaker, ConsecutiveBreaker, ConsecutiveBreakerState as State, Report, consecutive_breaker};

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
        if self.replica.pace.read_due(now) {
            self.reads.push(now);
            self.last_read = *store;
            self.replica.learn(&breaker(), *store);
        }
        let verdict = self.replica.request(&breaker(), now);
        if verdict.ok {
            let report = if ok { Report::success() } else { Report::failure() };
            self.replica.report(&breaker(), now, report.admitted_by(&verdict), &mut || 0.0);
        }
        self.tasks.extend(self.replica.pace.publish(now).map(|wait| now + wait));
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
                    assert_eq!(breaker().merge(known, state), state, "the value is the join of what was read and ours");
                    if works {
                        *store = Some(state);
                    }
                    self.replica.pace.wrote(number, now + took, works);
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
    assert!(replica.pace.read_due(0.0) && replica.pace.read_due(1.0));
    replica.pace.end_read();
    assert!(!replica.pace.read_due(2.0));
    assert!(replica.pace.read_due(1.0 + READ_EVERY_MS));
    assert!(!replica.pace.read_due(2.0 + READ_EVERY_MS), "the others go by what is known");
}

#[test]
fn a_write_that_does_not_end_holds_back_the_next_until_it_counts_as_lost() {
    let mut replica = Replica::new(breaker().init(0.0));
    replica.force(&breaker(), 0.0, Force::Open);
    assert!(matches!(replica.write(&breaker(), 0.0), Write::Now(..)));
    replica.force(&breaker(), 5.0, Force::Close);
    assert!(!replica.pace.is_published());
    assert_eq!((replica.pace.publish(5_000.0), replica.write(&breaker(), 5_000.0)), (None, Write::Done));
    assert_eq!(replica.pace.publish(WRITE_LOST_MS), Some(0.0));
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
    a.tasks.extend(a.replica.pace.publish(29_900.0).map(|wait| 29_900.0 + wait));
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
    assert_eq!(a.replica.pace.publish(READ_EVERY_MS), Some(WRITE_EVERY_MS));
}

/// The platform may end a task with its request; the next call starts another.
#[test]
fn a_task_that_died_is_replaced() {
    let mut replica = Replica::new(breaker().init(0.0));
    replica.force(&breaker(), 0.0, Force::Open);
    assert_eq!(replica.pace.publish(0.0), Some(0.0));
    assert_eq!(replica.pace.publish(TASK_LOST_MS), None);
    assert_eq!(replica.pace.publish(TASK_LOST_MS + 1.0), Some(0.0));
}
