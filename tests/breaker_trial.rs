//! Every reachable state of a breaker, by exhaustive enumeration: what may never happen, and what stays possible.
//!
//! Time moves in steps of 1 ms, forward and (a little) back, or not at all; calls may end, be ignored or be lost in any
//! order. States are compared relative to the clock, which makes them finitely many.

use core::time::Duration;
use std::collections::{HashSet, VecDeque};

use retry_primitives::breaker::{
    Breaker, BreakerState, ConsecutiveBreaker, ConsecutiveBreakerState, Report, Reported, RollingBreaker,
    RollingBreakerState, Status, consecutive_breaker, rolling_breaker,
};

/// How far ahead of the clock a moment may be, after steps back.
const AHEAD: f64 = 2.0;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A call in flight: the epoch it was given, and whether the breaker has really not moved on since.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Call {
    epoch: f64,
    current: bool,
}

#[derive(Clone, Debug)]
struct Node<S> {
    state: S,
    calls: Vec<Call>,
    /// Calls admitted in this trial whose slot was not given back.
    trial: u64,
}

trait Explored: Breaker<State: PartialEq + core::fmt::Debug> {
    /// How many calls are followed at once; a probe beyond that is lost.
    const CALLS: usize;
    /// Older than this, a moment is as good as any other: beyond the open time, the trial and two windows.
    const OLD: f64;
    /// The state `step` later, or `None` when it is too large to go on with.
    fn shifted(state: Self::State, step: f64) -> Option<Self::State>;
}

/// `halfOpenProbes` of every breaker here.
const PROBES: u64 = 2;

impl Explored for ConsecutiveBreaker {
    const CALLS: usize = 3;
    const OLD: f64 = -7.0;

    fn shifted(mut state: ConsecutiveBreakerState, step: f64) -> Option<ConsecutiveBreakerState> {
        state.changed_at = (state.changed_at - step).max(Self::OLD);
        (state.changed_at <= AHEAD).then_some(state)
    }
}

impl Explored for RollingBreaker {
    const CALLS: usize = 2;
    const OLD: f64 = -5.0;

    fn shifted(mut state: RollingBreakerState, step: f64) -> Option<RollingBreakerState> {
        state.changed_at = (state.changed_at - step).max(Self::OLD);
        state.start = (state.start - step).max(Self::OLD);
        let most = state.curr_ok.max(state.curr_fail).max(state.prev_ok).max(state.prev_fail);
        (state.changed_at <= AHEAD && state.start <= AHEAD && most <= 2).then_some(state)
    }
}

impl<S: BreakerState + PartialEq> Node<S> {
    fn becomes(&self, state: S, calls: Vec<Call>, new_period: bool) -> Self {
        let mut node = Self { state, calls, trial: self.trial };
        if new_period {
            node.trial = 0;
            node.calls.iter_mut().for_each(|call| call.current = false);
        }
        node
    }
}

/// What can happen next; checks each step on the way.
fn successors<B: Explored>(breaker: &B, node: &Node<B::State>) -> Vec<Node<B::State>> {
    let before = node.state.recovery();
    let mut next = Vec::new();
    for step in [1.0, -1.0] {
        if let Some(state) = B::shifted(node.state, step) {
            let mut later = Node { state, ..node.clone() };
            for call in &mut later.calls {
                // A call that is not current must not come to look like one just because both are old.
                call.epoch =
                    if call.current { state.recovery().changed_at } else { (call.epoch - step).max(B::OLD - 1.0) };
            }
            next.push(later);
        }
    }

    let (state, verdict) = breaker.request(node.state, 0.0);
    let after = state.recovery();
    assert_eq!(verdict, breaker.peek(node.state, 0.0), "peek answers what request would");
    assert_eq!(verdict.ok, verdict.retry_after_ms == 0.0);
    if verdict.ok {
        let new_trial = after.status == Status::HalfOpen && after.probes == 1 && after != before && {
            // Either the first of a trial, or the only slot taken again after it was given back.
            before.status != Status::HalfOpen || before.probes != 0
        };
        let mut node = node.becomes(state, node.calls.clone(), new_trial);
        if new_trial {
            assert!(after.changed_at > before.changed_at, "a trial takes a later epoch");
        }
        node.trial += u64::from(after.status == Status::HalfOpen);
        assert!(node.trial <= PROBES, "never more than halfOpenProbes in a trial: {node:?}");
        if node.calls.len() < B::CALLS {
            node.calls.push(Call { epoch: verdict.epoch, current: true });
        }
        // At the limit the call is lost at once: a slot taken for nothing.
        next.push(node);
    } else {
        assert!(state == node.state, "a refusal changes nothing");
    }

    for (index, &call) in node.calls.iter().enumerate() {
        let mut rest = node.calls.clone();
        rest.remove(index);
        next.push(Node { calls: rest.clone(), ..node.clone() });
        for report in [Report::success(), Report::failure(), Report::ignored()] {
            let (state, reported) = breaker.report(node.state, 0.0, report.epoch(call.epoch));
            let after = state.recovery();
            assert_eq!(reported == Reported::Stale, !call.current, "{report:?} of {call:?} on {node:?}");
            if reported == Reported::Stale {
                assert!(state == node.state, "a stale outcome changes nothing");
            }
            assert!(after.changed_at >= before.changed_at, "epochs never go back");
            let mut node = node.becomes(state, rest.clone(), after.status != before.status);
            if reported == Reported::Ignored && before.status == Status::HalfOpen {
                node.trial -= 1;
            }
            next.push(node);
        }
    }
    next.retain(|node| B::shifted(node.state, 0.0).is_some());
    next
}

/// The dependency is well again, and nothing that was in flight ever reports.
fn closes<B: Explored>(breaker: &B, mut state: B::State) -> bool {
    let mut now = 0.0;
    for _ in 0..100 {
        let (next, verdict) = breaker.request(state, now);
        state = next;
        if verdict.ok {
            state = breaker.report(state, now, Report::success().admitted_by(&verdict)).0;
            if state.recovery().status == Status::Closed {
                return breaker.peek(state, now).ok;
            }
        } else {
            now += verdict.retry_after_ms;
        }
    }
    false
}

fn explore<B: Explored>(breaker: &B) -> usize {
    let first = Node { state: breaker.init(0.0), calls: Vec::new(), trial: 0 };
    let mut seen = HashSet::from([format!("{first:?}")]);
    let mut queue = VecDeque::from([first]);
    let mut statuses = HashSet::new();
    while let Some(node) = queue.pop_front() {
        statuses.insert(node.state.recovery().status);
        assert!(closes(breaker, node.state), "never closes again: {node:?}");
        for mut next in successors(breaker, &node) {
            next.calls.sort_by(|a, b| a.epoch.total_cmp(&b.epoch).then(a.current.cmp(&b.current)));
            if seen.insert(format!("{next:?}")) {
                queue.push_back(next);
            }
        }
    }
    assert_eq!(statuses.len(), 3);
    seen.len()
}

/// Reference, "Recovery": `halfOpenMs` exists because a probe that never reports back would strand the breaker in
/// half-open forever; `halfOpenProbes` are the calls admitted per trial. Case 16.
#[test]
fn consecutive_breaker_never_strands_and_never_over_admits() {
    for success_threshold in [1, 2] {
        for failures in [1, 2] {
            let breaker = consecutive_breaker(failures)
                .open(ms(3))
                .half_open_probes(PROBES)
                .success_threshold(success_threshold)
                .half_open(ms(2))
                .build()
                .unwrap();
            assert!(explore(&breaker) > 1_000);
        }
    }
}

#[test]
fn a_trial_shorter_or_longer_than_the_open_time_makes_no_difference() {
    for (open, half_open) in [(1, 1), (1, 4), (4, 1)] {
        let breaker =
            consecutive_breaker(1).open(ms(open)).half_open_probes(PROBES).half_open(ms(half_open)).build().unwrap();
        assert!(explore(&breaker) > 1_000);
    }
}

#[test]
fn growing_open_time_never_strands() {
    let breaker = consecutive_breaker(1)
        .open(ms(1))
        .grow_open(2.0, ms(3))
        .half_open_probes(PROBES)
        .half_open(ms(2))
        .build()
        .unwrap();
    // The number of openings in a row is part of the state, and has no bound: a short walk only.
    let mut state = breaker.init(0.0);
    let mut now = 0.0;
    for opening in 0..50 {
        state = breaker.fail(state, now);
        assert!(closes(&breaker, state), "opening {opening}");
        now += breaker.peek(state, now).retry_after_ms;
        state = breaker.request(state, now).0;
    }
}

#[test]
fn rolling_breaker_never_strands_and_never_over_admits() {
    let breaker = rolling_breaker(ms(1))
        .minimum_throughput(2)
        .open(ms(2))
        .half_open_probes(PROBES)
        .success_threshold(1)
        .half_open(ms(2))
        .build()
        .unwrap();
    assert!(explore(&breaker) > 1_000);
}
