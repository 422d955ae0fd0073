"""Writes retry_after.json: what each Retry-After value means, by RFC 9110 (5.6.7, 10.2.3) and the proleptic Gregorian
calendar of Python's datetime.

Knows nothing of the Rust code. Usage: python3 tests/vectors/generate_retry_after.py
"""

import json
import math
import random
import re
from datetime import MINYEAR, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

MAX_SAFE = 2**53 - 1
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
NOW = 1_758_124_800_000  # Wed, 17 Sep 2025 16:00:00 GMT
LONG = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
SHORT = [day[:3] for day in LONG]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

# The grammar of RFC 9110, 5.6.7; the day of asctime is `2DIGIT / ( SP 1DIGIT )`.
DAY, MONTH, TIME = "|".join(SHORT), "|".join(MONTHS), r"(?P<h>[0-9]{2}):(?P<min>[0-9]{2}):(?P<s>[0-9]{2})"
FORMS = [
    rf"(?:{DAY}), (?P<d>[0-9]{{2}}) (?P<m>{MONTH}) (?P<y>[0-9]{{4}}) {TIME} GMT",
    rf"(?:{'|'.join(LONG)}), (?P<d>[0-9]{{2}})-(?P<m>{MONTH})-(?P<yy>[0-9]{{2}}) {TIME} GMT",
    rf"(?:{DAY}) (?P<m>{MONTH}) (?P<d>[0-9]{{2}}| [0-9]) {TIME} (?P<y>[0-9]{{4}})",
]


def at(year, month, day, hour, minute, second):
    """Epoch milliseconds, or None where there is no such day; second 60 is the first of the next minute."""
    try:
        whole = datetime(year, month, day, hour, minute, 0, tzinfo=timezone.utc)
    except ValueError:
        return None
    if second > 60:
        return None
    return (whole - EPOCH) // timedelta(milliseconds=1) + second * 1000


def two_digit_year(digits, rest, now):
    """Of all years that end so, the last that is not more than 50 years after now."""
    today = EPOCH + timedelta(milliseconds=math.floor(now))
    latest = None
    for year in range(today.year - 60, today.year + 60):
        if year % 100 != digits:
            continue
        month, day, hour, minute, second = rest
        # In 50 years to the millisecond, by the calendar: compare all but the year, then the years.
        moment = (month, day, hour * 3_600_000 + minute * 60_000 + second * 1000)
        clock = today.hour * 3_600_000 + today.minute * 60_000 + today.second * 1000 + today.microsecond // 1000
        late = year - today.year > 50 or year - today.year == 50 and moment > (today.month, today.day, clock)
        if not late:
            latest = year
    return latest


def meaning(value, now):
    value = value.strip(" \t")
    if re.fullmatch("[0-9]+", value):
        return min(int(value) * 1000, MAX_SAFE)
    for form in FORMS:
        found = re.fullmatch(form, value)
        if not found:
            continue
        part = found.groupdict()
        rest = (MONTHS.index(part["m"]) + 1, *(int(part[key]) for key in ("d", "h", "min", "s")))
        year = int(part["y"]) if "y" in part else two_digit_year(int(part["yy"]), rest, now)
        moment = at(year, *rest)
        if moment is None:
            return None
        return min(max(0, math.ceil(moment - Fraction(now))), MAX_SAFE)
    return None


def forms(moment, day=None):
    day = moment.weekday() if day is None else day
    time = moment.strftime("%H:%M:%S")
    month = MONTHS[moment.month - 1]
    yield f"{SHORT[day]}, {moment.day:02} {month} {moment.year:04} {time} GMT"
    yield f"{LONG[day]}, {moment.day:02}-{month}-{moment.year % 100:02} {time} GMT"
    yield f"{SHORT[day]} {month} {moment.day:2} {time} {moment.year:04}"


def main():
    out, seen = [], set()

    def add(name, value, now=NOW):
        if len(value) <= 100 and (value, now) not in seen:
            seen.add((value, now))
            out.append({"name": name, "value": value, "now": now, "expected": meaning(value, now)})

    for value in ("0", "1", "120", "007", "86400", "9007199254740", "9007199254741", "9" * 30, "0" * 40 + "5"):
        add("seconds", value)
    for value in ("", " ", "\t", "-3", "+5", "1.5", "1e3", "0x10", "120 s", "1,2", "12 0", "NaN", "Infinity", "null",
                  "soon", "2025-09-17T16:00:10Z", "1758124810", "Wed, 17 Sep 2025", "٣", "１２"):
        add("not in the grammar, or just seconds", value)
    add("space around it", " \t 120\t ")
    add("space around it", "  Wed, 17 Sep 2025 16:00:10 GMT ")
    add("no other white space", "120\n")
    add("no other white space", "\u00a0120")

    dice = random.Random(20_260_102)
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
    days = [datetime(*day, tzinfo=timezone.utc) for day in (
        (1970, 1, 1), (1994, 11, 6, 8, 49, 37), (2000, 2, 29, 12), (2000, 3, 1), (2024, 2, 29, 23, 59, 59), (2024, 12, 31),
        (2025, 9, 17, 16), (2025, 9, 17, 16, 0, 10), (2025, 9, 18), (2038, 1, 19, 3, 14, 8), (2075, 9, 17, 16),
        (2075, 9, 17, 16, 0, 1), (2100, 3, 1), (2400, 2, 29), (MINYEAR, 1, 1))] + [last]
    days += [EPOCH + timedelta(seconds=dice.randrange(253_402_300_799)) for _ in range(40)]
    days += [EPOCH + timedelta(milliseconds=NOW, seconds=dice.randrange(10**7)) for _ in range(40)]
    for moment in days:
        for form, value in zip(("IMF-fixdate", "RFC 850", "asctime"), forms(moment)):
            for now in (NOW, 0, NOW + 0.5, -86_400_000, int((moment - EPOCH).total_seconds()) * 1000 - 1):
                if -(10**13) < now < 10**14:  # further on Python's years end before the fifty to look ahead
                    add(form, value, now)
    for day in range(7):
        for value in forms(days[1], day):
            add("any day name", value)
    for moment in days[5:9]:
        for value in forms(moment):
            for old, new in ((":00", ":60"), (":00", ":61"), ("16:", "24:"), ("16:", "23:"), ("GMT", "UTC"), ("GMT", "gmt"),
                             (" 2025", " 25"), ("-25", "-2025"), ("Sep", "sep"), ("Sep", "September"), ("17", "31"),
                             ("17", "00"), ("17", "7"), (", ", ","), (" ", "  "), ("GMT", "+0000"), ("Sep", "Feb")):
                add("a little wrong", value.replace(old, new, 1))
    for year in (1900, 2000, 2023, 2024, 2100):
        for date in ("28 Feb", "29 Feb", "30 Feb", "31 Apr", "30 Apr", "32 Jan", "00 Jan"):
            add("a day that may not exist", f"Mon, {date} {year} 10:11:12 GMT")
    good = [value for moment in days for value in forms(moment)] + ["120"]
    for _ in range(400):
        value = list(dice.choice(good))
        for _ in range(dice.choice((1, 1, 2))):
            place = dice.randrange(len(value)) if value else 0
            value[place : place + dice.randrange(2)] = dice.choice(["", *"0123456789 ,:-GMTSunJa"])
        add("mutated", "".join(value))

    lines = ",\n".join(json.dumps(vector) for vector in out)
    Path(__file__).with_name("retry_after.json").write_text(f"[\n{lines}\n]\n")
    print(len(out), "vectors,", sum(vector["expected"] is not None for vector in out), "with a meaning")


main()
