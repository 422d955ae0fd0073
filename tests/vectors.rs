//! The vectors that every runtime shares, run natively.

use core::time::Duration;

use retry_primitives::{Decision, Outcome, RetryState, backoff::Jitter, classify::parse_retry_after};
use serde_json::Value;

#[macro_use]
#[path = "parity/src/policy.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod policy;

use policy::{CURVES, Kind, Limit, Options};

#[test]
fn every_backoff_vector_comes_out() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("vectors/backoff.json")).unwrap();
    assert!(vectors.len() >= 300, "only {} vectors", vectors.len());
    for vector in &vectors {
        let policy = options(vector).build().unwrap_or_else(|error| panic!("{error}: {vector}"));
        let outcome = Outcome {
            retryable: vector["outcome"]["retryable"] != false,
            retry_after_ms: number(&vector["outcome"]["retryAfterMs"]),
        };
        let (sample, mut draws) = (number(&vector["random"]).unwrap(), 0);
        let random = || {
            draws += 1;
            sample
        };
        let now = number(&vector["now"]).unwrap();
        let (state, decision) = each!(policy, policy => policy.next(state(&vector["state"]), now, outcome, random));

        let expected = &vector["expected"];
        assert_eq!(state, self::state(&expected["state"]), "{vector}");
        assert_eq!(expected["draws"], draws, "{vector}");
        let (delay, remaining) = match decision {
            Decision::Retry { delay_ms, remaining_ms, .. } => (delay_ms, remaining_ms),
            Decision::Stop { remaining_ms, .. } => (0.0, remaining_ms),
        };
        let expected = &expected["decision"];
        assert_eq!(expected["retry"], decision.reason().is_none(), "{vector}");
        assert_eq!(number(&expected["delayMs"]), Some(delay), "{vector}");
        assert_eq!(expected["attempts"], decision.attempts(), "{vector}");
        assert_eq!(number(&expected["remainingMs"]), Some(remaining), "{vector}");
        assert_eq!(expected["reason"].as_str(), decision.reason().map(|reason| reason.as_str()), "{vector}");
    }
    println!("{} vectors", vectors.len());
}

fn options(vector: &Value) -> Options {
    let options = &vector["options"];
    let kind = match vector["policy"].as_str().unwrap() {
        "exponential" => Kind::Exponential,
        "decorrelatedJitter" => Kind::DecorrelatedJitter,
        "fibonacci" => Kind::Fibonacci,
        "linear" => Kind::Linear,
        "constant" => Kind::Constant,
        _ => Kind::Custom(CURVES.iter().position(|(name, _)| options["delayFor"] == *name).unwrap()),
    };
    let base = number(&options["baseMs"]).or(number(&options["delayMs"])).unwrap_or(0.0);
    Options {
        factor: number(&options["factor"]),
        max_attempts: limit(&options["maxAttempts"], |attempts| attempts as u64),
        deadline: number(&options["deadlineMs"]).map(duration),
        max_delay: limit(&options["maxDelayMs"], duration),
        jitter: match options["jitter"].as_str() {
            Some("none") => Some(Jitter::None),
            Some("full") => Some(Jitter::Full),
            Some("equal") => Some(Jitter::Equal),
            _ => None,
        },
        ..Options::new(kind, duration(base))
    }
}

fn state(value: &Value) -> RetryState {
    RetryState {
        attempts: value["attempts"].as_u64().unwrap(),
        started_at: number(&value["startedAt"]).unwrap(),
        prev_delay_ms: number(&value["prevDelayMs"]).unwrap(),
    }
}

fn number(value: &Value) -> Option<f64> {
    if value == "Infinity" { Some(f64::INFINITY) } else { value.as_f64() }
}

fn limit<T>(value: &Value, at: impl FnOnce(f64) -> T) -> Limit<T> {
    match number(value) {
        None => Limit::Omitted,
        Some(f64::INFINITY) => Limit::Unlimited,
        Some(number) => Limit::At(at(number)),
    }
}

fn duration(ms: f64) -> Duration {
    Duration::from_nanos((ms * 1e6) as u64)
}

#[test]
fn every_retry_after_vector_comes_out() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("vectors/retry_after.json")).unwrap();
    assert!(vectors.len() >= 1_000, "only {} vectors", vectors.len());
    for vector in &vectors {
        let read = parse_retry_after(vector["value"].as_str().unwrap(), number(&vector["now"]).unwrap());
        assert_eq!(read, number(&vector["expected"]), "{vector}");
    }
}
