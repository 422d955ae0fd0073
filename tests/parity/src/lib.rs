//! The same decisions natively and in wasm: every bit of them hashed, and the shared vectors run against the wasm.
//!
//! A suite is a function from numbers to numbers through one fixed buffer, with a filler that makes up its inputs. To
//! cover another part of the crate, write its suite next to `backoff` and name it in [`SUITES`]; `run.mjs` picks the
//! digests up by itself and wants one entry for the suite's vectors, if it has any.

#[macro_use]
mod policy;
mod backoff;
mod breaker;
mod budget;
mod jitter_v2;
mod number;
mod random;
mod retry_after;
mod walk;

use core::ops::Range;

use random::Random;

/// How many numbers the buffer holds.
pub const IO: usize = 128;

/// One comparable part of the crate.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name, also that of the file with its vectors, if there is one.
    pub name: &'static str,
    fill: fn(&mut Random, &mut [f64; IO]),
    run: fn(&mut [f64; IO]),
    outputs: Range<usize>,
}

/// Every suite; an index into this is how the exports name one.
pub const SUITES: [Suite; 5] = [backoff::SUITE, breaker::SUITE, budget::SUITE, retry_after::SUITE, jitter_v2::SUITE];

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

#[cfg(test)]
mod tests {
    use super::{IO, SUITES};

    /// How many of 20,000 cases of a suite are so.
    fn share(suite: usize, is_so: impl Fn(&[f64; IO]) -> bool) -> f64 {
        let cases = (0..20_000).filter(|index| is_so(&SUITES[suite].case(1, *index)));
        cases.count() as f64 / 20_000.0
    }

    #[test]
    fn random_breakers_go_everywhere() {
        use super::breaker::{BUILT, DRAWS, NEXT, OK, REPORTED};

        assert_eq!(share(1, |io| io[BUILT] == 1.0), 1.0);
        for status in [0.0, 1.0, 2.0] {
            assert!(share(1, |io| io[NEXT] == status) > 0.1, "status {status}");
            assert!(share(1, |io| io[REPORTED] == status) > 0.03, "reported {status}");
        }
        assert!(share(1, |io| io[OK] == 0.0) > 0.05, "refused");
        assert!(share(1, |io| io[DRAWS] == 1.0) > 0.01, "drawn");
        assert!(share(1, |io| io[NEXT + 4] > 1.0) > 0.01, "opened again");
    }

    #[test]
    fn random_budgets_allow_and_refuse() {
        use super::budget::{ALLOWED, BUILT, DRAWS};

        assert_eq!(share(2, |io| io[BUILT] == 1.0), 1.0);
        assert!(share(2, |io| io[ALLOWED] == 0.0) > 0.1);
        assert!(share(2, |io| io[DRAWS] == 1.0) > 0.01);
    }

    #[test]
    fn random_headers_are_read_and_refused() {
        use super::retry_after::{DATE, OUTCOME_AFTER, RETRY_AFTER, RETRYABLE};

        for output in [RETRY_AFTER, DATE, OUTCOME_AFTER] {
            let read = share(3, |io| !io[output].is_nan());
            assert!((0.1..0.9).contains(&read), "{output}: {read}");
        }
        assert!((0.2..0.8).contains(&share(3, |io| io[RETRYABLE] == 1.0)));
    }

    #[test]
    fn random_v2_waits_are_of_every_length() {
        use super::jitter_v2::{DELAY, NEXT_REACHED};

        assert!(share(4, |io| io[DELAY] > 0.0 && io[NEXT_REACHED] < 1e9) > 0.1);
        assert!(share(4, |io| io[NEXT_REACHED] > 1e300) > 0.1);
        assert!(share(4, |io| io[DELAY].is_nan()) > 0.1, "stopped");
    }
}
