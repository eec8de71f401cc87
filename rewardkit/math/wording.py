"""Answers in words: yes and no, "no solution", option letters, numbers spelled out, times, dates, names."""

from __future__ import annotations

import re
from functools import lru_cache

from rewardkit.math.vocabulary import word_set

_GROUPS = (
    ("yes", "true", "y", "correct"),
    ("no", "false"),
    ("no solution", "no solutions", "none", "no real solution", "no real solutions", "empty set", "the empty set", "no solution exists",
     "no solutions exist", "there is no solution", "there are no solutions", "no such number exists", "no such numbers exist", "null set",
     "no integer solutions", "no integer solution", "no real roots", "无解", "нет решений", "sin solución", "keine lösung", "pas de solution"),
    ("does not exist", "dne", "doesnt exist", "undefined", "not defined", "limit does not exist", "diverges", "divergent"),
    ("all real numbers", "all reals", "all real", "any real number", "real numbers", "every real number", "r"),
    ("infinitely many", "infinite", "infinitely many solutions", "infinite number of solutions"),
    ("impossible", "not possible", "cannot be determined", "not enough information"),
    ("even", "even number"),
    ("odd", "odd number"),
    ("convergent", "converges"),
)  # fmt: skip
_SAME = {text: group[0] for group in _GROUPS for text in group}
_SAME["divergent"] = _SAME["diverges"] = "diverges"
EMPTY_WORDS = frozenset(_GROUPS[2])
ALL_REALS = frozenset(_GROUPS[4]) - {"r"}
_LITTLE = frozenset({"the", "a", "an"})
_DIGITS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "once": 1,
    "twice": 2,
}
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_MONTHS = {name: index for index, names in enumerate((
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept",
    "october oct", "november nov", "december dec"), 1) for name in names.split()}  # fmt: skip
_WRAPPED = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc|up|normal)?|mathrm|mathbf|mbox|boxed|fbox|operatorname|textup|mathsf|emph|bf|rm)(?![A-Za-z]) ?"
)
_LAYOUT = re.compile(r"\\[,;:!> ]|\\q?quad(?![A-Za-z])|~|\\left(?![a-z])|\\right(?![a-z])|\\\\(?![A-Za-z])")
_CHOICE = re.compile(r"[(\[{ ]*(?:(?:option|choice|answer)\s+)?[(\[{ ]*([A-Za-z])[ )\]}]*[.):]?[ )\]}]*", re.IGNORECASE)
_CHOICE_TEXT = re.compile(
    r"\s*(?:(?:option|choice|answer)\s+)?(?:\(([A-Ja-j])\)|\{?\(?([A-J])\)?\}?\s*[.):\]]|([A-J])(?=\\ |\s*[-–—]\s))(.*)",
    re.IGNORECASE | re.DOTALL,
)
_ROMAN = re.compile(r"[(\[ ]*(I{1,3}|IV|VI{0,3}|IX|X)[)\] .]*")
_TIME = re.compile(
    r"(\d{1,2})\s?:\s?(\d{2})(?::(\d{2}))?\s*(?:([ap])\.?\s?m\.?)?(?:\s*(?:hours|hrs|o'clock))?", re.IGNORECASE
)
_HOUR = re.compile(r"(\d{1,2})\s*([ap])\.?\s?m\.?", re.IGNORECASE)
_HALF_DAY = re.compile(r"[ap](?:[.\s{}~$]|\\[a-z]*)*m", re.IGNORECASE)
_DATES = (
    re.compile(r"(?P<month>[a-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?", re.IGNORECASE),
    re.compile(
        r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<month>[a-z]{3,9})\.?(?:,? (?P<year>\d{4}))?",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"),
)


_DATED = re.compile(r"[a-z]{3}\.? ?[0-9]|[0-9](?:st|nd|rd|th)? (?:of )?[a-z]{3}|[0-9]{4}-[0-9]", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def plain_words(text: str) -> str:
    r"""`text` without LaTeX wrappers and layout: `\text{Yes}` is Yes."""
    text = _LAYOUT.sub(" ", _WRAPPED.sub("", text.replace("$", " ")))
    return " ".join(text.replace("{", "").replace("}", "").split())


_SIGNS = re.compile(r"(?<![a-z])(-)|([+<>=/*^|_%])")
_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")


@lru_cache(maxsize=4_096)
def canonical_words(text: str) -> str:
    """Lower case, no punctuation, no articles, one word for each group of synonyms."""
    cleaned = _SIGNS.sub(r" \1 ", plain_words(text).lower().replace("'", ""))
    cleaned = "".join(one if one.isalnum() or one in "-+<>=/*^|\\_%" else " " for one in cleaned)
    cleaned = _HYPHEN.sub(" ", cleaned)
    words = [word for word in cleaned.split() if word not in _LITTLE]
    joined = " ".join(words)
    return _SAME.get(joined, joined)


_SIGNED = re.compile(r"[0-9+=/^_<|*-]")
"""Digits and signs: a text with one of them is no option letter, no yes and no prose, whatever its layout."""


def choice(text: str) -> str | None:
    r"""The letter of a text that is nothing but an option letter: C, (C), C., \textbf{(C)}, Option C."""
    if len(text) > 60 or _SIGNED.search(text) is not None:
        return None
    match = _CHOICE.fullmatch(plain_words(text))
    return match[1].upper() if match else None


_OPTION_AHEAD = re.compile(
    r"[\s${}~(]*(?:[A-J](?:[\s)}.:\]\\~$–—-]|$)|option|choice|answer"
    r"|\\(?:[,;:!> \\]|q?quad|left|right|text|math(?:rm|bf|sf)|mbox|boxed|fbox|operatorname|emph|bf|rm))",
    re.IGNORECASE,
)
"""How each text begins that has an option letter in front; most texts do not."""

_CONTINUES = re.compile(r"\s*(?:or\b|and\b|[,;&+*/=^<>|]|-(?!\d)|\\(?:or|lor|cdot|times|cup|pm))")


def may_begin_with_option(text: str) -> bool:
    """False for most texts, at little cost: no option letter stands in front."""
    return _OPTION_AHEAD.match(text) is not None


def only_mathematics(text: str) -> bool:
    """Whether a text, at little cost, is known to be no option, time, date, verdict or prose."""
    return (
        _MATHEMATICAL.search(text) is not None
        and ":" not in text
        and _OPTION_AHEAD.match(text) is None
        and _HALF_DAY.search(text) is None
        and _DATED.search(text) is None
    )


def choice_with_text(text: str) -> tuple[str, str] | None:
    """(letter, rest) of an option letter with its text: "(B) 12", "B. 12"."""
    if _OPTION_AHEAD.match(text) is None:
        return None
    plain = text.replace("$", " ")
    plain = _LAYOUT.sub(" ", _WRAPPED.sub("", plain[:40])) + plain[40:]
    match = _CHOICE_TEXT.fullmatch(plain.strip().lstrip("{"))
    if match is None:
        return None
    letter, rest = match[1] or match[2] or match[3], match[4]
    if _CONTINUES.match(rest) is not None or _OR.search(rest[:12]) is not None:
        return None
    return letter.upper(), rest.strip().lstrip("}").strip()


def bracketed_choice(text: str) -> bool:
    """Whether an option letter is written so that it can be nothing else: with brackets, a stop, or in text."""
    plain = text.strip()
    return plain != plain.strip("()[]. ") or "\\text" in plain or "\\mathrm" in plain or len(plain_words(plain)) > 3


_OR = re.compile(r"\bor\b")
_BETWEEN_CHOICES = re.compile(r"[A-J]|\band\b|[\s,;&().\\]")


def choices(text: str) -> tuple[frozenset[str], bool] | None:
    """(letters, whether they stand apart) of several option letters: "A, C and D", "(A)(C)", "ACD"."""
    if _SIGNED.search(text) is not None:
        return None
    plain = plain_words(text)
    if len(plain) > 60:
        return None
    letters = [one for one in plain if "A" <= one <= "J"]
    if not 2 <= len(letters) <= 10 or len(set(letters)) != len(letters):
        return None
    if _BETWEEN_CHOICES.sub("", plain):
        return None
    apart = len(plain) > len(letters)
    return (frozenset(letters), apart) if apart or letters == sorted(letters) else None


def roman(text: str) -> str | None:
    """A roman option number."""
    match = _ROMAN.fullmatch(plain_words(text))
    return match[1] if match else None


def clock(text: str) -> tuple[int, int, int, str] | None:
    """(hour, minute, second, am/pm or "") of a time of day."""
    if len(text) > 80 or (":" not in text and _HALF_DAY.search(text) is None):
        return None
    text = plain_words(text).rstrip(".")
    match = _TIME.fullmatch(text)
    if match is None:
        match = _HOUR.fullmatch(text)
        return (int(match[1]), 0, 0, match[2].lower()) if match and 1 <= int(match[1]) <= 12 else None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[3] and not match[4]:
        return None
    if hour > 24 or minute > 59 or second > 59:
        return None
    return hour, minute, second, (match[4] or "").lower()


def same_clock(left: tuple[int, int, int, str], right: tuple[int, int, int, str]) -> bool:
    """Two times of day; am/pm may be left out; 16:30 is 4:30 pm."""
    if left[1:3] != right[1:3]:
        return False
    if left[3] and right[3]:
        return left[0] == right[0] and left[3] == right[3]
    for one, other in ((left, right), (right, left)):
        if one[3] and not other[3]:
            return other[0] in {one[0], one[0] % 12 + 12 if one[3] == "p" else one[0] % 12}
    return left[0] == right[0]


def date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date."""
    if len(text) > 80 or not _DATED.search(text):
        return None
    text = plain_words(text).rstrip(".")
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


def spelled_number(text: str) -> int | None:
    """The value of a number in words, up to a hundred: "five", "twenty-one"."""
    words = canonical_words(text).split()
    if len(words) == 1:
        return _DIGITS.get(words[0])
    if len(words) == 2 and _DIGITS.get(words[0], 0) >= 20 and 0 < _DIGITS.get(words[1], 0) < 10:
        return _DIGITS[words[0]] + _DIGITS[words[1]]
    return None


_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}


def spelled_fraction(text: str) -> tuple[int, int] | None:
    """A fraction in words: "one half", "three quarters", "two-thirds"."""
    words = canonical_words(text).split()
    if words == ["half"]:
        return 1, 2
    if len(words) != 2 or words[0] not in _DIGITS:
        return None
    part = _PARTS.get(words[1]) or _PARTS.get(words[1].removesuffix("s"))
    return (_DIGITS[words[0]], part) if part else None


def ordinal(text: str) -> int | None:
    """The value of an ordinal in words."""
    return _ORDINALS.get(canonical_words(text))


def is_prose(text: str) -> bool:
    """Whether a text is words, not mathematics: it has words of three letters and no digit, operator or command."""
    if _MATHEMATICAL.search(text) is not None:
        return False
    plain = plain_words(text)
    if ">" in plain or "\\" in plain:
        return False
    if any(one in plain for one in "()[]"):  # a structure, unless there are words enough around the brackets
        return len(_THREE_LETTERS.findall(plain)) >= 3
    return _TWO_LETTERS.search(plain) is not None


_MATHEMATICAL = re.compile(r"[\d=<+*/^|_]")
_THREE_LETTERS = re.compile(r"[^\W\d_]{3,}")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2,}")


_NO_NAMES = word_set(
    "hence the it there so we thus therefore then if when all any every each this that these those both only since because as in on at by for"
    " to of with from let no none one two three four five some many more most less first second third they he she you i such not can will"
)
_VERDICT = re.compile(r"(yes|no|true|false)\s*(?:[,.;:!—–-]|\bbecause\b|\bsince\b)\s*\w", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|isn't|doesn't|none|or|false|incorrect|less|fewer)\b", re.IGNORECASE
)


_LISTED = re.compile(r"\s*(?:[,;]\s*(?:and\b)?|\band\b)\s*")


def is_verdict(text: str) -> bool:
    """Whether a text is yes, no, true or false."""
    return _SIGNED.search(text) is None and canonical_words(text) in {"yes", "no"}


def verdict_of(text: str) -> str | None:
    """The yes, no, true or false that a sentence begins with: "No, because ..."."""
    match = _VERDICT.match(plain_words(text))
    return match[1] if match else None


def same_word_list(left: str, right: str) -> bool:
    """Lists of words in any order: "line segment, circle" and "circle and line segment"."""
    a, b = (sorted(canonical_words(one) for one in _LISTED.split(plain_words(text))) for text in (left, right))
    return len(a) > 1 and a == b


def head_of(short: str, long: str) -> bool:
    """Whether `long` is a sentence that begins with the one word `short` and denies nothing ("Petya wins the game")."""
    head = canonical_words(short).split()
    words = canonical_words(long).split()
    if (
        len(head) != 1
        or len(head[0]) < 2
        or words[:1] != head
        or (len(words) < 3 and words[1:] not in (["wins"], ["won"]))
    ):
        return False
    if (
        words[1] in {"and", "or", "with", "but", "nor"}
        or re.match(r"\W*,\s*[A-Z]", plain_words(long)[len(head[0]) :]) is not None
    ):
        return False
    if head[0] not in {"yes", "no", "true", "false"} and (not plain_words(short)[:1].isupper() or head[0] in _NO_NAMES):
        return False
    return _NEGATION.search(plain_words(long)[len(head[0]) :]) is None
