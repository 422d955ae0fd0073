//! What the programs in `src/bin` share: memory that JavaScript writes to and reads from, and the end of a panic.
//!
//! Numbers only cross the boundary. Several results go through one fixed buffer, strings through another; nothing is
//! allocated, and nothing is kept from call to call.
#![cfg_attr(target_family = "wasm", no_std)]

use core::cell::UnsafeCell;

/// A value at a fixed address.
#[derive(Debug)]
pub struct Fixed<T>(UnsafeCell<T>);

// SAFETY: these programs have one thread.
unsafe impl<T> Sync for Fixed<T> {}

impl<T> Fixed<T> {
    /// The value at the start of the program.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Where it is, for JavaScript.
    pub const fn address(&self) -> *mut T {
        self.0.get()
    }

    /// The value itself.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub fn get(&self) -> &mut T {
        // SAFETY: one thread; an export takes the reference and drops it before it returns, and no export is called while
        // another holds one: a callback into JavaScript that comes back here finds the buffer free.
        unsafe { &mut *self.0.get() }
    }
}

// The linker finds no such function: a program in which a panic could happen imports it, and the build refuses imports
// that it does not know.
#[cfg(target_family = "wasm")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        safe fn a_panic_is_reachable() -> !;
    }
    a_panic_is_reachable()
}
