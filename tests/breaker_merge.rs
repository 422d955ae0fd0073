//! The join of two states: that it is one, and what it keeps.

use core::time::Duration;

use proptest::prelude::*;
use retry_primitives::breaker::{
    Breaker, BreakerState, ConsecutiveBreakerState, Growth, Report, RollingBreakerState, Status, consecutive_breaker,
    force_close, force_open, rolling_breaker,
};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

const OPEN: f64 = 5.0;

fn consecutive() -> impl Breaker<State = ConsecutiveBreakerState> {
    consecutive_breaker(2).open(ms(5)).half_open_probes(2).success_threshold(1).half_open(ms(3)).build().unwrap()
}

fn rolling() -> impl Breaker<State = RollingBreakerState> {
    rolling_breaker(ms(6)).minimum_throughput(3).open(ms(5)).half_open_probes(2).half_open(ms(3)).build().unwrap()
}

/// Openings of 5 to 20 ms, some drawn at random: `merge` counts on none being shorter than the first.
fn growing(growth: Growth) -> impl Breaker<State = ConsecutiveBreakerState> {
    consecutive_breaker(2).open(ms(5)).grow_open(growth, ms(20)).half_open_probes(2).half_open(ms(3)).build().unwrap()
}

/// Any state a store may hold, from values so few that ties are common.
fn arbitrary_rolling() -> impl Strategy<Value = RollingBreakerState> {
    let status = prop::sample::select(vec![Status::Closed, Status::Open, Status::HalfOpen]);
    let time = prop_oneof![
        8 => (-2_i32..9).prop_map(f64::from),
        1 => prop::sample::select(vec![-0.0, 0.5, 5.000_000_000_000_001, 9_007_199_254_740_991.0]),
    ];
    let length = prop::sample::select(vec![0.0, 0.0, 3.0, 7.0]);
    let counts = prop::array::uniform6(0_u64..3);
    (status, time.clone(), prop::array::uniform3(0_u64..3), time, counts, length.clone(), length).prop_map(
        |(status, changed_at, [probes, successes, openings], start, counts, open_for_ms, ahead_ms)| {
            let [prev_ok, prev_fail, prev_slow, curr_ok, curr_fail, curr_slow] = counts;
            RollingBreakerState {
                status,
                changed_at,
                probes,
                successes,
                start,
                prev_ok,
                prev_fail,
                curr_ok,
                curr_fail,
                prev_slow,
                curr_slow,
                openings,
                open_for_ms,
                ahead_ms,
            }
        },
    )
}

fn arbitrary_consecutive() -> impl Strategy<Value = ConsecutiveBreakerState> {
    arbitrary_rolling().prop_map(|state| ConsecutiveBreakerState {
        status: state.status,
        changed_at: state.changed_at,
        probes: state.probes,
        successes: state.successes,
        failures: state.curr_fail,
        openings: state.openings,
        open_for_ms: state.open_for_ms,
        ahead_ms: state.ahead_ms,
    })
}

fn is_a_join<B>(breaker: &B, a: B::State, b: B::State, c: B::State) -> Result<(), TestCaseError>
where
    B: Breaker<State: PartialEq + core::fmt::Debug>,
{
    let merge = |a, b| breaker.merge(a, b);
    prop_assert_eq!(merge(a, a), a);
    prop_assert_eq!(merge(a, b), merge(b, a));
    prop_assert_eq!(merge(merge(a, b), c), merge(a, merge(b, c)));
    prop_assert_eq!(merge(merge(a, b), b), merge(a, b));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn rolling_merge_is_a_join(a in arbitrary_rolling(), b in arbitrary_rolling(), c in arbitrary_rolling()) {
        is_a_join(&rolling(), a, b, c)?;
    }

    #[test]
    fn consecutive_merge_is_a_join(
        a in arbitrary_consecutive(), b in arbitrary_consecutive(), c in arbitrary_consecutive()
    ) {
        is_a_join(&consecutive(), a, b, c)?;
    }

    /// "A fresh `init` in a new isolate never outvotes an opening that others published": nor its closing or trial.
    #[test]
    fn a_fresh_init_never_outvotes(state in arbitrary_consecutive(), now in -5.0..1e15_f64) {
        let breaker = consecutive();
        prop_assume!(state.status != Status::Closed || state.successes > 0);
        prop_assert_eq!(breaker.merge(breaker.init(now), state), state);
        let busy = breaker.fail(breaker.succeed(breaker.init(now), now), now);
        prop_assert_eq!(breaker.merge(busy, state), state);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Wait(u32),
    Request,
    Success,
    Failure,
    Ignored,
    ForceOpen,
    ForceClose,
    Read(usize),
    Publish,
    /// The isolate is evicted and starts anew.
    Fresh,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        4 => (0_u32..4).prop_map(Step::Wait),
        4 => Just(Step::Request),
        3 => Just(Step::Success),
        4 => Just(Step::Failure),
        1 => Just(Step::Ignored),
        1 => Just(Step::ForceOpen),
        1 => Just(Step::ForceClose),
        2 => (0_usize..ISOLATES).prop_map(Step::Read),
        1 => Just(Step::Publish),
        1 => Just(Step::Fresh),
    ];
    prop::collection::vec((0_usize..ISOLATES, step), 0..120)
}

const ISOLATES: usize = 3;

/// Openings and closings by epoch; in the same millisecond the opening counts.
type Event = (f64, bool);

/// Isolates that read each other's state now and then, and whose clocks differ by `skew`.
fn isolates<B>(breaker: &B, steps: Vec<(usize, Step)>, skew: [f64; ISOLATES]) -> Result<(), TestCaseError>
where
    B: Breaker<State: PartialEq + core::fmt::Debug>,
{
    let mut clock = 0.0;
    let mut states = skew.map(|skew| breaker.init(skew));
    let mut store = breaker.init(0.0);
    let mut last: Option<Event> = None;
    for (isolate, step) in steps {
        let now = clock + skew[isolate];
        let before = states[isolate];
        let after = match step {
            Step::Wait(time) => {
                clock += f64::from(time);
                continue;
            }
            Step::Read(other) => {
                states[isolate] = breaker.merge(before, breaker.merge(states[other], store));
                continue;
            }
            Step::Publish => {
                store = breaker.merge(store, before);
                continue;
            }
            Step::Fresh => {
                store = breaker.merge(store, before);
                states[isolate] = breaker.init(now);
                continue;
            }
            Step::Request => breaker.request(before, now).0,
            Step::Success => breaker.report(before, now, Report::success()).0,
            Step::Failure => breaker.report_with(before, now, Report::failure(), &mut || clock % 7.0 / 7.0).0,
            Step::Ignored => breaker.report(before, now, Report::ignored()).0,
            Step::ForceOpen => force_open(before, now),
            Step::ForceClose => force_close(before, now),
        };
        states[isolate] = after;

        // A state that came out of another one wins over it, whatever the clocks.
        let (was, is, joined) = (before.recovery(), after.recovery(), breaker.merge(before, after).recovery());
        prop_assert!(is.changed_at >= was.changed_at, "an epoch went back");
        prop_assert_eq!(joined.status, is.status, "{:?} -> {:?}", before, after);
        if is.status != was.status || is.status != Status::Closed {
            prop_assert_eq!(joined.changed_at, is.changed_at);
        }

        let event = match (was.status, is.status) {
            (Status::Closed | Status::HalfOpen, Status::Open) => Some((is.changed_at, true)),
            (Status::Open, Status::Open) if is.changed_at > was.changed_at => Some((is.changed_at, true)),
            (Status::Open | Status::HalfOpen, Status::Closed) => Some((is.changed_at, false)),
            // Closed by hand though not open: a later date for the closing before, if there was one.
            (Status::Closed, Status::Closed) if is.successes > 0 => Some((is.changed_at, false)),
            _ => None,
        };
        if let Some(event) = event {
            last = last.filter(|last| *last > event).or(Some(event));
        }
    }

    let joined = states.iter().fold(store, |joined, state| breaker.merge(joined, *state)).recovery();
    match last {
        None => prop_assert_eq!(joined.status, Status::Closed),
        // Never loses an opening: it stands, or is being tried.
        Some((_, true)) => prop_assert_ne!(joined.status, Status::Closed),
        // Never re-opens what a later trial closed. A trial shows only if it began the open time after the closing.
        Some((closed_at, false)) => match joined.status {
            Status::Closed => {}
            Status::Open => prop_assert!(false, "re-opened: {:?}, closed at {}", joined, closed_at),
            Status::HalfOpen => prop_assert!(joined.changed_at >= closed_at + OPEN, "{:?} {}", joined, closed_at),
        },
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn consecutive_isolates_agree_on_the_last_opening_or_closing(steps in steps()) {
        isolates(&consecutive(), steps, [0.0; ISOLATES])?;
    }

    #[test]
    fn rolling_isolates_agree_on_the_last_opening_or_closing(steps in steps()) {
        isolates(&rolling(), steps, [0.0; ISOLATES])?;
    }

    #[test]
    fn isolates_agree_where_the_open_time_grows(
        steps in steps(),
        growth in prop::sample::select(vec![
            Growth::Exponential { factor: 2.0 },
            Growth::DecorrelatedJitter { factor: 3.0 },
            Growth::Fibonacci,
            Growth::Linear,
        ]),
    ) {
        isolates(&growing(growth), steps, [0.0; ISOLATES])?;
    }

    /// By epoch they agree even where the clocks do not; only which was "last" is then a matter of whose clock.
    #[test]
    fn isolates_with_skewed_clocks_agree_too(steps in steps(), skew in prop::array::uniform3(-20_i32..20)) {
        isolates(&consecutive(), steps, skew.map(f64::from))?;
    }
}

/// Counts are joined by maximum, and windows of different age do not mix.
#[test]
fn ledgers_join_without_adding() {
    let breaker = rolling();
    let early = breaker.succeed(breaker.fail(breaker.init(0.0), 1.0), 1.0);
    let later = breaker.succeed(breaker.init(3.0), 4.0);
    assert_eq!(breaker.merge(early, later).curr_ok, 1);
    assert_eq!(breaker.merge(early, later).start, 3.0);
    let same = breaker.succeed(breaker.succeed(breaker.init(0.0), 1.0), 1.0);
    let joined = breaker.merge(early, same);
    assert_eq!((joined.curr_ok, joined.curr_fail), (2, 1));
    // An empty window, however new, is no reason to forget.
    assert_eq!(breaker.merge(early, breaker.init(9.0)).curr_fail, 1);
}
