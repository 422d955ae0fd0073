//! The operation and its transitions.

use alloc::{collections::VecDeque, string::String};
use core::time::Duration;

use super::{
    Report,
    history::{AttemptRecord, clip, remember},
    lifecycle::{Due, Ended, Lifecycle, Phase, Progress, Ticket},
};
use crate::{
    Outcome, Policy, RetryState,
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

/// What an alarm found to do. In every case, store the operation and arm its alarm next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wake {
    /// Make an attempt, once the operation is stored, and settle with the ticket.
    Attempt(Ticket),
    /// Nothing to attempt now: the alarm was early, an attempt got lost, or all is over.
    Nothing(Progress),
}

impl Operation {
    /// An operation that begins at `now`, its first attempt due at once.
    pub fn start<C: Curve>(policy: &Policy<C>, now: f64) -> Self {
        let Lifecycle { phase, state } = Lifecycle::start(policy.init(now));
        Self { phase, state, history: VecDeque::new(), recovered: None }
    }

    /// An operation that begins at `now` in place of a stored one that could not be read; `problem` says why.
    pub fn start_over<C: Curve>(policy: &Policy<C>, now: f64, problem: &str) -> Self {
        Self { recovered: Some(clip(problem)), ..Self::start(policy, now) }
    }

    /// The moment at which an alarm must be armed; `None` once the operation is over.
    pub const fn alarm(&self) -> Option<f64> {
        self.lifecycle().alarm()
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
    /// A clock that was set back makes it wait as much longer, since a moment that has not come is not due.
    ///
    /// An attempt whose dead-man's moment has passed was lost with its process. It counts as a plain failure, so that
    /// an attempt which takes the process down does not go on for ever.
    pub fn wake<C: Curve>(
        &mut self,
        policy: &Policy<C>,
        now: f64,
        dead_man: Duration,
        random: impl FnMut() -> f64,
    ) -> Wake {
        match self.step(|numbers| numbers.wake(now, duration_ms(dead_man))) {
            Due::Attempt(ticket) => Wake::Attempt(ticket),
            Due::Lost(ticket) => {
                let lost = Report::failure(Outcome::RETRYABLE).with_error("the process ended during the attempt");
                Wake::Nothing(self.settle(policy, ticket, now, lost, random))
            }
            Due::Nothing => Wake::Nothing(self.progress()),
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
        if !self.lifecycle().awaits(ticket) {
            return self.progress();
        }
        let ended = match report.failure {
            None => self.step(|numbers| numbers.deliver(ticket, now)),
            Some(outcome) => {
                let (state, decision) = policy.next(self.state, date_ms(now), outcome, random);
                self.step(|numbers| numbers.decided(ticket, now, state, decision))
            }
        };
        let retry_after_ms = report.failure.and_then(|outcome| outcome.retry_after_ms).map(ceil_ms);
        let Report { status, error, .. } = report;
        self.remember(ended, |record| AttemptRecord { status, error, retry_after_ms, ..record });
        self.progress()
    }

    /// Puts a waiting operation off until `until`, because its request would not be let out before: a circuit breaker
    /// is open. That spends no attempt: retry state and history stay as they are, and a moment before the one it
    /// already waits for changes nothing.
    ///
    /// The deadline holds all the same: where `until` does not lie before it, the policy stops here, with
    /// [`Deadline`](crate::StopReason::Deadline). A policy without a deadline can be put off for ever. An attempt that
    /// is being made is left alone, and so is an operation that is over.
    pub fn postpone<C: Curve>(&mut self, policy: &Policy<C>, now: f64, until: f64) -> Progress {
        if let Some(due) = self.lifecycle().put_off(until) {
            let remaining_ms = policy.deadline_ms - elapsed_ms(due, date_ms(self.state.started_at));
            self.step(|numbers| numbers.postpone(now, until, remaining_ms));
        }
        self.progress()
    }

    /// Whether the next attempt may start at `now`.
    pub fn is_due(&self, now: f64) -> bool {
        self.lifecycle().is_due(now)
    }

    /// Calls the operation off, unless it is over; says whether this call did it. An attempt that is being made cannot
    /// be called back, but what comes of it no longer counts: the history shows it as cancelled.
    pub fn cancel(&mut self, now: f64) -> bool {
        let (cancels, running) = self.step(|numbers| numbers.cancel(now));
        if let Some(ended) = running {
            let error = Some(clip("cancelled while it was being made"));
            self.remember(ended, |record| AttemptRecord { error, ..record });
        }
        cancels
    }

    /// An attempt due at once becomes due at `at`, when its alarm can fire.
    #[cfg(feature = "worker")]
    pub(crate) fn armed_at(&mut self, at: f64) {
        self.step(|numbers| numbers.armed_at(at));
    }

    fn remember(&mut self, ended: Ended, with: impl FnOnce(AttemptRecord) -> AttemptRecord) {
        let Ended { attempt, started_at, took_ms, delay_ms } = ended;
        let record =
            AttemptRecord { attempt, started_at, took_ms, status: None, error: None, retry_after_ms: None, delay_ms };
        remember(&mut self.history, with(record));
    }

    const fn lifecycle(&self) -> Lifecycle {
        Lifecycle { phase: self.phase, state: self.state }
    }

    fn step<T>(&mut self, take: impl FnOnce(&mut Lifecycle) -> T) -> T {
        let mut numbers = self.lifecycle();
        let answer = take(&mut numbers);
        Lifecycle { phase: self.phase, state: self.state } = numbers;
        answer
    }
}
