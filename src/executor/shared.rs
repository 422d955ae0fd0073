//! Where a state lies that many calls share.

use core::cell::Cell;

/// A place for a small value that many calls read and replace: the state of a breaker or a budget.
///
/// - [`Cell`](core::cell::Cell), for one thread.
/// - `std::sync::Mutex` (feature `std`), for several. Whether it was poisoned does not matter: the value is replaced whole.
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
}

/// Where a state lies that was given no place: a `Mutex` with the feature `std`, a `Cell` without.
#[cfg(feature = "std")]
pub type DefaultShared<S> = std::sync::Mutex<S>;

/// Where a state lies that was given no place: a `Mutex` with the feature `std`, a `Cell` without.
#[cfg(not(feature = "std"))]
pub type DefaultShared<S> = Cell<S>;

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
    }

    impl<S: Copy, P: Shared<S> + ?Sized> Shared<S> for Arc<P> {
        fn transact<T>(&self, change: impl FnOnce(S) -> (S, T)) -> T {
            (**self).transact(change)
        }
    }
}
