//! A delivery as callers see it.

use std::collections::VecDeque;

use retry_primitives::{
    StopReason,
    operation::{AttemptRecord, Operation, Phase, Progress},
};
use serde::Serialize;

/// A delivery as `GET /deliveries/:id` shows it. Times are milliseconds since 1970.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct View {
    id: String,
    /// `waiting`, `running`, `delivered`, `gaveUp` or `cancelled`.
    status: &'static str,
    /// Attempts made so far.
    attempts: u64,
    /// When the next attempt is due, or null when there is none or one is being made.
    next_attempt_at: Option<i64>,
    /// The moment at which the object wakes, as the platform has it.
    alarm: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<StopReason>,
    history: VecDeque<AttemptRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered: Option<String>,
}

impl View {
    pub(crate) fn new(id: String, alarm: Option<i64>, operation: Operation) -> Self {
        let (status, attempts, reason) = match operation.progress() {
            Progress::Retrying { attempts, .. } => ("waiting", attempts, None),
            Progress::Running { attempts, .. } => ("running", attempts, None),
            Progress::Delivered { attempts } => ("delivered", attempts, None),
            Progress::GaveUp { attempts, reason } => ("gaveUp", attempts, Some(reason)),
            Progress::Cancelled { attempts } => ("cancelled", attempts, None),
        };
        let next_attempt_at = match operation.phase {
            Phase::Waiting { due } => Some(due as i64),
            _ => None,
        };
        let Operation { history, recovered, .. } = operation;
        Self { id, status, attempts, next_attempt_at, alarm, reason, history, recovered }
    }
}
