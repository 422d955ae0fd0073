//! An operation loses nothing, wherever its process dies.
#![cfg(feature = "operation")]

use std::time::Duration;

use proptest::prelude::*;
use retry_primitives::{
    Outcome, Policy, StopReason,
    backoff::{Exponential, Jitter, constant, exponential},
    operation::{MAX_HISTORY, Operation, Phase, Progress, Report, Wake},
};

const DEAD_MAN: Duration = Duration::from_secs(15);

fn policy(max_attempts: u64) -> Policy<Exponential> {
    exponential(Duration::from_secs(1)).max_attempts(max_attempts).jitter(Jitter::None).build().unwrap()
}

/// What survives a crash: the stored text and the armed alarm, written together.
struct Store {
    text: String,
    alarm: Option<f64>,
}

impl Store {
    fn write(&mut self, operation: &Operation) {
        self.text = serde_json::to_string(operation).unwrap();
        self.alarm = operation.alarm();
    }

    fn read(&self) -> Operation {
        serde_json::from_str(&self.text).unwrap()
    }
}

/// Where the process dies during one run of the alarm.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crash {
    BeforeWriteAhead,
    BeforeRequest,
    AfterRequest,
    AfterSettle,
    Never,
}

/// Runs one alarm against a receiver that says `ok`; returns how many requests left.
fn run_alarm(store: &mut Store, policy: &Policy<Exponential>, now: f64, ok: bool, crash: Crash) -> u32 {
    let mut operation = store.read();
    let wake = operation.wake(policy, now, DEAD_MAN, || 0.5);
    if crash == Crash::BeforeWriteAhead {
        return 0;
    }
    store.write(&operation);
    let Wake::Attempt(ticket) = wake else { return 0 };
    if crash == Crash::BeforeRequest {
        return 0;
    }
    if crash == Crash::AfterRequest {
        return 1;
    }
    let mut operation = store.read();
    let report = if ok { Report::success() } else { Report::failure(Outcome::RETRYABLE).with_status(503) };
    operation.settle(policy, ticket, now + 20.0, report, || 0.5);
    store.write(&operation);
    1
}

proptest! {
    /// Design, Workers integration 2: "A crash at any instruction then leaves an armed alarm, so nothing is lost; the
    /// receiver may see a duplicate, never a gap."
    #[test]
    fn every_operation_is_delivered_wherever_its_process_dies(
        crashes in prop::collection::vec(
            prop_oneof![
                Just(Crash::BeforeWriteAhead),
                Just(Crash::BeforeRequest),
                Just(Crash::AfterRequest),
                Just(Crash::AfterSettle),
            ],
            0..12,
        ),
        failures in 0_u32..4,
    ) {
        let policy = policy(100);
        let mut now = 1_758_124_800_000.0;
        let mut store = Store { text: String::new(), alarm: None };
        store.write(&Operation::start(&policy, now));
        let mut crashes = crashes.into_iter();
        let (mut requests, mut answers) = (0, 0);
        for _ in 0..100 {
            let Some(due) = store.alarm else { break };
            prop_assert!(due >= now, "an alarm is never armed for the past");
            now = due;
            let crash = crashes.next().unwrap_or(Crash::Never);
            let sent = run_alarm(&mut store, &policy, now, answers >= failures, crash);
            requests += sent;
            answers += sent;
        }
        let delivered = matches!(store.read().phase, Phase::Delivered { .. });
        prop_assert!(delivered, "{:?}", store.read());
        prop_assert!(requests > failures);
    }

    /// A stored operation reads back as the same, and text that is none is an error, not a panic.
    #[test]
    fn stored_text_reads_back_or_is_refused(cut in 0_usize..400, garbage in ".{0,40}") {
        let policy = policy(9);
        let mut operation = Operation::start(&policy, 1e12);
        let Wake::Attempt(ticket) = operation.wake(&policy, 1e12, DEAD_MAN, || 0.5) else { unreachable!() };
        operation.settle(&policy, ticket, 1e12 + 7.0, Report::failure(Outcome::RETRYABLE).with_error("é"), || 0.5);
        let text = serde_json::to_string(&operation).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Operation>(&text).unwrap(), &operation);

        let cut: String = text.chars().take(cut % text.chars().count()).collect();
        prop_assert!(serde_json::from_str::<Operation>(&cut).is_err());
        let longer = [garbage.as_str(), &text, "x"].concat();
        prop_assert!(serde_json::from_str::<Operation>(&longer).is_err());
    }
}

/// Case from the field: the platform drops an alarm after six throws; ours is armed after any number of failures.
#[test]
fn the_alarm_is_still_armed_after_more_failures_than_the_platform_forgives() {
    let policy = policy(1_000);
    let mut store = Store { text: String::new(), alarm: None };
    store.write(&Operation::start(&policy, 0.0));
    let mut waits = Vec::new();
    for _ in 0..9 {
        let due = store.alarm.expect("armed");
        run_alarm(&mut store, &policy, due, false, Crash::Never);
        waits.push(store.alarm.expect("armed") - due - 20.0);
    }
    // 2^(n - 1) seconds, capped at 30.
    assert_eq!(waits, [1e3, 2e3, 4e3, 8e3, 16e3, 30e3, 30e3, 30e3, 30e3]);
}

/// The alarm that a decision asks for is the instant that it names.
#[test]
fn the_alarm_is_the_named_instant() {
    let policy = policy(5);
    let mut operation = Operation::start(&policy, 1_000.0);
    let Wake::Attempt(ticket) = operation.wake(&policy, 1_000.5, DEAD_MAN, || 0.5) else { panic!() };
    assert_eq!(operation.alarm(), Some(16_000.5));
    let report = Report::failure(Outcome::retry_after(Duration::from_secs(7)));
    let progress = operation.settle(&policy, ticket, 2_000.0, report, || 0.5);
    assert_eq!(progress, Progress::Retrying { at: 9_000.0, attempts: 1 });
    assert_eq!(operation.alarm(), Some(9_000.0));
    assert_eq!(operation.history[0].delay_ms, Some(7_000.0));
}

#[test]
fn an_early_alarm_changes_nothing() {
    let policy = policy(5);
    let mut operation = Operation::start(&policy, 1_000.0);
    let before = operation.clone();
    assert_eq!(
        operation.wake(&policy, 999.0, DEAD_MAN, || 0.5),
        Wake::Nothing(Progress::Retrying { at: 1_000.0, attempts: 0 })
    );
    assert_eq!(operation, before);

    operation.wake(&policy, 1_000.0, DEAD_MAN, || 0.5);
    let running = operation.clone();
    assert_eq!(
        operation.wake(&policy, 15_999.0, DEAD_MAN, || 0.5),
        Wake::Nothing(Progress::Running { until: 16_000.0, attempts: 0 })
    );
    assert_eq!(operation, running);
}

/// A lost attempt counts, so that one which takes its process down does not go on for ever.
#[test]
fn lost_attempts_count_and_are_shown() {
    let policy = policy(2);
    let mut operation = Operation::start(&policy, 0.0);
    operation.wake(&policy, 0.0, DEAD_MAN, || 0.5);
    assert_eq!(
        operation.wake(&policy, 15_000.0, DEAD_MAN, || 0.5),
        Wake::Nothing(Progress::Retrying { at: 16_000.0, attempts: 1 })
    );
    operation.wake(&policy, 16_000.0, DEAD_MAN, || 0.5);
    assert_eq!(
        operation.wake(&policy, 31_000.0, DEAD_MAN, || 0.5),
        Wake::Nothing(Progress::GaveUp { reason: StopReason::MaxAttempts, attempts: 2 })
    );
    assert!(operation.history.iter().all(|attempt| attempt.error.is_some() && attempt.took_ms == 15_000.0));
    assert_eq!(operation.alarm(), None);
}

/// Design, Workers integration 4: never trust what was read before the request.
#[test]
fn a_late_report_of_a_cancelled_operation_changes_nothing() {
    let policy = policy(5);
    let mut operation = Operation::start(&policy, 0.0);
    let Wake::Attempt(ticket) = operation.wake(&policy, 0.0, DEAD_MAN, || 0.5) else { panic!() };
    assert!(operation.cancel(5.0));
    assert!(!operation.cancel(6.0), "only the first call cancels");
    let cancelled = operation.clone();
    assert_eq!(operation.settle(&policy, ticket, 7.0, Report::success(), || 0.5), Progress::Cancelled { attempts: 0 });
    assert_eq!(operation, cancelled);
    assert_eq!(operation.wake(&policy, 1e9, DEAD_MAN, || 0.5), Wake::Nothing(Progress::Cancelled { attempts: 0 }));
}

#[test]
fn a_report_counts_once() {
    let policy = policy(5);
    let mut operation = Operation::start(&policy, 0.0);
    let Wake::Attempt(ticket) = operation.wake(&policy, 0.0, DEAD_MAN, || 0.5) else { panic!() };
    let failed = Report::failure(Outcome::RETRYABLE);
    operation.settle(&policy, ticket, 1.0, failed.clone(), || 0.5);
    let settled = operation.clone();
    operation.settle(&policy, ticket, 2.0, failed, || 0.5);
    assert_eq!(operation, settled);
}

#[test]
fn what_is_over_stays_over() {
    let policy = policy(1);
    for (report, progress) in [
        (Report::success(), Progress::Delivered { attempts: 1 }),
        (Report::failure(Outcome::NON_RETRYABLE), Progress::GaveUp { reason: StopReason::NonRetryable, attempts: 1 }),
        (Report::failure(Outcome::RETRYABLE), Progress::GaveUp { reason: StopReason::MaxAttempts, attempts: 1 }),
    ] {
        let mut operation = Operation::start(&policy, 0.0);
        let Wake::Attempt(ticket) = operation.wake(&policy, 0.0, DEAD_MAN, || 0.5) else { panic!() };
        assert_eq!(operation.settle(&policy, ticket, 1.0, report, || 0.5), progress);
        assert!(operation.is_over());
        assert!(!operation.cancel(2.0));
        assert_eq!(operation.wake(&policy, 1e9, DEAD_MAN, || 0.5), Wake::Nothing(progress));
    }
}

#[test]
fn the_history_is_bounded() {
    let policy = constant(Duration::from_secs(1)).unlimited_attempts().jitter(Jitter::None).build().unwrap();
    let mut operation = Operation::start(&policy, 0.0);
    for _ in 0..MAX_HISTORY + 10 {
        let due = operation.alarm().unwrap();
        let Wake::Attempt(ticket) = operation.wake(&policy, due, DEAD_MAN, || 0.5) else { panic!() };
        let report = Report::failure(Outcome::RETRYABLE).with_error("x".repeat(10_000));
        operation.settle(&policy, ticket, due, report, || 0.5);
    }
    assert_eq!(operation.history.len(), MAX_HISTORY);
    assert_eq!(operation.history.back().unwrap().attempt, MAX_HISTORY as u64 + 10);
    assert!(serde_json::to_string(&operation).unwrap().len() < 16 * 1024);
}

/// The JSON is the documented one, with the reference's names for the retry state.
#[test]
fn the_json_is_the_documented_one() {
    let policy = policy(5);
    let mut operation = Operation::start(&policy, 1_758_124_800_000.0);
    let json = |operation: &Operation| serde_json::to_value(operation).unwrap();
    let state = serde_json::json!({ "attempts": 0, "startedAt": 1758124800000_i64, "prevDelayMs": 0 });
    assert_eq!(
        json(&operation),
        serde_json::json!({
            "phase": { "status": "waiting", "due": 1758124800000_i64 }, "state": state, "history": [],
        })
    );
    operation.cancel(1_758_124_800_001.0);
    assert_eq!(json(&operation)["phase"], serde_json::json!({ "status": "cancelled", "at": 1758124800001_i64 }));
}

#[test]
fn a_stored_time_that_is_none_is_refused() {
    for phase in [
        r#"{"status":"waiting","due":null}"#,
        r#"{"status":"waiting","due":"soon"}"#,
        r#"{"status":"waiting","due":1e300}"#,
        r#"{"status":"waiting"}"#,
        r#"{"status":"asleep"}"#,
    ] {
        let text =
            format!(r#"{{"phase":{phase},"state":{{"attempts":0,"startedAt":0,"prevDelayMs":0}},"history":[]}}"#);
        assert!(serde_json::from_str::<Operation>(&text).is_err(), "{phase}");
    }
}

#[test]
fn a_start_over_says_what_was_wrong() {
    let operation = Operation::start_over(&policy(5), 5.0, "the stored state was unreadable");
    assert_eq!(operation.alarm(), Some(5.0));
    assert_eq!(operation.recovered.as_deref(), Some("the stored state was unreadable"));
}

/// Case 8: a Retry-After past every date saturates; what is stored can still be read, and named by an alarm.
#[test]
fn a_wait_past_the_last_date_is_stored_and_read_back() {
    let policy = exponential(Duration::from_secs(1)).unlimited_attempts().build().unwrap();
    for now in [0.0, 1.7e12, f64::INFINITY, f64::NEG_INFINITY] {
        let mut operation = Operation::start(&policy, now);
        let Wake::Attempt(ticket) = operation.wake(&policy, now, Duration::MAX, || 0.5) else { panic!("{now}") };
        assert!(operation.alarm().unwrap() <= 8.64e15);
        let report = Report::failure(Outcome { retryable: true, retry_after_ms: Some(f64::INFINITY) });
        operation.settle(&policy, ticket, f64::INFINITY, report, || 0.5);
        assert_eq!(operation.alarm(), Some(8.64e15));
        let text = serde_json::to_string(&operation).unwrap();
        assert_eq!(serde_json::from_str::<Operation>(&text).expect(&text), operation);
    }
}

/// Design, Core: "State read back from a store is untrusted".
#[test]
fn a_due_moment_past_the_last_date_is_unreadable() {
    let text = |due: &str| {
        let state = r#"{"attempts":0,"startedAt":0,"prevDelayMs":0}"#;
        format!(r#"{{"phase":{{"status":"waiting","due":{due}}},"state":{state},"history":[],"added later":1}}"#)
    };
    assert!(serde_json::from_str::<Operation>(&text("8640000000000000")).is_ok());
    let error = serde_json::from_str::<Operation>(&text("8640000000000001")).unwrap_err().to_string();
    assert!(error.contains("due must be a number of milliseconds from -8.64e15 to 8.64e15"), "{error}");
}
