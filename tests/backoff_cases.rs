//! Faults that users of other retry libraries reported: what happens here, for every policy.

use core::time::Duration;

use retry_primitives::{
    Decision, MAX_SAFE_MS, Outcome, RetryState, StopReason,
    backoff::{Jitter, MAX_ATTEMPTS, fibonacci},
};

#[macro_use]
#[path = "parity/src/policy.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod policy;

use policy::{AnyPolicy, CURVES, KINDS, Kind, Limit, Options};

const NOW: f64 = 1_758_124_800_000.0;

fn every_kind(change: impl Fn(Options) -> Options) -> impl Iterator<Item = (Kind, AnyPolicy)> {
    KINDS.into_iter().map(move |kind| {
        let options = Options { jitter: Some(Jitter::None), ..Options::new(kind, Duration::from_secs(1)) };
        (kind, change(options).build().unwrap())
    })
}

fn next(policy: &AnyPolicy, state: RetryState, now: f64, outcome: Outcome) -> (RetryState, Decision) {
    each!(policy, policy => policy.next(state, now, outcome, || 0.999))
}

fn after(attempts: u64) -> RetryState {
    RetryState { attempts, started_at: NOW, prev_delay_ms: 1_000.0 }
}

/// An exponent that overflows: attempts 64, 1,024, a million and 2^53 wait the cap, under every jitter never more.
#[test]
fn a_huge_attempt_number_waits_the_cap() {
    for kind in KINDS.into_iter().filter(|&kind| kind != Kind::Constant && kind != Kind::DecorrelatedJitter) {
        for (jitter, share) in [(Jitter::None, 1.0), (Jitter::Full, 0.25), (Jitter::Equal, 0.625)] {
            let options = Options::new(kind, Duration::from_secs(1));
            let policy = Options { max_attempts: Limit::Unlimited, jitter: Some(jitter), ..options }.build().unwrap();
            for attempts in [64, 1_024, 1_000_000, 1 << 53, u64::MAX] {
                let state = RetryState { attempts: attempts - 1, ..after(0) };
                let (_, decision) = each!(&policy, policy => policy.next(state, NOW, Outcome::RETRYABLE, || 0.25));
                let cap = Duration::from_millis((30_000.0 * share) as u64);
                assert_eq!(decision.delay(), Some(cap), "{kind:?} {jitter:?} {attempts}");
                assert!(decision.attempts() <= MAX_ATTEMPTS);
            }
        }
    }
}

/// The same without a cap: the largest whole number that JavaScript holds, not an infinity.
#[test]
fn a_huge_attempt_number_without_a_cap_saturates() {
    for (kind, policy) in
        every_kind(|options| Options { max_attempts: Limit::Unlimited, max_delay: Limit::Unlimited, ..options })
    {
        let state = RetryState { prev_delay_ms: MAX_SAFE_MS, ..after(MAX_ATTEMPTS) };
        let (state, _) = next(&policy, state, NOW, Outcome::RETRYABLE);
        let expected = if kind == Kind::Constant { 1_000.0 } else { MAX_SAFE_MS };
        assert_eq!(state.prev_delay_ms, expected, "{kind:?}");
    }
}

/// A ceiling below the base, base 1 s and ceiling 10 ms: the ceiling from the first wait on.
#[test]
fn a_ceiling_below_the_base_holds_from_the_first_wait() {
    for (kind, policy) in every_kind(|options| Options {
        max_attempts: Limit::At(9),
        max_delay: Limit::At(Duration::from_millis(10)),
        ..options
    }) {
        for failed in 0..8 {
            let (state, _) = next(&policy, after(failed), NOW, Outcome::RETRYABLE);
            assert_eq!(state.prev_delay_ms, 10.0, "{kind:?}");
        }
    }
}

/// Fibonacci past the ceiling: the ceiling, for good.
#[test]
fn fibonacci_stays_at_the_ceiling() {
    let policy = fibonacci(Duration::from_secs(1)).max_attempts(300).jitter(Jitter::None).build().unwrap();
    let waits: Vec<_> = policy.preview(|| 0.5).map(|wait| wait.as_secs()).collect();
    assert_eq!(waits[..10], [1, 1, 2, 3, 5, 8, 13, 21, 30, 30]);
    assert_eq!(waits.len(), 299);
    assert!(waits[8..].iter().all(|&wait| wait == 30));
}

/// A sleep past the deadline, 29 s elapsed of 30 s and 2 s to wait: stop at once instead.
#[test]
fn a_wait_that_would_end_past_the_deadline_stops_at_once() {
    let previous = CURVES.iter().position(|(name, _)| *name == "previous").unwrap();
    for (kind, policy) in every_kind(|options| Options {
        kind: if options.kind == Kind::Custom(0) { Kind::Custom(previous) } else { options.kind },
        base: Duration::from_secs(2),
        deadline: Some(Duration::from_secs(30)),
        ..options
    }) {
        let (state, decision) = next(&policy, after(0), NOW + 29_000.0, Outcome::RETRYABLE);
        assert_eq!((state, decision.reason()), (after(0), Some(StopReason::Deadline)), "{kind:?}");
        assert_eq!(decision.remaining(), Some(Duration::from_secs(1)));
    }
}

/// Retry-After 1,800 s under a deadline of 900 s: stop, and the caller can pass the server's figure on.
#[test]
fn a_retry_after_past_the_deadline_stops_and_is_reported() {
    for (kind, policy) in every_kind(|options| Options { deadline: Some(Duration::from_secs(900)), ..options }) {
        let outcome = Outcome::retry_after(Duration::from_secs(1_800));
        let (state, decision) = next(&policy, after(0), NOW, outcome);
        assert_eq!(state, after(0), "{kind:?}");
        let expected = Decision::Stop {
            reason: StopReason::Deadline,
            attempts: 1,
            remaining_ms: 900_000.0,
            retry_after_ms: Some(1_800_000.0),
        };
        assert_eq!(decision, expected, "{kind:?}");
    }
}

/// Retry-After of 9223372037 s and of 99999999999999999999 s, which overflow elsewhere: saturated, then the deadline
/// decides.
#[test]
fn an_absurd_retry_after_saturates() {
    for seconds in [9_223_372_037.0, 99_999_999_999_999_999_999.0, f64::MAX, f64::INFINITY] {
        let outcome = Outcome { retryable: true, retry_after_ms: Some(seconds * 1e3) };
        for (kind, policy) in every_kind(|options| Options { deadline: Some(Duration::from_secs(900)), ..options }) {
            let (_, decision) = next(&policy, after(0), NOW, outcome);
            assert_eq!(decision.reason(), Some(StopReason::Deadline), "{kind:?} {seconds}");
        }
        for (kind, policy) in every_kind(|options| Options { max_attempts: Limit::At(5), ..options }) {
            let (state, _) = next(&policy, after(0), NOW, outcome);
            assert_eq!(state.prev_delay_ms, (seconds * 1e3).min(MAX_SAFE_MS), "{kind:?}");
        }
    }
    assert_eq!(Outcome::retry_after(Duration::MAX).floor(), Some(Duration::from_millis(MAX_SAFE_MS as u64)));
}

/// Retry-After 0 is a floor of nothing: the policy's own curve decides.
#[test]
fn a_retry_after_of_zero_leaves_the_curve() {
    for (kind, policy) in every_kind(|options| Options { max_attempts: Limit::At(5), ..options }) {
        let own = next(&policy, after(2), NOW, Outcome::RETRYABLE);
        assert_eq!(next(&policy, after(2), NOW, Outcome::retry_after(Duration::ZERO)), own, "{kind:?}");
        assert!(own.0.prev_delay_ms > 0.0);
    }
}

/// A clock that jumps back an hour has not moved, and the budget is whole again; one that jumps forward a year has spent
/// it, and the attempts still bound a policy without a deadline.
#[test]
fn a_clock_that_jumps_corrupts_nothing() {
    const HOUR: f64 = 3_600_000.0;
    const YEAR: f64 = 365.0 * 24.0 * HOUR;
    for (kind, policy) in
        every_kind(|options| Options { max_attempts: Limit::At(9), deadline: Some(Duration::from_secs(60)), ..options })
    {
        let (back, decision) = next(&policy, after(1), NOW - HOUR, Outcome::RETRYABLE);
        assert_eq!((back, decision), next(&policy, after(1), NOW, Outcome::RETRYABLE), "{kind:?}");
        assert_eq!(decision.remaining(), Some(Duration::from_secs(60)));
        assert_eq!(back.started_at, NOW);
        let (later, _) = next(&policy, back, NOW + 10_000.0, Outcome::RETRYABLE);
        assert_eq!(later.attempts, 3, "and the clock set right again goes on as if nothing had been");

        let (forward, decision) = next(&policy, after(1), NOW + YEAR, Outcome::RETRYABLE);
        assert_eq!((forward, decision.reason()), (after(1), Some(StopReason::Deadline)), "{kind:?}");
        assert_eq!(decision.remaining(), Some(Duration::ZERO));
    }
    for (kind, policy) in every_kind(|options| Options { max_attempts: Limit::At(9), ..options }) {
        let (jumped, _) = next(&policy, after(1), NOW + YEAR, Outcome::RETRYABLE);
        assert_eq!(jumped, next(&policy, after(1), NOW, Outcome::RETRYABLE).0, "{kind:?}");
    }
}
