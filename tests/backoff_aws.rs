//! The simulator of the AWS Architecture Blog's "Exponential Backoff And Jitter", driven by our policies.
//!
//! A hundred clients update one row under optimistic locking: read the version, write if it is still the same, back off
//! if not. The network takes |N(10, 2)| ms each way. Published with it: base 5 ms, cap 2 s, and the figures below.

use core::time::Duration;
use std::{cmp::Ordering, collections::BinaryHeap};

use retry_primitives::{
    Outcome, Policy, RetryState,
    backoff::{Curve, Jitter, constant, decorrelated_jitter, exponential},
};

const CLIENTS: usize = 100;
const RUNS: u64 = 30;
const CAP: Duration = Duration::from_secs(2);
/// The simulator counts its attempts from 1, so that its first wait is `5 * 2^1`; ours is `base * 2^0`.
const FIRST_WAIT: Duration = Duration::from_millis(10);

#[test]
fn exponential_without_jitter() {
    let policy = exponential(FIRST_WAIT).max_delay(CAP).unlimited_attempts().jitter(Jitter::None).build().unwrap();
    agrees(&policy, 63_514.0, 1_857.0);
}

#[test]
fn full_jitter() {
    let policy = exponential(FIRST_WAIT).max_delay(CAP).unlimited_attempts().jitter(Jitter::Full).build().unwrap();
    agrees(&policy, 4_961.0, 796.0);
}

#[test]
fn equal_jitter() {
    let policy = exponential(FIRST_WAIT).max_delay(CAP).unlimited_attempts().jitter(Jitter::Equal).build().unwrap();
    agrees(&policy, 6_593.0, 810.0);
}

#[test]
fn decorrelated() {
    let policy = decorrelated_jitter(Duration::from_millis(5)).max_delay(CAP).unlimited_attempts().build().unwrap();
    agrees(&policy, 4_810.0, 1_005.0);
}

#[test]
fn no_backoff() {
    let policy = constant(Duration::ZERO).unlimited_attempts().build().unwrap();
    agrees(&policy, 2_018.0, 2_423.0);
}

fn agrees<C: Curve>(policy: &Policy<C>, published_ms: f64, published_calls: f64) {
    let (mut ms, mut calls) = (0.0, 0.0);
    for run in 0..RUNS {
        let result = simulate(policy, &mut Chance(run));
        ms += result.0 / RUNS as f64;
        calls += result.1 / RUNS as f64;
    }
    println!("{ms:.0} ms of {published_ms}, {calls:.0} calls of {published_calls}");
    assert!((ms / published_ms - 1.0).abs() < 0.1, "{ms} ms, published {published_ms}");
    assert!((calls / published_calls - 1.0).abs() < 0.1, "{calls} calls, published {published_calls}");
}

#[derive(Clone, Copy)]
enum Message {
    Read,
    Version(u32),
    Write(u32),
    Conflict,
    Done,
}

struct Event {
    due: f64,
    client: usize,
    message: Message,
}

/// Until all clients are done: how long it took, and how many writes were tried.
fn simulate<C: Curve>(policy: &Policy<C>, chance: &mut Chance) -> (f64, f64) {
    let mut states: [RetryState; CLIENTS] = [policy.init(0.0); CLIENTS];
    let mut events = BinaryHeap::new();
    for client in 0..CLIENTS {
        events.push(Event { due: chance.network(), client, message: Message::Read });
    }
    let (mut now, mut version, mut writes) = (0.0, 0, 0.0);
    while let Some(Event { due, client, message }) = events.pop() {
        now = due;
        let mut wait = 0.0;
        let message = match message {
            Message::Read => Message::Version(version),
            Message::Version(seen) => Message::Write(seen),
            Message::Write(seen) => {
                writes += 1.0;
                if seen == version {
                    version += 1;
                    Message::Done
                } else {
                    Message::Conflict
                }
            }
            Message::Conflict => {
                let (state, decision) = policy.next(states[client], now, Outcome::RETRYABLE, || chance.unit());
                states[client] = state;
                wait = decision.retry_at(0.0).expect("no end to the attempts");
                Message::Read
            }
            Message::Done => continue,
        };
        events.push(Event { due: now + wait + chance.network(), client, message });
    }
    (now, writes)
}

impl Ord for Event {
    /// The earliest is the greatest: `BinaryHeap` gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.due.total_cmp(&self.due).then(other.client.cmp(&self.client))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// |N(10, 2)| ms, after Box and Muller.
    fn network(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        (10.0 + 2.0 * radius * (core::f64::consts::TAU * self.unit()).cos()).abs()
    }
}
