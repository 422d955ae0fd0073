//! An operation's steps.

use super::super::{count, is_count, number};
use super::Numbers;
use crate::number::date_ms;
use crate::operation::lifecycle::{Due, Ended, Lifecycle};
use crate::operation::{Phase, Ticket};
use crate::shared::armable;
use crate::stored::{DATE, DELAY, LENGTH, TIME};
use crate::{Decision, RetryState, StopReason};

/// One step of the operation in `numbers`. Negative answers are -1 and the index of a wrong number in it; -100 says
/// that a policy's decision cannot be right.
///
/// | step | given | code |
/// | --- | --- | --- |
/// | 0 check | | 0 |
/// | 1 start | | 0; the retry state is given in its place |
/// | 2 wake | now, dead man | 0 nothing, 1 attempt, 2 lost; answers the ticket |
/// | 3 ask | now, ticket | 1 if the attempt is awaited; answers the moment to decide for |
/// | 4 deliver | now, ticket | 0; answers what ended |
/// | 5 decided | now, ticket, delay or reason (-1 to -3), attempts, `startedAt`, `prevDelayMs` | 0; answers what ended |
/// | 6 put off | until | 1 if it waits; answers the moment |
/// | 7 postpone | now, until, what the deadline leaves | 0 |
/// | 8 cancel | now | 1 more if it did, 2 more if an attempt ended, which it answers |
/// | 9 arm | now | 1 if an alarm is due, whose moment it answers |
/// | 10 is due | now | 1 if it is |
///
/// A ticket is the operation's start, the attempt, and since when.
pub fn operation(numbers: &mut Numbers, step: i32) -> i32 {
    if step == 1 {
        numbers.operation[0] = 0.0;
        numbers.operation[1] = 0.0;
    }
    let mut life = match read(&numbers.operation) {
        Ok(life) => life,
        Err(code) => return code,
    };
    let [now, one, two, three, four, five, six, seven] = numbers.given;
    let ticket = Ticket { operation: one, attempt: count(two), since: three };
    let code = match step {
        0 => 0,
        1 => {
            life = Lifecycle::start(life.state);
            0
        }
        2 => match life.wake(now, one) {
            Due::Attempt(ticket) => answer(numbers, ticket, 1),
            Due::Lost(ticket) => answer(numbers, ticket, 2),
            Due::Nothing => 0,
        },
        3 => {
            numbers.answer[0] = date_ms(now);
            i32::from(life.awaits(ticket))
        }
        4 => ended(numbers, life.deliver(ticket, now)),
        5 => match decision(four, five, six, seven) {
            Some((state, decision)) => {
                let state = state.unwrap_or(life.state);
                ended(numbers, life.decided(ticket, now, state, decision))
            }
            None => return -100,
        },
        6 => {
            let moment = life.put_off(now);
            numbers.answer[0] = moment.unwrap_or(f64::NAN);
            i32::from(moment.is_some())
        }
        7 => {
            life.postpone(now, one, two);
            0
        }
        8 => {
            let (cancels, running) = life.cancel(now);
            if let Some(running) = running {
                ended(numbers, running);
            }
            i32::from(cancels) + 2 * i32::from(running.is_some())
        }
        9 => match life.alarm() {
            Some(due) => {
                let at = armable(due, now);
                life.armed_at(at);
                numbers.answer[0] = at;
                1
            }
            None => 0,
        },
        _ => i32::from(life.is_due(now)),
    };
    numbers.operation = write(&life);
    code
}

/// Checks a record of the history: `given` is `attempt`, `startedAt`, `tookMs`, `status`, `retryAfterMs` and `delayMs`,
/// 0 for one that is not there. Negative is `invalid`.
pub fn record(numbers: &Numbers) -> i32 {
    let [attempt, started_at, took_ms, status, retry_after_ms, delay_ms, ..] = numbers.given;
    let good = [
        is_count(attempt),
        DATE.accepts(started_at),
        LENGTH.accepts(took_ms),
        f64::from(status as u16) == status,
        DELAY.accepts(retry_after_ms),
        DELAY.accepts(delay_ms),
    ];
    (0..).zip(good).find(|(_, good)| !good).map_or(0, |(index, _)| super::super::invalid(index))
}

fn answer(numbers: &mut Numbers, ticket: Ticket, code: i32) -> i32 {
    numbers.answer = [ticket.operation, number(ticket.attempt), ticket.since, 0.0];
    code
}

fn ended(numbers: &mut Numbers, ended: Ended) -> i32 {
    let Ended { attempt, started_at, took_ms, delay_ms } = ended;
    numbers.answer = [number(attempt), started_at, took_ms, delay_ms.unwrap_or(f64::NAN)];
    0
}

/// What a policy of any making decided; the state is that of a retry.
fn decision(
    delay_ms: f64,
    attempts: f64,
    started_at: f64,
    prev_delay_ms: f64,
) -> Option<(Option<RetryState>, Decision)> {
    if !is_count(attempts) {
        return None;
    }
    let attempts = count(attempts);
    // What was left of the deadline is not stored.
    let stop = |reason| Decision::Stop { reason, attempts, remaining_ms: 0.0, retry_after_ms: None };
    if delay_ms == -1.0 {
        return Some((None, stop(StopReason::NonRetryable)));
    }
    if delay_ms == -2.0 {
        return Some((None, stop(StopReason::MaxAttempts)));
    }
    if delay_ms == -3.0 {
        return Some((None, stop(StopReason::Deadline)));
    }
    if !DELAY.accepts(delay_ms) || !TIME.accepts(started_at) || !DELAY.accepts(prev_delay_ms) {
        return None;
    }
    let state = RetryState { attempts, started_at, prev_delay_ms };
    Some((Some(state), Decision::Retry { delay_ms, attempts, remaining_ms: 0.0 }))
}

fn read([status, first, second, reason, attempts, started_at, prev_delay_ms]: &[f64; 7]) -> Result<Lifecycle, i32> {
    let date = |value: f64, index: i32| if DATE.accepts(value) { Ok(value) } else { Err(super::super::invalid(index)) };
    let whole =
        |value: f64, index: i32| if is_count(value) { Ok(count(value)) } else { Err(super::super::invalid(index)) };
    let phase = match *status as i32 {
        0 => Phase::Waiting { due: date(*first, 1)? },
        1 => Phase::Running { since: date(*first, 1)?, until: date(*second, 2)? },
        2 => Phase::Delivered { at: date(*first, 1)?, attempts: whole(*second, 2)? },
        3 => {
            let (at, attempts) = (date(*first, 1)?, whole(*second, 2)?);
            let reason = match *reason as i32 {
                0 => StopReason::NonRetryable,
                1 => StopReason::MaxAttempts,
                2 => StopReason::Deadline,
                _ => return Err(super::super::invalid(3)),
            };
            Phase::GaveUp { at, reason, attempts }
        }
        4 => Phase::Cancelled { at: date(*first, 1)? },
        _ => return Err(super::super::invalid(0)),
    };
    let attempts = whole(*attempts, 4)?;
    if !TIME.accepts(*started_at) {
        return Err(super::super::invalid(5));
    }
    if !DELAY.accepts(*prev_delay_ms) {
        return Err(super::super::invalid(6));
    }
    Ok(Lifecycle { phase, state: RetryState { attempts, started_at: *started_at, prev_delay_ms: *prev_delay_ms } })
}

fn write(life: &Lifecycle) -> [f64; 7] {
    let Lifecycle { phase, state: RetryState { attempts, started_at, prev_delay_ms } } = *life;
    let [status, first, second, reason] = match phase {
        Phase::Waiting { due } => [0.0, due, 0.0, 0.0],
        Phase::Running { since, until } => [1.0, since, until, 0.0],
        Phase::Delivered { at, attempts } => [2.0, at, number(attempts), 0.0],
        Phase::GaveUp { at, reason, attempts } => [3.0, at, number(attempts), f64::from(reason as u8)],
        Phase::Cancelled { at } => [4.0, at, 0.0, 0.0],
    };
    [status, first, second, reason, number(attempts), started_at, prev_delay_ms]
}
