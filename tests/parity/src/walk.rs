//! Cases that are the last step of a random walk: the state goes from one step to the next through the buffer.

use core::ops::Range;

use crate::{IO, bits, random::Random};

/// Takes up to twelve steps, of which the first is `run` on the buffer as it is, each leaving its `next` state in `state`.
/// `step` makes up a step's inputs. Leaves the inputs of one more, and in `trail` a hash of every state on the way.
pub(crate) fn walk(
    random: &mut Random,
    io: &mut [f64; IO],
    run: fn(&mut [f64; IO]),
    next: Range<usize>,
    state: usize,
    trail: usize,
    mut step: impl FnMut(&mut Random, &mut [f64; IO]),
) {
    let mut hash = 0_u64;
    for _ in 0..=random.below(12) {
        run(io);
        for index in next.clone() {
            hash = (hash ^ bits(io[index])).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
        io.copy_within(next.clone(), state);
        step(random, io);
    }
    io[trail] = (hash >> 11) as f64;
}
