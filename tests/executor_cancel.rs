//! Dropping the future at any await leaves nothing behind: no attempt, no timer, no probe that a breaker waits for.
#![cfg(feature = "executor")]

use std::{
    cell::Cell,
    future::ready,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    task::Poll,
};

use retry_primitives::{
    Policy,
    backoff::{Constant, Jitter, constant},
    breaker::{Breaker, CallResult, ConsecutiveBreaker, Status, consecutive_breaker},
    executor::{CallError, FakeTime, Retryable, Shared, protect},
};

#[path = "executor/drive.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod drive;

use drive::{Alive, after_polls, ms, poll, run};

fn steady() -> Policy<Constant> {
    constant(ms(100)).max_attempts(3).jitter(Jitter::None).build().unwrap()
}

fn tripping() -> ConsecutiveBreaker {
    consecutive_breaker(1).open(ms(1_000)).build().unwrap()
}

/// Cases 14 and 15: the wait ends at once, nothing is left of it, and there is no further call.
#[test]
fn a_retry_dropped_at_any_await() {
    for polls in 0.. {
        let time = FakeTime::manual(0.0);
        let alive = Alive::default();
        let calls = Cell::new(0);
        let work = || {
            calls.set(calls.get() + 1);
            let one = alive.one();
            async {
                let _one = one;
                after_polls(2).await;
                Err::<(), _>("down")
            }
        };
        let mut over = false;
        let calls_before = {
            let mut retry = pin!(work.retry(steady()).on(&time));
            for _ in 0..polls {
                over = poll(retry.as_mut()).is_ready();
                time.advance(ms(25));
                assert!(alive.count() + time.sleepers() as i64 <= 1, "an attempt or a wait, never both");
            }
            calls.get()
        };
        assert_eq!((alive.count(), time.sleepers(), calls.get()), (0, 0, calls_before), "dropped after {polls} polls");
        if over {
            assert_eq!((calls.get(), time.sleeps()), (3, 2));
            // 2 polls an attempt before the one that ends it, and waits of 100 ms at 25 ms a poll.
            assert!(polls > 2 * 3 + 2 * 3, "{polls} polls saw every await");
            return;
        }
    }
}

/// A probe that is dropped gives its place back at once: the next call need not wait for the trial to be renewed.
#[test]
fn a_call_dropped_at_any_await_frees_its_probe() {
    for polls in 0..=4 {
        let time = FakeTime::manual(0.0);
        let upstream = protect(tripping(), &time);
        let failed = run(upstream.call(async || Err::<(), _>("down")));
        assert_eq!(failed, Err(CallError::Failed("down")));
        time.advance(ms(1_000));
        {
            let mut call = pin!(upstream.call(async || {
                after_polls(9).await;
                Ok::<_, ()>(())
            }));
            for poll_number in 0..polls {
                assert!(poll(call.as_mut()).is_pending());
                let refused = upstream.admit().map(|_| ()).unwrap_err();
                assert_eq!((refused.status, refused.retry_after), (Status::HalfOpen, ms(1_000)), "poll {poll_number}");
            }
        }
        assert_eq!(upstream.state().probes, 0, "dropped after {polls} polls");
        assert_eq!(run(upstream.call(async || Ok::<_, ()>(()))), Ok(()));
        assert_eq!(upstream.status(), Status::Closed);
    }
}

#[test]
fn a_call_dropped_while_closed_counts_neither_way() {
    let time = FakeTime::new(0.0);
    let upstream = protect(consecutive_breaker(2).open(ms(1_000)).build().unwrap(), &time);
    upstream.admit().unwrap().report(CallResult::Failure);
    let before = upstream.state();
    {
        let mut call = pin!(upstream.call(async || {
            after_polls(9).await;
            Ok::<_, ()>(())
        }));
        assert!(poll(call.as_mut()).is_pending());
    }
    assert_eq!(upstream.state(), before);
    assert_eq!(before.failures, 1);
}

#[test]
fn a_call_that_panics_frees_its_probe() {
    let time = FakeTime::new(0.0);
    let upstream = protect(tripping(), &time);
    upstream.admit().unwrap().report(CallResult::Failure);
    time.advance(ms(1_000));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run(upstream.call(async || -> Result<(), ()> { std::panic::resume_unwind(Box::new("a bug")) }))
    }));
    assert!(caught.is_err());
    assert_eq!((upstream.state().status, upstream.state().probes), (Status::HalfOpen, 0));
    assert!(upstream.admit().is_ok());
}

/// A retry around a breaker, dropped at any await.
#[test]
fn both_together() {
    let mut frees = 0;
    for polls in 0.. {
        let time = FakeTime::manual(0.0);
        let upstream = protect(tripping(), &time);
        let alive = Alive::default();
        let mut over = false;
        {
            let fetch = |attempt: u64| {
                let (upstream, alive) = (&upstream, &alive);
                async move {
                    upstream
                        .call(async || {
                            let _one = alive.one();
                            after_polls(2).await;
                            if attempt == 1 { Err("down") } else { Ok(attempt) }
                        })
                        .await
                }
            };
            let classified = fetch.retry(steady()).classify(|error, _| error.meaning(|_| true)).on(&time);
            let mut retry = pin!(classified);
            for _ in 0..polls {
                if let Poll::Ready(result) = poll(retry.as_mut()) {
                    // The second found the circuit open, and waited for it.
                    assert_eq!(result, Ok(3));
                    over = true;
                }
                time.advance(ms(100));
            }
            frees += u32::from(upstream.state().status == Status::HalfOpen && upstream.state().probes == 1);
        }
        assert_eq!((alive.count(), time.sleepers(), upstream.state().probes), (0, 0, 0), "dropped after {polls} polls");
        if over {
            assert_eq!(upstream.state().status, Status::Closed);
            assert!(frees > 0, "some drop met a probe under way");
            return;
        }
    }
}

/// Ten thousand calls through one breaker and one timer, of which some succeed, some give up, and some are dropped.
#[test]
fn ten_thousand_runs_leave_nothing() {
    let time = FakeTime::manual(0.0);
    let alive = Alive::default();
    let breaker = consecutive_breaker(3).open(ms(1_000)).half_open_probes(2).build().unwrap();
    let upstream = protect(breaker, &time);
    let mut ends = [0; 3];
    for round in 0..10_000_u64 {
        let fetch = |attempt: u64| {
            let (upstream, alive) = (&upstream, &alive);
            async move {
                let _one = alive.one();
                let pending = (round % 3) as u32;
                upstream
                    .call(async || {
                        after_polls(pending).await;
                        if (round + attempt).is_multiple_of(5) { Ok(()) } else { Err("down") }
                    })
                    .await
            }
        };
        let mut retry = pin!(fetch.retry(steady()).on(&time));
        for _ in 0..round % 40 {
            time.advance(ms(50));
            if let Poll::Ready(result) = poll(retry.as_mut()) {
                ends[usize::from(result.is_ok())] += 1;
                break;
            }
        }
        ends[2] += 1;
    }
    assert_eq!((alive.count(), time.sleepers()), (0, 0));
    let state = upstream.state();
    assert!(state.status != Status::HalfOpen || state.probes == state.successes, "a probe was left behind: {state:?}");
    assert!(ends.iter().all(|&end| end > 500), "{ends:?}");
}

/// The place of a state is asked once for each step, and never while the call is under way.
#[test]
fn no_lock_is_held_across_an_await() {
    struct Watched<S>(Cell<S>, Cell<bool>, AtomicU64);

    impl<S: Copy> Shared<S> for Watched<S> {
        fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
            assert!(!self.1.replace(true), "nested");
            self.2.fetch_add(1, Ordering::Relaxed);
            let (next, answer) = change(self.0.get());
            self.0.set(next);
            self.1.set(false);
            answer
        }
    }

    let time = FakeTime::new(0.0);
    let place = Watched(Cell::new(tripping().init(0.0)), Cell::new(false), AtomicU64::new(0));
    let upstream = protect(tripping(), &time).kept_in(&place).on_change(|_| assert!(!place.1.get()));
    let nested = run(upstream.call(async || {
        assert!(!place.1.get());
        upstream.call(|| ready(Err::<(), _>("down"))).await
    }));
    assert_eq!(nested, Err(CallError::Failed(CallError::Failed("down"))));
    assert_eq!(place.2.load(Ordering::Relaxed), 4);
}
