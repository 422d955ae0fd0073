//! On tokio: its paused clock, several threads, cancellation by its own means.
#![cfg(feature = "tokio")]

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use retry_primitives::{
    backoff::{Jitter, constant, exponential},
    breaker::{CallResult, Status, consecutive_breaker},
    budget::{RetryBudget, TokenBucket},
    executor::{FakeTime, Retryable, Runtime, SharedBudget, Tokio, protect, retry},
};
use tokio::time::{Instant, advance, timeout};

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test(start_paused = true)]
async fn waits_on_the_paused_clock() {
    let began = Instant::now();
    let policy = exponential(HOUR).unlimited_delay().max_attempts(4).jitter(Jitter::None).build().unwrap();
    let result: Result<(), _> = (async || Err("down")).retry(policy).on(Tokio).await;
    assert_eq!((result, began.elapsed()), (Err("down"), 7 * HOUR));
}

/// Without a word on it, a retry waits on tokio where the feature is on.
#[tokio::test(start_paused = true)]
async fn is_the_default() {
    let began = Instant::now();
    let policy = constant(HOUR).unlimited_delay().max_attempts(2).jitter(Jitter::None).build().unwrap();
    let result: Result<(), _> = (async || Err("down")).retry(policy).await;
    assert_eq!((result, began.elapsed()), (Err("down"), HOUR));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_counts_what_attempts_take() {
    let policy = constant(HOUR).unlimited_delay().deadline(10 * HOUR).jitter(Jitter::None).build().unwrap();
    let calls = AtomicU32::new(0);
    let slow = || async {
        calls.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(2 * HOUR).await;
        Err::<(), _>("down")
    };
    assert_eq!(slow.retry(policy).on(Tokio).await, Err("down"));
    // Attempts begin at 0, 3, 6 and 9; the last fails at 11.
    assert_eq!(calls.into_inner(), 4);
}

/// Case 13: longer than tokio's timer can count, about 2.2 years.
#[tokio::test(start_paused = true)]
async fn a_wait_of_ten_years() {
    let ten_years = 10 * 365 * 24 * HOUR;
    let began = Instant::now();
    let policy = constant(ten_years).unlimited_delay().max_attempts(2).jitter(Jitter::None).build().unwrap();
    let second = |attempt: u64| async move { if attempt < 2 { Err("down") } else { Ok(attempt) } };
    assert_eq!(second.retry(policy).on(Tokio).await, Ok(2));
    assert_eq!(began.elapsed(), ten_years);
}

/// The clock of a runtime that is paused may stand before the one that another runtime began with.
#[test]
fn the_clock_goes_on_in_every_runtime() {
    let paused = || tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (early, late) = (paused(), paused());
    let first = late.block_on(async {
        advance(HOUR).await;
        Tokio.now()
    });
    let (before, after) = early.block_on(async {
        let before = Tokio.now();
        advance(Duration::from_millis(1_500)).await;
        (before, Tokio.now())
    });
    assert!((after - before - 1_500.0).abs() < 1e-6, "{before} to {after}");
    assert!(before < first);
}

#[test]
fn random_numbers_are_in_range_and_differ() {
    let draws: Vec<f64> = (0..1_000).map(|_| Tokio.random()).collect();
    assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
    let mean = draws.iter().sum::<f64>() / 1_000.0;
    // Within 6 standard deviations of 1 / sqrt(12 * 1,000).
    assert!((mean - 0.5).abs() < 6.0 * 0.00913, "{mean}");
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_it_ends_the_wait_at_once() {
    let calls = AtomicU32::new(0);
    let work = || {
        calls.fetch_add(1, Ordering::Relaxed);
        async { Err::<(), _>("down") }
    };
    let policy = constant(HOUR).unlimited_delay().unlimited_attempts().jitter(Jitter::None).build().unwrap();
    let began = Instant::now();
    assert!(timeout(HOUR * 5 / 2, work.retry(policy).on(Tokio)).await.is_err());
    assert_eq!(began.elapsed(), HOUR * 5 / 2);
    advance(10 * HOUR).await;
    assert_eq!(calls.into_inner(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_aborted_task_frees_its_probe() {
    let upstream = Arc::new(protect(consecutive_breaker(1).open(HOUR).build().unwrap(), Tokio));
    upstream.admit().unwrap().report(CallResult::Failure);
    advance(HOUR).await;
    let task = tokio::spawn({
        let upstream = Arc::clone(&upstream);
        async move { upstream.call(std::future::pending::<Result<(), ()>>).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(upstream.admit().unwrap_err().status, Status::HalfOpen);
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(upstream.call(async || Ok::<_, ()>(7)).await, Ok(7));
}

/// What is spawned on a runtime of several threads has to be `Send`.
#[tokio::test(start_paused = true)]
async fn a_retry_around_a_breaker_in_a_task_of_its_own() {
    let breaker = consecutive_breaker(2).open(HOUR).build().unwrap();
    let upstream = Arc::new(protect(breaker, Tokio).is_failure(|error: &&str| *error != "fine"));
    let budget = Arc::new(SharedBudget::new(RetryBudget::default()));
    let policy = constant(Duration::from_secs(1)).max_attempts(4).jitter(Jitter::None).build().unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (upstream, budget) = (Arc::clone(&upstream), Arc::clone(&budget));
            tokio::spawn(async move {
                let fetch = |attempt: u64| {
                    let upstream = &upstream;
                    async move { upstream.call(|| async move { if attempt < 2 { Err("down") } else { Ok(()) } }).await }
                };
                let classified = retry(policy, fetch).classify(|error, _| error.meaning(|_| true));
                classified.budget(&budget).notify(|_, wait| assert!(wait <= HOUR)).on(Tokio).await
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Ok(()));
    }
    assert_eq!(upstream.status(), Status::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_spawned_as_it_is() {
    async fn fetch() -> Result<u8, ()> {
        Ok(7)
    }
    let policy = constant(HOUR).max_attempts(2).build().unwrap();
    assert_eq!(tokio::spawn(fetch.retry(policy)).await.unwrap(), Ok(7));
}

/// A clock of whole milliseconds that threads share.
struct Ticks(AtomicU32);

impl Runtime for &Ticks {
    type Sleep = std::future::Pending<()>;

    fn now(&self) -> f64 {
        f64::from(self.0.load(Ordering::Relaxed))
    }

    fn sleep(&self, _: Duration) -> Self::Sleep {
        std::future::pending()
    }

    fn random(&self) -> f64 {
        0.0
    }
}

/// With a `Mutex` at most as many probes go out as the breaker allows, however many threads ask at once.
#[test]
fn probes_are_counted_across_threads() {
    const THREADS: usize = 8;
    let breaker = consecutive_breaker(1).open(Duration::from_millis(1)).half_open(HOUR).half_open_probes(3).build();
    let ticks = Ticks(AtomicU32::new(0));
    let upstream = protect(breaker.unwrap(), &ticks);
    for _ in 0..200 {
        upstream.admit().unwrap().report(CallResult::Failure);
        ticks.0.fetch_add(1, Ordering::Relaxed);
        let (start, end, admitted) = (Barrier::new(THREADS), Barrier::new(THREADS), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    start.wait();
                    let permit = upstream.admit();
                    admitted.fetch_add(u32::from(permit.is_ok()), Ordering::Relaxed);
                    end.wait();
                    drop(permit);
                });
            }
        });
        assert_eq!(admitted.into_inner(), 3);
        assert_eq!(upstream.state().probes, 0);
    }
}

#[test]
fn a_budget_is_counted_across_threads() {
    let budget = SharedBudget::new(TokenBucket::default());
    let policy = constant(Duration::ZERO).max_attempts(2).build().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let time = FakeTime::new(0.0);
                for _ in 0..10 {
                    let down = async || Err::<(), _>("down");
                    runtime.block_on(down.retry(policy).budget(&budget).on(&time)).unwrap_err();
                }
            });
        }
    });
    assert_eq!(budget.state().tokens, 500.0 - 80.0 * 5.0);
}

/// Whoever watches may panic: the state is sound, and no report counts twice.
#[test]
fn a_panic_in_a_watcher() {
    let breaker = consecutive_breaker(1).open(Duration::from_millis(1)).half_open_probes(3).build().unwrap();
    let (ticks, armed) = (Ticks(AtomicU32::new(0)), AtomicU32::new(0));
    let upstream = protect(breaker, &ticks).on_change(|_| assert_eq!(armed.load(Ordering::Relaxed), 0, "a bug"));
    upstream.admit().unwrap().report(CallResult::Failure);
    ticks.0.store(1, Ordering::Relaxed);
    let (first, _second) = (upstream.admit().unwrap(), upstream.admit().unwrap());
    armed.store(1, Ordering::Relaxed);
    let report = std::panic::AssertUnwindSafe(|| first.report(CallResult::Success));
    assert!(std::panic::catch_unwind(report).is_err());
    armed.store(0, Ordering::Relaxed);
    assert_eq!((upstream.state().probes, upstream.state().successes), (2, 1));
}
