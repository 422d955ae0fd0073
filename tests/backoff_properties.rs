//! What holds for every policy whatever it is given: any bits for a number, any count, any length of time.

use core::time::Duration;

use proptest::{prelude::*, sample::select};
use retry_primitives::{
    Decision, MAX_SAFE_MS, Outcome, RetryState, StopReason,
    backoff::{Jitter, MAX_ATTEMPTS},
};

#[macro_use]
#[path = "parity/src/policy.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod policy;

use policy::{AnyPolicy, CURVES, KINDS, Kind, Limit, Options};

/// A thousand cases each, or more with `PROPTEST_CASES`.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, cases: default.cases.max(1_000), ..default }
}

/// Any 64 bits, with the numbers that cause trouble and the ordinary ones as likely as the rest.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        select(&[0.0, -0.0, 0.5, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN][..]),
        select(
            &[f64::MIN_POSITIVE, f64::EPSILON, MAX_SAFE_MS, MAX_SAFE_MS + 1.0, -MAX_SAFE_MS, 1.8446744073709552e19][..]
        ),
        -1e5..1e5,
        1_758_124_800_000.0..1_758_124_900_000.0,
    ]
}

fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (any::<u64>(), 0..1_000_000_000u32).prop_map(|(seconds, nanoseconds)| Duration::new(seconds, nanoseconds)),
        any::<u64>().prop_map(Duration::from_nanos),
        (0..100_000u64).prop_map(Duration::from_millis),
        select(vec![Duration::ZERO, Duration::from_nanos(1), Duration::MAX]),
    ]
}

fn attempts() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), 0..70u64, (1 << 53) - 2..(1 << 53) + 2u64, Just(u64::MAX)]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![select(&KINDS[..5]), (0..CURVES.len()).prop_map(Kind::Custom)]
}

fn options() -> impl Strategy<Value = Options> {
    let factor = prop_oneof![1.0..4.0, 1.0..f64::MAX, Just(1.0), Just(f64::MAX)];
    let max_attempts =
        prop_oneof![Just(Limit::Unlimited), (1..=MAX_ATTEMPTS).prop_map(Limit::At), (1..70u64).prop_map(Limit::At)];
    let max_delay = prop_oneof![Just(Limit::Omitted), Just(Limit::Unlimited), duration().prop_map(Limit::At)];
    let deadline =
        prop::option::of(duration().prop_filter("a deadline of zero is refused", |length| !length.is_zero()));
    let jitter = prop::option::of(select(&[Jitter::None, Jitter::Full, Jitter::Equal][..]));
    let factor = prop::option::of(factor);
    (kind(), duration(), factor, max_attempts, deadline, max_delay, jitter).prop_map(
        |(kind, base, factor, max_attempts, deadline, max_delay, jitter)| Options {
            kind,
            base,
            factor,
            max_attempts,
            deadline,
            max_delay,
            jitter,
        },
    )
}

fn state() -> impl Strategy<Value = RetryState> {
    (attempts(), number(), number()).prop_map(|(attempts, started_at, prev_delay_ms)| RetryState {
        attempts,
        started_at,
        prev_delay_ms,
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let retryable = prop::bool::weighted(0.9);
    (retryable, prop::option::of(number()))
        .prop_map(|(retryable, retry_after_ms)| Outcome { retryable, retry_after_ms })
}

fn next(policy: &AnyPolicy, state: RetryState, now: f64, outcome: Outcome, draw: f64) -> (RetryState, Decision, u32) {
    let mut draws = 0;
    let random = || {
        draws += 1;
        draw
    };
    let (state, decision) = each!(policy, policy => policy.next(state, now, outcome, random));
    (state, decision, draws)
}

/// The bits of a result: `Debug` tells every `f64` from every other, and -0 from 0.
fn bits(result: impl core::fmt::Debug) -> String {
    format!("{result:?}")
}

/// The cap in whole milliseconds, from the `Duration` itself.
fn cap(options: &Options) -> f64 {
    match options.max_delay {
        Limit::Omitted => 30_000.0,
        Limit::Unlimited => MAX_SAFE_MS,
        Limit::At(delay) => delay.as_millis().min(MAX_SAFE_MS as u128) as f64,
    }
}

fn floor(outcome: Outcome) -> f64 {
    match outcome.retry_after_ms {
        Some(ms) if ms > 0.0 => ms.ceil().min(MAX_SAFE_MS),
        _ => 0.0,
    }
}

proptest! {
    #![proptest_config(config())]

    /// No panic, no NaN, whole waits between the floor and the larger of cap and floor, a state fit to be stored.
    #[test]
    fn a_retry_is_sound(
        options in options(), state in state(), now in number(), outcome in outcome(), draw in number(),
    ) {
        let policy = options.build().unwrap();
        let (after, decision, draws) = next(&policy, state, now, outcome, draw);
        if let Decision::Retry { delay_ms, attempts, remaining_ms } = decision {
            prop_assert!(delay_ms.fract() == 0.0 && delay_ms.is_sign_positive(), "{delay_ms}");
            prop_assert!((floor(outcome)..=cap(&options).max(floor(outcome))).contains(&delay_ms), "{delay_ms}");
            prop_assert!(delay_ms <= MAX_SAFE_MS);
            prop_assert!(remaining_ms > delay_ms, "{remaining_ms} left, {delay_ms} to wait");
            prop_assert_eq!(remaining_ms.is_finite(), options.deadline.is_some());
            prop_assert_eq!(attempts, state.attempts.min(MAX_ATTEMPTS - 1) + 1);
            prop_assert_eq!((after.attempts, after.prev_delay_ms), (attempts, delay_ms));
            prop_assert!(after.started_at.abs() <= MAX_SAFE_MS, "{}", after.started_at);
            if state.started_at.abs() <= MAX_SAFE_MS {
                prop_assert_eq!(after.started_at.to_bits(), state.started_at.to_bits());
            }
        }
        let draws_twice = matches!(options.kind, Kind::Custom(curve) if CURVES[curve].0 == "drawn");
        prop_assert!(draws <= 1 + u32::from(draws_twice));
        prop_assert!(decision.attempts() <= MAX_ATTEMPTS);
    }

    /// A stop gives back the very state, in the order of the reasons, with what is left and the server's figure.
    #[test]
    fn a_stop_is_sound(
        options in options(), state in state(), now in number(), outcome in outcome(), draw in number(),
    ) {
        let policy = options.build().unwrap();
        let (after, decision, draws) = next(&policy, state, now, outcome, draw);
        let spent = match options.max_attempts {
            Limit::At(total) => decision.attempts() >= total,
            _ => false,
        };
        if let Decision::Stop { reason, remaining_ms, retry_after_ms, .. } = decision {
            prop_assert_eq!(bits(after), bits(state));
            prop_assert_eq!(bits(retry_after_ms), bits(outcome.retry_after_ms));
            prop_assert!(remaining_ms >= 0.0);
            prop_assert_eq!(reason == StopReason::NonRetryable, !outcome.retryable);
            prop_assert_eq!(reason == StopReason::MaxAttempts, outcome.retryable && spent);
            prop_assert!(reason != StopReason::Deadline || options.deadline.is_some());
            if reason != StopReason::Deadline || remaining_ms <= floor(outcome) {
                prop_assert_eq!(draws, 0);
            }
        } else {
            prop_assert!(outcome.retryable && !spent);
        }
    }

    /// The next attempt starts strictly inside the deadline and no stop is early, in whole numbers of any size.
    #[test]
    fn the_deadline_is_strict_and_exact(
        mut options in options(), deadline in 1..1u64 << 53, elapsed in 0..1u64 << 52, after in 0..1u64 << 52,
        start in 0..1u64 << 52, scale in 0..52u32, draw in 0.0..1.0,
    ) {
        let [deadline, elapsed, after, start] = [deadline.max(1 << scale), elapsed, after, start].map(|ms| ms >> scale);
        options.deadline = None;
        options.max_attempts = Limit::Unlimited;
        let free = options.build().unwrap();
        let bounded = Options { deadline: Some(Duration::from_millis(deadline)), ..options }.build().unwrap();
        let state = RetryState { attempts: 3, started_at: start as f64, prev_delay_ms: 250.0 };
        let outcome = Outcome::retry_after(Duration::from_millis(after));
        let now = (start + elapsed) as f64;
        let wait = next(&free, state, now, outcome, draw).0.prev_delay_ms;
        let decision = next(&bounded, state, now, outcome, draw).1;
        let inside = u128::from(elapsed) + (wait as u128) < u128::from(deadline);
        prop_assert_eq!(decision.reason(), (!inside).then_some(StopReason::Deadline), "wait {}", wait);
        let left = Duration::from_millis(deadline.saturating_sub(elapsed));
        prop_assert_eq!(decision.remaining(), Some(left));
    }

    /// The same arguments and draws give the same bits, and `peek` gives those of `next`.
    #[test]
    fn a_decision_is_a_pure_function(
        options in options(), state in state(), now in number(), outcome in outcome(), draw in number(),
    ) {
        let first = next(&options.build().unwrap(), state, now, outcome, draw);
        let policy = options.build().unwrap();
        prop_assert_eq!(bits(first), bits(next(&policy, state, now, outcome, draw)));
        let peek = each!(&policy, policy => policy.peek(state, now, outcome, || draw));
        prop_assert_eq!(bits(first.1), bits(peek));
    }

    /// A clock before the start of the operation is one that stands at the start.
    #[test]
    fn a_backwards_clock_has_not_moved(
        options in options(), start in -1e15..1e15, back in 0.0..1e300, outcome in outcome(), draw in number(),
    ) {
        let policy = options.build().unwrap();
        let state = RetryState { attempts: 1, started_at: start, prev_delay_ms: 40.0 };
        let at_start = next(&policy, state, start, outcome, draw);
        prop_assert_eq!(bits(next(&policy, state, start - back, outcome, draw)), bits(at_start));
        prop_assert_eq!(bits(next(&policy, state, f64::NEG_INFINITY, outcome, draw)), bits(at_start));
    }

    /// Time only ever takes from a policy: later, with the same draw, never turns a stop into a retry.
    #[test]
    fn later_is_never_more_lenient(
        options in options(), state in state(), now in number(), later in 0.0..1e12, outcome in outcome(), draw in 0.0..1.0,
    ) {
        let policy = options.build().unwrap();
        let early = next(&policy, state, now, outcome, draw).1;
        let late = next(&policy, state, now + later, outcome, draw).1;
        if early.reason().is_some() {
            prop_assert_eq!(late.reason(), early.reason());
        }
        prop_assert!(late.remaining() <= early.remaining());
    }

    /// An operation under any clock and any server: attempts rise by one, and it ends when they are spent.
    #[test]
    fn attempts_rise_by_one_until_they_are_spent(
        options in options(), total in 1..40u64, start in number(), steps in prop::collection::vec((number(), number()), 40),
    ) {
        let policy = Options { max_attempts: Limit::At(total), ..options }.build().unwrap();
        let mut state = each!(&policy, policy => policy.init(start));
        prop_assert!(state.started_at.is_finite() && state.attempts == 0);
        let mut made = 0;
        for (now, draw) in steps {
            let (after, decision, _) = next(&policy, state, now, Outcome::RETRYABLE, draw);
            made += 1;
            prop_assert_eq!(decision.attempts(), made);
            if decision.reason().is_some() {
                break;
            }
            prop_assert_eq!(after.attempts, made);
            state = after;
        }
        prop_assert!(made <= total);
    }

    /// A preview is bounded by what is asked for and fits into the whole milliseconds of the deadline.
    #[test]
    fn a_preview_fits_its_budget(options in options(), draw in 0.0..1.0) {
        let policy = options.build().unwrap();
        let waits: Vec<_> = each!(&policy, policy => policy.preview(|| draw).take(50).collect());
        prop_assert!(waits.len() <= 50);
        if let Limit::At(total) = options.max_attempts {
            prop_assert!((waits.len() as u64) < total);
        }
        if let Some(deadline) = options.deadline {
            let sum: u128 = waits.iter().map(Duration::as_millis).sum();
            prop_assert!(waits.is_empty() || sum <= deadline.as_millis(), "{sum} of {deadline:?}");
        }
    }
}
