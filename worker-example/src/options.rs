//! The retry options of a delivery.

use std::time::Duration;

use retry_primitives::{
    OptionError, Policy,
    backoff::{Exponential, Jitter, exponential},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::problem::Problem;

/// The retry options of a delivery, in milliseconds. By default: waits of about 5 s, 20 s, 80 s, 5 min, 21 min, 1.4 h,
/// 5.7 h, 23 h and 24 h, each anywhere from half of that, and no more attempts after three days.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    base_ms: f64,
    factor: f64,
    max_attempts: f64,
    deadline_ms: f64,
    max_delay_ms: f64,
    jitter: Jitter,
    timeout_ms: f64,
}

const HOUR: f64 = 3_600e3;
const DAY: f64 = 24.0 * HOUR;

impl Default for Options {
    fn default() -> Self {
        Self {
            base_ms: 5_000.0,
            factor: 4.0,
            max_attempts: 10.0,
            deadline_ms: 3.0 * DAY,
            max_delay_ms: DAY,
            jitter: Jitter::Equal,
            timeout_ms: 10_000.0,
        }
    }
}

impl Options {
    /// The options that a caller gave, over the defaults.
    pub(crate) fn parse(policy: &Value) -> Result<Self, Problem> {
        let Value::Object(policy) = policy else {
            return Err(Problem::field("policy", "must be an object"));
        };
        let mut options = Self::default();
        for (name, value) in policy {
            let field = format!("policy.{name}");
            match name.as_str() {
                "baseMs" => options.base_ms = number(&field, value, 1.0, HOUR)?,
                "factor" => options.factor = number(&field, value, 1.0, 10.0)?,
                "maxAttempts" => options.max_attempts = whole(&field, value, 1.0, 100.0)?,
                "deadlineMs" => options.deadline_ms = number(&field, value, 1_000.0, 30.0 * DAY)?,
                "maxDelayMs" => options.max_delay_ms = number(&field, value, 1.0, 7.0 * DAY)?,
                "timeoutMs" => options.timeout_ms = number(&field, value, 100.0, 60_000.0)?,
                "jitter" => {
                    options.jitter = Jitter::deserialize(value).map_err(|_| {
                        Problem::field(&field, format_args!("must be none, full or equal, got {value}"))
                    })?;
                }
                _ => {
                    let known = "baseMs, factor, maxAttempts, deadlineMs, maxDelayMs, jitter or timeoutMs";
                    return Err(Problem::field(&field, format_args!("is not an option: use {known}")));
                }
            }
        }
        Ok(options)
    }

    pub(crate) fn policy(&self) -> Result<Policy<Exponential>, OptionError> {
        exponential(milliseconds(self.base_ms))
            .factor(self.factor)
            .max_attempts(self.max_attempts as u64)
            .deadline(milliseconds(self.deadline_ms))
            .max_delay(milliseconds(self.max_delay_ms))
            .jitter(self.jitter)
            .build()
    }

    pub(crate) fn timeout(&self) -> Duration {
        milliseconds(self.timeout_ms)
    }
}

/// `ms` as a duration; anything that is none counts as zero.
fn milliseconds(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default()
}

fn number(field: &str, value: &Value, low: f64, high: f64) -> Result<f64, Problem> {
    match value.as_f64() {
        Some(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(Problem::field(field, format_args!("must be a number from {low} to {high}, got {value}"))),
    }
}

fn whole(field: &str, value: &Value, low: f64, high: f64) -> Result<f64, Problem> {
    match number(field, value, low, high) {
        Ok(number) if number.fract() == 0.0 => Ok(number),
        _ => Err(Problem::field(field, format_args!("must be a whole number from {low} to {high}, got {value}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_schedule_is_the_documented_one() {
        let policy = Options { jitter: Jitter::None, ..Options::default() }.policy().unwrap();
        let waits: Vec<_> = policy.preview(|| 0.0).map(|wait| wait.as_secs()).collect();
        assert_eq!(waits, [5, 20, 80, 320, 1_280, 5_120, 20_480, 81_920, 86_400]);
    }

    #[test]
    fn every_default_is_within_its_own_range() {
        let defaults = serde_json::to_value(Options::default()).unwrap();
        assert_eq!(Options::parse(&defaults).unwrap(), Options::default());
    }

    #[test]
    fn an_option_out_of_range_is_named() {
        for (policy, field) in [
            (json!(7), "policy"),
            (json!([]), "policy"),
            (json!({ "baseMs": 0 }), "policy.baseMs"),
            (json!({ "baseMs": "100" }), "policy.baseMs"),
            (json!({ "factor": 0.5 }), "policy.factor"),
            (json!({ "maxAttempts": 0 }), "policy.maxAttempts"),
            (json!({ "maxAttempts": 1.5 }), "policy.maxAttempts"),
            (json!({ "maxAttempts": null }), "policy.maxAttempts"),
            (json!({ "deadlineMs": 1e300 }), "policy.deadlineMs"),
            (json!({ "maxDelayMs": -1 }), "policy.maxDelayMs"),
            (json!({ "timeoutMs": 99 }), "policy.timeoutMs"),
            (json!({ "jitter": "some" }), "policy.jitter"),
            (json!({ "maxAttemps": 3 }), "policy.maxAttemps"),
        ] {
            let problem = Options::parse(&policy).unwrap_err();
            assert_eq!(problem.status, 400, "{policy}");
            assert_eq!(problem.field.as_deref(), Some(field), "{policy}");
            assert!(problem.message.starts_with(field), "{}", problem.message);
        }
    }
}
