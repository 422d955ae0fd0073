//! The date parser against the `httpdate` crate, which shares no code with it.

use std::time::{Duration, UNIX_EPOCH};

use proptest::prelude::*;
use retry_primitives::MAX_SAFE_MS;
use retry_primitives::classify::{Hints, HttpOptions, http_outcome, parse_http_date, parse_retry_after};

const LAST_SECOND: u64 = 253_402_300_799; // Fri, 31 Dec 9999 23:59:59 GMT
const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// IMF-fixdate as `httpdate` writes it.
fn imf_fixdate(seconds: u64) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
}

fn long_day(short: &str) -> &'static str {
    match short {
        "Sun" => "Sunday",
        "Mon" => "Monday",
        "Tue" => "Tuesday",
        "Wed" => "Wednesday",
        "Thu" => "Thursday",
        "Fri" => "Friday",
        _ => "Saturday",
    }
}

/// The other two forms of the same moment, put together from the first.
fn rfc850_date(imf: &str) -> String {
    format!("{}, {}-{}-{} {} GMT", long_day(&imf[..3]), &imf[5..7], &imf[8..11], &imf[14..16], &imf[17..25])
}

fn asctime_date(imf: &str) -> String {
    let day = if &imf[5..6] == "0" { format!(" {}", &imf[6..7]) } else { imf[5..7].to_string() };
    format!("{} {} {} {} {}", &imf[..3], &imf[8..11], day, &imf[17..25], &imf[12..16])
}

fn oracle(value: &str) -> Option<f64> {
    let moment = httpdate::parse_http_date(value).ok()?;
    Some(moment.duration_since(UNIX_EPOCH).unwrap().as_secs() as f64 * 1e3)
}

fn check(seconds: u64) {
    let moment = seconds as f64 * 1e3;
    let expected = Some(moment);
    let imf = imf_fixdate(seconds);
    assert_eq!(oracle(&imf), expected);
    assert_eq!(parse_http_date(&imf, 0.0), expected, "{imf}");

    let asctime = asctime_date(&imf);
    assert_eq!(oracle(&asctime), expected, "{asctime}");
    assert_eq!(parse_http_date(&asctime, 0.0), expected, "{asctime}");

    // Within 50 years of the moment itself the two digits mean this year; httpdate knows 1970 to 2069 only.
    let rfc850 = rfc850_date(&imf);
    for now in [moment, moment - 1.5e12, moment + 1.5e12] {
        assert_eq!(parse_http_date(&rfc850, now), expected, "{rfc850} at {now}");
    }
    if ("1970".."2070").contains(&&imf[12..16]) {
        assert_eq!(oracle(&rfc850), expected, "{rfc850}");
    }
}

#[test]
fn a_sweep_over_all_years() {
    // 30 days less a second: every month, day and time of day comes by.
    for seconds in (0..=LAST_SECOND).step_by(2_591_999) {
        check(seconds);
    }
    check(LAST_SECOND);
}

#[test]
fn every_day_for_two_centuries() {
    for day in 0..200 * 366 {
        check(day * 86_400 + if day % 2 == 0 { 0 } else { 86_399 });
    }
}

#[test]
fn every_day_and_month_that_can_be_written() {
    // Real or not: the two must agree on which exist. The day name is found by trying, as httpdate insists on the right one.
    for year in [1970, 1972, 1999, 2000, 2023, 2024, 2100, 2400, 9999] {
        for month in ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Foo"] {
            for day in 0..=40 {
                let date = format!("{day:02} {month} {year} 00:00:00 GMT");
                let expected = DAYS.iter().find_map(|name| oracle(&format!("{name}, {date}")));
                assert_eq!(parse_http_date(&format!("Sun, {date}"), 0.0), expected, "{date}");
            }
        }
    }
}

/// A valid value with one byte changed, or cut short, or doubled.
fn mutated() -> impl Strategy<Value = String> {
    let seconds = 0..=LAST_SECOND;
    (seconds, 0..3_u8, any::<prop::sample::Index>(), prop::sample::select(b" ,:-0123456789GMTSunJFeab\t+.".to_vec()))
        .prop_map(|(seconds, form, index, byte)| {
            let imf = imf_fixdate(seconds);
            let value = match form {
                0 => imf,
                1 => rfc850_date(&imf),
                _ => asctime_date(&imf),
            };
            let mut bytes = value.into_bytes();
            let at = index.index(bytes.len());
            bytes[at] = byte;
            String::from_utf8(bytes).unwrap()
        })
}

fn never_absurd(value: &str, now: f64) -> Result<(), TestCaseError> {
    if let Some(wait) = parse_retry_after(value, now) {
        prop_assert!((0.0..=MAX_SAFE_MS).contains(&wait) && wait.fract() == 0.0, "{value:?} at {now}: {wait}");
    }
    if let Some(moment) = parse_http_date(value, now) {
        prop_assert!(moment.is_finite(), "{value:?} at {now}: {moment}");
    }
    let options = HttpOptions::new().hints(Hints::ALL);
    for name in ["retry-after-ms", "x-ms-retry-after-ms", "ratelimit-reset", "x-ratelimit-reset", "x-should-retry"] {
        let header = |asked: &str| (asked == name).then_some(value);
        if let Some(wait) = http_outcome(429, header, now, &options).retry_after_ms {
            prop_assert!(
                (0.0..=MAX_SAFE_MS).contains(&wait) && wait.fract() == 0.0,
                "{name}: {value:?} at {now}: {wait}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_moment_in_all_three_forms(seconds in 0..=LAST_SECOND) {
        check(seconds);
    }

    #[test]
    fn both_accept_the_same_and_mean_the_same(value in mutated()) {
        let ours = parse_http_date(&value, 0.0);
        // Two digits mean another year to httpdate; it trims, starts in 1970, and knows no leap second.
        let same_rules = !value.contains('-') && value.trim() == value && !value.contains(":60");
        if same_rules && ours.is_none_or(|moment| moment >= 0.0) {
            // It insists on the right day name, where any will do here: try them all.
            let is_day = DAYS.contains(&&value[..3]);
            let oracle = DAYS.iter().filter(|_| is_day).find_map(|day| oracle(&format!("{day}{}", &value[3..])));
            prop_assert_eq!(ours, oracle, "{}", value);
        }
    }

    #[test]
    fn a_delay_is_a_thousand_times_its_digits(seconds in 0_u64..9_007_199_254_740) {
        prop_assert_eq!(parse_retry_after(&seconds.to_string(), 0.0), Some((seconds * 1_000) as f64));
    }

    #[test]
    fn a_date_and_a_clock_are_told_apart(seconds in 0_u64..4_000_000_000, now in 0_u64..4_000_000_000) {
        let expected = seconds.saturating_sub(now) * 1_000;
        prop_assert_eq!(parse_retry_after(&imf_fixdate(seconds), now as f64 * 1e3), Some(expected as f64));
    }

    #[test]
    fn a_two_digit_year_is_within_50_years_and_no_later_one_is(seconds in 0..=LAST_SECOND, now in 0_u64..4_000_000_000) {
        let now = now as f64 * 1e3;
        let imf = imf_fixdate(seconds);
        if let Some(moment) = parse_http_date(&rfc850_date(&imf), now) {
            let year = 365.2425 * 86_400_000.0;
            prop_assert!(moment - now <= 50.01 * year, "{imf} at {now}: {moment}");
            prop_assert!(moment - now >= -50.01 * year, "{imf} at {now}: {moment}");
        } else {
            prop_assert_eq!(&imf[5..11], "29 Feb");
        }
    }

    #[test]
    fn mutations_never_panic(value in mutated(), now in any::<f64>()) {
        never_absurd(&value, now)?;
    }

    #[test]
    fn hostile_text_never_panics(value in any::<String>(), now in any::<f64>()) {
        never_absurd(&value, now)?;
    }

    #[test]
    fn hostile_digits_never_panic(value in "[ \t]{0,2}[-+]?[0-9]{0,400}[.]?[0-9]{0,400}(e[0-9]+)?", now in any::<f64>()) {
        never_absurd(&value, now)?;
    }
}
