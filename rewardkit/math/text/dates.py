"""Times of day and dates."""

from __future__ import annotations

import re

from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import plain_words

_MONTHS = {name: index for index, names in enumerate((
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept",
    "october oct", "november nov", "december dec"), 1) for name in names.split()}  # fmt: skip
_TIME = lazy(
    r"(\d{1,2})\s?:\s?(\d{2})(?::(\d{2}))?\s*(?:([ap])\.?\s?m\.?)?(?:\s*(?:hours|hrs|o'clock))?", re.IGNORECASE
)
_HOUR = lazy(r"(\d{1,2})\s*([ap])\.?\s?m\.?", re.IGNORECASE)
_NAMED_TIMES = {"noon": "12:00 pm", "midday": "12:00 pm", "midnight": "12:00 am"}
_DATES = (
    lazy(r"(?P<month>[a-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?", re.IGNORECASE),
    lazy(
        r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<month>[a-z]{3,9})\.?(?:,? (?P<year>\d{4}))?",
        re.IGNORECASE,
    ),
    lazy(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"),
)


def clock(text: str) -> tuple[int, int, int, str] | None:
    """(hour, minute, second, am/pm or "") of a time of day."""
    if len(text) > 80:
        return None
    text = plain_words(text).rstrip(".")
    match = _TIME.fullmatch(_NAMED_TIMES.get(text.lower(), text))
    if match is None:
        match = _HOUR.fullmatch(text)
        return (int(match[1]), 0, 0, match[2].lower()) if match and 1 <= int(match[1]) <= 12 else None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    later = hour > 12 and (match[4] or "").lower() == "a"
    if later or (match[3] and not match[4]) or hour > 24 or minute > 59 or second > 59:
        return None
    half = match[4] or ("a" if match[1][0] == "0" and len(match[1]) == 2 else "")  # 08:32 is said of a whole day
    return hour, minute, second, half.lower()


def same_clock(left: tuple[int, int, int, str], right: tuple[int, int, int, str]) -> bool:
    """Two times of day; am/pm may be left out; 16:30 is 4:30 pm."""
    if left[1:3] != right[1:3]:
        return False
    if left[3] and right[3]:
        return left[0] % 12 == right[0] % 12 and left[3] == right[3]
    for one, other in ((left, right), (right, left)):
        if one[3] and not other[3]:
            return other[0] in {one[0], one[0] % 12 + 12 if one[3] == "p" else one[0] % 12}
    return left[0] == right[0]


def date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date."""
    if len(text) > 80:
        return None
    text = plain_words(text).rstrip(".").replace("^", "")
    for pattern in _DATES:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        name = match["month"].lower()
        month = int(name) if name.isdigit() else _MONTHS.get(name)
        day = int(match["day"])
        if month and 1 <= month <= 12 and 1 <= day <= 31:
            return int(match["year"]) if match["year"] else None, month, day
    return None
