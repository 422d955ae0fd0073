//! Steps of a call through a budget, made up; shared by the tests of budgets.

use proptest::prelude::*;
use retry_primitives::budget::{Budget, Failure};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Request(f64),
    Retry(Failure, f64),
    Succeed(Option<Failure>),
    Fail(Failure),
}

/// Plain numbers mapped to steps: ten times as fast to draw as a choice of strategies.
pub(crate) fn step() -> impl Strategy<Value = Step> {
    let failure = |kind: u8| match kind % 4 {
        0 => Failure::Transient,
        1 => Failure::Timeout,
        2 => Failure::Throttling,
        _ => Failure::NonRetryable,
    };
    (0_u8..16, 0_u8..5, 0.0..1.0_f64).prop_map(move |(what, kind, draw)| match what / 4 {
        0 => Step::Request(draw),
        1 => Step::Retry(failure(what), draw),
        2 => Step::Succeed((kind < 4).then(|| failure(kind))),
        _ => Step::Fail(failure(what)),
    })
}

/// Steps, and the milliseconds before each: mostly a moment, sometimes slots, now and then a whole window.
pub(crate) fn history() -> impl Strategy<Value = Vec<(f64, Step)>> {
    let wait = (0_u8..10, 0_u32..25_000).prop_map(|(scale, wait)| {
        f64::from(match scale {
            0 => wait,
            1..4 => wait % 3_000,
            _ => wait % 50,
        })
    });
    proptest::collection::vec((wait, step()), 1..150)
}

pub(crate) fn take<B: Budget>(budget: &B, state: B::State, now: f64, step: Step) -> (B::State, bool) {
    match step {
        Step::Request(draw) => budget.request(state, now, || draw),
        Step::Retry(failure, draw) => budget.retry(state, now, failure, || draw),
        Step::Succeed(retried) => (budget.succeed(state, now, retried), true),
        Step::Fail(failure) => (budget.fail(state, now, failure), true),
    }
}
