//! What the programs in `src/bin` share: memory that JavaScript writes to and reads from, and the end of a panic.
//!
//! Numbers only cross the boundary. Several results go through one fixed buffer, strings through another, and the options of
//! a policy or a breaker lie in an area of their own, where they stay until another's are needed; nothing is allocated.
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

/// Where results come back, and behind it the options of the calls that follow. An export copies the options before it calls
/// JavaScript, which may load others meanwhile.
#[derive(Debug)]
#[repr(C)]
pub struct Area<Results, Options> {
    /// Written by the program.
    pub results: Results,
    /// Written by JavaScript.
    pub options: Options,
}

/// The exports of a program for breakers, whose options have the type given.
#[macro_export]
macro_rules! export_breaker {
    ($options:expr => $Options:ty, random: $random:expr, area: $area:literal) => {
        use retry_primitives::wasm::breaker::{self, Call, Numbers, StateNumbers};
        use $crate::{Area, Fixed};

        static AREA: Fixed<Area<Numbers, $Options>> = Fixed::new(Area { results: [0.0; 16], options: $options });

        #[unsafe(export_name = $area)]
        extern "C" fn area() -> *mut Area<Numbers, $Options> {
            AREA.address()
        }

        #[unsafe(export_name = "a")]
        extern "C" fn step(
            operation: i32,
            now: f64,
            epoch: f64,
            duration_ms: f64,
            status: i32,
            changed_at: f64,
            probes: f64,
            successes: f64,
            start: f64,
            prev_ok: f64,
            prev_fail: f64,
            curr_ok: f64,
            curr_fail: f64,
            prev_slow: f64,
            curr_slow: f64,
            openings: f64,
            open_for_ms: f64,
            ahead_ms: f64,
        ) -> i32 {
            let state = StateNumbers {
                status,
                changed_at,
                probes,
                successes,
                start,
                prev_ok,
                prev_fail,
                curr_ok,
                curr_fail,
                prev_slow,
                curr_slow,
                openings,
                open_for_ms,
                ahead_ms,
            };
            let call = Call { operation, now, epoch, duration_ms };
            let area = AREA.get();
            breaker::step(&mut area.results, area.options, state, call, $random)
        }
    };
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
