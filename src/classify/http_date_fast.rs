//! HTTP-date where speed counts and bytes do not: as fast as a pattern of its own for each form makes it. Beside it, and bit
//! for bit with it, WebAssembly has the template of `http_date_small`, a quarter of its speed and less than half its size.

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

/// As `http_date::moment`.
pub(crate) fn moment(value: &[u8], now: f64) -> f64 {
    parse(value, now).unwrap_or(f64::NAN)
}

fn parse(value: &[u8], now: f64) -> Option<f64> {
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
    let (tens, ones) = (digit(tens), digit(ones));
    (tens <= 9 && ones <= 9).then(|| i32::from(tens * 10 + ones))
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
    use super::super::http_date_small::moment as by_template;
    use super::*;

    /// Dates, right and wrong: every form with every byte changed into each of some others, at times near the edge of a century.
    #[test]
    fn agrees_with_the_template() {
        let dates = [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Thu, 29 Feb 2024 23:59:60 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Thursday, 29-Feb-00 23:59:59 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Thu Feb 29 23:59:60 2024",
        ];
        let mut right = 0;
        for date in dates {
            for at in 0..=date.len() {
                for byte in
                    [b' ', b'0', b'1', b'2', b'3', b'6', b'9', b':', b',', b'-', b'J', b'M', b'a', b'n', b'y', 0]
                {
                    let mut value = date.as_bytes().to_vec();
                    match value.get_mut(at) {
                        Some(old) => *old = byte,
                        None => value.push(byte),
                    }
                    for now in [0.0, 1_758_124_800_000.0, 951_868_799_999.0, -62_167_219_200_001.0, crate::MAX_SAFE_MS]
                    {
                        let (fast, small) = (parse(&value, now), by_template(&value, now));
                        assert_eq!(fast, (!small.is_nan()).then_some(small), "{value:?} {now}");
                        right += u32::from(fast.is_some());
                    }
                }
            }
        }
        assert!(right > 1_000, "{right}");
    }
}
