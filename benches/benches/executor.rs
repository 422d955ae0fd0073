//! `retry` and `protect` beside the peers' executors: what a call costs on top of itself.
//!
//! What is timed: a future built, polled once to its end and dropped, with a call that is ready at once and hidden from the
//! optimiser, as is the answer. What each side does:
//!
//! - **retry-primitives**: `retry` with a policy of four attempts, whose state it begins; without a deadline it reads no
//!   clock. `protect` finds its consecutive breaker at rest, for which it takes neither its mutex nor the time; it takes both to
//!   say for how long a call is refused.
//! - **backon**: `retry` with three retries, whose iterator it builds; neither side has jitter, since seeding a generator
//!   would count against backon.
//! - **recloser**: `AsyncRecloser::call`, which clones an `Arc` and pins an epoch.
//! - **failsafe**: its `CircuitBreaker` for futures, which clones an `Arc` and takes a mutex twice.
//!
//! After one failure both wait for a sleeper that is ready at once.

use std::{
    future::{Future, Ready, ready},
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use backon::ExponentialBuilder;
use criterion::{Criterion, criterion_group, criterion_main};
use failsafe::{Config, backoff as failsafe_backoff, failure_policy, futures::CircuitBreaker as _};
use recloser::{AsyncRecloser, Recloser};
use retry_primitives::{
    Policy,
    backoff::{Exponential, Jitter, exponential},
    breaker::{CallResult, ConsecutiveBreaker, consecutive_breaker},
    executor::{self, Protected, Runtime, Tokio},
};

const BASE: Duration = Duration::from_millis(100);
const OPEN: Duration = Duration::from_secs(3_600);
const FAILURES: u32 = 5;

/// Runs a future that is ready at once.
#[inline(always)]
fn once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("nothing here waits"),
    }
}

async fn succeed() -> Result<u32, u32> {
    black_box(Ok(7))
}

/// A runtime whose sleep is over at once.
struct Sleepless;

impl Runtime for Sleepless {
    type Sleep = Ready<()>;

    fn now(&self) -> f64 {
        black_box(1_758_124_800_000.0)
    }

    fn sleep(&self, duration: Duration) -> Ready<()> {
        black_box(duration);
        ready(())
    }

    fn random(&self) -> f64 {
        0.5
    }
}

fn policy() -> Policy<Exponential> {
    exponential(BASE).max_attempts(4).jitter(Jitter::None).build().expect("valid options")
}

fn retries(criterion: &mut Criterion) {
    let (ours, peer) = (policy(), ExponentialBuilder::new().with_min_delay(BASE).with_max_times(3));

    let mut group = criterion.benchmark_group("retry, a success at once");
    group.bench_function("retry-primitives", |bencher| {
        bencher.iter(|| once(executor::retry(*black_box(&ours), succeed).on(Tokio)));
    });
    group.bench_function("backon", |bencher| {
        bencher.iter(|| once(backon::Retryable::retry(succeed, *black_box(&peer))));
    });
    group.finish();

    let second = || {
        let mut attempts = 0;
        move || {
            attempts += 1;
            let result = if attempts < 2 { Err(attempts) } else { Ok(attempts) };
            async move { black_box(result) }
        }
    };
    let mut group = criterion.benchmark_group("retry, a success after one failure");
    group.bench_function("retry-primitives", |bencher| {
        bencher.iter(|| once(executor::retry(*black_box(&ours), second()).on(Sleepless)));
    });
    group.bench_function("backon", |bencher| {
        let sleep = |duration: Duration| {
            black_box(duration);
            ready(())
        };
        bencher.iter(|| once(backon::Retryable::retry(second(), *black_box(&peer)).sleep(sleep)));
    });
    group.finish();

    let mut group = criterion.benchmark_group("retry with a deadline, a success at once");
    let deadline = exponential(BASE).deadline(OPEN).jitter(Jitter::None).build().expect("valid options");
    group.bench_function("retry-primitives", |bencher| {
        bencher.iter(|| once(executor::retry(*black_box(&deadline), succeed).on(Tokio)));
    });
    group.finish();
}

fn protected(open: bool) -> Protected<ConsecutiveBreaker, Tokio> {
    let breaker = consecutive_breaker(u64::from(FAILURES)).open(OPEN).build().expect("valid options");
    let upstream = executor::protect(breaker, Tokio);
    while let (true, Ok(permit)) = (open, upstream.admit()) {
        permit.report(CallResult::Failure);
    }
    upstream
}

fn recloser(open: bool) -> AsyncRecloser {
    let breaker = Recloser::custom().error_rate(0.5).closed_len(100).open_wait(OPEN).build();
    while open && !matches!(breaker.call(|| Err::<(), _>(())), Err(recloser::Error::Rejected)) {}
    breaker.into()
}

fn failsafe(open: bool) -> impl failsafe::futures::CircuitBreaker {
    let policy = failure_policy::consecutive_failures(FAILURES, failsafe_backoff::constant(OPEN));
    let breaker = Config::new().failure_policy(policy).build();
    while open && failsafe::CircuitBreaker::is_call_permitted(&breaker) {
        let _ = failsafe::CircuitBreaker::call(&breaker, || Err::<(), _>(()));
    }
    breaker
}

fn breakers(criterion: &mut Criterion) {
    for (open, call) in [(false, "a call that goes out"), (true, "a call refused")] {
        let mut group = criterion.benchmark_group(format!("protect, {call}"));
        group.bench_function("retry-primitives", |bencher| {
            let upstream = protected(open);
            bencher.iter(|| once(black_box(&upstream).call(succeed)));
        });
        group.bench_function("recloser", |bencher| {
            let breaker = recloser(open);
            bencher.iter(|| once(black_box(&breaker).call(succeed())));
        });
        group.bench_function("failsafe", |bencher| {
            let breaker = failsafe(open);
            bencher.iter(|| once(black_box(&breaker).call(succeed())));
        });
        group.finish();
    }

    let mut group = criterion.benchmark_group("retry around protect, a success at once");
    let (upstream, policy) = (protected(false), policy());
    group.bench_function("retry-primitives", |bencher| {
        bencher.iter(|| {
            let fetch = || black_box(&upstream).call(succeed);
            once(executor::retry(*black_box(&policy), fetch).classify(|error, _| error.meaning(|_| true)).on(Tokio))
        });
    });
    group.finish();
}

criterion_group!(benches, retries, breakers);
criterion_main!(benches);
