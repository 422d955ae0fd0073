//! The walks that every runtime shares, taken natively, the state through its JSON between any two steps.
#![cfg(feature = "serde")]

use core::{fmt::Debug, time::Duration};

use retry_primitives::breaker::{
    Breaker, BreakerBuilder, CallResult, Growth, Report, Reported, Verdict, consecutive_breaker, rolling_breaker,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

#[test]
fn every_breaker_vector_comes_out() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("vectors/breaker.json")).unwrap();
    assert!(vectors.len() >= 50, "only {} walks", vectors.len());
    for vector in &vectors {
        let options = &vector["options"];
        if vector["breaker"] == "consecutiveBreaker" {
            let builder = consecutive_breaker(options["failureThreshold"].as_u64().unwrap());
            walk(vector, &shared(builder, options).build().unwrap());
        } else {
            let mut builder = rolling_breaker(ms(&options["windowMs"]).unwrap());
            builder = set(builder, options["failureRatio"].as_f64(), BreakerBuilder::failure_ratio);
            builder = set(builder, options["minimumThroughput"].as_u64(), BreakerBuilder::minimum_throughput);
            builder = set(builder, ms(&options["slowCallMs"]), BreakerBuilder::slow_call);
            builder = set(builder, options["slowRatio"].as_f64(), BreakerBuilder::slow_ratio);
            walk(vector, &shared(builder, options).build().unwrap());
        }
    }
}

fn shared<Kind>(mut builder: BreakerBuilder<Kind>, options: &Value) -> BreakerBuilder<Kind> {
    let growth = &options["openGrowth"];
    if let Some(curve) = growth["curve"].as_str() {
        let factor = growth["factor"].as_f64().unwrap_or(f64::NAN);
        let curve = match curve {
            "exponential" => Growth::Exponential { factor },
            "decorrelatedJitter" => Growth::DecorrelatedJitter { factor },
            "fibonacci" => Growth::Fibonacci,
            "linear" => Growth::Linear,
            other => panic!("{other}"),
        };
        builder = builder.grow_open(curve, ms(&growth["maxOpenMs"]).unwrap());
    }
    builder = set(builder, ms(&options["openMs"]), BreakerBuilder::open);
    builder = set(builder, options["openJitter"].as_f64(), BreakerBuilder::open_jitter);
    builder = set(builder, options["halfOpenProbes"].as_u64(), BreakerBuilder::half_open_probes);
    builder = set(builder, options["successThreshold"].as_u64(), BreakerBuilder::success_threshold);
    set(builder, ms(&options["halfOpenMs"]), BreakerBuilder::half_open)
}

fn set<B, T>(builder: B, option: Option<T>, with: fn(B, T) -> B) -> B {
    match option {
        Some(option) => with(builder, option),
        None => builder,
    }
}

fn walk<B: Breaker>(vector: &Value, breaker: &B)
where
    B::State: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let mut state = breaker.init(vector["start"].as_f64().unwrap());
    let mut verdicts: Vec<Option<Verdict>> = Vec::new();
    let mut expected_state = Value::Null;
    for (index, step) in vector["steps"].as_array().unwrap().iter().enumerate() {
        let now = step["now"].as_f64().unwrap();
        let mut answer = json!({});
        let mut admitted = None;
        match step["do"].as_str().unwrap() {
            "report" => {
                let mut report = Report::new(match step["result"].as_str().unwrap() {
                    "success" => CallResult::Success,
                    "failure" => CallResult::Failure,
                    _ => CallResult::Ignored,
                });
                if let Some(step) = step["admittedBy"].as_u64() {
                    report = report.admitted_by(&verdicts[step as usize].expect("an admitted call"));
                }
                report = set(report, ms(&step["tookMs"]), Report::took);
                let random = &mut || step["random"].as_f64().unwrap();
                let (next, reported) = breaker.report_with(state, now, report, random);
                state = next;
                answer["reported"] = json!(match reported {
                    Reported::Counted => "counted",
                    Reported::Ignored => "ignored",
                    Reported::Stale => "stale",
                });
            }
            what => {
                let (next, verdict) = breaker.request(state, now);
                assert_eq!(breaker.peek(state, now), verdict);
                if what == "request" {
                    state = next;
                    admitted = Some(verdict);
                }
                answer["verdict"] = json!({
                    "ok": verdict.ok, "status": verdict.status, "retryAfterMs": verdict.retry_after().as_millis() as u64,
                });
            }
        }
        verdicts.push(admitted);

        let mut expected = step["expected"].clone();
        if let Some(changed) = expected.as_object_mut().unwrap().remove("state") {
            expected_state = changed;
        }
        assert_eq!(answer, expected, "step {index} of {vector}");
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected_state, "step {index} of {vector}");
        state = serde_json::from_str(&text).unwrap();
    }
}

fn ms(value: &Value) -> Option<Duration> {
    value.as_u64().map(Duration::from_millis)
}
