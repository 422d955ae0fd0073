//! A clock that a test turns.

use core::{
    cell::Cell,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use super::Runtime;
use crate::number::duration_ms;

/// A clock and a timer for tests, of which nothing waits: pass it by reference, as in `.on(&time)`.
///
/// With [`new`](Self::new) a sleep turns the clock on and is over, so a retry runs through in one go. With
/// [`manual`](Self::manual) a sleep lasts until the test has turned the clock far enough.
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::backoff::{Jitter, exponential};
/// use retry_primitives::executor::{FakeTime, Retryable};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), retry_primitives::OptionError> {
/// let time = FakeTime::new(1_000.0);
/// let policy = exponential(Duration::from_secs(60)).unlimited_delay().max_attempts(3).jitter(Jitter::None).build()?;
/// let result: Result<(), _> = (async || Err("down")).retry(policy).on(&time).await;
/// assert_eq!(result, Err("down"));
/// assert_eq!(time.elapsed(), Duration::from_secs(60 + 120));
/// assert_eq!((time.sleeps(), time.sleepers()), (2, 0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FakeTime {
    start: f64,
    now: Cell<f64>,
    manual: bool,
    random: f64,
    sleeps: Cell<u64>,
    sleepers: Cell<u64>,
}

impl FakeTime {
    /// A clock that stands at `now`, in milliseconds, and that every sleep turns on by itself.
    pub const fn new(now: f64) -> Self {
        let (sleeps, sleepers) = (Cell::new(0), Cell::new(0));
        Self { start: now, now: Cell::new(now), manual: false, random: 0.5, sleeps, sleepers }
    }

    /// A clock that stands at `now`, in milliseconds, and goes on only by [`advance`](Self::advance) and
    /// [`set`](Self::set). A sleeping task is asked again and again, so whoever turns the clock may do so from another
    /// task of the same thread.
    pub const fn manual(now: f64) -> Self {
        Self { manual: true, ..Self::new(now) }
    }

    /// What every draw gives, in [0, 1).
    ///
    /// # Default
    /// 0.5
    pub const fn random(mut self, random: f64) -> Self {
        self.random = random;
        self
    }

    /// Turns the clock on.
    pub fn advance(&self, by: Duration) {
        self.now.set(self.now.get() + duration_ms(by));
    }

    /// Puts the clock to `now`, in milliseconds; also back.
    pub fn set(&self, now: f64) {
        self.now.set(now);
    }

    /// What the clock shows, in milliseconds.
    pub fn now(&self) -> f64 {
        self.now.get()
    }

    /// What has passed since the start.
    pub fn elapsed(&self) -> Duration {
        Duration::from_micros(((self.now.get() - self.start) * 1e3) as u64)
    }

    /// Sleeps begun so far.
    pub fn sleeps(&self) -> u64 {
        self.sleeps.get()
    }

    /// Sleeps that are neither over nor dropped: 0 when nothing was left behind.
    pub fn sleepers(&self) -> u64 {
        self.sleepers.get()
    }
}

impl<'a> Runtime for &'a FakeTime {
    type Sleep = FakeSleep<'a>;

    fn now(&self) -> f64 {
        self.now.get()
    }

    fn sleep(&self, duration: Duration) -> FakeSleep<'a> {
        self.sleeps.set(self.sleeps.get() + 1);
        self.sleepers.set(self.sleepers.get() + 1);
        FakeSleep { time: self, due: self.now.get() + duration_ms(duration), over: false }
    }

    fn random(&self) -> f64 {
        self.random
    }
}

/// A sleep on [`FakeTime`].
#[derive(Debug)]
pub struct FakeSleep<'a> {
    time: &'a FakeTime,
    due: f64,
    over: bool,
}

impl FakeSleep<'_> {
    fn end(&mut self) {
        if !self.over {
            self.over = true;
            self.time.sleepers.set(self.time.sleepers.get() - 1);
        }
    }
}

impl Future for FakeSleep<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.time.now.get() < self.due {
            if self.time.manual {
                // Nobody keeps a list of who sleeps: that would need an allocator.
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.time.now.set(self.due);
        }
        self.end();
        Poll::Ready(())
    }
}

impl Drop for FakeSleep<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
