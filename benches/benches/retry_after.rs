//! Reading a `Retry-After` value beside `httpdate` and, for plain seconds, beside `str::parse`.
//!
//! A figure is one value out of 64, all different. What each side does with it:
//!
//! - **retry-primitives**: `parse_retry_after`, that is: trims, tells seconds from a date, parses, checks that the day
//!   exists, and gives the milliseconds left. A two-digit year is read in the light of `now`, as RFC 9110 asks.
//! - **httpdate**: `parse_http_date`, that is: trims, parses the date, checks that the day exists and that its name is
//!   right, and gives a `SystemTime`. It knows no seconds, and how long to wait is left to the caller.
//! - **str::parse**: a `u64`, nothing else. No peer reads seconds, so this is a floor, not a rival.

use std::{
    hint::black_box,
    time::{Duration, UNIX_EPOCH},
};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fastrand::Rng;
use retry_primitives::classify::parse_retry_after;

const NOW: f64 = 1_758_124_800_000.0;
const VALUES: usize = 64;

/// Calls `parse` with every value.
fn compare<T>(criterion: &mut Criterion, operation: &str, values: &[String], peer: &str, parse: impl Fn(&str) -> T) {
    let mut group = criterion.benchmark_group(operation);
    group.throughput(Throughput::Elements(values.len() as u64));
    group.bench_function("retry-primitives", |bencher| {
        bencher.iter(|| {
            for value in values {
                black_box(parse_retry_after(black_box(value), black_box(NOW)));
            }
        });
    });
    group.bench_function(peer, |bencher| {
        bencher.iter(|| {
            for value in values {
                black_box(parse(black_box(value)));
            }
        });
    });
    group.finish();
}

fn dates(criterion: &mut Criterion) {
    const TWO_YEARS: u64 = 2 * 365 * 86_400;
    let mut rng = Rng::with_seed(7);
    let fixdates: Vec<String> = (0..VALUES)
        .map(|_| UNIX_EPOCH + Duration::from_secs(NOW as u64 / 1_000 + rng.u64(1..TWO_YEARS)))
        .map(httpdate::fmt_http_date)
        .collect();
    // "Sun, 06 Nov 1994 08:49:37 GMT" as "Sunday, 06-Nov-94 08:49:37 GMT" and as "Sun Nov  6 08:49:37 1994".
    let rfc850 = fixdates.iter().map(|date| {
        let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        let name = names.iter().find(|name| name.starts_with(&date[..3])).expect("a day of the week");
        format!("{name}, {}-{}-{} {}", &date[5..7], &date[8..11], &date[14..16], &date[17..])
    });
    let asctime = fixdates.iter().map(|date| {
        let day = date[5..7].parse::<u8>().expect("a day of the month");
        format!("{} {} {day:>2} {} {}", &date[..3], &date[8..11], &date[17..25], &date[12..16])
    });

    for (form, values) in
        [("fixdate", fixdates.clone()), ("RFC 850 date", rfc850.collect()), ("asctime date", asctime.collect())]
    {
        for (value, fixdate) in values.iter().zip(&fixdates) {
            let moment = httpdate::parse_http_date(value).expect("a date");
            assert_eq!(moment, httpdate::parse_http_date(fixdate).expect("a date"), "{value}");
            let epoch_ms = moment.duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as f64;
            assert_eq!(parse_retry_after(value, NOW), Some(epoch_ms - NOW), "{value}");
        }
        compare(criterion, &format!("Retry-After, {form}"), &values, "httpdate", httpdate::parse_http_date);
    }
}

fn seconds(criterion: &mut Criterion) {
    let mut rng = Rng::with_seed(7);
    let values: Vec<String> = (0..VALUES).map(|_| rng.u32(1..86_400).to_string()).collect();
    compare(criterion, "Retry-After, seconds", &values, "str::parse", str::parse::<u64>);
}

criterion_group!(benches, dates, seconds);
criterion_main!(benches);
