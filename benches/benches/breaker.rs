//! A guarded call beside `recloser` and `failsafe`: one that goes out and succeeds, and one that is refused.
//!
//! What is timed: a call through each of 256 closed breakers in turn, or of 256 open ones, so that no step waits for the
//! one before it on its way through memory. The call itself is a success hidden from the optimiser; the breaker is hidden
//! before it, the whole answer after it. What each side does:
//!
//! - **retry-primitives**: `request` and, for a call that went out, `report` with the epoch of its verdict. The state is a
//!   value beside the breaker. A refusal says how long to wait. Where several threads share a state, the lock is the
//!   caller's, and not timed; nor is the clock, for `now` comes with the call: a row of its own says what reading it costs.
//! - **recloser**: `call`, on a ring of the last 100 outcomes behind atomics; pins an epoch for every call. Reads the
//!   clock where it is open, and not where it is closed.
//! - **failsafe**: `call`, behind a mutex taken twice. Its policy is `consecutive_failures` beside our consecutive
//!   breaker, `success_rate_over_time_window` beside our rolling one; the latter reads the clock for every outcome, and
//!   both do where they are open.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{Bencher, Criterion, Throughput, criterion_group, criterion_main};
use failsafe::{CircuitBreaker, Config, FailurePolicy, backoff, failure_policy};
use recloser::Recloser;
use retry_primitives::breaker::{Breaker, Report, consecutive_breaker, rolling_breaker};

const BREAKERS: u32 = 256;
const OPEN: Duration = Duration::from_secs(3_600);
const WINDOW: Duration = Duration::from_secs(30);
const FAILURES: u32 = 5;
const CALLS: u32 = 20;
const RATIO: f64 = 0.5;
const STARTED: f64 = 1_758_124_800_000.0;

/// Steps once through each of [`BREAKERS`] breakers.
fn through<T, D>(bencher: &mut Bencher, build: impl Fn() -> T, step: impl Fn(&mut T) -> D) {
    let mut breakers: Vec<T> = (0..BREAKERS).map(|_| build()).collect();
    bencher.iter(|| {
        for breaker in &mut breakers {
            black_box(step(black_box(breaker)));
        }
    });
}

fn succeed() -> Result<u32, ()> {
    black_box(Ok(7))
}

/// All that a call reads and writes, in one place as in a peer's breaker.
struct Guard<B: Breaker> {
    breaker: B,
    state: B::State,
    now: f64,
}

/// A fresh breaker, or one that failed until it opened.
fn guard<B: Breaker>(breaker: B, open: bool) -> Guard<B> {
    let mut state = breaker.init(STARTED);
    while open && breaker.peek(state, STARTED).ok {
        state = breaker.fail(state, STARTED);
    }
    Guard { breaker, state, now: STARTED + 40.0 }
}

#[inline(always)]
fn ours<B: Breaker>(guard: &mut Guard<B>) -> Result<Result<u32, ()>, f64> {
    let (state, verdict) = guard.breaker.request(guard.state, guard.now);
    if !verdict.ok {
        return Err(verdict.retry_after_ms);
    }
    let result = succeed();
    let report = if result.is_ok() { Report::success() } else { Report::failure() };
    (guard.state, _) = guard.breaker.report(state, guard.now, report.admitted_by(&verdict));
    Ok(result)
}

fn recloser(open: bool) -> Recloser {
    let breaker = Recloser::custom().error_rate(RATIO as f32).closed_len(100).open_wait(OPEN).build();
    if open {
        while !matches!(breaker.call(|| Err::<(), _>(())), Err(recloser::Error::Rejected)) {}
    }
    breaker
}

fn consecutive_failures() -> impl FailurePolicy {
    failure_policy::consecutive_failures(FAILURES, backoff::constant(OPEN))
}

/// By failures in a row: the other policy trips only once it is a window old, and neither has a say in a refusal.
fn opened_failsafe() -> impl CircuitBreaker {
    let breaker = Config::new().failure_policy(consecutive_failures()).build();
    while !matches!(breaker.call(|| Err::<(), _>(())), Err(failsafe::Error::Rejected)) {}
    breaker
}

fn compare<B, P>(criterion: &mut Criterion, kind: &str, breaker: impl Fn() -> B, policy: impl Fn() -> P)
where
    B: Breaker,
    P: FailurePolicy,
{
    for (open, call) in [(false, "a call that goes out"), (true, "a call refused")] {
        let mut group = criterion.benchmark_group(format!("{kind}, {call}"));
        group.throughput(Throughput::Elements(u64::from(BREAKERS)));
        group.bench_function("retry-primitives", |bencher| through(bencher, || guard(breaker(), open), ours));
        group.bench_function("recloser", |bencher| {
            through(bencher, || recloser(open), |breaker| breaker.call(succeed));
        });
        group.bench_function("failsafe", |bencher| {
            if open {
                through(bencher, opened_failsafe, |breaker| breaker.call(succeed));
            } else {
                through(bencher, || Config::new().failure_policy(policy()).build(), |breaker| breaker.call(succeed));
            }
        });
        group.finish();
    }
}

/// What each call costs our caller on top, unless it has the time already.
fn clock(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reading the clock, for scale");
    group.throughput(Throughput::Elements(u64::from(BREAKERS)));
    group.bench_function("retry-primitives", |bencher| through(bencher, || (), |()| Instant::now()));
    group.finish();
}

fn breakers(criterion: &mut Criterion) {
    compare(
        criterion,
        "consecutive breaker",
        || consecutive_breaker(u64::from(FAILURES)).open(OPEN).build().expect("valid options"),
        consecutive_failures,
    );
    compare(
        criterion,
        "rolling breaker",
        || {
            let builder = rolling_breaker(WINDOW).failure_ratio(RATIO).minimum_throughput(u64::from(CALLS));
            builder.open(OPEN).build().expect("valid options")
        },
        || failure_policy::success_rate_over_time_window(RATIO, CALLS, WINDOW, backoff::constant(OPEN)),
    );
}

criterion_group!(benches, breakers, clock);
criterion_main!(benches);
