//! The operation and its transitions.

use alloc::{collections::VecDeque, string::String};
use core::time::Duration;

use super::{
    Report,
    history::{AttemptRecord, clip, remember},
};
use crate::{
    Decision, Outcome, Policy, RetryState, StopReason,
    backoff::Curve,
    number::{ceil_ms, date_ms, duration_ms, elapsed_ms},
};

/// One operation: its retry state, where it stands, and its latest attempts.
///
/// JSON: `{"phase":{"status":"waiting","due":1758124800000},"state":{...},"history":[...]}`. The fields are open to
/// be shown; change them through the methods.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Where it stands.
    pub phase: Phase,
    /// What the policy keeps between attempts.
    pub state: RetryState,
    /// The latest attempts, oldest first; at most [`MAX_HISTORY`](super::MAX_HISTORY).
    pub history: VecDeque<AttemptRecord>,
    /// Set when the stored operation could not be read and this one took its place: what was wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovered: Option<String>,
}

/// Where an operation stands. Times are milliseconds on the caller's clock; they saturate at JavaScript's last date,
/// 8.64e15.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "status", rename_all = "camelCase")]
pub enum Phase {
    /// The next attempt is due at `due`.
    Waiting {
        /// When the attempt may start.
        #[serde(with = "super::fields::due")]
        due: f64,
    },
    /// An attempt began at `since`. Past `until` nobody can still be making it: it was lost.
    Running {
        /// When the attempt began.
        #[serde(with = "super::fields::since")]
        since: f64,
        /// The dead-man's moment.
        #[serde(with = "super::fields::until")]
        until: f64,
    },
    /// An attempt succeeded.
    Delivered {
        /// When.
        #[serde(with = "super::fields::at")]
        at: f64,
        /// Attempts made, the good one included.
        attempts: u64,
    },
    /// The policy stopped.
    GaveUp {
        /// When.
        #[serde(with = "super::fields::at")]
        at: f64,
        /// Why.
        reason: StopReason,
        /// Attempts made.
        attempts: u64,
    },
    /// Somebody called it off.
    Cancelled {
        /// When.
        #[serde(with = "super::fields::at")]
        at: f64,
    },
}

/// The right to settle one attempt; it is void once the operation has moved on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ticket {
    attempt: u64,
    since: f64,
}

impl Ticket {
    /// The attempt's number, 1 for the first.
    pub const fn attempt(&self) -> u64 {
        self.attempt
    }
}

/// What an alarm found to do. In every case, store the operation and arm its alarm next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wake {
    /// Make an attempt, once the operation is stored, and settle with the ticket.
    Attempt(Ticket),
    /// Nothing to attempt now: the alarm was early, an attempt got lost, or all is over.
    Nothing(Progress),
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

impl Operation {
    /// An operation that begins at `now`, its first attempt due at once.
    pub fn start<C: Curve>(policy: &Policy<C>, now: f64) -> Self {
        let state = policy.init(now);
        Self {
            phase: Phase::Waiting { due: date_ms(state.started_at) },
            state,
            history: VecDeque::new(),
            recovered: None,
        }
    }

    /// An operation that begins at `now` in place of a stored one that could not be read; `problem` says why.
    pub fn start_over<C: Curve>(policy: &Policy<C>, now: f64, problem: &str) -> Self {
        Self { recovered: Some(clip(problem)), ..Self::start(policy, now) }
    }

    /// The moment at which an alarm must be armed; `None` once the operation is over.
    pub const fn alarm(&self) -> Option<f64> {
        match self.phase {
            Phase::Waiting { due } => Some(due),
            Phase::Running { until, .. } => Some(until),
            Phase::Delivered { .. } | Phase::GaveUp { .. } | Phase::Cancelled { .. } => None,
        }
    }

    /// Whether nothing more will happen.
    pub const fn is_over(&self) -> bool {
        self.alarm().is_none()
    }

    /// How far it has come.
    pub const fn progress(&self) -> Progress {
        let failed = self.state.attempts;
        match self.phase {
            Phase::Waiting { due } => Progress::Retrying { at: due, attempts: failed },
            Phase::Running { until, .. } => Progress::Running { until, attempts: failed },
            Phase::Delivered { attempts, .. } => Progress::Delivered { attempts },
            Phase::GaveUp { reason, attempts, .. } => Progress::GaveUp { reason, attempts },
            Phase::Cancelled { .. } => Progress::Cancelled { attempts: failed },
        }
    }

    /// An alarm fired at `now`. `dead_man` is how long the attempt may take at the most, from now to settled: longer
    /// than the timeout of its request.
    ///
    /// An attempt whose dead-man's moment has passed was lost with its process. It counts as a plain failure, so that an
    /// attempt which takes the process down does not go on for ever.
    pub fn wake<C: Curve>(
        &mut self,
        policy: &Policy<C>,
        now: f64,
        dead_man: Duration,
        random: impl FnMut() -> f64,
    ) -> Wake {
        let now = date_ms(now);
        match self.phase {
            Phase::Waiting { .. } if self.is_due(now) => {
                self.phase = Phase::Running { since: now, until: date_ms(now + ceil_ms(duration_ms(dead_man))) };
                Wake::Attempt(Ticket { attempt: self.next_attempt(), since: now })
            }
            Phase::Running { since, until } if now >= until => {
                let ticket = Ticket { attempt: self.next_attempt(), since };
                let lost = Report::failure(Outcome::RETRYABLE).with_error("the process ended during the attempt");
                Wake::Nothing(self.settle(policy, ticket, now, lost, random))
            }
            _ => Wake::Nothing(self.progress()),
        }
    }

    /// Where the attempt of `ticket`, which ended at `now`, leaves the operation. If it has moved on in the meantime
    /// (cancelled, or the attempt given up as lost), the report changes nothing.
    pub fn settle<C: Curve>(
        &mut self,
        policy: &Policy<C>,
        ticket: Ticket,
        now: f64,
        report: Report,
        random: impl FnMut() -> f64,
    ) -> Progress {
        let current = matches!(self.phase, Phase::Running { since, .. } if since == ticket.since);
        if !current || ticket.attempt != self.next_attempt() {
            return self.progress();
        }
        let now = date_ms(now);
        let mut delay_ms = None;
        match report.failure {
            None => self.phase = Phase::Delivered { at: now, attempts: ticket.attempt },
            Some(outcome) => {
                let (state, decision) = policy.next(self.state, now, outcome, random);
                match decision {
                    Decision::Retry { delay_ms: delay, .. } => {
                        delay_ms = Some(delay);
                        self.state = state;
                        self.phase = Phase::Waiting { due: date_ms(now + delay) };
                    }
                    Decision::Stop { reason, attempts, .. } => {
                        self.phase = Phase::GaveUp { at: now, reason, attempts };
                    }
                }
            }
        }
        let record = AttemptRecord {
            attempt: ticket.attempt,
            started_at: ticket.since,
            took_ms: date_ms(elapsed_ms(now, ticket.since)),
            status: report.status,
            error: report.error,
            delay_ms,
        };
        remember(&mut self.history, record);
        self.progress()
    }

    /// Puts a waiting operation off until `until`, because its request would not be let out before: a circuit breaker is
    /// open. That spends no attempt: retry state and history stay as they are, and a moment before the one it already
    /// waits for changes nothing.
    ///
    /// The deadline holds all the same: where `until` does not lie before it, the policy stops here, with
    /// [`StopReason::Deadline`]. A policy without a deadline can be put off for ever. An attempt that is being made is
    /// left alone, and so is an operation that is over.
    pub fn postpone<C: Curve>(&mut self, policy: &Policy<C>, now: f64, until: f64) -> Progress {
        if let Phase::Waiting { due } = self.phase {
            let until = date_ms(until).max(due);
            self.phase = if elapsed_ms(until, date_ms(self.state.started_at)) < policy.deadline_ms {
                Phase::Waiting { due: until }
            } else {
                Phase::GaveUp { at: date_ms(now), reason: StopReason::Deadline, attempts: self.state.attempts }
            };
        }
        self.progress()
    }

    /// Whether the next attempt may start at `now`.
    pub fn is_due(&self, now: f64) -> bool {
        matches!(self.phase, Phase::Waiting { due } if now >= due)
    }

    /// Calls the operation off, unless it is over; says whether this call did it. An attempt that is being made cannot be
    /// called back, but what comes of it no longer counts.
    pub fn cancel(&mut self, now: f64) -> bool {
        let cancels = !self.is_over();
        if cancels {
            self.phase = Phase::Cancelled { at: date_ms(now) };
        }
        cancels
    }

    const fn next_attempt(&self) -> u64 {
        self.state.attempts.saturating_add(1)
    }
}
