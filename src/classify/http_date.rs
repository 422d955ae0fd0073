//! HTTP-date, in the three forms of RFC 9110, 5.6.7.

#[cfg(not(target_family = "wasm"))]
use super::http_date_fast as parser;
#[cfg(target_family = "wasm")]
use super::http_date_small as parser;
use super::retry_after::some;

/// The moment an HTTP-date names, in epoch milliseconds; `None` when it is not one.
///
/// Reads the three forms of RFC 9110, 5.6.7, exactly as they are written there, case and spacing included:
///
/// - IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`
/// - rfc850-date, `Sunday, 06-Nov-94 08:49:37 GMT`
/// - asctime-date, `Sun Nov  6 08:49:37 1994`
///
/// The day must exist (`31 Feb` is `None`). The day name must be one, in its form's length, but need not be right: the
/// date says when, and senders do get the name wrong. A second of 60, a leap second, is the first of the next minute.
///
/// - `now`: epoch milliseconds, only needed for a two-digit year: of all years that end so, the last one that does not
///   put the moment more than 50 years after `now`. NaN counts as 0.
///
/// ```
/// use retry_primitives::classify::parse_http_date;
///
/// assert_eq!(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", 0.0), Some(784_111_777_000.0));
/// assert_eq!(parse_http_date("31 Feb", 0.0), None);
/// ```
pub fn parse_http_date(value: &str, now: f64) -> Option<f64> {
    some(moment(value.as_bytes(), now))
}

/// [`parse_http_date`]; NaN is none.
pub(crate) use parser::moment;

#[cfg(test)]
mod tests {
    use super::*;

    // Epoch seconds from `date -u -d '<date>' +%s` of GNU coreutils.
    const RFC_EXAMPLE: f64 = 784_111_777_000.0;
    const Y2025: f64 = 1_758_124_800_000.0; // Wed, 17 Sep 2025 16:00:00 GMT

    #[test]
    fn the_three_forms_of_the_rfc() {
        for value in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun Nov 06 08:49:37 1994",
        ] {
            assert_eq!(parse_http_date(value, Y2025), Some(RFC_EXAMPLE), "{value}");
        }
    }

    #[test]
    fn known_moments() {
        for (value, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1.0),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600.0),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800.0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199.0),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648.0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799.0),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200.0),
        ] {
            assert_eq!(parse_http_date(value, Y2025), Some(seconds * 1e3), "{value}");
        }
    }

    #[test]
    fn a_leap_second_is_the_next_minute() {
        // `date -u -d '2017-01-01' +%s`
        assert_eq!(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", Y2025), Some(1_483_228_800_000.0));
        assert_eq!(parse_http_date("Sat, 31 Dec 2016 23:59:61 GMT", Y2025), None);
    }

    #[test]
    fn the_day_name_must_be_one_but_not_the_right_one() {
        for value in ["Mon, 06 Nov 1994 08:49:37 GMT", "Monday, 06-Nov-94 08:49:37 GMT", "Thu Nov  6 08:49:37 1994"] {
            assert_eq!(parse_http_date(value, Y2025), Some(RFC_EXAMPLE), "{value}");
        }
        for value in [
            "Xyz, 06 Nov 1994 08:49:37 GMT",
            "sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT",
            "Monsday, 06-Nov-94 08:49:37 GMT",
            "Wedday, 06-Nov-94 08:49:37 GMT",
            "Sunday Nov  6 08:49:37 1994",
            "06 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(parse_http_date(value, Y2025), None, "{value}");
        }
    }

    #[test]
    fn a_day_that_does_not_exist() {
        for date in [
            "31 Feb 2024",
            "30 Feb 2024",
            "29 Feb 2023",
            "29 Feb 1900",
            "29 Feb 2100",
            "31 Apr 2024",
            "31 Jun 2024",
            "31 Sep 2024",
            "31 Nov 2024",
            "32 Jan 2024",
            "00 Jan 2024",
        ] {
            let mut value = *b"Sun, .. ... .... 08:49:37 GMT";
            value[5..16].copy_from_slice(date.as_bytes());
            assert_eq!(parse_http_date(core::str::from_utf8(&value).unwrap(), Y2025), None, "{date}");
        }
        for date in [
            "31 Jan 2024",
            "31 Mar 2024",
            "31 May 2024",
            "31 Jul 2024",
            "31 Aug 2024",
            "31 Oct 2024",
            "31 Dec 2024",
            "29 Feb 2000",
        ] {
            let mut value = *b"Sun, .. ... .... 08:49:37 GMT";
            value[5..16].copy_from_slice(date.as_bytes());
            assert!(parse_http_date(core::str::from_utf8(&value).unwrap(), Y2025).is_some(), "{date}");
        }
    }

    #[test]
    fn strict_otherwise() {
        for value in [
            "",
            "S",
            "Sun",
            "Sun,",
            "31 Feb",
            "1.5",
            "Sun Nov  0 08:49:37 1994",
            "Sun Nov 6 08:49:37 1994",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun,  6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 GMT ",
            " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 NOV 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov +994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08.49.37 GMT",
            "Sun Nov  6 08:49:37 1994 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
            "Sün, 06 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(parse_http_date(value, Y2025), None, "{value:?}");
        }
    }

    fn year_of(two_digits: &str, now: &str) -> f64 {
        let now = parse_http_date(now, 0.0).unwrap();
        let mut value = *b"Monday, 17-Sep-.. 16:00:00 GMT";
        value[15..17].copy_from_slice(two_digits.as_bytes());
        parse_http_date(core::str::from_utf8(&value).unwrap(), now).unwrap()
    }

    #[test]
    fn a_two_digit_year_is_at_most_50_years_ahead() {
        let moment = |year: &str| {
            let mut value = *b"Mon, 17 Sep .... 16:00:00 GMT";
            value[12..16].copy_from_slice(year.as_bytes());
            parse_http_date(core::str::from_utf8(&value).unwrap(), 0.0).unwrap()
        };
        for (digits, now, year) in [
            ("94", "Wed, 17 Sep 2025 16:00:00 GMT", "1994"),
            ("25", "Wed, 17 Sep 2025 16:00:00 GMT", "2025"),
            ("26", "Wed, 17 Sep 2025 16:00:00 GMT", "2026"),
            ("74", "Wed, 17 Sep 2025 16:00:00 GMT", "2074"),
            // Exactly 50 years are not more than 50 years; a second less of now is.
            ("75", "Wed, 17 Sep 2025 16:00:00 GMT", "2075"),
            ("75", "Wed, 17 Sep 2025 15:59:59 GMT", "1975"),
            ("75", "Tue, 16 Sep 2025 23:59:59 GMT", "1975"),
            ("75", "Thu, 18 Sep 2025 00:00:00 GMT", "2075"),
            ("76", "Wed, 31 Dec 2025 23:59:59 GMT", "1976"),
            ("70", "Thu, 01 Jan 1970 00:00:00 GMT", "1970"),
            ("00", "Thu, 31 Dec 2099 23:59:59 GMT", "2100"),
            ("99", "Fri, 01 Jan 2100 00:00:00 GMT", "2099"),
            ("49", "Sat, 01 Jan 2000 00:00:00 GMT", "2049"),
            ("50", "Sat, 01 Jan 2000 00:00:00 GMT", "1950"),
        ] {
            assert_eq!(year_of(digits, now), moment(year), "{digits} in {now}");
        }
    }

    #[test]
    fn the_50_years_count_the_leap_day_by_the_calendar() {
        let at = |value, now| parse_http_date(value, parse_http_date(now, 0.0).unwrap());
        // From 28 Feb 2022, 29 Feb 2072 is more than 50 years away; from 1 Mar 2022 it is less.
        assert_eq!(
            at("Monday, 29-Feb-72 00:00:00 GMT", "Mon, 28 Feb 2022 12:00:00 GMT"),
            at("Tue, 29 Feb 1972 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT")
        );
        assert_eq!(
            at("Monday, 29-Feb-72 00:00:00 GMT", "Tue, 01 Mar 2022 00:00:00 GMT"),
            at("Mon, 29 Feb 2072 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT")
        );
    }

    #[test]
    fn any_now_gives_a_finite_moment() {
        for now in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, -0.0, 1e300, -1.5] {
            let moment = parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now);
            assert!(moment.is_some_and(f64::is_finite), "{now}");
        }
    }
}
