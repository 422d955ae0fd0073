//! HTTP-date, in the three forms of RFC 9110, 5.6.7.

use super::retry_after::digit;
use crate::number::finite_time;

const MS_PER_DAY: i64 = 86_400_000;
/// From 1 March of year 0 to 1 January 1970. Years here start in March, so a leap day is the last of its year.
const EPOCH_DAY: i32 = 719_468;
const DAYS_PER_400_YEARS: i32 = 146_097;

const WEEKDAYS: [&[u8]; 7] = [b"Sunday", b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday"];

const MONTHS: [u32; 12] = [
    pack(*b"Jan"),
    pack(*b"Feb"),
    pack(*b"Mar"),
    pack(*b"Apr"),
    pack(*b"May"),
    pack(*b"Jun"),
    pack(*b"Jul"),
    pack(*b"Aug"),
    pack(*b"Sep"),
    pack(*b"Oct"),
    pack(*b"Nov"),
    pack(*b"Dec"),
];

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
    moment(value.as_bytes(), now)
}

pub(super) fn moment(value: &[u8], now: f64) -> Option<f64> {
    let (name, rest) = value.split_first_chunk::<3>()?;
    let weekday = WEEKDAYS.iter().find(|weekday| weekday.first_chunk() == Some(name))?;
    let (century, year, month, day, clock) = match *rest {
        [b',', b' ', d1, d2, b' ', m1, m2, m3, b' ', y1, y2, y3, y4, b' ', ref clock @ .., b' ', b'G', b'M', b'T'] => {
            (Some([y1, y2]), [y3, y4], [m1, m2, m3], [d1, d2], clock)
        }
        [b' ', m1, m2, m3, b' ', d1, d2, b' ', ref clock @ .., b' ', y1, y2, y3, y4] => {
            (Some([y1, y2]), [y3, y4], [m1, m2, m3], [if d1 == b' ' { b'0' } else { d1 }, d2], clock)
        }
        _ => match *value.strip_prefix(*weekday)? {
            [b',', b' ', d1, d2, b'-', m1, m2, m3, b'-', y1, y2, b' ', ref clock @ .., b' ', b'G', b'M', b'T'] => {
                (None, [y1, y2], [m1, m2, m3], [d1, d2], clock)
            }
            _ => return None,
        },
    };

    let [h1, h2, b':', m1, m2, b':', s1, s2] = *clock else { return None };
    let (hour, minute, second) = (two([h1, h2])?, two([m1, m2])?, two([s1, s2])?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let month = pack(month);
    let month = MONTHS.iter().position(|packed| *packed == month)? as i32 + 1;
    let date = Date::new(month, two(day)?, (hour * 60 + minute) * 60 + second)?;
    let year = two(year)?;
    date.at(match century {
        Some(century) => two(century)? * 100 + year,
        None => date.full_year(year, now),
    })
}

fn two([tens, ones]: [u8; 2]) -> Option<i32> {
    Some(i32::from(digit(tens)? * 10 + digit(ones)?))
}

const fn pack([a, b, c]: [u8; 3]) -> u32 {
    (a as u32) << 16 | (b as u32) << 8 | c as u32
}

/// A date without its year.
struct Date {
    month: i32,
    day: i32,
    /// Since 1 March.
    day_of_year: i32,
    second_of_day: i32,
}

impl Date {
    /// 29 February passes; [`Date::at`] knows the year.
    fn new(month: i32, day: i32, second_of_day: i32) -> Option<Self> {
        let days = if month == 2 { 29 } else { 30 + (month + month / 8) % 2 };
        if day < 1 || day > days {
            return None;
        }
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Some(Self { month, day, day_of_year, second_of_day })
    }

    /// January and February end the March year that began in the year before.
    fn is_before_march(&self) -> i32 {
        i32::from(self.month <= 2)
    }

    fn at(&self, year: i32) -> Option<f64> {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        if self.month == 2 && self.day == 29 && !leap {
            return None;
        }
        let year = year - self.is_before_march();
        let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + self.day_of_year;
        Some(f64::from(days - EPOCH_DAY) * MS_PER_DAY as f64 + f64::from(self.second_of_day) * 1e3)
    }

    /// The last year ending in `two_digits` that keeps this date within 50 years after `now`, to the millisecond.
    fn full_year(&self, two_digits: i32, now: f64) -> i32 {
        let now = finite_time(now) as i64;
        let day = now.div_euclid(MS_PER_DAY) as i32 + EPOCH_DAY;
        let ms_of_day = now.rem_euclid(MS_PER_DAY) as i32;

        // The March year and the day in it, after Howard Hinnant's `civil_from_days`.
        let day_of_era = day.rem_euclid(DAYS_PER_400_YEARS);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let year = day.div_euclid(DAYS_PER_400_YEARS) * 400 + year_of_era;

        let last = year + 50 + self.is_before_march();
        let behind = (last - two_digits).rem_euclid(100);
        let too_late = behind == 0 && (self.day_of_year, self.second_of_day * 1_000) > (day_of_year, ms_of_day);
        last - behind - if too_late { 100 } else { 0 }
    }
}

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
