//! Both breakers against a model that keeps every call and computes nothing ahead.

use core::time::Duration;

use proptest::prelude::*;
use retry_primitives::breaker::{
    Breaker, BreakerState, CallResult, Growth, Report, Reported, Status, Verdict, consecutive_breaker, force_close,
    force_open, rolling_breaker,
};

/// When the model trips, given every call of the closed period as (time, result, slow), the last one just counted.
trait Rule {
    fn trips(&self, began: u64, calls: &[(u64, CallResult, bool)]) -> bool;
    fn probe_failed(&self, result: CallResult, slow: bool) -> bool;
}

/// Reference, "consecutiveBreaker": failures in a row; any success resets the count.
struct InARow(usize);

impl Rule for InARow {
    fn trips(&self, _began: u64, calls: &[(u64, CallResult, bool)]) -> bool {
        let run = calls.iter().rev().take_while(|call| call.1 == CallResult::Failure).count();
        run >= self.0
    }
    fn probe_failed(&self, result: CallResult, _slow: bool) -> bool {
        result == CallResult::Failure
    }
}

/// Reference, "rollingBreaker": two buckets, "the previous one weighted by how much of it still overlaps".
struct Ratio {
    window: u64,
    minimum: u64,
    ratio: f64,
    slow_ratio: f64,
}

impl Ratio {
    /// Where the bucket of the last call begins: buckets follow each other, and begin anew after two idle windows.
    fn bucket(&self, began: u64, calls: &[(u64, CallResult, bool)]) -> u64 {
        calls.iter().fold(began, |start, &(at, ..)| match at - start {
            age if age >= 2 * self.window => at,
            age if age >= self.window => start + self.window,
            _ => start,
        })
    }
}

impl Rule for Ratio {
    fn trips(&self, began: u64, calls: &[(u64, CallResult, bool)]) -> bool {
        let &(now, result, slow) = calls.last().unwrap();
        let start = self.bucket(began, calls);
        let weight = 1.0 - (now - start) as f64 / self.window as f64;
        let estimate = |wanted: &dyn Fn(CallResult, bool) -> bool| {
            let among = |from: u64, to: u64| {
                calls.iter().filter(|call| (from..to).contains(&call.0) && wanted(call.1, call.2)).count() as f64
            };
            // No bucket before `began`, and none before two idle windows: there are no calls there to count.
            among(start.saturating_sub(self.window), start) * weight + among(start, u64::MAX)
        };
        let failed = estimate(&|result, _| result == CallResult::Failure);
        let total = failed + estimate(&|result, _| result == CallResult::Success);
        let slow_calls = estimate(&|_, slow| slow);
        total >= self.minimum as f64
            && (result == CallResult::Failure && failed / total >= self.ratio
                || slow && slow_calls / total >= self.slow_ratio)
    }
    fn probe_failed(&self, result: CallResult, slow: bool) -> bool {
        result == CallResult::Failure || slow
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Out,
    Succeeded,
    Freed,
}

enum Period {
    Closed { began: u64, calls: Vec<(u64, CallResult, bool)> },
    Open { at: u64 },
    Trial { at: u64, slots: Vec<Slot> },
}

const OPEN: u64 = 40;
const HALF_OPEN: u64 = 25;
const PROBES: usize = 3;
const THRESHOLD: usize = 2;

/// Which period and slot of it admitted a call.
type Ticket = (usize, usize);

struct Model<R> {
    rule: R,
    period: Period,
    number: usize,
}

impl<R: Rule> Model<R> {
    fn new(rule: R, now: u64) -> Self {
        Self { rule, period: Period::Closed { began: now, calls: Vec::new() }, number: 0 }
    }

    fn begin(&mut self, period: Period) {
        self.period = period;
        self.number += 1;
    }

    fn status(&self) -> Status {
        match self.period {
            Period::Closed { .. } => Status::Closed,
            Period::Open { .. } => Status::Open,
            Period::Trial { .. } => Status::HalfOpen,
        }
    }

    /// A ticket, or how long to wait.
    fn request(&mut self, now: u64) -> Result<Ticket, u64> {
        let renew = match &mut self.period {
            Period::Closed { .. } => return Ok((self.number, 0)),
            Period::Open { at } if now - *at >= OPEN => true,
            Period::Open { at } => return Err(*at + OPEN - now),
            Period::Trial { at, slots } => {
                let full = slots.iter().filter(|slot| **slot != Slot::Freed).count() == PROBES;
                let waits = full || slots.contains(&Slot::Out);
                match (waits && now - *at >= HALF_OPEN, full) {
                    (true, _) => true,
                    (false, true) => return Err(*at + HALF_OPEN - now),
                    (false, false) => {
                        slots.push(Slot::Out);
                        return Ok((self.number, slots.len() - 1));
                    }
                }
            }
        };
        assert!(renew);
        self.begin(Period::Trial { at: now, slots: vec![Slot::Out] });
        Ok((self.number, 0))
    }

    fn report(&mut self, (number, slot): Ticket, now: u64, result: CallResult, slow: bool) -> Reported {
        if number != self.number {
            return Reported::Stale;
        }
        match &mut self.period {
            Period::Open { .. } => unreachable!("an open period admits no call"),
            Period::Closed { began, calls } => {
                if result == CallResult::Ignored {
                    return Reported::Ignored;
                }
                calls.push((now, result, slow));
                if (result == CallResult::Failure || slow) && self.rule.trips(*began, calls) {
                    self.begin(Period::Open { at: now });
                }
            }
            Period::Trial { slots, .. } => {
                if result == CallResult::Ignored {
                    slots[slot] = Slot::Freed;
                    return Reported::Ignored;
                }
                if self.rule.probe_failed(result, slow) {
                    self.begin(Period::Open { at: now });
                    return Reported::Counted;
                }
                slots[slot] = Slot::Succeeded;
                if slots.iter().filter(|slot| **slot == Slot::Succeeded).count() >= THRESHOLD {
                    self.begin(Period::Closed { began: now, calls: Vec::new() });
                }
            }
        }
        Reported::Counted
    }
}

#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Request,
    Report(prop::sample::Index, CallResult, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let result = prop_oneof![
        4 => Just(CallResult::Success), 6 => Just(CallResult::Failure), 1 => Just(CallResult::Ignored)
    ];
    prop::collection::vec(
        prop_oneof![
            2 => (0_u64..20).prop_map(Step::Wait),
            1 => (20_u64..150).prop_map(Step::Wait),
            6 => Just(Step::Request),
            5 => (any::<prop::sample::Index>(), result, prop::bool::weighted(0.2))
                .prop_map(|(index, result, slow)| Step::Report(index, result, slow)),
        ],
        0..300,
    )
}

const SLOW: Duration = Duration::from_millis(10);

fn agree<B: Breaker>(breaker: &B, rule: impl Rule, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut now = 1_758_124_800_000;
    let mut model = Model::new(rule, now);
    let mut state = breaker.init(now as f64);
    let mut out: Vec<(Ticket, Verdict)> = Vec::new();
    for step in steps {
        match step {
            Step::Wait(time) => now += time,
            Step::Request => {
                let (next, verdict) = breaker.request(state, now as f64);
                state = next;
                match model.request(now) {
                    Ok(ticket) => {
                        prop_assert!(verdict.ok);
                        out.push((ticket, verdict));
                    }
                    Err(wait) => prop_assert_eq!((verdict.ok, verdict.retry_after_ms), (false, wait as f64)),
                }
                prop_assert_eq!(verdict.status, model.status());
            }
            Step::Report(index, result, slow) => {
                if out.is_empty() {
                    continue;
                }
                let (ticket, verdict) = out.swap_remove(index.index(out.len()));
                let took = if slow { SLOW + Duration::from_millis(1) } else { SLOW };
                let report = Report::new(result).admitted_by(&verdict).took(took);
                let (next, reported) = breaker.report(state, now as f64, report);
                state = next;
                prop_assert_eq!(reported, model.report(ticket, now, result, slow));
            }
        }
        prop_assert_eq!(state.recovery().status, model.status());
    }
    Ok(())
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn growth() -> impl Strategy<Value = Growth> {
    prop_oneof![
        (1.0..9.0).prop_map(Growth::from),
        (1.0..9.0).prop_map(|factor| Growth::DecorrelatedJitter { factor }),
        Just(Growth::Fibonacci),
        Just(Growth::Linear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn consecutive_agrees_with_the_model(steps in steps(), failures in 1_usize..4) {
        let breaker = consecutive_breaker(failures as u64)
            .open(ms(OPEN)).half_open(ms(HALF_OPEN)).half_open_probes(PROBES as u64).success_threshold(THRESHOLD as u64)
            .build().unwrap();
        agree(&breaker, InARow(failures), steps)?;
    }

    #[test]
    fn rolling_agrees_with_the_model(
        steps in steps(),
        window in 10_u64..120,
        minimum in 1_u64..8,
        ratio in prop::sample::select(vec![0.1, 0.3, 0.5, 0.75, 1.0]),
        slow_ratio in prop::sample::select(vec![0.25, 0.5, 1.0]),
    ) {
        let breaker = rolling_breaker(ms(window)).failure_ratio(ratio).minimum_throughput(minimum)
            .slow_call(SLOW).slow_ratio(slow_ratio)
            .open(ms(OPEN)).half_open(ms(HALF_OPEN)).half_open_probes(PROBES as u64).success_threshold(THRESHOLD as u64)
            .build().unwrap();
        agree(&breaker, Ratio { window, minimum, ratio, slow_ratio }, steps)?;
    }

    /// "A backwards clock jump cannot corrupt anything", and no input, however hostile, yields NaN or a wait that is
    /// negative or longer than the longest opening or trial.
    #[test]
    fn any_clock_is_survived(
        times in prop::collection::vec((prop::num::f64::ANY, 0..6_u8), 0..80),
        start in prop::num::f64::ANY,
        growth in growth(),
    ) {
        let breaker = rolling_breaker(ms(50)).minimum_throughput(2).slow_call(SLOW)
            .open(ms(OPEN)).grow_open(growth, ms(200)).open_jitter(1.0).build().unwrap();
        let mut state = breaker.init(start);
        for (now, what) in times {
            state = match what {
                0 => breaker.request(state, now).0,
                1 => breaker.succeed(state, now),
                2 => force_open(state, now),
                3 => force_close(state, now),
                _ => breaker.report_with(state, now, Report::failure(), &mut || now).0,
            };
            prop_assert_eq!(state.validate(), Ok(()));
            let verdict = breaker.peek(state, now);
            prop_assert!((0.0..=400.0).contains(&verdict.retry_after_ms), "{:?}", verdict);
            prop_assert_eq!(verdict.ok, verdict.retry_after_ms == 0.0);
        }
    }
}
