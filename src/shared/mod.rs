//! What the Workers integration decides without I/O, for Rust and for JavaScript: a breaker that isolates share, and
//! what the platform takes.

#![cfg_attr(
    not(feature = "worker"),
    allow(unreachable_pub, dead_code, reason = "public where the Rust integration is")
)]

mod force;
mod platform;
mod replica;

pub use force::Force;
pub(crate) use platform::GRACE_MS;
#[cfg(feature = "worker")]
pub(crate) use platform::MIN_KEEP_MS;
pub use platform::armable;
#[cfg(feature = "worker")]
pub use platform::{MAX_ALARM, MAX_DELAY_SECONDS, POSTPONE_JITTER};
pub(crate) use platform::{deliveries_before, judge, put_off, seconds, seconds_to_live};
#[cfg(feature = "wasm")]
pub(crate) use replica::Pace;
#[cfg(feature = "worker")]
pub(crate) use replica::READ_EVERY_MS;
pub(crate) use replica::{Replica, Write, is_of_this_time};

use crate::breaker::{Breaker, BreakerState};

/// What a shared breaker's state needs of its breaker.
pub(crate) trait Kind<S> {
    /// A closed breaker that knows of no failure.
    fn fresh(&self, now: f64) -> S;

    /// See [`Breaker::merge`].
    fn join(&self, a: S, b: S) -> S;
}

impl<B: Breaker<State = S>, S: BreakerState> Kind<S> for B {
    fn fresh(&self, now: f64) -> S {
        self.init(now)
    }

    fn join(&self, a: S, b: S) -> S {
        self.merge(a, b)
    }
}
