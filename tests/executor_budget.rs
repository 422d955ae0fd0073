//! Retries within a budget that many calls share.
#![cfg(feature = "executor")]

use std::{
    cell::{Cell, RefCell},
    future::ready,
};

use retry_primitives::{
    Decision, Outcome, Policy,
    backoff::{Constant, Jitter, constant},
    budget::{Budget, Failure, TokenBucket, adaptive_throttle, grpc_throttle, retry_budget, token_bucket},
    executor::{FakeTime, GiveUp, Retryable, SharedBudget},
};

#[path = "executor/drive.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod drive;

use drive::{ms, run};

fn four() -> Policy<Constant> {
    constant(ms(100)).max_attempts(4).jitter(Jitter::None).build().unwrap()
}

/// Attempts that a hundred calls of up to four make on a dependency that is down.
fn load<B: Budget>(budget: B) -> u32 {
    let shared = SharedBudget::new(budget);
    let time = FakeTime::new(0.0);
    let attempts = Cell::new(0);
    for _ in 0..100 {
        let down = || {
            attempts.set(attempts.get() + 1);
            ready(Err::<(), _>("down"))
        };
        let policy = constant(ms(0)).max_attempts(4).build().unwrap();
        assert_eq!(run(down.retry(policy).budget(&shared).on(&time)), Err("down"));
    }
    attempts.get()
}

/// The figures of the example in `budget`, each from its budget's formula; without one these were 400.
#[test]
fn a_storm_is_held_back() {
    assert_eq!(load(retry_budget().min_retries_per_second(1.0).build().unwrap()), 100 + 10 + 20);
    assert_eq!(load(token_bucket().build().unwrap()), 100 + 500 / 5);
    assert_eq!(load(grpc_throttle().build().unwrap()), 103);
}

#[test]
fn a_refusal_ends_it_with_the_last_error_and_no_wait() {
    let time = FakeTime::new(0.0);
    let budget = SharedBudget::new(token_bucket().capacity(10).build().unwrap());
    let (retried, gave_up) = (RefCell::new(vec![]), Cell::new(None));
    let down = |attempt: u64| ready(Err::<(), _>(attempt));
    let result = run(down
        .retry(four())
        .budget(&budget)
        .on_retry(|error, _| retried.borrow_mut().push(*error))
        .on_give_up(|error, why| gave_up.set(Some((*error, why))))
        .on(&time));
    assert_eq!(result, Err(3));
    assert_eq!(retried.into_inner(), [1, 2]);
    let decision = Decision::Retry { delay_ms: 100.0, attempts: 3, remaining_ms: f64::INFINITY };
    assert_eq!(gave_up.get(), Some((3, GiveUp::Budget(decision))));
    assert_eq!((time.sleeps(), time.elapsed()), (2, ms(200)));
    assert_eq!(GiveUp::Budget(decision).to_string(), "budget");
}

/// The policy is asked first, so that nothing is spent on a retry that will not be made.
#[test]
fn what_the_policy_ends_costs_nothing() {
    let time = FakeTime::new(0.0);
    let budget = SharedBudget::new(TokenBucket::default());
    let down = || ready(Err::<(), _>("down"));
    run(down.retry(four()).budget(&budget).when(|_| false).on(&time)).unwrap_err();
    assert_eq!(budget.state().tokens, 500.0);
    run(down.retry(four()).budget(&budget).on(&time)).unwrap_err();
    assert_eq!(budget.state().tokens, 500.0 - 3.0 * 5.0);
}

#[test]
fn a_timeout_costs_more_and_a_success_gives_back() {
    for (meaning, paid) in [(Failure::Transient, 5.0), (Failure::Timeout, 10.0), (Failure::Throttling, 5.0)] {
        let time = FakeTime::new(0.0);
        let budget = SharedBudget::new(TokenBucket::default());
        let lowest = Cell::new(f64::INFINITY);
        let second = |attempt: u64| {
            lowest.set(lowest.get().min(budget.state().tokens));
            ready(if attempt < 2 { Err("down") } else { Ok(()) })
        };
        let classify = |_: &&str, _| (Outcome::RETRYABLE, meaning);
        assert_eq!(run(second.retry(four()).budget(&budget).classify(classify).on(&time)), Ok(()));
        assert_eq!((lowest.get(), budget.state().tokens), (500.0 - paid, 500.0), "{meaning:?}");
    }
}

/// A success without a retry gives one token back.
#[test]
fn each_success_is_told() {
    let time = FakeTime::new(0.0);
    let budget = SharedBudget::new(TokenBucket::default());
    budget.load(retry_primitives::budget::TokenBucketState { tokens: 7.0 });
    for _ in 0..3 {
        run((async || Ok::<_, ()>(())).retry(four()).budget(&budget).on(&time)).unwrap();
    }
    assert_eq!(budget.state().tokens, 10.0);
}

/// A budget with a window goes by the runtime's clock, wherever that began.
#[test]
fn a_window_moves_with_the_clock() {
    for start in [0.0, -1e9, 1_758_124_800_000.0] {
        let time = FakeTime::new(start);
        let budget = retry_budget().ratio(0.0).min_retries_per_second(0.1).build().unwrap();
        let shared = SharedBudget::new(budget);
        let calls = |time: &FakeTime| {
            let calls = Cell::new(0);
            let down = || {
                calls.set(calls.get() + 1);
                ready(Err::<(), _>("down"))
            };
            run(down.retry(four()).budget(&shared).on(time)).unwrap_err();
            calls.get()
        };
        assert_eq!((calls(&time), calls(&time)), (2, 1), "one retry in ten seconds, from {start}");
        time.advance(ms(10_000));
        assert_eq!(calls(&time), 2);
    }
}

/// Site Reliability Engineering, chapter 21: with K = 2 and three attempts that nobody accepted, (3 - 0) / (3 + 1).
#[test]
fn a_throttle_holds_back_first_attempts() {
    let once = constant(ms(100)).max_attempts(1).build().unwrap();
    for (random, result, calls) in [(0.74, Err("throttled"), 3), (0.75, Err("down"), 4)] {
        let time = FakeTime::new(0.0).random(0.99);
        let shared = SharedBudget::new(adaptive_throttle().build().unwrap());
        let made = Cell::new(0);
        let down = || {
            made.set(made.get() + 1);
            ready(Err::<(), _>("down"))
        };
        for _ in 0..3 {
            assert_eq!(run(down.retry(once).throttle(&shared, || "throttled").on(&time)), Err("down"));
        }
        let time = FakeTime::new(0.0).random(random);
        assert_eq!(run(down.retry(once).throttle(&shared, || "throttled").on(&time)), result);
        assert_eq!(made.get(), calls);
    }
}

#[test]
fn the_same_state_under_several() {
    let place = Cell::new(TokenBucket::default().init(0.0));
    let one = SharedBudget::kept_in(TokenBucket::default(), &place);
    let other = SharedBudget::kept_in(TokenBucket::default(), &place);
    run((|| ready(Err::<(), _>("down"))).retry(four()).budget(&one).on(&FakeTime::new(0.0))).unwrap_err();
    assert_eq!(other.state().tokens, 485.0);
}
