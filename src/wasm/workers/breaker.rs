//! One isolate's copy of a shared breaker.

use super::super::{count, invalid, is_count, number};
use super::Numbers;
use crate::breaker::merging::Merging;
use crate::breaker::{RollingBreakerState, Status};
use crate::shared::{Force, Kind, Pace, Replica, Write, is_of_this_time};
use crate::stored::{LENGTH, TIME};

/// What to do, and the two things that are needed of a breaker: its plain open time, and whether it has a window.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "said above")]
pub struct ReplicaStep {
    pub step: i32,
    pub open_ms: f64,
    pub is_rolling: bool,
}

/// One step of the replica in `numbers`. Negative is `invalid` for its state, and 100 less for the other one.
///
/// | step | given | code |
/// | --- | --- | --- |
/// | 0 read due | now | 1 if it is, which begins the read |
/// | 1 begin a read | now | 0 |
/// | 2 end a read | | 0 |
/// | 3 learn | 1 if `other` was read | 0 |
/// | 4 advance | `other` is the state after a call | 0 |
/// | 5 publish | now | 1 if a task is to be started, after the wait that it answers |
/// | 6 write | now | 0 done, 1 later, after the wait that it answers, 2 write `other` now, with the number that it answers |
/// | 7 wrote | number, now, 1 if it worked | 0 |
/// | 8 force | 0 open, 1 close, 2 reset; now | 0 |
/// | 9 is published | | 1 if it is |
/// | 10 check | now | 1 if `other` can be of this time |
/// | 11 merge | `other` into the state | 0 |
pub fn replica(numbers: &mut Numbers, step: ReplicaStep) -> i32 {
    let state = match read(&numbers.state) {
        Ok(state) => state,
        Err(code) => return code,
    };
    let other = match read(&numbers.other) {
        Ok(other) => other,
        Err(code) => return code - 100,
    };
    let kind = Merging { open_ms: step.open_ms, is_rolling: step.is_rolling };
    let mut replica = Replica { state, pace: pace(&numbers.pace) };
    let [one, two, three, ..] = numbers.given;
    let code = match step.step {
        0 => i32::from(replica.pace.read_due(one)),
        1 => {
            replica.pace.begin_read(one);
            0
        }
        2 => {
            replica.pace.end_read();
            0
        }
        3 => {
            replica.learn(&kind, if one != 0.0 { Some(other) } else { None });
            0
        }
        4 => {
            replica.advance(other);
            0
        }
        5 => {
            let wait = replica.pace.publish(one);
            numbers.answer[0] = wait.unwrap_or(f64::NAN);
            i32::from(wait.is_some())
        }
        6 => match replica.write(&kind, one) {
            Write::Done => 0,
            Write::Later(wait) => {
                numbers.answer[0] = wait;
                1
            }
            Write::Now(state, transitions) => {
                numbers.other = fields(&state);
                numbers.answer[0] = number(transitions);
                2
            }
        },
        7 => {
            replica.pace.wrote(count(one), two, three != 0.0);
            0
        }
        8 => {
            let force = match one as i32 {
                0 => Force::Open,
                1 => Force::Close,
                _ => Force::Reset,
            };
            replica.force(&kind, two, force);
            0
        }
        9 => i32::from(replica.pace.is_published()),
        10 => i32::from(is_of_this_time(&other, one)),
        _ => {
            replica.state = kind.join(state, other);
            0
        }
    };
    numbers.state = fields(&replica.state);
    numbers.pace = pace_numbers(&replica.pace);
    code
}

fn read(fields: &[f64; 14]) -> Result<RollingBreakerState, i32> {
    let [
        status,
        changed_at,
        probes,
        successes,
        openings,
        open_for_ms,
        ahead_ms,
        start,
        prev_ok,
        prev_fail,
        curr_ok,
        curr_fail,
        prev_slow,
        curr_slow,
    ] = *fields;
    let status = match status as i32 {
        0 => Status::Closed,
        1 => Status::Open,
        2 => Status::HalfOpen,
        _ => return Err(invalid(0)),
    };
    let counts = [probes, successes, openings, prev_ok, prev_fail, curr_ok, curr_fail, prev_slow, curr_slow];
    let indices = [2, 3, 4, 8, 9, 10, 11, 12, 13];
    if !TIME.accepts(changed_at) {
        return Err(invalid(1));
    }
    if let Some((index, _)) = indices.iter().zip(counts).find(|(_, value)| !is_count(*value)) {
        return Err(invalid(*index));
    }
    if !LENGTH.accepts(open_for_ms) {
        return Err(invalid(5));
    }
    if !LENGTH.accepts(ahead_ms) {
        return Err(invalid(6));
    }
    if !TIME.accepts(start) {
        return Err(invalid(7));
    }
    Ok(RollingBreakerState {
        status,
        changed_at,
        probes: count(probes),
        successes: count(successes),
        start,
        prev_ok: count(prev_ok),
        prev_fail: count(prev_fail),
        curr_ok: count(curr_ok),
        curr_fail: count(curr_fail),
        prev_slow: count(prev_slow),
        curr_slow: count(curr_slow),
        openings: count(openings),
        open_for_ms,
        ahead_ms,
    })
}

fn fields(state: &RollingBreakerState) -> [f64; 14] {
    [
        f64::from(state.status as i32),
        state.changed_at,
        number(state.probes),
        number(state.successes),
        number(state.openings),
        state.open_for_ms,
        state.ahead_ms,
        state.start,
        number(state.prev_ok),
        number(state.prev_fail),
        number(state.curr_ok),
        number(state.curr_fail),
        number(state.prev_slow),
        number(state.curr_slow),
    ]
}

fn pace([read_at, has_read, wrote_at, writing, failed_writes, transitions, published, task_until]: &[f64; 8]) -> Pace {
    let moment = |value: &f64| if value.is_nan() { None } else { Some(*value) };
    Pace {
        read_at: moment(read_at),
        has_read: *has_read != 0.0,
        wrote_at: moment(wrote_at),
        writing: moment(writing),
        failed_writes: *failed_writes as u32,
        transitions: count(*transitions),
        published: count(*published),
        task_until: moment(task_until),
    }
}

fn pace_numbers(pace: &Pace) -> [f64; 8] {
    let moment = |value: Option<f64>| value.unwrap_or(f64::NAN);
    [
        moment(pace.read_at),
        f64::from(u8::from(pace.has_read)),
        moment(pace.wrote_at),
        moment(pace.writing),
        f64::from(pace.failed_writes),
        number(pace.transitions),
        number(pace.published),
        moment(pace.task_until),
    ]
}
