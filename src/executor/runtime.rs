//! Where time comes from, and who waits.

use core::{future::Future, time::Duration};

/// A clock, a timer and a source of random numbers: all that an executor takes from its surroundings.
///
/// `Tokio` (feature `tokio`), `Worker` (features `worker` and `executor`) and [`FakeTime`](super::FakeTime) are there.
/// One for another runtime is a few lines:
///
/// ```
/// use core::time::Duration;
/// use retry_primitives::executor::Runtime;
///
/// # mod embassy_time {
/// #     pub struct Timer;
/// #     impl Timer { pub fn after_millis(_: u64) -> core::future::Ready<()> { core::future::ready(()) } }
/// #     pub struct Instant(u64);
/// #     impl Instant { pub fn now() -> Self { Self(5) } pub fn as_millis(&self) -> u64 { self.0 } }
/// #     pub type Sleep = core::future::Ready<()>;
/// # }
/// # fn read_noise() -> u32 { 7 }
/// struct Board;
///
/// impl Runtime for Board {
///     type Sleep = embassy_time::Sleep;
///
///     fn now(&self) -> f64 {
///         embassy_time::Instant::now().as_millis() as f64
///     }
///
///     fn sleep(&self, duration: Duration) -> Self::Sleep {
///         embassy_time::Timer::after_millis(duration.as_millis() as u64)
///     }
///
///     fn random(&self) -> f64 {
///         f64::from(read_noise()) / 4_294_967_296.0
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no clock and no timer to retry with",
    label = "say where to wait with `.on(runtime)`, for example `.on(Tokio)`"
)]
pub trait Runtime {
    /// A wait under way. Dropping it must end it and leave nothing behind.
    type Sleep: Future<Output = ()>;

    /// The longest that one [`sleep`](Self::sleep) can last; a longer wait is made of several. More than zero.
    ///
    /// # Default
    /// No end.
    const LONGEST_SLEEP: Duration = Duration::MAX;

    /// Now, in milliseconds on this runtime's clock. It need not begin anywhere in particular, but everything that
    /// shares a breaker or a budget must go by the same clock.
    fn now(&self) -> f64;

    /// A future that is ready once `duration` has passed; at most [`LONGEST_SLEEP`](Self::LONGEST_SLEEP) is asked for.
    fn sleep(&self, duration: Duration) -> Self::Sleep;

    /// A number in [0, 1), evenly spread.
    fn random(&self) -> f64;
}

impl<R: Runtime + ?Sized> Runtime for &R {
    type Sleep = R::Sleep;

    const LONGEST_SLEEP: Duration = R::LONGEST_SLEEP;

    fn now(&self) -> f64 {
        (**self).now()
    }

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        (**self).sleep(duration)
    }

    fn random(&self) -> f64 {
        (**self).random()
    }
}

/// Where a retry waits that was not told: `Tokio` with the feature `tokio`; `Worker` on
/// `wasm32-unknown-unknown` with the feature `worker`; otherwise [`NoRuntime`], with which it does not compile.
pub type DefaultRuntime = default::Default;

#[cfg(all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))))]
mod default {
    pub(super) type Default = crate::executor::Tokio;
}

#[cfg(all(feature = "worker", target_family = "wasm", target_os = "unknown"))]
mod default {
    pub(super) type Default = crate::executor::Worker;
}

#[cfg(not(any(
    all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))),
    all(feature = "worker", target_family = "wasm", target_os = "unknown"),
)))]
mod default {
    pub(super) type Default = super::NoRuntime;
}

/// Stands where no runtime was named yet: not a [`Runtime`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRuntime;

/// A runtime, or the place of one. Lets a retry be built before it is told where to wait.
pub trait MaybeRuntime {
    #[doc(hidden)]
    type Sleep;
}

impl<R: Runtime> MaybeRuntime for R {
    type Sleep = R::Sleep;
}

impl MaybeRuntime for NoRuntime {
    type Sleep = ();
}
