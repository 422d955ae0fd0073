//! What a breaker's object is asked, and its answers: JSON in the body of a POST.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

use super::Force;
use crate::breaker::{CallResult, Report, Reported, Status, Verdict};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Ask {
    /// May a call go out? Answer: [`Admitted`].
    Request,
    /// How it ended. Answer: [`Counted`].
    Report {
        #[serde(with = "ResultName")]
        result: CallResult,
        epoch: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<f64>,
    },
    /// How does it stand? Answer: a snapshot.
    Peek,
    /// An administrator's hand. Answer: a snapshot.
    Force { force: Force },
    /// Its name is in the index now. Answer: null.
    Listed,
    /// To the index: keep this name. Answer: null.
    Add { name: String },
    /// To the index: which names are there? Answer: [`Names`].
    Names,
}

impl Ask {
    pub(super) const fn report(report: Report, epoch: f64) -> Self {
        Self::Report { result: report.result, epoch, duration_ms: report.duration_ms }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Admitted {
    pub(super) ok: bool,
    #[serde(with = "StatusName")]
    pub(super) status: Status,
    pub(super) retry_after_ms: f64,
    pub(super) epoch: f64,
    /// The index does not have the name yet.
    #[serde(default)]
    pub(super) unlisted: bool,
}

impl Admitted {
    pub(super) const fn new(verdict: Verdict, unlisted: bool) -> Self {
        let Verdict { ok, status, retry_after_ms, epoch } = verdict;
        Self { ok, status, retry_after_ms, epoch, unlisted }
    }

    pub(super) const fn verdict(&self) -> Verdict {
        Verdict { ok: self.ok, status: self.status, retry_after_ms: self.retry_after_ms, epoch: self.epoch }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Counted {
    #[serde(with = "ReportedName")]
    pub(super) reported: Reported,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Names {
    pub(super) names: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Status", rename_all = "camelCase")]
pub(super) enum StatusName {
    Closed,
    Open,
    HalfOpen,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "CallResult", rename_all = "camelCase")]
enum ResultName {
    Success,
    Failure,
    Ignored,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Reported", rename_all = "camelCase")]
enum ReportedName {
    Counted,
    Ignored,
    Stale,
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::string::ToString;

    use super::*;

    #[test]
    fn what_is_asked_reads_back() {
        let report = Report::failure().took(Duration::from_millis(5));
        for (ask, json) in [
            (Ask::Request, r#"{"ask":"request"}"#),
            (Ask::report(report, 7.5), r#"{"ask":"report","result":"failure","epoch":7.5,"durationMs":5.0}"#),
            (Ask::Force { force: Force::Reset }, r#"{"ask":"force","force":"reset"}"#),
            (Ask::Add { name: "a".into() }, r#"{"ask":"add","name":"a"}"#),
        ] {
            assert_eq!(serde_json::to_value(&ask).unwrap().to_string(), {
                let value: serde_json::Value = serde_json::from_str(json).unwrap();
                value.to_string()
            });
            assert_eq!(serde_json::from_str::<Ask>(json).unwrap(), ask);
        }
    }

    #[test]
    fn a_verdict_reads_back() {
        let verdict = Verdict { ok: false, status: Status::HalfOpen, retry_after_ms: 3.0, epoch: 1e12 };
        let json = serde_json::to_string(&Admitted::new(verdict, true)).unwrap();
        assert!(json.contains(r#""status":"halfOpen""#), "{json}");
        assert_eq!(serde_json::from_str::<Admitted>(&json).unwrap().verdict(), verdict);
    }
}
