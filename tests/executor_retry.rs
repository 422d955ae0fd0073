//! `retry`: the reference's sentences about it, and cases from the field.
#![cfg(feature = "executor")]

use std::{
    cell::{Cell, RefCell},
    future::{Future, ready},
    pin::pin,
    rc::Rc,
    time::Duration,
};

use retry_primitives::{
    Decision, Outcome, Policy, StopReason,
    backoff::{Constant, Exponential, Jitter, constant, decorrelated_jitter, exponential, fibonacci, linear},
    budget::Failure,
    classify::{HttpOptions, http_outcome},
    executor::{Context, FakeTime, GiveUp, Retryable, retry},
};

#[path = "executor/drive.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod drive;

use drive::{Alive, Counting, ms, poll, run};

fn quick() -> Policy<Constant> {
    constant(Duration::ZERO).max_attempts(4).build().unwrap()
}

fn doubling() -> Policy<Exponential> {
    exponential(ms(100)).max_attempts(5).jitter(Jitter::None).build().unwrap()
}

/// Fails `times` times, then gives the number of the attempt.
fn failing(times: u64) -> impl FnMut(u64) -> std::future::Ready<Result<u64, String>> {
    move |attempt| ready(if attempt <= times { Err(format!("failure {attempt}")) } else { Ok(attempt) })
}

#[test]
fn retries_until_it_succeeds_and_counts_attempts() {
    let time = FakeTime::new(0.0);
    let seen = RefCell::new(vec![]);
    let on_retry = |error: &String, decision: Decision| seen.borrow_mut().push((error.clone(), decision.attempts()));
    assert_eq!(run(failing(2).retry(doubling()).on_retry(on_retry).on(&time)), Ok(3));
    assert_eq!(seen.into_inner(), [("failure 1".into(), 1), ("failure 2".into(), 2)]);
    assert_eq!(time.elapsed(), ms(100 + 200));
}

#[test]
fn an_attempt_starts_strictly_inside_the_deadline_whatever_time_hooks_take() {
    let policy = constant(ms(50)).jitter(Jitter::None).deadline(ms(100)).build().unwrap();
    // Each failure is decided on at once, so without hooks attempts start at 0 and 50; the deadline is at 100.
    for (asked, told, starts) in [
        (0, 30, vec![0, 50]),
        (0, 70, vec![0, 70]),
        (0, 100, vec![0]),
        (0, 300, vec![0]),
        (40, 0, vec![0, 90]),
        (50, 0, vec![0]),
        (300, 0, vec![0]),
    ] {
        let time = FakeTime::new(0.0);
        let seen = RefCell::new(vec![]);
        let reasons = RefCell::new(vec![]);
        let work = || {
            seen.borrow_mut().push(time.elapsed());
            ready(Err::<(), _>("down"))
        };
        let work = work.retry(policy).when(|_| {
            time.advance(ms(asked));
            true
        });
        let work = work.notify(|_, _| time.advance(ms(told)));
        let work = work.on_give_up(|_: &&str, why: GiveUp| reasons.borrow_mut().push(why.to_string()));
        assert_eq!(run(work.on(&time)), Err("down"));
        assert_eq!(seen.into_inner(), starts.into_iter().map(ms).collect::<Vec<_>>(), "{asked} {told}");
        assert_eq!(reasons.into_inner(), ["deadline"]);
    }
}

#[test]
fn a_function_a_closure_and_an_async_closure() {
    async fn fetch() -> Result<u8, ()> {
        Ok(1)
    }
    async fn numbered(attempt: u64) -> Result<u64, u64> {
        if attempt < 2 { Err(attempt) } else { Ok(attempt) }
    }
    let time = FakeTime::new(0.0);
    assert_eq!(run(fetch.retry(quick()).on(&time)), Ok(1));
    assert_eq!(run(numbered.retry(quick()).on(&time)), Ok(2));
    assert_eq!(run(retry(quick(), fetch).on(&time)), Ok(1));
    assert_eq!(run(retry(quick(), async || Ok::<_, ()>(3)).on(&time)), Ok(3));
    let url = String::from("https://example.com");
    let borrowing = || async { if url.is_empty() { Err(()) } else { Ok(url.len()) } };
    assert_eq!(run(borrowing.retry(quick()).on(&time)), Ok(19));
}

/// Reference, "API": `retry` rethrows the last error unchanged; `onGiveUp` receives the decision.
#[test]
fn the_last_error_comes_back_unchanged_with_the_decision() {
    let time = FakeTime::new(0.0);
    let errors = RefCell::new(vec![]);
    let work = || {
        let error = Rc::new("mine");
        errors.borrow_mut().push(Rc::clone(&error));
        ready(Err::<(), _>(error))
    };
    let told = Cell::new(None);
    let give_up = |error: &Rc<&'static str>, why: GiveUp| told.set(Some((Rc::as_ptr(error), why)));
    let error = run(work.retry(quick()).on_give_up(give_up).on(&time)).unwrap_err();
    let errors = errors.into_inner();
    assert_eq!(errors.len(), 4);
    assert!(Rc::ptr_eq(&error, &errors[3]));
    let (named, why) = told.get().unwrap();
    assert_eq!(named, Rc::as_ptr(&error));
    let decision = Decision::Stop {
        reason: StopReason::MaxAttempts,
        attempts: 4,
        remaining_ms: f64::INFINITY,
        retry_after_ms: None,
    };
    assert_eq!((why, why.to_string()), (GiveUp::Policy(decision), "maxAttempts".into()));
}

#[test]
fn an_outcome_a_bool_a_failure_or_both_classify() {
    fn calls<M: Into<retry_primitives::executor::Meaning> + Copy>(meaning: M) -> (u32, Context) {
        let (time, calls, first) = (FakeTime::new(5.0), Cell::new(0), Cell::new(None));
        let work = || {
            calls.set(calls.get() + 1);
            ready(Err::<(), _>("down"))
        };
        let classify = |_: &&str, context: Context| {
            first.set(first.get().or(Some(context)));
            meaning
        };
        assert_eq!(run(work.retry(quick()).classify(classify).on(&time)), Err("down"));
        (calls.get(), first.get().unwrap())
    }
    assert_eq!(calls(true).0, 4);
    assert_eq!(calls(false).0, 1);
    assert_eq!(calls(Outcome::RETRYABLE).0, 4);
    assert_eq!(calls(Outcome::NON_RETRYABLE).0, 1);
    assert_eq!(calls(Failure::Timeout).0, 4);
    assert_eq!(calls(Failure::NonRetryable).0, 1);
    assert_eq!(calls((Outcome::NON_RETRYABLE, Failure::Timeout)).0, 1);
    let Context { attempt, now, .. } = calls(true).1;
    assert_eq!((attempt, now), (1, 5.0));
}

#[test]
fn when_asks_of_each_error() {
    let time = FakeTime::new(0.0);
    let asked = Cell::new(0);
    let when = |error: &String| {
        asked.set(asked.get() + 1);
        error == "failure 1"
    };
    assert_eq!(run(failing(9).retry(quick()).when(when).on(&time)), Err("failure 2".into()));
    assert_eq!(asked.get(), 2);
}

#[test]
fn notify_is_told_of_the_wait() {
    let time = FakeTime::new(0.0);
    let mut waits = vec![];
    run(failing(9).retry(doubling()).notify(|_, wait| waits.push(wait)).on(&time)).unwrap_err();
    assert_eq!(waits, [100, 200, 400, 800].map(ms));
}

/// Reference, "Deciding what a failure means": a POST that failed with a 500 may have charged the card; a 503 says that
/// nothing was done, and its `Retry-After` is a floor that the cap does not undercut.
#[test]
fn what_an_http_answer_means() {
    struct Answer(u16, Option<&'static str>);

    let policy = exponential(ms(500)).max_delay(ms(900)).max_attempts(4).jitter(Jitter::None).build().unwrap();
    let send = |answers: &'static [Answer]| {
        let time = FakeTime::new(0.0);
        let options = HttpOptions::new().method("POST");
        let post = |attempt: u64| {
            ready(match answers.get(attempt as usize - 1) {
                Some(answer) => Err(answer),
                None => Ok(attempt),
            })
        };
        let classify = |answer: &&Answer, context: Context| {
            let header = |name: &str| answer.1.filter(|_| name == "retry-after");
            http_outcome(answer.0, header, context.now, &options)
        };
        (run(post.retry(policy).classify(classify).on(&time)).map_err(|answer| answer.0), time.elapsed())
    };
    assert_eq!(send(&[Answer(500, None)]), (Err(500), ms(0)));
    assert_eq!(send(&[Answer(503, Some("7"))]), (Ok(2), ms(7_000)));
    assert_eq!(send(&[Answer(503, None), Answer(429, Some("Thu, 01 Jan 1970 00:00:02 GMT"))]), (Ok(3), ms(2_000)));
    assert_eq!(send(&[Answer(503, None), Answer(500, None)]), (Err(500), ms(500)));
}

/// Case 6: elapsed 29 s, deadline 30 s, next delay 2 s: it stops at once. Case 7: so it does when the server asks for
/// more than is left, and the caller sees the server's figure.
#[test]
fn no_wait_runs_past_the_deadline() {
    for (took, outcome, figure) in [
        (ms(29_000), Outcome::RETRYABLE, None),
        (ms(0), Outcome::retry_after(Duration::from_secs(1_800)), Some(1_800_000.0)),
    ] {
        let time = FakeTime::new(77.0);
        let policy = constant(ms(2_000)).deadline(ms(30_000)).jitter(Jitter::None).build().unwrap();
        let work = || {
            time.advance(took);
            ready(Err::<(), _>("down"))
        };
        let mut why = None;
        let retry = work.retry(policy).classify(|_, _| outcome).on_give_up(|_, reason| why = Some(reason));
        assert_eq!(run(retry.on(&time)), Err("down"));
        assert_eq!((time.sleeps(), time.elapsed()), (0, took));
        let GiveUp::Policy(Decision::Stop { reason, retry_after_ms, .. }) = why.unwrap() else { panic!("{why:?}") };
        assert_eq!((reason, retry_after_ms), (StopReason::Deadline, figure));
    }
}

#[test]
fn the_deadline_runs_from_the_first_poll() {
    let time = FakeTime::new(0.0);
    let policy = constant(ms(100)).deadline(ms(250)).jitter(Jitter::None).build().unwrap();
    let retry = failing(9).retry(policy).on(&time);
    time.advance(ms(10_000));
    assert_eq!(run(retry), Err("failure 3".into()));
    assert_eq!(time.elapsed(), ms(10_200));
}

/// The waits are those that `preview` shows, for every curve and jitter.
#[test]
fn waits_are_those_of_the_policy() {
    macro_rules! check {
        ($($builder:expr),+) => {$(
            for jitter in [Jitter::None, Jitter::Equal, Jitter::Full] {
                let policy = $builder.jitter(jitter).max_attempts(9).deadline(ms(60_000)).build().unwrap();
                let time = FakeTime::new(1_000.0).random(0.25);
                let mut waits = vec![];
                run(failing(99).retry(policy).notify(|_, wait| waits.push(wait)).on(&time)).unwrap_err();
                assert_eq!(waits, policy.preview(|| 0.25).collect::<Vec<_>>());
                assert!(waits.len() >= 4, "{waits:?}");
                assert_eq!(time.elapsed(), waits.iter().sum());
            }
        )+};
    }
    check!(exponential(ms(100)), decorrelated_jitter(ms(100)), fibonacci(ms(100)), linear(ms(100)), constant(ms(100)));
}

#[test]
fn who_is_told_and_in_which_order() {
    let time = FakeTime::new(0.0);
    let log = RefCell::new(vec![]);
    let alive = Alive::default();
    let note = |what: &str| log.borrow_mut().push(format!("{what} at {}, {} alive", time.now(), alive.count()));
    let work = |attempt: u64| {
        let one = alive.one();
        note(&format!("attempt {attempt}"));
        async move {
            let _one = one;
            std::future::poll_fn(|_| std::task::Poll::Ready(())).await;
            Err::<(), _>("down")
        }
    };
    let policy = constant(ms(100)).max_attempts(2).jitter(Jitter::None).build().unwrap();
    let retry = work
        .retry(policy)
        .classify(|_, _| {
            note("classify");
            true
        })
        .on_retry(|_, _| note("retry"))
        .on_give_up(|_, _| note("give up"))
        .on(&time);
    run(retry).unwrap_err();
    assert_eq!(
        log.into_inner(),
        [
            "attempt 1 at 0, 1 alive",
            "classify at 0, 0 alive",
            "retry at 0, 0 alive",
            "attempt 2 at 100, 1 alive",
            "classify at 100, 0 alive",
            "give up at 100, 0 alive",
        ]
    );
}

/// Design: a number is drawn only when a jittered delay is really computed, and a clock read only where somebody asks.
#[test]
fn nothing_is_drawn_or_read_in_vain() {
    let deadline = |builder: retry_primitives::backoff::Builder<Constant>| builder.deadline(ms(60_000));
    let plain = constant(ms(100)).max_attempts(3);
    for (policy, failures, reads, draws) in [
        (plain, 0, 0, 0),
        (plain, 1, 1, 1),
        (plain, 9, 3, 2),
        (deadline(plain), 0, 1, 0),
        (deadline(plain), 1, 2, 1),
        (plain.jitter(Jitter::None), 9, 3, 0),
    ] {
        let time = FakeTime::new(0.0);
        let counting = Counting::<{ u64::MAX }>::new(&time);
        let _ = run(failing(failures).retry(policy.build().unwrap()).on(&counting));
        assert_eq!((counting.clock_reads.get(), counting.draws.get()), (reads, draws), "{failures} {policy:?}");
    }
}

/// Case 13: a wait longer than the timer can count is waited out in full, in pieces.
#[test]
fn a_wait_longer_than_a_timer() {
    const LONGEST: u64 = i32::MAX as u64;
    for (wait, pieces) in
        [(LONGEST, vec![LONGEST]), (LONGEST + 1, vec![LONGEST, 1]), (1 << 32, vec![LONGEST, LONGEST, 2]), (0, vec![0])]
    {
        let time = FakeTime::new(0.0);
        let counting = Counting::<LONGEST>::new(&time);
        let policy = constant(ms(wait)).unlimited_delay().max_attempts(2).jitter(Jitter::None).build().unwrap();
        assert_eq!(run(failing(1).retry(policy).on(&counting)), Ok(2));
        assert_eq!(counting.sleeps.into_inner(), pieces.into_iter().map(ms).collect::<Vec<_>>());
        assert_eq!(time.elapsed(), ms(wait));
    }
}

#[test]
fn a_timer_that_can_count_to_nothing_still_ends() {
    let time = FakeTime::new(0.0);
    let counting = Counting::<0>::new(&time);
    let policy = constant(ms(3)).max_attempts(2).jitter(Jitter::None).build().unwrap();
    assert_eq!(run(failing(1).retry(policy).on(&counting)), Ok(2));
    assert_eq!(time.elapsed(), ms(3));
}

/// Case 20: a body that was given away is not sent again, and the error is that of the attempt that had it.
#[test]
fn a_body_that_can_be_sent_once() {
    struct Body(&'static str);

    for (refused, works, result, attempts) in
        [(true, true, Ok("upload"), 2), (true, false, Err("lost"), 2), (false, false, Err("lost"), 1)]
    {
        let time = FakeTime::new(0.0);
        let (body, made) = (RefCell::new(Some(Body("upload"))), Cell::new(0));
        let upload = |attempt: u64| {
            made.set(attempt);
            ready(if refused && attempt == 1 {
                Err("refused")
            } else {
                let Body(text) = body.take().expect("sent once");
                if works { Ok(text) } else { Err("lost") }
            })
        };
        assert_eq!(run(upload.retry(quick()).when(|_| body.borrow().is_some()).on(&time)), result);
        assert_eq!(made.get(), attempts);
    }
}

#[test]
fn nothing_happens_before_the_first_poll_or_after_the_last() {
    let time = FakeTime::new(0.0);
    let calls = Cell::new(0);
    let work = || {
        calls.set(calls.get() + 1);
        ready(Ok::<_, ()>(()))
    };
    let mut retry = pin!(work.retry(quick()).on(&time));
    assert_eq!(calls.get(), 0);
    assert!(poll(retry.as_mut()).is_ready());
    assert!(poll(retry.as_mut()).is_pending());
    assert_eq!(calls.get(), 1);
}

/// Case 21: a clock that jumps back an hour, or forward a year, while an attempt is being made.
#[test]
fn a_clock_that_jumps() {
    let year = 365.0 * 86_400_000.0;
    for (jump, attempts) in [(-3_600_000.0, 3), (year, 1)] {
        let time = FakeTime::new(0.0);
        let policy = constant(ms(100)).max_attempts(3).deadline(ms(1_000)).build().unwrap();
        let calls = Cell::new(0);
        let work = || {
            calls.set(calls.get() + 1);
            if calls.get() == 1 {
                time.set(jump);
            }
            ready(Err::<(), _>("down"))
        };
        assert_eq!(run(work.retry(policy).on(&time)), Err("down"));
        assert_eq!((calls.get(), time.sleepers()), (attempts, 0));
    }
}

#[test]
fn a_retry_is_a_future_like_any_other() {
    fn is_future<T>(_: &impl Future<Output = T>) {}
    let time = FakeTime::new(0.0);
    let retry = failing(1).retry(quick()).on(&time);
    is_future(&retry);
    assert!(format!("{retry:?}").starts_with("Retry { policy: Policy"));
    let boxed: std::pin::Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(retry);
    assert_eq!(run(boxed), Ok(2));
}
