//! One `next` of each policy beside the peers' next delay.
//!
//! What is timed: 256 operations under way (base 100 ms, factor 2, cap 30 s), each failing eight times. They advance in
//! turn, as a busy program's do, so that no step waits for the one before it on its way through memory. On every side
//! all that a step reads lies behind one pointer, hidden from the optimiser before the step; the whole answer is hidden
//! after it.
//! Building the iterators and seeding their generators is not timed. What each side does in a step:
//!
//! - **retry-primitives**: takes state, time and outcome; counts the attempt; looks at the three reasons to stop, a
//!   deadline of an hour among them; computes the curve from the attempt's number; caps, jitters and rounds to a
//!   millisecond; gives a new state and a decision. The generator is the one of `backon` and `exponential-backoff`.
//! - **backon**: an iterator that counts attempts and multiplies (or adds to) the delay it holds; no deadline is set.
//!   Jitter adds up to the delay again.
//! - **exponential-backoff**: an iterator that counts attempts and raises the factor, an integer; jitter is 30 % of the
//!   delay to each side, in whole percent.
//! - **retry-policies**: a function of the number of retries; reads the system clock, since it answers with a moment,
//!   and for jitter the thread's cryptographic generator. No deadline is set: that would read the clock twice.
//!
//! None of the peers has a linear curve, decorrelated jitter, or a curve of one's own.

use std::{
    hint::black_box,
    time::{Duration, SystemTime},
};

use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder, FibonacciBuilder};
use criterion::{
    BatchSize, Bencher, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use fastrand::Rng;
use retry_policies::{RetryPolicy, policies};
use retry_primitives::{
    Outcome, Policy, RetryState,
    backoff::{self, Builder, Curve, Jitter},
};

const BASE: Duration = Duration::from_millis(100);
const CAP: Duration = Duration::from_secs(30);
const DEADLINE: Duration = Duration::from_secs(3_600);
const OPERATIONS: u32 = 256;
const STEPS: u32 = 8;
const STARTED: f64 = 1_758_124_800_000.0;
const SEED: u64 = 7;

/// An operation under way: all that a step reads and writes, in one place as in a peer's iterator.
struct Operation<C> {
    policy: Policy<C>,
    state: RetryState,
    now: f64,
    outcome: Outcome,
    rng: Rng,
}

/// Advances [`OPERATIONS`] fresh values of `build` by [`STEPS`] steps each, in turn.
fn advance<T, D>(bencher: &mut Bencher, mut build: impl FnMut() -> T, step: impl Fn(&mut T) -> D) {
    bencher.iter_batched_ref(
        || (0..OPERATIONS).map(|_| build()).collect::<Vec<T>>(),
        |operations| {
            for _ in 0..STEPS {
                for operation in operations.iter_mut() {
                    black_box(step(black_box(operation)));
                }
            }
        },
        BatchSize::PerIteration,
    );
}

fn ours<C: Curve + Copy>(bencher: &mut Bencher, builder: Builder<C>) {
    let policy = builder.max_attempts(10).deadline(DEADLINE).max_delay(CAP).build().expect("valid options");
    let started = Operation {
        policy,
        state: policy.init(STARTED),
        now: STARTED + 40.0,
        outcome: Outcome::RETRYABLE,
        rng: Rng::with_seed(SEED),
    };
    let build = || Operation { rng: started.rng.clone(), ..started };
    advance(bencher, build, |Operation { policy, state, now, outcome, rng }| {
        let (after, decision) = policy.next(*state, *now, *outcome, || rng.f64());
        *state = after;
        decision
    });
}

fn iterator<I: Iterator>(bencher: &mut Bencher, build: impl FnMut() -> I) {
    advance(bencher, build, I::next);
}

fn stateless(bencher: &mut Bencher, policy: impl RetryPolicy + Copy) {
    let started = SystemTime::now();
    advance(
        bencher,
        || (policy, started, 0),
        |(policy, started, retries)| {
            *retries += 1;
            policy.should_retry(*started, *retries - 1)
        },
    );
}

fn group<'a>(criterion: &'a mut Criterion, operation: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(operation);
    group.throughput(Throughput::Elements(u64::from(STEPS * OPERATIONS)));
    group
}

fn exponential(criterion: &mut Criterion) {
    let backon = ExponentialBuilder::new().with_min_delay(BASE).with_max_delay(CAP).with_max_times(9);
    let backon = backon.with_jitter_seed(SEED);
    let mut eb = exponential_backoff::Backoff::new(10, BASE, CAP);
    let rp = policies::ExponentialBackoff::builder().retry_bounds(BASE, CAP);

    let mut g = group(criterion, "exponential, full jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::exponential(BASE)));
    g.bench_function("backon", |b| iterator(b, || backon.with_jitter().build()));
    g.bench_function("exponential-backoff", |b| iterator(b, || eb.iter()));
    let jittered = rp.jitter(retry_policies::Jitter::Full).build_with_max_retries(9);
    g.bench_function("retry-policies", |b| stateless(b, jittered));
    g.finish();

    eb.set_jitter(0.0);
    let mut g = group(criterion, "exponential, no jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::exponential(BASE).jitter(Jitter::None)));
    g.bench_function("backon", |b| iterator(b, || backon.build()));
    g.bench_function("exponential-backoff", |b| iterator(b, || eb.iter()));
    let mut plain = jittered;
    plain.jitter = retry_policies::Jitter::None;
    g.bench_function("retry-policies", |b| stateless(b, plain));
    g.finish();
}

fn fibonacci(criterion: &mut Criterion) {
    let backon = FibonacciBuilder::new().with_min_delay(BASE).with_max_delay(CAP).with_max_times(9);
    let backon = backon.with_jitter_seed(SEED);

    let mut g = group(criterion, "fibonacci, full jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::fibonacci(BASE)));
    g.bench_function("backon", |b| iterator(b, || backon.with_jitter().build()));
    g.finish();

    let mut g = group(criterion, "fibonacci, no jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::fibonacci(BASE).jitter(Jitter::None)));
    g.bench_function("backon", |b| iterator(b, || backon.build()));
    g.finish();
}

fn constant(criterion: &mut Criterion) {
    let backon = ConstantBuilder::new().with_delay(BASE).with_max_times(9).with_jitter_seed(SEED);

    let mut g = group(criterion, "constant, full jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::constant(BASE)));
    g.bench_function("backon", |b| iterator(b, || backon.with_jitter().build()));
    g.finish();

    let mut g = group(criterion, "constant, no jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::constant(BASE).jitter(Jitter::None)));
    g.bench_function("backon", |b| iterator(b, || backon.build()));
    g.finish();
}

fn without_peer(criterion: &mut Criterion) {
    let mut g = group(criterion, "linear, full jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::linear(BASE)));
    g.finish();

    let mut g = group(criterion, "linear, no jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::linear(BASE).jitter(Jitter::None)));
    g.finish();

    let mut g = group(criterion, "decorrelated jitter");
    g.bench_function("retry-primitives", |b| ours(b, backoff::decorrelated_jitter(BASE)));
    g.finish();

    let mut g = group(criterion, "own curve, full jitter");
    let square = backoff::backoff(|attempt, _, _| 100.0 * attempt as f64 * attempt as f64);
    g.bench_function("retry-primitives", |b| ours(b, square));
    g.finish();
}

criterion_group!(benches, exponential, fibonacci, constant, without_peer);
criterion_main!(benches);
