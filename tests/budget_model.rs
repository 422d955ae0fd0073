//! The budgets against models that keep every event with its time.

use std::time::Duration;

use proptest::prelude::*;
use retry_primitives::budget::{Budget, Failure, adaptive_throttle, grpc_throttle, retry_budget, token_bucket};

#[path = "budget/steps.rs"]
#[allow(dead_code, reason = "shared with the other tests, each of which uses a part")]
mod steps;

use steps::{Step, history, take};

/// Every event with its time, and nothing ever forgotten.
#[derive(Default)]
struct Events(Vec<f64>);

impl Events {
    /// Those less than `age` milliseconds old.
    fn younger(&self, now: f64, age: f64) -> f64 {
        self.0.iter().filter(|&&time| now - time < age).count() as f64
    }

    /// The least and the most that ten slots may count: the last 9/10 of the window, and the whole of it.
    fn bounds(&self, now: f64, window_ms: f64) -> (f64, f64) {
        (self.younger(now, window_ms * 0.9), self.younger(now, window_ms))
    }
}

const WINDOW_MS: f64 = 10_000.0;
const BEGIN: f64 = 1_758_124_800_000.0;

fn window() -> Duration {
    Duration::from_secs(10)
}

proptest! {
    #[test]
    fn a_retry_budget_decides_within_a_slot_of_the_exact_window(
        history in history(),
        ratio in 0.0..2.0_f64,
        floor in 0.0..1.0_f64,
    ) {
        let budget = retry_budget().ratio(ratio).min_retries_per_second(floor).window(window()).build().unwrap();
        let limit = |requests: f64| floor * WINDOW_MS / 1e3 + ratio * requests;
        let (mut requests, mut retries) = (Events::default(), Events::default());
        let (mut state, mut now) = (budget.init(BEGIN), BEGIN);
        for (wait, step) in history {
            now += wait;
            let (least_requests, most_requests) = requests.bounds(now, WINDOW_MS);
            let (least_retries, most_retries) = retries.bounds(now, WINDOW_MS);
            prop_assert!((least_requests..=most_requests).contains(&budget.requests(&state, now)));
            prop_assert!((least_retries..=most_retries).contains(&budget.retries(&state, now)));

            let balance = budget.balance(&state, now);
            let (next, allowed) = take(&budget, state, now, step);
            state = next;
            match step {
                Step::Request(_) => {
                    prop_assert!(allowed);
                    requests.0.push(now);
                }
                Step::Retry(Failure::NonRetryable, _) => prop_assert!(!allowed),
                Step::Retry(..) => {
                    prop_assert_eq!(allowed, balance > 0.0);
                    if allowed {
                        prop_assert!(least_retries < limit(most_requests));
                        retries.0.push(now);
                    } else {
                        prop_assert!(most_retries >= limit(least_requests));
                    }
                }
                Step::Succeed(_) | Step::Fail(_) => {}
            }
        }
    }

    #[test]
    fn a_retry_budget_on_whole_slots_is_the_exact_window(
        history in proptest::collection::vec((0_u32..4, any::<bool>()), 1..200),
        ratio in 0.0..2.0_f64,
        floor in 0.0..1.0_f64,
    ) {
        let budget = retry_budget().ratio(ratio).min_retries_per_second(floor).window(window()).build().unwrap();
        let (mut requests, mut retries) = (Events::default(), Events::default());
        let (mut state, mut now) = (budget.init(BEGIN), BEGIN);
        for (slots, is_retry) in history {
            now += f64::from(slots) * WINDOW_MS / 10.0;
            let exact = (requests.younger(now, WINDOW_MS), retries.younger(now, WINDOW_MS));
            prop_assert_eq!((budget.requests(&state, now), budget.retries(&state, now)), exact);
            if is_retry {
                let (next, allowed) = budget.retry(state, now, Failure::Transient, || 0.0);
                state = next;
                prop_assert_eq!(allowed, exact.1 < floor * WINDOW_MS / 1e3 + ratio * exact.0);
                if allowed {
                    retries.0.push(now);
                }
            } else {
                state = budget.request(state, now, || 0.0).0;
                requests.0.push(now);
            }
        }
    }

    #[test]
    fn an_adaptive_throttle_decides_within_a_slot_of_the_exact_window(
        history in history(),
        multiplier in 1.0..3.0_f64,
    ) {
        let throttle = adaptive_throttle().multiplier(multiplier).window(window()).build().unwrap();
        let formula = |requests: f64, accepts: f64| ((requests - multiplier * accepts) / (requests + 1.0)).max(0.0);
        let (mut requests, mut accepts) = (Events::default(), Events::default());
        let (mut state, mut now) = (throttle.init(BEGIN), BEGIN);
        for (wait, step) in history {
            now += wait;
            let (least_requests, most_requests) = requests.bounds(now, WINDOW_MS);
            let (least_accepts, most_accepts) = accepts.bounds(now, WINDOW_MS);
            prop_assert!((least_requests..=most_requests).contains(&throttle.requests(&state, now)));
            prop_assert!((least_accepts..=most_accepts).contains(&throttle.accepts(&state, now)));

            // The formula grows with the requests and falls with the accepts.
            let least = formula(least_requests, most_accepts);
            let most = formula(most_requests, least_accepts);
            prop_assert!((least..=most).contains(&throttle.rejection_probability(&state, now)));

            let (next, allowed) = take(&throttle, state, now, step);
            state = next;
            match step {
                Step::Retry(Failure::NonRetryable, _) => prop_assert!(!allowed),
                Step::Request(draw) | Step::Retry(_, draw) => {
                    let in_bounds = if allowed { draw >= least } else { draw < most };
                    prop_assert!(in_bounds);
                    requests.0.push(now);
                }
                Step::Succeed(_) | Step::Fail(Failure::NonRetryable) => accepts.0.push(now),
                Step::Fail(_) => {}
            }
        }
    }

    #[test]
    fn a_token_bucket_is_its_ledger(history in history(), capacity in 10_u32..60) {
        let bucket = token_bucket().capacity(capacity).build().unwrap();
        let mut state = bucket.init(0.0);
        let mut tokens = i64::from(capacity);
        for (wait, step) in history {
            let (next, allowed) = take(&bucket, state, wait, step);
            let price = |failure| match failure {
                Failure::Timeout => 10,
                Failure::Transient | Failure::Throttling => 5,
                Failure::NonRetryable => i64::MAX,
            };
            match step {
                Step::Retry(failure, _) => {
                    prop_assert_eq!(allowed, tokens >= price(failure));
                    tokens -= if allowed { price(failure) } else { 0 };
                }
                Step::Succeed(None | Some(Failure::NonRetryable)) => tokens += 1,
                Step::Succeed(Some(failure)) => tokens += price(failure),
                Step::Request(_) | Step::Fail(_) => prop_assert!(allowed),
            }
            tokens = tokens.min(i64::from(capacity));
            prop_assert_eq!(next.tokens, tokens as f64);
            state = next;
        }
    }

    #[test]
    fn a_grpc_throttle_is_its_ledger(history in history(), max in 1_u32..20, ratio in 1_u32..3_000) {
        let throttle = grpc_throttle().max_tokens(max).token_ratio(f64::from(ratio) / 1e3).build().unwrap();
        let max = i64::from(max) * 1_000;
        let mut state = throttle.init(0.0);
        let mut tokens = max;
        for (wait, step) in history {
            let (next, allowed) = take(&throttle, state, wait, step);
            match step {
                Step::Retry(failure, _) => {
                    prop_assert_eq!(allowed, failure != Failure::NonRetryable && 2 * tokens > max);
                }
                Step::Succeed(_) => tokens += i64::from(ratio),
                Step::Fail(Failure::NonRetryable) | Step::Request(_) => prop_assert!(allowed),
                Step::Fail(_) => tokens -= 1_000,
            }
            tokens = tokens.clamp(0, max);
            prop_assert_eq!(next.milli_tokens, tokens as f64);
            state = next;
        }
    }

    /// Over any history, retries stay within a floor and a share of what was sent in the window and one slot more.
    #[test]
    fn a_dependency_that_is_down_sees_a_fifth_more(calls in proptest::collection::vec(0_u32..20, 1..300)) {
        let budget = retry_budget().min_retries_per_second(0.0).build().unwrap();
        let (mut state, mut now) = (budget.init(0.0), 0.0);
        let (mut requests, mut retries) = (0_u32, 0_u32);
        for wait in calls {
            now += f64::from(wait);
            state = budget.request(state, now, || 0.0).0;
            requests += 1;
            for _ in 0..3 {
                let (next, allowed) = budget.retry(state, now, Failure::Transient, || 0.0);
                state = next;
                retries += u32::from(allowed);
            }
        }
        // At most 6 s in all, so nothing is forgotten; the last retry may round up.
        prop_assert!(f64::from(retries) < 0.2 * f64::from(requests) + 1.0);
        prop_assert!(f64::from(retries) >= 0.2 * f64::from(requests));
    }
}
