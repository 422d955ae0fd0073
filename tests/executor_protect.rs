//! `protect`: the reference's sentences about it, and cases from the field.
#![cfg(feature = "executor")]

use std::{
    cell::{Cell, RefCell},
    future::ready,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

use proptest::prelude::*;
use retry_primitives::{
    Outcome,
    backoff::{Jitter, constant, exponential},
    breaker::{
        Breaker, BreakerState, CallResult, Growth, Report, Reported, Status, consecutive_breaker, force_close,
        force_open, rolling_breaker,
    },
    executor::{CallError, CircuitOpen, FakeTime, Retryable, protect, retry},
};

#[path = "executor/drive.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod drive;

use drive::{Counting, after_polls, ms, poll, run};

#[test]
fn refuses_while_open_and_tells_of_every_change() {
    let time = FakeTime::new(0.0);
    let states = RefCell::new(vec![]);
    let breaker = consecutive_breaker(2).open(ms(1_000)).build().unwrap();
    let upstream = protect(breaker, &time).on_change(|state| states.borrow_mut().push(state.status.as_str()));
    let calls = Cell::new(0);
    let fail = async || {
        calls.set(calls.get() + 1);
        Err::<(), _>("down")
    };
    assert_eq!(run(upstream.call(fail)), Err(CallError::Failed("down")));
    assert_eq!(run(upstream.call(fail)), Err(CallError::Failed("down")));
    assert_eq!(upstream.status(), Status::Open);
    let refused = CircuitOpen { retry_after: ms(1_000), status: Status::Open };
    assert_eq!(run(upstream.call(fail)), Err(CallError::Open(refused)));
    assert_eq!(calls.get(), 2);
    time.set(1_000.0);
    assert_eq!(run(upstream.call(async || Ok::<_, ()>("up"))), Ok("up"));
    assert_eq!(upstream.status(), Status::Closed);
    assert_eq!(states.into_inner(), ["closed", "open", "halfOpen", "closed"]);
}

#[test]
fn a_watcher_that_panics_takes_no_place_of_a_trial() {
    let time = FakeTime::new(0.0);
    let breaker = consecutive_breaker(1).open(ms(1_000)).build().unwrap();
    let panics = Cell::new(false);
    let upstream = protect(breaker, &time).on_change(|_| assert!(!panics.get(), "watching"));
    upstream.admit().unwrap().report(CallResult::Failure);
    time.set(1_000.0);
    panics.set(true);
    let called = Cell::new(false);
    let call = AssertUnwindSafe(|| run(upstream.call(async || Ok::<_, ()>(called.replace(true)))));
    assert!(catch_unwind(call).is_err());
    assert!(!called.get());
    panics.set(false);
    // One place a trial, and it is free.
    assert_eq!(run(upstream.call(async || Ok::<_, ()>("up"))), Ok("up"));
    assert_eq!(upstream.status(), Status::Closed);
}

#[test]
fn what_did_not_change_is_not_told() {
    let time = FakeTime::new(0.0);
    let told = Cell::new(0);
    let upstream =
        protect(consecutive_breaker(2).open(ms(1_000)).build().unwrap(), &time).on_change(|_| told.set(told.get() + 1));
    for _ in 0..3 {
        run(upstream.call(async || Ok::<_, ()>(()))).unwrap();
    }
    drop(upstream.admit());
    upstream.load(upstream.state());
    assert_eq!(told.get(), 0);
    upstream.load(force_open(upstream.state(), 0.0));
    assert_eq!(told.get(), 1);
}

/// An error that is an answer says that the dependency works; one that says nothing leaves a run of failures alone.
#[test]
fn what_counts_against_the_dependency() {
    let breaker = consecutive_breaker(2).open(ms(1_000)).build().unwrap();
    let answers = |status: &u16| match status {
        500.. => CallResult::Failure,
        499 => CallResult::Ignored,
        _ => CallResult::Success,
    };
    for (statuses, failures) in [([500, 404], 0), ([500, 499], 1), ([404, 500], 1), ([500, 500], 2)] {
        let time = FakeTime::new(0.0);
        let judged = protect(breaker, &time).judge(answers);
        for status in statuses {
            assert_eq!(run(judged.call(|| ready(Err::<(), u16>(status)))), Err(CallError::Failed(status)));
        }
        assert_eq!(judged.state().failures, failures, "{statuses:?}");
    }
    let time = FakeTime::new(0.0);
    let upstream = protect(breaker, &time).is_failure(|status: &u16| *status >= 500);
    for status in [500, 404, 500] {
        run(upstream.call(|| ready(Err::<(), u16>(status)))).unwrap_err();
    }
    assert_eq!(upstream.state().failures, 1);
}

/// Case 17: the outcome of a call that was admitted before the breaker opened and closed again is ignored, and said to
/// be stale.
#[test]
fn a_late_outcome_is_stale() {
    let time = FakeTime::new(0.0);
    let upstream = protect(consecutive_breaker(1).open(ms(10)).build().unwrap(), &time);
    let mut slow = Box::pin(upstream.call(async || {
        after_polls(1).await;
        Err::<(), _>("late")
    }));
    assert!(poll(slow.as_mut()).is_pending());
    let [failed, succeeded] = [upstream.admit().unwrap(), upstream.admit().unwrap()];
    run(upstream.call(async || Err::<(), _>("down"))).unwrap_err();
    time.advance(ms(10));
    run(upstream.call(async || Ok::<_, ()>(()))).unwrap();
    assert_eq!(run(slow), Err(CallError::Failed("late")));
    assert_eq!(failed.report(CallResult::Failure), Reported::Stale);
    assert_eq!(succeeded.report(CallResult::Success), Reported::Stale);
    assert_eq!(upstream.status(), Status::Closed);
}

/// Reference, "Recovery": at most `halfOpenProbes` calls go out in a trial, and a trial whose probes never report is
/// renewed after `halfOpenMs` (case 16).
#[test]
fn a_trial() {
    let time = FakeTime::new(0.0);
    let breaker = consecutive_breaker(1).open(ms(1_000)).half_open_probes(2).half_open(ms(300)).build().unwrap();
    let upstream = protect(breaker, &time);
    upstream.admit().unwrap().report(CallResult::Failure);
    time.advance(ms(1_000));
    let stranded = [upstream.admit().unwrap(), upstream.admit().unwrap()];
    let refused = upstream.admit().unwrap_err();
    assert_eq!(refused, CircuitOpen { retry_after: ms(300), status: Status::HalfOpen });
    time.advance(ms(300));
    let renewed = upstream.admit().unwrap();
    // The first trial's probes belong to no trial any more: neither their success nor their end counts.
    let [first, second] = stranded;
    assert_eq!(first.report(CallResult::Success), Reported::Stale);
    drop(second);
    assert_eq!(upstream.state().probes, 1);
    assert_eq!(renewed.report(CallResult::Success), Reported::Counted);
    assert_eq!(upstream.admit().unwrap().report(CallResult::Success), Reported::Counted);
    assert_eq!(upstream.status(), Status::Closed);
}

/// Reference, "A breaker and a policy, composed": the wait is as long as the breaker refuses, and no attempt is spent
/// on it.
#[test]
fn a_retry_waits_for_the_breaker() {
    let time = FakeTime::new(0.0);
    let upstream = protect(consecutive_breaker(5).open(ms(10_000)).build().unwrap(), &time);
    let policy = exponential(ms(200)).max_attempts(7).deadline(ms(60_000)).jitter(Jitter::None).build().unwrap();
    let sent = RefCell::new(vec![]);
    let fetch = || {
        upstream.call(async || {
            sent.borrow_mut().push(time.now());
            if sent.borrow().len() <= 5 { Err("down") } else { Ok("up") }
        })
    };
    let retry = retry(policy, fetch).classify(|error, _| match error.circuit_open() {
        Some(open) => open.outcome(),
        None => Outcome::RETRYABLE,
    });
    assert_eq!(run(retry.on(&time)), Ok("up"));
    // The fifth failure opens it, at 3,000; the sixth attempt comes 3,200 later and is refused; the seventh goes out.
    assert_eq!(sent.into_inner(), [0.0, 200.0, 600.0, 1_400.0, 3_000.0, 13_000.0]);
}

#[test]
fn the_state_goes_elsewhere_and_comes_back() {
    let time = FakeTime::new(5.0);
    let breaker = consecutive_breaker(1).open(ms(1_000)).build().unwrap();
    let stored = Rc::new(Cell::new(None));
    let keep = Rc::clone(&stored);
    let one = protect(breaker, &time).on_change(move |state| keep.set(Some(state)));
    assert_eq!(one.state(), breaker.init(5.0));
    one.admit().unwrap().report(CallResult::Failure);
    let other = protect(breaker, &time);
    other.load(stored.get().unwrap());
    assert_eq!(other.admit().unwrap_err().retry_after, ms(1_000));
    other.load(force_close(other.state(), 6.0));
    assert!(other.admit().is_ok());
    assert!(format!("{other:?}").contains("status: Closed"));
}

/// How long a call took is known to a breaker that counts slow ones.
#[test]
fn a_slow_call() {
    let time = FakeTime::new(0.0);
    let breaker = rolling_breaker(ms(30_000)).minimum_throughput(2).slow_call(ms(2_000)).open(ms(30_000));
    let upstream = protect(breaker.build().unwrap(), &time);
    let take = |duration| {
        let result = run(upstream.call(async || {
            time.advance(duration);
            Ok::<_, ()>(())
        }));
        (result.is_ok(), upstream.state().status)
    };
    assert_eq!(take(ms(2_001)), (true, Status::Closed));
    assert_eq!(take(ms(2_001)), (true, Status::Open));
    time.advance(ms(30_000));
    assert_eq!(take(ms(2_001)), (true, Status::Open), "a slow probe is a failed one");
    time.advance(ms(30_000));
    assert_eq!(take(ms(2_000)), (true, Status::Closed));
}

/// The random numbers of a jittered opening are the runtime's.
#[test]
fn an_opening_is_jittered() {
    for (random, lasts) in [(0.0, 1_000), (0.5, 1_250)] {
        let time = FakeTime::new(0.0).random(random);
        let breaker = consecutive_breaker(1).open(ms(1_000)).open_jitter(0.5).build().unwrap();
        let upstream = protect(breaker, &time);
        upstream.admit().unwrap().report(CallResult::Failure);
        assert_eq!(upstream.admit().unwrap_err().retry_after, ms(lasts));
    }
}

#[test]
fn a_closed_circuit_reads_the_clock_only_where_it_matters() {
    let reads = |breaker: &dyn Fn(&Counting<'_, 1>) -> u32| {
        let time = FakeTime::new(0.0);
        let counting = Counting::new(&time);
        breaker(&counting)
    };
    let consecutive = reads(&|counting| {
        let upstream = protect(consecutive_breaker(5).open(ms(1)).build().unwrap(), counting);
        counting.clock_reads.set(0);
        run(upstream.call(async || Ok::<_, ()>(()))).unwrap();
        counting.clock_reads.get()
    });
    let rolling = reads(&|counting| {
        let upstream = protect(rolling_breaker(ms(9)).open(ms(1)).build().unwrap(), counting);
        counting.clock_reads.set(0);
        run(upstream.call(async || Ok::<_, ()>(()))).unwrap();
        counting.clock_reads.get()
    });
    let slow = reads(&|counting| {
        let upstream = protect(rolling_breaker(ms(9)).slow_call(ms(5)).open(ms(1)).build().unwrap(), counting);
        counting.clock_reads.set(0);
        run(upstream.call(async || Ok::<_, ()>(()))).unwrap();
        counting.clock_reads.get()
    });
    assert_eq!((consecutive, rolling, slow), (0, 1, 2));
}

/// A place that others change without a word on the mark is believed at once, and so is one that was at rest.
#[cfg(feature = "std")]
#[test]
fn a_state_at_rest_is_not_taken_for_granted() {
    use std::sync::Arc;

    use retry_primitives::executor::{Guarded, Shared};

    let time = FakeTime::new(0.0);
    let breaker = consecutive_breaker(1).open(ms(1_000)).build().unwrap();
    let place = Arc::new(Guarded::from(breaker.init(0.0)));
    let (one, other) = (protect(breaker, &time).kept_in(place.clone()), protect(breaker, &time).kept_in(place.clone()));
    let works = || ready(Ok::<_, ()>(()));
    for _ in 0..2 {
        assert_eq!(run(one.call(works)), Ok(()));
    }
    let late = one.admit().unwrap();
    other.admit().unwrap().report(CallResult::Failure);
    assert_eq!(one.admit().unwrap_err().retry_after, ms(1_000));
    assert_eq!(late.report(CallResult::Success), Reported::Stale);
    other.load(breaker.init(0.0));
    assert_eq!(run(one.call(works)), Ok(()));
    place.transact(|state| (force_open(state, 0.0), ()));
    assert_eq!(one.admit().unwrap_err().retry_after, ms(1_000));
}

/// A breaker that says that the time does not matter gives the same at any.
fn the_time_does_not_matter<B: Breaker<State: PartialEq + std::fmt::Debug>>(breaker: B, steps: &[(u8, f64, f64)]) {
    let mut state = breaker.init(0.0);
    let mut now = 0.0;
    for &(step, pause, other) in steps {
        now += pause;
        let report = match step % 4 {
            0 => None,
            1 => Some(Report::success()),
            2 => Some(Report::failure()),
            _ => Some(Report::ignored()),
        };
        if breaker.is_at_rest(&state) {
            let (same, verdict) = breaker.request(state, other);
            assert_eq!((same, verdict.ok, verdict.status), (state, true, Status::Closed));
            let epoch = state.recovery().changed_at;
            assert_eq!(verdict.epoch, epoch);
            assert_eq!(breaker.report(state, other, Report::success().epoch(epoch)), (state, Reported::Counted));
        }
        let free = !breaker.needs_now(&state, report.as_ref());
        match report {
            None => {
                let next = breaker.request(state, now);
                assert!(!free || breaker.request(state, other) == next);
                state = next.0;
            }
            Some(report) => {
                let next = breaker.report(state, now, report);
                assert!(!free || breaker.report(state, other, report) == next);
                state = next.0;
            }
        }
    }
}

proptest! {
    #[test]
    fn where_the_time_is_not_needed_any_will_do(
        steps in prop::collection::vec((0..4_u8, 0.0..400.0, prop::num::f64::ANY), 1..60),
    ) {
        the_time_does_not_matter(consecutive_breaker(2).open(ms(500)).build().unwrap(), &steps);
        the_time_does_not_matter(
            consecutive_breaker(2).open(ms(500)).grow_open(Growth::Exponential { factor: 2.0 }, ms(4_000)).build().unwrap(),
            &steps,
        );
        the_time_does_not_matter(
            rolling_breaker(ms(1_000)).minimum_throughput(3).open(ms(500)).build().unwrap(),
            &steps,
        );
        the_time_does_not_matter(
            rolling_breaker(ms(1_000)).minimum_throughput(3).slow_call(ms(9)).open(ms(500)).build().unwrap(),
            &steps,
        );
    }
}

#[test]
fn as_an_error_it_says_which_and_names_the_source() {
    use std::error::Error;

    let refused = CircuitOpen { retry_after: ms(1_500), status: Status::HalfOpen };
    let open = CallError::<std::io::Error>::from(refused);
    assert_eq!(open.to_string(), "the call was not made");
    assert_eq!(open.source().unwrap().to_string(), "the circuit is half-open, to be tried again in 1500 ms");
    assert_eq!((open.circuit_open(), CallError::Failed(()).circuit_open()), (Some(&refused), None));
    assert!(open.failed().is_none());
    let failed = CallError::Failed(std::io::Error::other("reset"));
    assert_eq!((failed.to_string().as_str(), failed.circuit_open()), ("the call failed", None));
    assert_eq!(failed.failed().unwrap().to_string(), "reset");
}

#[test]
fn a_policy_of_no_retry_gives_the_refusal_on() {
    let time = FakeTime::new(0.0);
    let upstream = protect(consecutive_breaker(1).open(ms(500)).build().unwrap(), &time);
    upstream.admit().unwrap().report(CallResult::Failure);
    let policy = constant(ms(1)).max_attempts(9).deadline(ms(500)).build().unwrap();
    let fetch = || upstream.call(async || Ok::<_, ()>(()));
    let error = run(fetch.retry(policy).classify(|error, _| error.meaning(|()| true)).on(&time)).unwrap_err();
    assert_eq!(error.circuit_open().unwrap().retry_after, ms(500));
    assert_eq!(time.sleeps(), 0, "it would not be let through inside the deadline");
}
