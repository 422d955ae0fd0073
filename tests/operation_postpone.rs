//! An open breaker puts an operation off without spending an attempt.
#![cfg(feature = "operation")]

use std::time::Duration;

use proptest::prelude::*;
use retry_primitives::{
    Outcome, Policy, StopReason,
    backoff::{Exponential, Jitter, exponential},
    operation::{Operation, Phase, Progress, Report, Wake},
};

const DEAD_MAN: Duration = Duration::from_secs(15);
const DEADLINE: f64 = 60_000.0;

fn policy() -> Policy<Exponential> {
    exponential(Duration::from_secs(1))
        .max_attempts(4)
        .deadline(Duration::from_millis(DEADLINE as u64))
        .jitter(Jitter::None)
        .build()
        .unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Postpone(f64),
    Fail,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let until = prop_oneof![-1e5..2e5_f64, Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)];
    prop::collection::vec(prop_oneof![until.prop_map(Step::Postpone), Just(Step::Fail)], 1..30)
}

proptest! {
    /// Asked for: "postpones a delivery to the moment the breaker will admit it, without spending an attempt".
    #[test]
    fn postponing_spends_nothing_and_keeps_the_deadline(steps in steps(), start in 0.0..1e12_f64) {
        let policy = policy();
        let mut operation = Operation::start(&policy, start);
        let mut failures = 0;
        for step in steps {
            let Phase::Waiting { due } = operation.phase else { break };
            prop_assert!(due - start < DEADLINE, "no attempt is ever due at or past the deadline");
            match step {
                Step::Postpone(after) => {
                    let before = operation.clone();
                    operation.postpone(&policy, due, start + after);
                    prop_assert_eq!(&operation.state, &before.state);
                    prop_assert_eq!(&operation.history, &before.history);
                    match operation.phase {
                        Phase::Waiting { due: later } => prop_assert!(later >= due && (after.is_nan() || later >= start + after)),
                        Phase::GaveUp { reason, attempts, .. } => {
                            prop_assert_eq!((reason, attempts), (StopReason::Deadline, failures));
                            prop_assert!(after >= DEADLINE - 1e-3);
                        }
                        ref other => prop_assert!(false, "{:?}", other),
                    }
                }
                Step::Fail => {
                    let Wake::Attempt(ticket) = operation.wake(&policy, due, DEAD_MAN, || 0.5) else {
                        return Err(TestCaseError::fail("it was due"));
                    };
                    failures += 1;
                    prop_assert_eq!(ticket.attempt(), failures);
                    operation.settle(&policy, ticket, due, Report::failure(Outcome::RETRYABLE), || 0.5);
                }
            }
        }
        prop_assert!(operation.state.attempts <= failures);
    }
}

#[test]
fn only_what_waits_can_be_put_off() {
    let policy = policy();
    let mut operation = Operation::start(&policy, 0.0);
    assert!(operation.is_due(0.0) && !operation.is_due(-1.0));
    assert_eq!(operation.postpone(&policy, 0.0, 5_000.0), Progress::Retrying { at: 5_000.0, attempts: 0 });
    assert!(!operation.is_due(4_999.0));

    let Wake::Attempt(_) = operation.wake(&policy, 5_000.0, DEAD_MAN, || 0.5) else { panic!() };
    let running = operation.clone();
    operation.postpone(&policy, 6_000.0, 9_000.0);
    assert_eq!(operation, running);

    operation.cancel(7_000.0);
    let cancelled = operation.clone();
    operation.postpone(&policy, 8_000.0, 9_000.0);
    assert_eq!(operation, cancelled);
}
