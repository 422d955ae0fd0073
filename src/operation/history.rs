//! What happened so far, bounded.

use alloc::{borrow::ToOwned, collections::VecDeque, string::String};

/// How many attempts a history keeps: the newest.
pub const MAX_HISTORY: usize = 32;

/// How much of an error's text a history keeps, in bytes of UTF-8.
pub const MAX_ERROR_BYTES: usize = 200;

/// One attempt as the history shows it. JSON leaves out what is `None`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptRecord {
    /// 1 for the first.
    pub attempt: u64,
    /// When it began, in milliseconds on the caller's clock.
    #[serde(with = "super::fields::started_at")]
    pub started_at: f64,
    /// How long it took, in milliseconds.
    #[serde(with = "super::fields::took_ms")]
    pub took_ms: f64,
    /// The HTTP status, when there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What went wrong, when something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The wait that was decided after it, in milliseconds; `None` when it was the last.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "super::fields::delay_ms")]
    pub delay_ms: Option<f64>,
}

/// Adds the newest and drops the oldest past [`MAX_HISTORY`].
pub(super) fn remember(history: &mut VecDeque<AttemptRecord>, record: AttemptRecord) {
    while history.len() >= MAX_HISTORY {
        history.pop_front();
    }
    history.push_back(record);
}

/// The start of `text`, at most [`MAX_ERROR_BYTES`] long and cut between characters.
pub(super) fn clip(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_ERROR_BYTES)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_is_cut_between_characters() {
        assert_eq!(clip("short"), "short");
        let long = "é".repeat(MAX_ERROR_BYTES);
        assert_eq!(clip(&long).chars().count(), MAX_ERROR_BYTES / 2);
        let odd = alloc::format!("x{long}");
        assert_eq!(clip(&odd).len(), MAX_ERROR_BYTES - 1);
    }

    #[test]
    fn the_newest_attempts_stay() {
        let mut history = VecDeque::new();
        for attempt in 1..=MAX_HISTORY as u64 + 5 {
            let record =
                AttemptRecord { attempt, started_at: 0.0, took_ms: 0.0, status: None, error: None, delay_ms: None };
            remember(&mut history, record);
        }
        assert_eq!(history.len(), MAX_HISTORY);
        assert_eq!(history.front().unwrap().attempt, 6);
    }
}
