//! Choosing a policy and Jitter, as the reference has them: the curves, the spread, and who draws what when.

use core::time::Duration;

use retry_primitives::{
    MAX_SAFE_MS, Outcome, RetryState,
    backoff::{Jitter, backoff, constant, decorrelated_jitter, exponential, fibonacci, linear},
};

#[macro_use]
#[path = "parity/src/policy.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod policy;

use policy::{AnyPolicy, KINDS, Kind, Limit, Options};

const BASE: Duration = Duration::from_millis(100);
const JITTERS: [Jitter; 3] = [Jitter::None, Jitter::Full, Jitter::Equal];

/// A thousand and one attempts without a cap: what is left is curve and jitter.
fn uncapped(kind: Kind, jitter: Option<Jitter>) -> AnyPolicy {
    let (max_attempts, max_delay) = (Limit::At(1_001), Limit::Unlimited);
    Options { max_attempts, max_delay, jitter, ..Options::new(kind, BASE) }.build().unwrap()
}

fn after(attempts: u64, prev_delay_ms: f64) -> RetryState {
    RetryState { attempts, started_at: 0.0, prev_delay_ms }
}

/// The wait after a failure, with every draw giving `draw`.
fn wait(policy: &AnyPolicy, state: RetryState, draw: f64) -> f64 {
    let (state, decision) = each!(policy, policy => policy.next(state, 0.0, Outcome::RETRYABLE, || draw));
    assert_eq!(decision.reason(), None);
    state.prev_delay_ms
}

/// SplitMix64.
fn seeded(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Choosing a policy: the column "Shape".
#[test]
fn each_policy_has_its_shape() {
    for (kind, shape) in [
        (Kind::Exponential, [100.0, 200.0, 400.0, 800.0, 1_600.0, 3_200.0, 6_400.0]),
        (Kind::Fibonacci, [100.0, 100.0, 200.0, 300.0, 500.0, 800.0, 1_300.0]),
        (Kind::Linear, [100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0]),
        (Kind::Constant, [100.0; 7]),
        (Kind::Custom(0), [10.0, 40.0, 90.0, 160.0, 250.0, 360.0, 490.0]),
    ] {
        for (attempts, expected) in (0..).zip(shape) {
            assert_eq!(wait(&uncapped(kind, Some(Jitter::None)), after(attempts, 0.0), 0.9), expected, "{kind:?}");
        }
    }
}

/// Choosing a policy: "decorrelatedJitter: random(base, previous * factor)", with `previous` starting at the base.
#[test]
fn decorrelated_jitter_spreads_between_base_and_the_previous_wait() {
    let policy = uncapped(Kind::DecorrelatedJitter, None);
    for (previous, low, middle, high) in
        [(0.0, 100.0, 200.0, 300.0), (100.0, 100.0, 200.0, 300.0), (700.0, 100.0, 1_100.0, 2_100.0)]
    {
        assert_eq!(wait(&policy, after(4, previous), 0.0), low);
        assert_eq!(wait(&policy, after(4, previous), 0.5), middle);
        assert_eq!(wait(&policy, after(4, previous), 1.0), high);
    }
}

/// Choosing a policy: "backoff: whatever you write, with the budget handling for free": what the function is told.
#[test]
fn a_curve_of_ones_own_is_told_attempt_previous_wait_and_random() {
    let policy = backoff(|attempt, previous, random| attempt as f64 * 1_000.0 + previous + random())
        .max_attempts(9)
        .jitter(Jitter::None)
        .build()
        .unwrap();
    let (state, _) = policy.next(after(2, 40.0), 0.0, Outcome::RETRYABLE, || 0.75);
    assert_eq!(state.prev_delay_ms, 3_041.0);
}

/// The three limits around a curve of one's own cost it nothing in reach: negative is 0, nonsense is the cap.
#[test]
fn a_curve_of_ones_own_cannot_break_the_limits() {
    for (given, expected) in
        [(-1.0, 0.0), (f64::NEG_INFINITY, 0.0), (f64::NAN, 30_000.0), (f64::INFINITY, 30_000.0), (1e300, 30_000.0)]
    {
        let policy = backoff(move |_, _, _| given).max_attempts(2).jitter(Jitter::None).build().unwrap();
        assert_eq!(policy.next(after(0, 0.0), 0.0, Outcome::RETRYABLE, || 0.5).0.prev_delay_ms, expected, "{given}");
    }
}

/// Jitter: the table, from the lowest draw to the highest, for every policy that it applies to.
#[test]
fn each_mode_spreads_over_its_range() {
    for kind in KINDS.into_iter().filter(|&kind| kind != Kind::DecorrelatedJitter) {
        let full_wait = wait(&uncapped(kind, Some(Jitter::None)), after(9, 0.0), 0.5);
        for (mode, low) in [(Jitter::None, 1.0), (Jitter::Full, 0.0), (Jitter::Equal, 0.5)] {
            for draw in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let expected = full_wait * (low + (1.0 - low) * draw);
                let got = wait(&uncapped(kind, Some(mode)), after(9, 0.0), draw);
                assert!((got - expected).abs() <= 0.5, "{kind:?} {mode:?} {draw}: {got}, not {expected}");
            }
        }
    }
}

/// Jitter: "jitter applies to every policy except decorrelatedJitter, which randomizes by construction".
#[test]
fn jitter_has_no_effect_on_decorrelated_jitter() {
    for draw in [0.0, 0.3, 0.999] {
        let waits = JITTERS.map(|mode| wait(&uncapped(Kind::DecorrelatedJitter, Some(mode)), after(3, 500.0), draw));
        assert_eq!(waits, [waits[0]; 3]);
    }
}

/// Jitter: "jitter defaults to 'full'".
#[test]
fn jitter_is_full_by_default() {
    for kind in KINDS {
        for draw in [0.0, 0.4, 0.9] {
            let by_default = wait(&uncapped(kind, None), after(5, 80.0), draw);
            assert_eq!(by_default, wait(&uncapped(kind, Some(Jitter::Full)), after(5, 80.0), draw), "{kind:?}");
        }
    }
}

/// Design: randomness "is drawn only when a jittered delay is really computed: a terminal decision draws nothing, `none`
/// draws nothing". And a decision draws once at most.
#[test]
fn a_random_number_is_drawn_only_for_a_jittered_delay() {
    for kind in KINDS {
        for jitter in JITTERS {
            let options = Options { max_attempts: Limit::At(5), jitter: Some(jitter), ..Options::new(kind, BASE) };
            let policy = Options { deadline: Some(Duration::from_secs(9)), ..options }.build().unwrap();
            let spread = jitter != Jitter::None || kind == Kind::DecorrelatedJitter;
            for (attempts, now, outcome, draws) in [
                (0, 0.0, Outcome::RETRYABLE, u32::from(spread)),
                (3, 5_000.0, Outcome::retry_after(BASE), u32::from(spread)),
                (0, 0.0, Outcome::NON_RETRYABLE, 0),
                (4, 0.0, Outcome::RETRYABLE, 0),
                (0, 9_000.0, Outcome::RETRYABLE, 0),
                (0, 0.0, Outcome::retry_after(Duration::from_secs(9)), 0),
            ] {
                let mut drawn = 0;
                let random = || {
                    drawn += 1;
                    0.1
                };
                each!(&policy, policy => policy.next(after(attempts, 50.0), now, outcome, random));
                assert_eq!(drawn, draws, "{kind:?} {jitter:?} after {attempts} at {now}: {outcome:?}");
            }
        }
    }
}

/// Jitter: "Pass a seeded generator and a policy becomes reproducible".
#[test]
fn a_seeded_generator_makes_a_policy_reproducible() {
    for kind in KINDS {
        for jitter in JITTERS {
            let policy = uncapped(kind, Some(jitter));
            let waits = |seed| -> Vec<_> { each!(&policy, policy => policy.preview(seeded(seed)).take(40).collect()) };
            assert_eq!(waits(7), waits(7), "{kind:?} {jitter:?}");
        }
    }
}

/// Case from the field: a jitter that turned out to do nothing. Draws differ, so waits do, for every policy.
#[test]
fn different_draws_give_different_waits() {
    for kind in KINDS {
        for jitter in [Jitter::Full, Jitter::Equal] {
            let policy = uncapped(kind, Some(jitter));
            let mut random = seeded(1);
            let waits: std::collections::BTreeSet<_> =
                (0..200).map(|_| wait(&policy, after(9, 5_000.0), random()) as u64).collect();
            // 200 draws from 50 values at the least ("constant" with equal jitter): fewer than 40 do not occur.
            assert!(waits.len() >= 40, "{kind:?} {jitter:?}: {} different waits", waits.len());
        }
    }
}

/// Jitter: full "halves the mean wait", equal is `random(d / 2, d)`: means d / 2 and 3 d / 4, each draw uniform.
#[test]
fn the_mean_wait_is_a_half_or_three_quarters() {
    const DRAWS: u32 = 20_000;
    for kind in KINDS.into_iter().filter(|&kind| kind != Kind::DecorrelatedJitter) {
        let full_wait = wait(&uncapped(kind, Some(Jitter::None)), after(9, 0.0), 0.5);
        for (jitter, low) in [(Jitter::Full, 0.0), (Jitter::Equal, 0.5)] {
            let policy = uncapped(kind, Some(jitter));
            let mut random = seeded(42);
            let waits: Vec<_> = (0..DRAWS).map(|_| wait(&policy, after(9, 0.0), random())).collect();
            let mean = waits.iter().sum::<f64>() / f64::from(DRAWS);
            let width = full_wait * (1.0 - low);
            // Five standard errors of a uniform distribution; rounding to whole milliseconds adds 1 / 12 to its variance.
            let bound = 5.0 * ((width * width + 1.0) / 12.0 / f64::from(DRAWS)).sqrt();
            let expected = full_wait * (1.0 + low) / 2.0;
            assert!((mean - expected).abs() < bound, "{kind:?} {jitter:?}: mean {mean}, not {expected} ± {bound}");

            let quarters = waits.iter().fold([0u32; 4], |mut counts, wait| {
                counts[((wait - full_wait * low) / width * 4.0).min(3.0) as usize] += 1;
                counts
            });
            // Rounding moves a half millisecond across each border: 1 % of the narrowest width here, 50 ms.
            assert!(quarters.iter().all(|&count| (4_500..5_500).contains(&count)), "{kind:?} {jitter:?}: {quarters:?}");
        }
    }
}

/// Examples, "Seeing what a configuration actually does": the three previews, exactly.
#[test]
fn the_references_previews_come_out() {
    let milliseconds = |waits: Vec<Duration>| waits.iter().map(Duration::as_millis).collect::<Vec<_>>();
    let policy = exponential(BASE).max_attempts(6).jitter(Jitter::None).build().unwrap();
    assert_eq!(milliseconds(policy.preview(|| 0.5).take(10).collect()), [100, 200, 400, 800, 1_600]);
    let policy = exponential(BASE).deadline(Duration::from_secs(1)).jitter(Jitter::None).build().unwrap();
    assert_eq!(milliseconds(policy.preview(|| 0.5).take(10).collect()), [100, 200, 400]);
    let policy = decorrelated_jitter(BASE).max_attempts(5).build().unwrap();
    assert_eq!(milliseconds(policy.preview(|| 1.0).take(10).collect()), [300, 900, 2_700, 8_100]);
}

/// Introduction: `{ retry: true, delayMs: 63, attempts: 1, remainingMs: 30000 }`.
#[test]
fn the_references_first_decision_comes_out() {
    let policy = exponential(BASE).max_attempts(5).deadline(Duration::from_secs(30)).build().unwrap();
    let now = 1_758_124_800_000.0;
    let (_, decision) = policy.next(policy.init(now), now, Outcome::RETRYABLE, || 0.63);
    assert_eq!(decision.delay(), Some(Duration::from_millis(63)));
    assert_eq!((decision.attempts(), decision.remaining()), (1, Some(Duration::from_secs(30))));
}

/// A `Duration` of whole milliseconds is that many milliseconds, whether base, cap, deadline or floor: a product with
/// 1,000 would turn 1,001 into 1000.9999999999999.
#[test]
fn whole_milliseconds_stay_whole() {
    for ms in (0..20_000).chain([86_400_001, 999_999_999_999, 9_007_199_254_740_991]) {
        let (duration, expected) = (Duration::from_millis(ms), ms as f64);
        assert_eq!(Outcome::retry_after(duration).retry_after_ms, Some(expected));
        let long = Duration::MAX;
        let one = |policy: AnyPolicy| wait(&policy, after(0, 0.0), 1.0);
        let base = AnyPolicy::Constant(constant(duration).max_attempts(2).unlimited_delay().build().unwrap());
        let cap = AnyPolicy::Linear(linear(long).max_attempts(2).max_delay(duration).build().unwrap());
        let first = AnyPolicy::Fibonacci(fibonacci(duration).max_attempts(2).unlimited_delay().build().unwrap());
        assert_eq!((one(base), one(cap), one(first)), (expected, expected, expected));
        if ms > 0 {
            let policy = constant(Duration::ZERO).deadline(duration).build().unwrap();
            let (_, decision) = policy.next(after(0, 0.0), 0.0, Outcome::RETRYABLE, || 0.5);
            assert_eq!(decision.remaining(), Some(duration));
        }
    }
    let policy = AnyPolicy::Constant(constant(Duration::MAX).max_attempts(2).unlimited_delay().build().unwrap());
    assert_eq!(wait(&policy, after(0, 0.0), 1.0), MAX_SAFE_MS);
}
