//! HTTP-date where bytes count: one loop along a template reads all three forms. `http_date_fast` is its twin elsewhere.

use super::retry_after::digit;
use super::words::groups;
use crate::number::finite_time;

const MS_PER_DAY: i64 = 86_400_000;
/// Years here start in March, so a leap day is the last of its year, and are counted from far before the first that a
/// double of milliseconds reaches: unsigned division is all that dates need then. A multiple of 400.
const YEARS_BEFORE_0: u32 = 400_000;
const DAYS_PER_400_YEARS: u32 = 146_097;
/// From 1 March of the first of these years to 1 January 1970.
const EPOCH_DAY: u32 = YEARS_BEFORE_0 / 400 * DAYS_PER_400_YEARS + 719_468;

const WEEKDAYS: &str = "Sun\nMon\nTue\nWed\nThu\nFri\nSat\n\n\
    Sunday\nMonday\nTuesday\nWednesday\nThursday\nFriday\nSaturday\n";
const MONTHS: &str = "Jan\n\nFeb\n\nMar\n\nApr\n\nMay\n\nJun\n\nJul\n\nAug\n\nSep\n\nOct\n\nNov\n\nDec\n";

/// What follows the day's name. `0` and `y` are digits, the latter of the year; `_` is a digit or a space; `b` is a byte of
/// the month's name; the rest is as it stands.
const FIXDATE: &[u8] = b", 00 bbb yyyy 00:00:00 GMT";
const RFC850: &[u8] = b", 00-bbb-yy 00:00:00 GMT";
const ASCTIME: &[u8] = b" bbb _0 00:00:00 yyyy";

/// As `http_date::moment`.
#[inline(never)]
pub(crate) fn moment(value: &[u8], now: f64) -> f64 {
    let end = value.iter().position(|byte| matches!(byte, b' ' | b',')).unwrap_or(0);
    let (name, rest) = value.split_at_checked(end).unwrap_or_default();
    let weekday = groups(WEEKDAYS, name, 0, false);
    let long = weekday == 2;
    let form = match rest {
        [b' ', ..] => ASCTIME,
        _ if long => RFC850,
        _ => FIXDATE,
    };

    // Four bits a digit: the year; day, hour, minute and second.
    let (mut letters, mut year, mut clock) = ([0; 3], 0_u32, 0_u32);
    let mut right = weekday != 0 && rest.len() == form.len() && (weekday == 1 || form.len() == RFC850.len());
    for (kind, byte) in form.iter().zip(rest) {
        let digit = digit(*byte);
        match kind {
            b'b' => letters = [letters[1], letters[2], *byte],
            b'_' if *byte == b' ' => {}
            b'0' | b'y' | b'_' if digit > 9 => right = false,
            b'y' => year = year << 4 | u32::from(digit),
            b'0' | b'_' => clock = clock << 4 | u32::from(digit),
            _ => right &= kind == byte,
        }
    }
    let month = groups(MONTHS, &letters, 0, false).trailing_zeros() + 1;
    let (day, hour, minute, second) = (two(clock >> 24), two(clock >> 16), two(clock >> 8), two(clock));
    if !right || month > 12 || day == 0 || hour > 23 || minute > 59 || second > 60 {
        return f64::NAN;
    }
    let before_march = u32::from(month <= 2);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day;
    let second_of_day = (hour * 60 + minute) * 60 + second;

    let mut year = two(year >> 8) * 100 + two(year) + YEARS_BEFORE_0;
    if long {
        year = latest(year, now, before_march, day_of_year, second_of_day);
    }
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = if month == 2 { 28 + u32::from(leap) } else { 30 + (month + month / 8) % 2 };
    if day > days {
        return f64::NAN;
    }
    let days = days_before(year - before_march) + day_of_year - 1;
    (f64::from(days) - f64::from(EPOCH_DAY)) * MS_PER_DAY as f64 + f64::from(second_of_day) * 1e3
}

/// Two digits of four bits.
const fn two(digits: u32) -> u32 {
    (digits >> 4 & 15) * 10 + (digits & 15)
}

/// From the first of all days to the first of a year that starts in March.
const fn days_before(year: u32) -> u32 {
    365 * year + year / 4 - year / 100 + year / 400
}

/// The last year with the two last digits of `year` that keeps a date within 50 years after `now`, to the millisecond.
fn latest(year: u32, now: f64, before_march: u32, day_of_year: u32, second_of_day: u32) -> u32 {
    let now = (finite_time(now) as i64 + i64::from(EPOCH_DAY) * MS_PER_DAY) as u64;
    let day = (now / MS_PER_DAY as u64) as u32;
    // By the mean length of a year it is this one or the one before.
    let mean = (u64::from(day) * 400 / u64::from(DAYS_PER_400_YEARS)) as u32;
    let this = if day < days_before(mean + 1) { mean } else { mean + 1 };

    let last = this + 50 + before_march;
    let behind = (last - year % 100) % 100;
    let moment = u64::from(day_of_year - 1) * MS_PER_DAY as u64 + u64::from(second_of_day) * 1_000;
    let too_late = behind == 0 && moment > now - u64::from(days_before(this)) * MS_PER_DAY as u64;
    last - behind - if too_late { 100 } else { 0 }
}
