//! The Workers integration: an operation's steps, a breaker that isolates share, and the platform's limits.
//!
//! Numbers come and go through one buffer, [`Numbers`]. No function calls back: where a policy or a store has to be
//! asked, JavaScript asks it between two steps.

mod breaker;
mod operation;

pub use breaker::{ReplicaStep, replica};
pub use operation::{operation, record};

use crate::number::ceil_ms;
use crate::shared::{GRACE_MS, deliveries_before, judge, put_off, seconds, seconds_to_live};

/// What JavaScript writes before a step, and reads after it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Numbers {
    /// What a step is given.
    pub given: [f64; 8],
    /// What it answers, beside its code.
    pub answer: [f64; 4],
    /// `status` (0 to 4 in the order of `Phase`), its one or two numbers, `reason` (0 to 2), then the retry state.
    pub operation: [f64; 7],
    /// The state of a replica, in the order of a rolling breaker's.
    pub state: [f64; 14],
    /// Another state of the same breaker.
    pub other: [f64; 14],
    /// A replica's pace; NaN where something never was.
    pub pace: [f64; 8],
}

impl Numbers {
    /// Nothing yet.
    pub const EMPTY: Self = Self {
        given: [0.0; 8],
        answer: [0.0; 4],
        operation: [0.0; 7],
        state: [0.0; 14],
        other: [0.0; 14],
        pace: [0.0; 8],
    };
}

/// A limit of the platform, or a moment: 0 the seconds of a queue's delay, 1 the attempts before a delivery, 2 when an
/// operation that a breaker refuses comes back, 3 the seconds that KV keeps a state, 4 what an HTTP status says of a
/// host (0 success, 1 failure), 5 whole milliseconds, 6 how long an attempt may take until it is lost.
pub fn platform(what: i32, one: f64, two: f64, three: f64) -> f64 {
    match what {
        0 => f64::from(seconds(one)),
        1 => super::number(deliveries_before(one)),
        2 => put_off(one, two, three),
        3 => seconds_to_live(one, two),
        4 => {
            let status = if one.is_nan() { None } else { Some(one as u16) };
            f64::from(judge(status, two != 0.0) as u8)
        }
        5 => ceil_ms(one),
        _ => ceil_ms(one) + GRACE_MS,
    }
}
