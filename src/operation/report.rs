//! How an attempt went.

use alloc::string::String;

use super::history::clip;
use crate::Outcome;

/// How an attempt went: success or an [`Outcome`], with what is worth showing of it.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a report says nothing until an operation settles on it"]
pub struct Report {
    pub(super) failure: Option<Outcome>,
    pub(super) status: Option<u16>,
    pub(super) error: Option<String>,
}

impl Report {
    /// The attempt reached its aim.
    pub const fn success() -> Self {
        Self { failure: None, status: None, error: None }
    }

    /// The attempt failed, with what that tells the policy.
    pub const fn failure(outcome: Outcome) -> Self {
        Self { failure: Some(outcome), status: None, error: None }
    }

    /// The HTTP status, for the history.
    pub const fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The error in words, for the history. It is kept to [`MAX_ERROR_BYTES`](super::MAX_ERROR_BYTES) and shown to
    /// whoever may read the history: leave secrets out.
    pub fn with_error(mut self, error: impl AsRef<str>) -> Self {
        self.error = Some(clip(error.as_ref()));
        self
    }

    /// The report with another outcome, made from the status and the outcome it has. A success stays one.
    pub fn map_outcome(mut self, map: impl FnOnce(Option<u16>, Outcome) -> Outcome) -> Self {
        self.failure = self.failure.map(|outcome| map(self.status, outcome));
        self
    }

    /// Whether the attempt reached its aim.
    pub const fn is_success(&self) -> bool {
        self.failure.is_none()
    }

    /// What the failure tells the policy; `None` for a success.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.failure
    }

    /// The HTTP status, when there was an answer.
    pub const fn status(&self) -> Option<u16> {
        self.status
    }
}
