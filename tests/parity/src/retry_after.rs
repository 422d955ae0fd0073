//! The suite `retry_after`: header values, made up from good ones, as character codes.

use retry_primitives::classify::{Hints, HttpOptions, http_outcome, parse_http_date, parse_retry_after};

use crate::{IO, Suite, random::Random};

pub(crate) const SUITE: Suite = Suite { name: "retry_after", fill, run, outputs: RETRY_AFTER..OUTCOME_AFTER + 1 };

// `run.mjs` holds the same layout. NaN stands for no answer.
const NOW: usize = 0;
const STATUS: usize = 1;
const METHOD: usize = 2;
const IDEMPOTENT: usize = 3;
const HEADER: usize = 4;
pub(crate) const RETRY_AFTER: usize = 5;
pub(crate) const DATE: usize = 6;
pub(crate) const RETRYABLE: usize = 7;
pub(crate) const OUTCOME_AFTER: usize = 8;
const LENGTH: usize = 9;
const TEXT: usize = 10;

const HEADERS: [&str; 6] =
    ["retry-after", "retry-after-ms", "x-ms-retry-after-ms", "ratelimit-reset", "x-ratelimit-reset", "x-should-retry"];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const OTHERS: [&str; 8] = ["true", "false", "1.5", "62.25", "-3", "0x10", "1758124800", "Wed, 17 Sep 2025"];

fn fill(random: &mut Random, io: &mut [f64; IO]) {
    io[NOW] = random.moment();
    io[STATUS] = random.pick(&[200.0, 400.0, 408.0, 425.0, 429.0, 500.0, 501.0, 503.0, 599.0]);
    io[METHOD] = random.below(3) as f64;
    io[IDEMPOTENT] = random.below(3) as f64;
    io[HEADER] = if random.below(2) == 0 { 0.0 } else { random.below(HEADERS.len() as u64) as f64 };
    let mut text = valid(random);
    while random.below(2) == 0 {
        let character = b" \tGMT,:-.0123456789abc\"\x7f\0"[random.below(25) as usize];
        let at = random.below(text.len() as u64 + 1) as usize;
        match random.below(3) {
            0 => text.insert(at, char::from(character)),
            _ if at == text.len() => {}
            1 => drop(text.remove(at)),
            _ => {
                text.remove(at);
                text.insert(at, char::from(character));
            }
        }
    }
    if random.below(16) == 0 {
        text = (0..random.below(24)).map(|_| char::from(random.below(128) as u8)).collect();
    }
    text.truncate(IO - TEXT);
    io[LENGTH] = text.len() as f64;
    for (slot, byte) in io[TEXT..].iter_mut().zip(text.bytes()) {
        *slot = f64::from(byte);
    }
}

fn valid(random: &mut Random) -> String {
    let mut below = |end: u64| random.below(end);
    let (day, month) = (DAYS[below(7) as usize], MONTHS[below(12) as usize]);
    let (date, year) = (below(32), if below(4) == 0 { below(10_000) } else { 1_970 + below(100) });
    let (hour, minute, second) = (below(25), below(60), below(61));
    let short = &day[..3];
    match below(8) {
        0 => below(1 << 20).to_string(),
        1 => below(u64::MAX).to_string(),
        2 => OTHERS[below(8) as usize].to_string(),
        3 | 4 => format!("{day}, {date:02}-{month}-{:02} {hour:02}:{minute:02}:{second:02} GMT", year % 100),
        5 => format!("{short} {month} {date:>2} {hour:02}:{minute:02}:{second:02} {year:04}"),
        _ => format!("{short}, {date:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT"),
    }
}

fn run(io: &mut [f64; IO]) {
    let (now, length) = (io[NOW], (io[LENGTH] as usize).min(IO - TEXT));
    let text: String = io[TEXT..TEXT + length].iter().map(|code| char::from(*code as u8)).collect();
    io[RETRY_AFTER] = parse_retry_after(&text, now).unwrap_or(f64::NAN);
    io[DATE] = parse_http_date(&text, now).unwrap_or(f64::NAN);

    let mut options = HttpOptions::new().hints(Hints::ALL);
    options.method = [None, Some("GET"), Some("POST")][io[METHOD] as usize];
    options.idempotent = [None, Some(true), Some(false)][io[IDEMPOTENT] as usize];
    let set = HEADERS[io[HEADER] as usize];
    let outcome = http_outcome(io[STATUS] as u16, |name| (name == set).then_some(&text), now, &options);
    io[RETRYABLE] = f64::from(outcome.retryable);
    io[OUTCOME_AFTER] = outcome.retry_after_ms.unwrap_or(f64::NAN);
}
