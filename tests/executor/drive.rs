//! Futures by hand, and surroundings that count.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    time::Duration,
};

use retry_primitives::executor::{FakeSleep, FakeTime, Runtime};

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// The result of a future that nothing outside of it has to wake.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1_000 {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return output;
        }
    }
    panic!("still pending after 1,000 polls");
}

/// Pending this often before it is ready.
pub(crate) async fn after_polls(mut pending: u32) {
    std::future::poll_fn(move |_| {
        if pending == 0 {
            return Poll::Ready(());
        }
        pending -= 1;
        Poll::Pending
    })
    .await;
}

/// How many of something are alive.
#[derive(Debug, Default)]
pub(crate) struct Alive(Cell<i64>);

impl Alive {
    pub(crate) fn count(&self) -> i64 {
        self.0.get()
    }

    pub(crate) fn one(&self) -> One<'_> {
        self.0.set(self.0.get() + 1);
        One(self)
    }
}

pub(crate) struct One<'a>(&'a Alive);

impl Drop for One<'_> {
    fn drop(&mut self) {
        self.0.0.set(self.0.0.get() - 1);
    }
}

/// Fake time behind a timer that can't count far, with everything that was asked of it.
pub(crate) struct Counting<'a, const LONGEST_MS: u64> {
    pub(crate) time: &'a FakeTime,
    pub(crate) clock_reads: Cell<u32>,
    pub(crate) draws: Cell<u32>,
    pub(crate) sleeps: RefCell<Vec<Duration>>,
}

impl<'a, const LONGEST_MS: u64> Counting<'a, LONGEST_MS> {
    pub(crate) fn new(time: &'a FakeTime) -> Self {
        Self { time, clock_reads: Cell::default(), draws: Cell::default(), sleeps: RefCell::default() }
    }
}

impl<'a, const LONGEST_MS: u64> Runtime for Counting<'a, LONGEST_MS> {
    type Sleep = FakeSleep<'a>;

    const LONGEST_SLEEP: Duration = Duration::from_millis(LONGEST_MS);

    fn now(&self) -> f64 {
        self.clock_reads.set(self.clock_reads.get() + 1);
        self.time.now()
    }

    fn sleep(&self, duration: Duration) -> FakeSleep<'a> {
        self.sleeps.borrow_mut().push(duration);
        self.time.sleep(duration)
    }

    fn random(&self) -> f64 {
        self.draws.set(self.draws.get() + 1);
        self.time.random()
    }
}
