//! The reference's sentences about breakers, and cases from the field, one test each.

use core::time::Duration;

use retry_primitives::breaker::{Breaker, Status, consecutive_breaker, force_close, force_open, rolling_breaker};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Case 18: 100 failures, one idle hour, then 50 successes and 1 failure: the window is empty of the old ones.
#[test]
fn a_window_forgets_over_an_idle_hour() {
    let breaker = rolling_breaker(ms(30_000)).minimum_throughput(101).open(ms(30_000)).build().unwrap();
    let mut state = breaker.init(0.0);
    for call in 0..100 {
        state = breaker.fail(state, f64::from(call));
    }
    let hour = 3_600_000.0;
    for call in 0..50 {
        state = breaker.succeed(state, hour + f64::from(call));
    }
    state = breaker.fail(state, hour + 50.0);
    assert_eq!(state.status, Status::Closed);
    assert_eq!((state.prev_ok, state.prev_fail, state.curr_ok, state.curr_fail), (0, 0, 50, 1));
}

/// Sliding counter: 42 before, 18 now, 15 s into a 60 s window -> 49.5.
#[test]
fn the_previous_bucket_weighs_what_still_overlaps() {
    for (minimum, tripped) in [(49, true), (50, false)] {
        let breaker = rolling_breaker(ms(60_000)).minimum_throughput(minimum).open(ms(1_000)).build().unwrap();
        let mut state = breaker.init(0.0);
        for _ in 0..42 {
            state = breaker.fail(state, 30_000.0);
        }
        for _ in 0..18 {
            assert_eq!(state.status, Status::Closed);
            state = breaker.fail(state, 75_000.0);
        }
        assert_eq!((state.prev_fail, state.curr_fail, state.start), (42, 18, 60_000.0));
        assert_eq!(state.status == Status::Open, tripped);
    }
}

/// Reference, "Recovery": calls are refused for `openMs`, to the millisecond, even if all of it happens at time 0.
#[test]
fn a_plain_breaker_opens_and_closes_on_the_clock_it_is_given() {
    let breaker = consecutive_breaker(5).open(ms(30_000)).build().unwrap();
    let opened = (0..5).fold(breaker.init(0.0), |state, _| breaker.fail(state, 0.0));
    assert_eq!((opened.status, opened.changed_at), (Status::Open, 0.0));
    assert_eq!(breaker.peek(opened, 29_999.0).retry_after_ms, 1.0);
    let (probing, verdict) = breaker.request(opened, 30_000.0);
    assert!(verdict.ok);
    assert_eq!((probing.status, probing.changed_at, probing.probes), (Status::HalfOpen, 30_000.0, 1));
    assert!(!breaker.request(probing, 30_000.0).1.ok, "halfOpenProbes defaults to 1");
    assert_eq!(breaker.peek(probing, 31_000.0).retry_after_ms, 29_000.0, "halfOpenMs defaults to openMs");
    let closed = breaker.succeed(probing, 30_000.0);
    assert_eq!((closed.status, closed.changed_at, closed.failures), (Status::Closed, 30_000.0, 0));
}

/// Reference: outcomes recorded while the breaker is open are ignored; any probe that fails opens it again.
#[test]
fn open_ignores_outcomes_and_a_failed_probe_reopens() {
    let breaker = consecutive_breaker(1).open(ms(100)).half_open_probes(2).build().unwrap();
    let opened = breaker.fail(breaker.init(0.0), 0.0);
    assert_eq!(breaker.succeed(opened, 10.0), opened);
    assert_eq!(breaker.fail(opened, 10.0), opened);
    let probing = breaker.request(breaker.request(opened, 100.0).0, 100.0).0;
    let reopened = breaker.fail(breaker.succeed(probing, 110.0), 120.0);
    assert_eq!((reopened.status, reopened.changed_at), (Status::Open, 120.0));
}

/// Case 21: back an hour, then open: the open time runs from the clock as it is now, and the epoch still does not go back.
#[test]
fn an_opening_after_the_clock_went_back_lasts_its_time() {
    let breaker = consecutive_breaker(1).open(ms(30_000)).build().unwrap();
    let hour = 3_600_000.0;
    let opened = breaker.fail(breaker.init(2.0 * hour), hour);
    assert_eq!(breaker.peek(opened, hour + 29_999.0).retry_after_ms, 1.0);
    let (probing, verdict) = breaker.request(opened, hour + 30_000.0);
    assert!(verdict.ok);
    assert!(verdict.epoch > 2.0 * hour);
    assert!(breaker.peek(probing, hour + 60_000.0).ok, "and so does the trial");
}

/// Reference, "Recovery": `forceClose` cannot see the ledger; "stays closed for exactly one more failure".
#[test]
fn overrides_leave_the_ledger_alone() {
    let breaker = consecutive_breaker(5).open(ms(100)).build().unwrap();
    let one_short = (0..4).fold(breaker.init(0.0), |state, _| breaker.fail(state, 1.0));
    let closed = force_close(one_short, 2.0);
    assert_eq!((closed.status, closed.changed_at, closed.failures), (Status::Closed, 2.0, 4));
    assert_eq!(breaker.fail(closed, 3.0).status, Status::Open);
    let forced = force_open(one_short, 5.0);
    assert_eq!((breaker.peek(forced, 5.0).retry_after_ms, forced.failures), (100.0, 4));
    assert!(breaker.peek(force_close(forced, 6.0), 6.0).ok);
}

/// Growing open time starts over once a trial has closed the breaker.
#[test]
fn open_time_grows_with_each_opening_in_a_row() {
    let breaker = consecutive_breaker(1).open(ms(1_000)).grow_open(3.0, ms(20_000)).build().unwrap();
    let mut now = 0.0;
    let mut state = breaker.fail(breaker.init(now), now);
    for expected in [1_000.0, 3_000.0, 9_000.0, 20_000.0, 20_000.0] {
        assert_eq!(breaker.peek(state, now).retry_after_ms, expected);
        now += expected;
        state = breaker.fail(breaker.request(state, now).0, now);
    }
    now += 20_000.0;
    state = breaker.succeed(breaker.request(state, now).0, now);
    assert_eq!(breaker.peek(breaker.fail(state, now), now).retry_after_ms, 1_000.0);
}

/// An override by hand opens for the plain open time, however far that has grown or been jittered.
#[test]
fn a_forced_opening_lasts_the_plain_open_time() {
    let breaker = consecutive_breaker(1)
        .open(Duration::from_secs(1))
        .grow_open(10.0, Duration::from_secs(1_000))
        .build()
        .unwrap();
    let mut state = breaker.init(0.0);
    let mut now = 0.0;
    for grown in [1e3, 1e4, 1e5] {
        state = breaker.fail(state, now);
        assert_eq!(breaker.peek(state, now).retry_after_ms, grown);
        now += grown;
        state = breaker.request(state, now).0;
    }
    state = breaker.fail(state, now);
    assert_eq!(breaker.peek(state, now).retry_after_ms, 1e6);
    assert_eq!(breaker.peek(force_open(state, now), now).retry_after_ms, 1e3);
}
