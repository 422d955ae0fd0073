//! Where a state lies that many calls share.

use core::cell::Cell;

/// A place for a small value that many calls read and replace: the state of a breaker or a budget.
///
/// - [`Cell`](core::cell::Cell), for one thread.
/// - `std::sync::Mutex` or [`DefaultShared`] (feature `std`), for several. Whether it was poisoned does not matter: the
///   value is replaced whole.
/// - A reference, or with the feature `std` an `Rc` or `Arc`, to one of these.
/// - One of your own, as long as it can be changed without waiting: a `critical_section::Mutex`, a `thread_local!`.
///
/// ```
/// use core::cell::Cell;
/// use retry_primitives::executor::Shared;
///
/// let state = Cell::new(1);
/// assert_eq!(state.transact(|state| (state + 1, state * 10)), 10);
/// assert_eq!(state.get(), 2);
/// ```
pub trait Shared<S: Copy> {
    /// Puts the first of what `change` gives in the place of the value, and gives back the second. `change` is called
    /// once, with nothing happening in between.
    fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T;

    /// A number that was set in the last [`transact`](Self::transact), to be read without one; NaN where none was set.
    ///
    /// # Default
    /// Nothing is kept.
    fn mark(&self) -> f64 {
        f64::NAN
    }

    /// Sets the [`mark`](Self::mark); called within [`transact`](Self::transact) only.
    fn set_mark(&self, mark: f64) {
        let _ = mark;
    }
}

impl<S: Copy> Shared<S> for Cell<S> {
    #[inline]
    fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
        let (next, answer) = change(self.get());
        self.set(next);
        answer
    }
}

impl<S: Copy, P: Shared<S> + ?Sized> Shared<S> for &P {
    #[inline]
    fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
        (**self).transact(change)
    }

    #[inline]
    fn mark(&self) -> f64 {
        (**self).mark()
    }

    #[inline]
    fn set_mark(&self, mark: f64) {
        (**self).set_mark(mark);
    }
}

/// Where a state lies that was given no place: a [`Guarded`] with the feature `std`, a [`Cell`] without; a `Mutex`
/// where there is `std` but no atomic of 64 bits.
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub type DefaultShared<S> = Guarded<S>;

/// Where a state lies that was given no place: a `Mutex`, for want of an atomic of 64 bits.
#[cfg(all(feature = "std", not(target_has_atomic = "64")))]
pub type DefaultShared<S> = std::sync::Mutex<S>;

/// Where a state lies that was given no place: a `Guarded` with the feature `std`, a [`Cell`] without.
#[cfg(not(feature = "std"))]
pub type DefaultShared<S> = Cell<S>;

#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use self::guarded::Guarded;

#[cfg(feature = "std")]
mod with_std {
    use std::{
        rc::Rc,
        sync::{Arc, Mutex, PoisonError},
    };

    use super::Shared;

    impl<S: Copy> Shared<S> for Mutex<S> {
        #[inline]
        fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
            let mut state = self.lock().unwrap_or_else(PoisonError::into_inner);
            let (next, answer) = change(*state);
            *state = next;
            answer
        }
    }

    impl<S: Copy, P: Shared<S> + ?Sized> Shared<S> for Rc<P> {
        fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
            (**self).transact(change)
        }

        fn mark(&self) -> f64 {
            (**self).mark()
        }

        fn set_mark(&self, mark: f64) {
            (**self).set_mark(mark);
        }
    }

    impl<S: Copy, P: Shared<S> + ?Sized> Shared<S> for Arc<P> {
        fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
            (**self).transact(change)
        }

        fn mark(&self) -> f64 {
            (**self).mark()
        }

        fn set_mark(&self, mark: f64) {
            (**self).set_mark(mark);
        }
    }
}

#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod guarded {
    use std::sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    };

    use super::Shared;

    /// A `Mutex`, and beside it a mark that is read without it: calls through a breaker at rest take no lock and do not
    /// wait for each other.
    ///
    /// ```
    /// use retry_primitives::executor::{Guarded, Shared};
    ///
    /// let state = Guarded::from(1);
    /// assert_eq!(state.transact(|state| (state + 1, state * 10)), 10);
    /// assert_eq!(state.transact(|state| (state, state)), 2);
    /// ```
    #[derive(Debug)]
    pub struct Guarded<S> {
        mark: AtomicU64,
        state: Mutex<S>,
    }

    impl<S> From<S> for Guarded<S> {
        fn from(state: S) -> Self {
            Self { mark: AtomicU64::new(f64::NAN.to_bits()), state: Mutex::new(state) }
        }
    }

    impl<S: Copy> Shared<S> for Guarded<S> {
        #[inline]
        fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
            self.state.transact(|state| {
                // Whoever changes the state without a word on the mark leaves none.
                self.set_mark(f64::NAN);
                change(state)
            })
        }

        #[inline]
        fn mark(&self) -> f64 {
            f64::from_bits(self.mark.load(Ordering::Acquire))
        }

        #[inline]
        fn set_mark(&self, mark: f64) {
            self.mark.store(mark.to_bits(), Ordering::Release);
        }
    }
}
