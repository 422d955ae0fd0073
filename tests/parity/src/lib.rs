//! The same decisions natively and in wasm: every bit of them hashed, and the shared vectors run against the wasm.
//!
//! A suite is a function from numbers to numbers through one fixed buffer, with a filler that makes up its inputs. To
//! cover another part of the crate, write its suite next to `backoff` and name it in [`SUITES`]; `run.mjs` picks the
//! digests up by itself and wants one entry for the suite's vectors.

#[macro_use]
mod policy;
mod backoff;
mod random;

use core::ops::Range;

use random::Random;

/// How many numbers the buffer holds.
pub const IO: usize = 32;

/// One comparable part of the crate.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name, also that of the file with its vectors.
    pub name: &'static str,
    fill: fn(&mut Random, &mut [f64; IO]),
    run: fn(&mut [f64; IO]),
    outputs: Range<usize>,
}

/// Every suite; an index into this is how the exports name one.
pub const SUITES: [Suite; 1] = [backoff::SUITE];

impl Suite {
    /// Reads the inputs from the buffer and writes the outputs behind them.
    pub fn run(&self, io: &mut [f64; IO]) {
        (self.run)(io);
    }

    /// Makes up case `index` of `seed` and runs it: the buffer then holds inputs and outputs.
    pub fn case(&self, seed: u64, index: u64) -> [f64; IO] {
        let mut io = [0.0; IO];
        (self.fill)(&mut Random::of_case(seed, index), &mut io);
        self.run(&mut io);
        io
    }

    /// FNV-1a over the bits of every output of the cases `0..count`.
    pub fn digest(&self, seed: u64, count: u64) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325;
        for index in 0..count {
            for value in &self.case(seed, index)[self.outputs.clone()] {
                hash = (hash ^ bits(*value)).wrapping_mul(0x0000_0100_0000_01B3);
                hash ^= hash >> 32;
            }
        }
        hash
    }
}

/// The bits of a number. Wasm leaves those of a NaN open, so one stands for all.
pub fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

#[cfg(target_family = "wasm")]
mod exports {
    use core::cell::UnsafeCell;

    use super::{IO, SUITES};

    struct Buffer(UnsafeCell<[f64; IO]>);

    // SAFETY: this wasm has one thread.
    unsafe impl Sync for Buffer {}

    static BUFFER: Buffer = Buffer(UnsafeCell::new([0.0; IO]));

    fn buffer_mut() -> &'static mut [f64; IO] {
        // SAFETY: one thread, and each export takes the reference once and drops it before it returns.
        unsafe { &mut *BUFFER.0.get() }
    }

    #[unsafe(no_mangle)]
    extern "C" fn buffer() -> *mut f64 {
        BUFFER.0.get().cast()
    }

    #[unsafe(no_mangle)]
    extern "C" fn run(suite: usize) {
        SUITES[suite].run(buffer_mut());
    }

    #[unsafe(no_mangle)]
    extern "C" fn case(suite: usize, seed: u64, index: u64) {
        *buffer_mut() = SUITES[suite].case(seed, index);
    }

    #[unsafe(no_mangle)]
    extern "C" fn digest(suite: usize, seed: u64, count: u64) -> u64 {
        SUITES[suite].digest(seed, count)
    }
}
