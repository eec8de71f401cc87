"""Times of day: two texts are one time exactly where they can mean the same minute."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from rewardkit.math import judge
from rewardkit.math.text.dates import clock, date, same_clock

HALVES = {"am": 0, "PM": 12, " a.m.": 0, " p.m.": 12}
MINUTES = ("00", "05", "59")
TWELVE = [(f"{hour}:{minute}{half}", ("half", hour % 12 + HALVES[half], minute)) for hour in range(1, 13) for minute in MINUTES for half in HALVES]  # fmt: skip
PADDED = [(f"{hour:02}:{minute}", ("padded", hour, minute)) for hour in range(10) for minute in MINUTES]
BARE = [(f"{hour}:{minute}", ("bare", hour, minute)) for hour in range(25) for minute in MINUTES]
TIMES = TWELVE + PADDED + BARE


def may_be_one(left, right):
    """Without am or pm, an hour up to 12 may be either against a time that has one; 08:00 is in the morning."""
    if left[2] != right[2]:
        return False
    if "half" not in (left[0], right[0]) or "bare" not in (left[0], right[0]):
        return left[1] == right[1]
    bare, other = (left, right) if left[0] == "bare" else (right, left)
    return other[1] in ({bare[1], (bare[1] + 12) % 24} if 1 <= bare[1] <= 12 else {bare[1]})


def test_two_times_are_one_where_they_can_mean_the_same_minute():
    read = [(text, meaning, clock(text)) for text, meaning in TIMES]
    assert [text for text, _, found in read if found is None] == []
    wrong = [
        (text, other)
        for (text, meaning, found), (other, said, second) in itertools.product(read, repeat=2)
        if same_clock(found, second) is not may_be_one(meaning, said)
    ]
    assert wrong == []


@pytest.mark.parametrize("half", [" am", " pm"])
@pytest.mark.parametrize("hour", range(1, 13))
def test_an_hour_alone_needs_am_or_pm(hour, half):
    assert clock(f"{hour}{half}") == clock(f"{hour}:00{half}")
    assert clock(str(hour)) is None


@pytest.mark.parametrize(
    "text", ["25:00", "12:60", "4:30:15", "4:30:60 pm", "13:00 am", "0 pm", "13 pm", "4:3", "1:2:3", "4:30 xm"]
)
def test_no_times(text):
    assert clock(text) is None


def test_noon_and_midnight_have_names():
    assert clock("noon") == clock(r"\text{Midday}") == clock("12 pm") == clock("12:00 p.m.")
    assert clock("Midnight") == clock("12:00 am")


def test_seconds_count():
    assert clock("4:30:15 pm") == (4, 30, 15, "p")
    assert not same_clock((4, 30, 15, "p"), (4, 30, 16, "p"))
    assert clock("24:59") == (24, 59, 0, "")


def test_a_time_of_day_is_no_ratio():
    times = [f"{hour:02}:{minute:02}" for hour in range(1, 10) for minute in (1, 4, 15, 30)]
    times += [f"{hour}:{minute:02}" for hour in range(1, 24) for minute in range(1, 10)]
    for time in times:
        hour, minute = map(int, time.split(":"))
        shortest = Fraction(hour, minute)
        ratios = [f"{hour}/{minute}", f"{60 * hour}:{60 * minute}"]
        if shortest.denominator < minute:
            ratios.append(f"{shortest.numerator}:{shortest.denominator}")
        assert judge(rf"\boxed{{{time}}}", time).equal
        assert not [ratio for ratio in ratios if judge(rf"\boxed{{{ratio}}}", time).equal], time
        assert not [ratio for ratio in ratios if judge(rf"\boxed{{{time}}}", ratio).equal], time


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@pytest.mark.parametrize("month", range(1, 13))
def test_a_date_is_read_in_all_its_spellings(month):
    name = MONTHS[month - 1]
    for day, ending in ((1, "st"), (2, "nd"), (3, "rd"), (4, "th"), (31, "st")):
        spelled = (f"{name} {day}", f"{name[:3]}. {day}{ending}", f"{day} {name}", f"the {day}{ending} of {name}")
        assert {date(text) for text in spelled} == {(None, month, day)}
        dated = (f"{name} {day}, 1999", f"{day}{ending} of {name}, 1999", f"1999-{month:02}-{day:02}")
        assert {date(text) for text in dated} == {(1999, month, day)}


@pytest.mark.parametrize("text", ["July 0", "July 32", "1999-13-01", "1999-00-01", "1999-01-32", "Julember 4", "July"])
def test_no_dates(text):
    assert date(text) is None
