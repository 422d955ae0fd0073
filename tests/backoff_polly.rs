//! What Polly adds to the curves: a spread of a quarter either way, and decorrelated jitter in its second version.

use core::time::Duration;

use retry_primitives::{
    Outcome,
    backoff::{Jitter, constant, decorrelated_jitter_v2, exponential, linear},
};

/// `d * (.75 + .5 r)`, and the cap after it.
#[test]
fn a_quarter_either_way_and_no_further_than_the_cap() {
    let base = Duration::from_secs(1);
    for (draw, waits) in
        [(0.0, [750.0, 1_500.0, 1_875.0]), (0.5, [1_000.0, 2_000.0, 2_500.0]), (1.0, [1_250.0, 2_500.0, 2_500.0])]
    {
        let policy = linear(base).max_attempts(4).max_delay(Duration::from_millis(2_500)).jitter(Jitter::Quarter);
        let waited: Vec<_> = policy.build().unwrap().preview(|| draw).map(|wait| wait.as_secs_f64() * 1e3).collect();
        assert_eq!(waited, waits, "{draw}");
    }
    let policy = constant(base).max_attempts(2).jitter(Jitter::Quarter).build().unwrap();
    assert_eq!(policy.preview(|| 0.25).collect::<Vec<_>>(), [Duration::from_millis(875)]);
}

/// Case 5 from the field: draws differ, so waits do.
#[test]
fn draws_that_differ_make_waits_that_differ() {
    let policy = exponential(Duration::from_secs(1)).max_attempts(2).jitter(Jitter::Quarter).build().unwrap();
    let v2 = decorrelated_jitter_v2(Duration::from_secs(1)).max_attempts(2).build().unwrap();
    let mut last = (Duration::ZERO, Duration::ZERO);
    for draw in [0.1, 0.4, 0.7, 0.9] {
        let waits = (
            policy.peek(policy.init(0.0), 0.0, Outcome::RETRYABLE, || draw).delay().unwrap(),
            v2.peek(v2.init(0.0), 0.0, Outcome::RETRYABLE, || draw).delay().unwrap(),
        );
        assert!(waits.0 > last.0 && waits.1 > last.1, "{draw}");
        last = waits;
    }
}

/// The mean wait doubles with each attempt: F(t) comes near 2^t, so the mean growth of 2^t over a unit of t,
/// `2^(n - 2) / ln 2`, times base / 1.4.
#[test]
fn the_mean_wait_of_v2_doubles() {
    let policy = decorrelated_jitter_v2(Duration::from_secs(1)).max_attempts(20).unlimited_delay().build().unwrap();
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut sums = [0.0; 10];
    for _ in 0..20_000 {
        let mut state = policy.init(0.0);
        for sum in &mut sums {
            (state, _) = policy.next(state, 0.0, Outcome::RETRYABLE, &mut random);
            *sum += state.prev_delay_ms / 20_000.0;
        }
    }
    for (attempt, mean) in (1..).zip(sums).skip(5) {
        let expected = 2_f64.powi(attempt - 2) / core::f64::consts::LN_2 * 1_000.0 / 1.4;
        assert!((mean / expected - 1.0).abs() < 0.02, "attempt {attempt}: {mean}, not {expected}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn the_state_of_v2_is_json_that_goes_on_where_it_was() {
    use retry_primitives::backoff::JitterV2State;

    let policy = decorrelated_jitter_v2(Duration::from_secs(1)).max_attempts(9).build().unwrap();
    let (state, _) = policy.next(policy.init(1_758_124_800_000.0), 1_758_124_800_000.0, Outcome::RETRYABLE, || 0.5);
    let text = serde_json::to_string(&state).unwrap();
    let (numbers, reached) = text.split_once(r#","reached":1.25636690981"#).unwrap();
    assert_eq!(numbers, r#"{"attempts":1,"startedAt":1758124800000,"prevDelayMs":897"#);
    assert!(reached.ends_with('}') && reached.len() < 8, "{reached}");
    let read: JitterV2State = serde_json::from_str(&text).unwrap();
    let on = |state| policy.peek(state, 1_758_124_801_000.0, Outcome::RETRYABLE, || 0.5).delay().unwrap();
    assert_eq!((on(state), on(read)), (Duration::from_millis(1_093), Duration::from_millis(1_093)));

    for (json, field) in [
        (r#"{"attempts":1,"startedAt":0,"prevDelayMs":897}"#, "reached"),
        (r#"{"attempts":1,"startedAt":0,"prevDelayMs":897,"reached":-1}"#, "reached"),
        (r#"{"attempts":1,"startedAt":0,"prevDelayMs":-897,"reached":1}"#, "prevDelayMs"),
    ] {
        let error = serde_json::from_str::<JitterV2State>(json).unwrap_err().to_string();
        assert!(error.contains(field), "{json}: {error}");
    }
}
