//! The reference, sentence by sentence, for every policy.

use core::time::Duration;

use retry_primitives::{Decision, Outcome, RetryState, StopReason, backoff::Jitter};

#[macro_use]
#[path = "parity/src/policy.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod policy;

use policy::{AnyPolicy, KINDS, Kind, Limit, Options};

const NOW: f64 = 1_758_124_800_000.0;
const JITTERS: [Jitter; 3] = [Jitter::None, Jitter::Full, Jitter::Equal];

/// Runs a rule for every policy under every jitter; waits are 10 to a few thousand milliseconds.
fn for_every_policy(rule: impl Fn(Options)) {
    for kind in KINDS {
        for jitter in JITTERS {
            rule(Options { jitter: Some(jitter), ..Options::new(kind, Duration::from_millis(100)) });
        }
    }
}

fn build(options: Options) -> AnyPolicy {
    options.build().unwrap_or_else(|error| panic!("{error}: {options:?}"))
}

/// A decision and how many random numbers it drew.
fn next(policy: &AnyPolicy, state: RetryState, now: f64, outcome: Outcome, draw: f64) -> (RetryState, Decision, u32) {
    let mut draws = 0;
    let random = || {
        draws += 1;
        draw
    };
    let (state, decision) = each!(policy, policy => policy.next(state, now, outcome, random));
    (state, decision, draws)
}

fn delay(decision: Decision) -> f64 {
    match decision {
        Decision::Retry { delay_ms, .. } => delay_ms,
        Decision::Stop { .. } => panic!("stopped: {decision:?}"),
    }
}

fn started() -> RetryState {
    RetryState { attempts: 0, started_at: NOW, prev_delay_ms: 0.0 }
}

fn floor(ms: f64) -> Outcome {
    Outcome { retryable: true, retry_after_ms: Some(ms) }
}

/// Introduction: "State is three numbers"; `init` gives `{ attempts: 0, startedAt: now, prevDelayMs: 0 }`.
#[test]
fn init_is_an_operation_that_begins_now() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::At(3), ..options });
        assert_eq!(each!(&policy, policy => policy.init(NOW)), started());
    });
}

/// Asked for: "state and outcome are plain Copy values".
#[test]
fn state_outcome_and_decision_are_plain_values() {
    fn plain<T: Copy + Send + Sync + Unpin + PartialEq + core::fmt::Debug + 'static>() {}
    plain::<RetryState>();
    plain::<Outcome>();
    plain::<Decision>();
}

/// Budgets: "at least one stopping condition is required"; "maxAttempts: Infinity is accepted".
#[test]
fn a_policy_needs_an_end_or_endlessness_spelled_out() {
    for_every_policy(|options| {
        assert_eq!(options.build().err().expect("refused").option(), "max_attempts");
        let limits = [Limit::At(1), Limit::Unlimited];
        assert!(limits.iter().all(|&max_attempts| Options { max_attempts, ..options }.build().is_ok()));
        assert!(Options { deadline: Some(Duration::from_millis(1)), ..options }.build().is_ok());
    });
}

/// Budgets: `maxAttempts`: "total attempts, counting the first"; Decisions: `attempts`: "attempts made so far, counting
/// the one that just failed".
#[test]
fn max_attempts_counts_the_first() {
    for_every_policy(|options| {
        for total in 1..=6 {
            let policy = build(Options { max_attempts: Limit::At(total), ..options });
            let mut state = started();
            for failed in 1..total {
                let (after, decision, _) = next(&policy, state, NOW, Outcome::RETRYABLE, 0.5);
                assert_eq!((decision.attempts(), decision.reason()), (failed, None), "{options:?}");
                assert_eq!(after.attempts, failed);
                state = after;
            }
            let (_, decision, _) = next(&policy, state, NOW, Outcome::RETRYABLE, 0.5);
            assert_eq!((decision.attempts(), decision.reason()), (total, Some(StopReason::MaxAttempts)), "{options:?}");
        }
    });
}

/// Budgets: endless means that a policy still retries after 2^53 attempts.
#[test]
fn unlimited_attempts_never_run_out() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::Unlimited, ..options });
        for attempts in [0, 1_000_000, (1 << 53) - 2, (1 << 53) - 1, u64::MAX] {
            let (_, decision, _) = next(&policy, RetryState { attempts, ..started() }, NOW, Outcome::RETRYABLE, 0.5);
            assert_eq!(decision.reason(), None, "{options:?} after {attempts}");
        }
    });
}

/// Budgets: `deadlineMs`: "measured from startedAt"; Decisions: `remainingMs`: "budget left at `now`; Infinity when
/// unbounded".
#[test]
fn remaining_is_measured_from_the_start_to_now() {
    for_every_policy(|options| {
        let bounded = build(Options { deadline: Some(Duration::from_secs(30)), ..options });
        for (elapsed, left) in [(0, 30_000), (1, 29_999), (29_999, 1), (30_000, 0), (40_000, 0)] {
            let (_, decision, _) = next(&bounded, started(), NOW + f64::from(elapsed), Outcome::RETRYABLE, 0.0);
            assert_eq!(decision.remaining(), Some(Duration::from_millis(left)), "{options:?}");
        }
        let unbounded = build(Options { max_attempts: Limit::At(2), ..options });
        let (_, decision, _) = next(&unbounded, started(), NOW + 1e9, Outcome::RETRYABLE, 0.0);
        assert_eq!(decision.remaining(), None, "{options:?}");
        assert!(matches!(decision, Decision::Retry { remaining_ms: f64::INFINITY, .. }));
    });
}

/// Budgets: `maxDelayMs`: "ceiling on a single delay, applied before jitter", 30 000 by default, Infinity to opt out.
#[test]
fn the_cap_holds_and_comes_before_jitter() {
    for_every_policy(|options| {
        let late = RetryState { attempts: 200, started_at: NOW, prev_delay_ms: 1e9 };
        let draws_itself = options.kind == Kind::DecorrelatedJitter;
        for (max_delay, cap) in [(Limit::Omitted, 30_000.0_f64), (Limit::At(Duration::from_millis(90)), 90.0)] {
            let policy = build(Options { max_attempts: Limit::Unlimited, max_delay, ..options });
            let (_, decision, _) = next(&policy, late, NOW, Outcome::RETRYABLE, 0.5);
            // "linear" is at 20,100 ms by then, "constant" at 100.
            let curve = match options.kind {
                Kind::Linear => 20_100.0,
                Kind::Constant => 100.0,
                _ => f64::INFINITY,
            };
            let capped = cap.min(curve);
            let expected = match options.jitter {
                Some(Jitter::Full) if !draws_itself => capped * 0.5,
                Some(Jitter::Equal) if !draws_itself => capped * 0.75,
                _ => capped,
            };
            assert!((delay(decision) - expected).abs() <= 0.5, "{options:?}: {decision:?}, not {expected}");
        }
        let policy = build(Options { max_attempts: Limit::Unlimited, max_delay: Limit::Unlimited, ..options });
        let (_, decision, _) = next(&policy, late, NOW, Outcome::RETRYABLE, 0.999);
        assert_eq!(delay(decision) > 30_000.0, !matches!(options.kind, Kind::Linear | Kind::Constant), "{options:?}");
    });
}

/// Decisions: "A terminal decision costs nothing. next returns the same state"; `delayMs`: "0 when retry is false".
#[test]
fn a_stop_returns_the_state_it_was_given_and_no_delay() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::At(3), deadline: Some(Duration::from_secs(1)), ..options });
        let state = RetryState { attempts: 1, started_at: NOW, prev_delay_ms: 41.0 };
        let spent = RetryState { attempts: 2, ..state };
        for (state, elapsed, outcome, reason) in [
            (state, 0.0, Outcome::NON_RETRYABLE, StopReason::NonRetryable),
            (spent, 0.0, Outcome::RETRYABLE, StopReason::MaxAttempts),
            (state, 1_000.0, Outcome::RETRYABLE, StopReason::Deadline),
            (state, 0.0, floor(1_000.0), StopReason::Deadline),
        ] {
            let (after, decision, draws) = next(&policy, state, NOW + elapsed, outcome, 0.5);
            assert_eq!((after, decision.reason(), draws), (state, Some(reason), 0), "{options:?}");
            assert_eq!((decision.delay(), decision.retry_at(NOW)), (None, None));
        }
    });
}

/// Design: "Order of reasons when several stop a policy: nonRetryable, then maxAttempts, then deadline."
#[test]
fn the_first_reason_is_the_one_given() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::At(2), deadline: Some(Duration::from_secs(1)), ..options });
        let spent = RetryState { attempts: 1, ..started() };
        let reason = |outcome| next(&policy, spent, NOW + 2_000.0, outcome, 0.5).1.reason();
        assert_eq!(reason(Outcome { retryable: false, ..floor(9e9) }), Some(StopReason::NonRetryable));
        assert_eq!(reason(floor(9e9)), Some(StopReason::MaxAttempts));
    });
}

/// Decisions: "next never mutates its input. A retry returns a new object": what changes, and what does not.
#[test]
fn a_retry_advances_attempts_and_the_last_wait_only() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::At(9), ..options });
        let state = RetryState { attempts: 3, started_at: NOW, prev_delay_ms: 70.0 };
        let (after, decision, _) = next(&policy, state, NOW + 500.0, Outcome::RETRYABLE, 0.5);
        let expected = RetryState { attempts: 4, started_at: NOW, prev_delay_ms: delay(decision) };
        assert_eq!(after, expected, "{options:?}");
        let server = next(&policy, state, NOW, floor(45_000.0), 0.5).0;
        assert_eq!(server.prev_delay_ms, 45_000.0, "the wait that was told is the wait that is kept");
    });
}

/// Decisions: "The next attempt starts strictly inside the deadline."
#[test]
fn the_next_attempt_starts_strictly_inside_the_deadline() {
    for_every_policy(|options| {
        let free = build(Options { max_attempts: Limit::At(9), ..options });
        let wait = delay(next(&free, started(), NOW, Outcome::RETRYABLE, 0.8).1);
        for (slack, retry) in [(-1.0, false), (0.0, false), (1.0, true)] {
            let deadline = Some(Duration::from_millis((500.0 + wait + slack) as u64));
            let policy = build(Options { deadline, ..options });
            let (state, decision, _) = next(&policy, started(), NOW + 500.0, Outcome::RETRYABLE, 0.8);
            assert_eq!(decision.reason(), (!retry).then_some(StopReason::Deadline), "{options:?} {slack}");
            assert_eq!(state == started(), !retry);
        }
    });
}

/// Decisions: "retryAfterMs from an outcome is a floor ... maxDelayMs does not cap it ... still checked against the
/// deadline."
#[test]
fn retry_after_is_a_floor_that_only_the_deadline_overrules() {
    for_every_policy(|options| {
        let policy = build(Options {
            deadline: Some(Duration::from_secs(60)),
            max_delay: Limit::At(Duration::from_millis(50)),
            ..options
        });
        let wait = |ms| next(&policy, started(), NOW, floor(ms), 0.5).1;
        assert_eq!(delay(wait(59_999.0)), 59_999.0, "{options:?}");
        assert_eq!(delay(wait(1_234.25)), 1_235.0, "never shorter, in whole milliseconds");
        assert_eq!(wait(60_000.0).reason(), Some(StopReason::Deadline));
        let own = delay(next(&policy, started(), NOW, Outcome::RETRYABLE, 0.5).1);
        for below in [0.0, -0.0, -3.0, 1.0, own, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(delay(wait(below)), own, "{options:?}: a floor of {below} under {own}");
        }
    });
}

/// A floor as a `Duration` is not shorter than the wait it asks for.
#[test]
fn the_floor_of_an_outcome_is_not_shortened() {
    for nanoseconds in [0, 1, 999_999, 1_500_000, 1_001_000_000, 1_005_000_000] {
        let server = Duration::from_nanos(nanoseconds);
        let outcome = Outcome::retry_after(server);
        let floor = outcome.floor().unwrap();
        assert!(floor >= server && floor - server < Duration::from_millis(1), "{server:?}: {floor:?}");
        for_every_policy(|options| {
            let policy = build(Options { max_attempts: Limit::At(2), max_delay: Limit::At(Duration::ZERO), ..options });
            assert_eq!(next(&policy, started(), NOW, outcome, 0.5).1.delay(), Some(floor), "{options:?}");
        });
    }
}

/// Decisions: "No policy reads a clock": the same arguments give the same bits, whenever.
#[test]
fn a_decision_depends_on_nothing_but_its_arguments() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::At(9), ..options });
        let first = next(&policy, started(), NOW + 12.0, floor(3.0), 0.37);
        for _ in 0..100 {
            assert_eq!(next(&policy, started(), NOW + 12.0, floor(3.0), 0.37), first);
        }
    });
}

/// API: "peek answers what would this decide right now without advancing anything ... every other field matches".
#[test]
fn peek_matches_next() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::At(4), deadline: Some(Duration::from_secs(40)), ..options });
        for attempts in 0..5 {
            for outcome in [Outcome::RETRYABLE, Outcome::NON_RETRYABLE, floor(20.0), floor(50_000.0)] {
                let state = RetryState { attempts, started_at: NOW, prev_delay_ms: 80.0 };
                let decision = next(&policy, state, NOW + 7.0, outcome, 0.3).1;
                let peek = |draw| each!(&policy, policy => policy.peek(state, NOW + 7.0, outcome, || draw));
                assert_eq!(peek(0.3), decision, "{options:?}");
                let other = peek(0.9);
                assert_eq!(other.attempts(), decision.attempts());
                assert_eq!(other.remaining(), decision.remaining());
                assert_eq!(other.reason(), decision.reason());
            }
        }
    });
}

/// Examples: "preview runs the policy against an imaginary clock": its waits are those of a loop that fails at once.
#[test]
fn preview_is_a_loop_on_an_imaginary_clock() {
    for_every_policy(|options| {
        let policy = build(Options { max_attempts: Limit::At(12), deadline: Some(Duration::from_secs(5)), ..options });
        for outcome in [Outcome::RETRYABLE, floor(700.0), Outcome::NON_RETRYABLE] {
            let (mut state, mut now, mut waits) = (started(), NOW, Vec::new());
            while let (after, Decision::Retry { delay_ms, .. }, _) = next(&policy, state, now, outcome, 0.6) {
                waits.push(Duration::from_millis(delay_ms as u64));
                (state, now) = (after, now + delay_ms);
            }
            let preview: Vec<_> =
                each!(&policy, policy => policy.preview_with(NOW, outcome, || 0.6).take(20).collect());
            assert_eq!(preview, waits, "{options:?}");
            assert!(preview.iter().sum::<Duration>() < Duration::from_secs(5));
        }
        let preview = each!(&policy, policy => policy.preview(|| 0.6).take(2).count());
        assert_eq!(preview, 2, "no more than asked for");
    });
}
