//! The join of two states.
//!
//! States are ordered by the opening or closing they stand for, the later being the greater; of a trial that is its
//! opening. Two states of the same place in that order are one transition, seen at different times: their counts are
//! joined one by one. A lexicographic order whose last part is a join is a join.

use core::cmp::Ordering;

use super::recovery::Recovery;
use super::state::{BreakerState, RecoveryState, Status, span};
use crate::number::finite_time;

/// `join` joins the ledger of the second state into that of the first.
pub(super) fn merge<S: BreakerState>(recovery: &Recovery, a: S, b: S, join: impl FnOnce(&mut S, &S)) -> S {
    let (left, right) = (a.recovery(), b.recovery());
    match Rank::of(recovery, &left).compare(&Rank::of(recovery, &right)) {
        Ordering::Greater => a,
        Ordering::Less => b,
        Ordering::Equal => {
            let mut joined = a;
            joined.set_recovery(join_recovery(&left, &right));
            join(&mut joined, &b);
            joined
        }
    }
}

struct Rank {
    /// The moment of the transition, each shifted by the shortest open time, so that a trial, which begins no earlier
    /// than that after its opening, can be compared without knowing when the opening was. `None`: never open.
    moment: Option<f64>,
    status: u8,
    changed_at: f64,
}

impl Rank {
    fn of(recovery: &Recovery, state: &RecoveryState) -> Self {
        let at = finite_time(state.changed_at);
        match state.status {
            // Whichever epoch is kept, calls in flight under the other go stale: they keep the older.
            Status::Closed if state.successes == 0 => Self { moment: None, status: 0, changed_at: 0.0 },
            Status::Closed => Self { moment: Some(at + recovery.open.shortest()), status: 1, changed_at: at },
            Status::Open => Self { moment: Some(at + recovery.open.shortest()), status: 2, changed_at: at },
            Status::HalfOpen => Self { moment: Some(at), status: 3, changed_at: at },
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        // No NaN gets here, so `partial_cmp` always answers.
        self.moment
            .partial_cmp(&other.moment)
            .unwrap_or(Ordering::Equal)
            .then(self.status.cmp(&other.status))
            .then(self.changed_at.partial_cmp(&other.changed_at).unwrap_or(Ordering::Equal))
    }
}

/// Of one transition: everything is equal but what was counted since.
fn join_recovery(a: &RecoveryState, b: &RecoveryState) -> RecoveryState {
    RecoveryState {
        status: a.status,
        // They differ only where neither was ever open.
        changed_at: finite_time(a.changed_at).min(finite_time(b.changed_at)) + 0.0,
        probes: a.probes.max(b.probes),
        successes: a.successes.max(b.successes),
        openings: a.openings.max(b.openings),
        open_for_ms: span(a.open_for_ms).max(span(b.open_for_ms)),
        ahead_ms: span(a.ahead_ms).max(span(b.ahead_ms)),
    }
}
