//! Where an operation stands and how it moves on: its numbers, without the words of its history.

use crate::{
    Decision, RetryState, StopReason,
    number::{ceil_ms, date_ms, elapsed_ms},
};

/// Where an operation stands. Times are milliseconds on the caller's clock; they saturate at JavaScript's last date,
/// 8.64e15.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "operation", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "operation", serde(tag = "status", rename_all = "camelCase"))]
pub enum Phase {
    /// The next attempt is due at `due`.
    Waiting {
        /// When the attempt may start.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::due"))]
        due: f64,
    },
    /// An attempt began at `since`. Past `until` nobody can still be making it: it was lost.
    Running {
        /// When the attempt began.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::since"))]
        since: f64,
        /// The dead-man's moment.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::until"))]
        until: f64,
    },
    /// An attempt succeeded.
    Delivered {
        /// When.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::at"))]
        at: f64,
        /// Attempts made, the good one included.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::attempts"))]
        attempts: u64,
    },
    /// The policy stopped.
    GaveUp {
        /// When.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::at"))]
        at: f64,
        /// Why.
        reason: StopReason,
        /// Attempts made.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::attempts"))]
        attempts: u64,
    },
    /// Somebody called it off.
    Cancelled {
        /// When.
        #[cfg_attr(feature = "operation", serde(with = "super::fields::at"))]
        at: f64,
    },
}

/// The right to settle one attempt; it is void once the operation has moved on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ticket {
    pub(crate) operation: f64,
    pub(crate) attempt: u64,
    pub(crate) since: f64,
}

impl Ticket {
    /// The attempt's number, 1 for the first.
    pub const fn attempt(&self) -> u64 {
        self.attempt
    }
}

/// How far an operation has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// The next attempt is due at `at`, after `attempts` that failed.
    Retrying {
        /// When, in milliseconds on the caller's clock.
        at: f64,
        /// Attempts made so far.
        attempts: u64,
    },
    /// An attempt is being made; if it is not settled by `until` it counts as lost.
    Running {
        /// The dead-man's moment.
        until: f64,
        /// Attempts made before this one.
        attempts: u64,
    },
    /// An attempt succeeded.
    Delivered {
        /// Attempts made, the good one included.
        attempts: u64,
    },
    /// The policy stopped.
    GaveUp {
        /// Why.
        reason: StopReason,
        /// Attempts made.
        attempts: u64,
    },
    /// Somebody called it off.
    Cancelled {
        /// Attempts that failed before that.
        attempts: u64,
    },
}

/// An operation's numbers. JavaScript takes the same steps, with policies of its own: so none is asked here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lifecycle {
    pub(crate) phase: Phase,
    pub(crate) state: RetryState,
}

/// What a moment calls for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Due {
    /// An attempt, which is marked as running.
    Attempt(Ticket),
    /// To settle an attempt that was lost with its process, as a failure.
    Lost(Ticket),
    Nothing,
}

/// An attempt that has ended, for the history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ended {
    pub(crate) attempt: u64,
    pub(crate) started_at: f64,
    pub(crate) took_ms: f64,
    pub(crate) delay_ms: Option<f64>,
}

impl Lifecycle {
    pub(crate) fn start(state: RetryState) -> Self {
        Self { phase: Phase::Waiting { due: date_ms(state.started_at) }, state }
    }

    pub(crate) fn wake(&mut self, now: f64, dead_man_ms: f64) -> Due {
        let now = date_ms(now);
        match self.phase {
            Phase::Waiting { .. } if self.is_due(now) => {
                self.phase = Phase::Running { since: now, until: date_ms(now + ceil_ms(dead_man_ms)) };
                Due::Attempt(self.ticket(now))
            }
            Phase::Running { since, until } if now >= until => Due::Lost(self.ticket(since)),
            _ => Due::Nothing,
        }
    }

    /// Whether the attempt of this ticket is the one being made.
    pub(crate) fn awaits(&self, ticket: Ticket) -> bool {
        matches!(self.phase, Phase::Running { since, .. } if ticket == self.ticket(since))
    }

    /// The attempt of the ticket, which is awaited, succeeded.
    pub(crate) fn deliver(&mut self, ticket: Ticket, now: f64) -> Ended {
        let now = date_ms(now);
        self.phase = Phase::Delivered { at: now, attempts: ticket.attempt };
        ended(ticket, now, None)
    }

    /// The attempt of the ticket, which is awaited, failed, and a policy made this of it.
    pub(crate) fn decided(&mut self, ticket: Ticket, now: f64, state: RetryState, decision: Decision) -> Ended {
        let now = date_ms(now);
        match decision {
            Decision::Retry { delay_ms, .. } => {
                *self = Self { phase: Phase::Waiting { due: date_ms(now + delay_ms) }, state };
                ended(ticket, now, Some(delay_ms))
            }
            Decision::Stop { reason, attempts, .. } => {
                self.phase = Phase::GaveUp { at: now, reason, attempts };
                ended(ticket, now, None)
            }
        }
    }

    /// The moment to which a waiting operation would be put off.
    pub(crate) fn put_off(&self, until: f64) -> Option<f64> {
        if let Phase::Waiting { due } = self.phase { Some(date_ms(until).max(due)) } else { None }
    }

    /// Puts a waiting operation off; `remaining_ms` is what its deadline leaves at [`put_off`](Self::put_off).
    pub(crate) fn postpone(&mut self, now: f64, until: f64, remaining_ms: f64) {
        if let Some(due) = self.put_off(until) {
            self.phase = if remaining_ms <= 0.0 {
                Phase::GaveUp { at: date_ms(now), reason: StopReason::Deadline, attempts: self.state.attempts }
            } else {
                Phase::Waiting { due }
            };
        }
    }

    /// Calls it off, unless it is over: whether this did it, and the attempt that was being made.
    pub(crate) fn cancel(&mut self, now: f64) -> (bool, Option<Ended>) {
        let now = date_ms(now);
        let running = match self.phase {
            Phase::Running { since, .. } => Some(ended(self.ticket(since), now, None)),
            _ => None,
        };
        let cancels = self.alarm().is_some();
        if cancels {
            self.phase = Phase::Cancelled { at: now };
        }
        (cancels, running)
    }

    pub(crate) const fn alarm(&self) -> Option<f64> {
        match self.phase {
            Phase::Waiting { due } => Some(due),
            Phase::Running { until, .. } => Some(until),
            Phase::Delivered { .. } | Phase::GaveUp { .. } | Phase::Cancelled { .. } => None,
        }
    }

    pub(crate) fn is_due(&self, now: f64) -> bool {
        matches!(self.phase, Phase::Waiting { due } if now >= due)
    }

    /// An attempt due at once becomes due when its alarm can fire, so that the two name one instant.
    #[cfg(any(feature = "worker", feature = "wasm"))]
    pub(crate) fn armed_at(&mut self, at: f64) {
        if let Phase::Waiting { due } = &mut self.phase {
            *due = due.max(at);
        }
    }

    const fn ticket(&self, since: f64) -> Ticket {
        Ticket { operation: self.state.started_at, attempt: self.state.attempts.saturating_add(1), since }
    }
}

fn ended(ticket: Ticket, now: f64, delay_ms: Option<f64>) -> Ended {
    let Ticket { attempt, since, .. } = ticket;
    Ended { attempt, started_at: since, took_ms: date_ms(elapsed_ms(now, since)), delay_ms }
}
