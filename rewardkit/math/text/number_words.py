"""Numbers written out: "one hundred and twenty-one", "two and a half", "three-fourths", "minus five"."""

from __future__ import annotations

from functools import lru_cache

from rewardkit.math.latex.units import is_known_unit
from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import canonical_words, plain_words

MAX_WORDS = 24
"""Longer texts are not numbers."""

_SMALL = {word: value for value, word in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
)}  # fmt: skip
_TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"trillion": 10**12, "billion": 10**9, "million": 10**6, "thousand": 10**3, "hundred": 10**2, "dozen": 12}
_PARTS = {word: value for value, word in enumerate(
    ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"], 3)} | {"half": 2, "quarter": 4, "hundredth": 100, "thousandth": 1000}  # fmt: skip
_MANY_PARTS = {f"{word}s": value for word, value in _PARTS.items()} | {"halves": 2}
_FIRST = _SMALL.keys() | _TENS.keys() | {"minus", "negative", "half", "a"}
_WORD = lazy(r"[a-z]+|[^a-z\s]")
_INTRODUCED = lazy(r"\A(?:there (?:is|are) )?(?:exactly |only )?")
_PLURAL = lazy(
    r"people|children|men|women|(?!(?:tens|hundreds|thousands|millions|dozens|pairs|times)\Z)[a-z]{2,}[a-rt-z]s"
)
"""What is counted, where nothing follows it: four solutions."""


@lru_cache(maxsize=4_096)
def number_in_words(text: str) -> str | None:
    r"""A number in words, perhaps with a unit, in figures; None for all other texts.

    >>> number_in_words("one hundred and twenty-one"), number_in_words("two and a half hours"), number_in_words("five of them")
    ('121', '2\\frac{1}{2}\\text{ hours}', None)
    """
    said = plain_words(text).lower().replace("-", " ").rstrip(".")
    words = _WORD.findall(_INTRODUCED.sub("", said, count=1))
    if not words or words[0] not in _FIRST or len(words) > MAX_WORDS:
        return None
    sign = "-" if words[0] in {"minus", "negative"} else ""
    words = words[bool(sign) :]
    for end in range(len(words), 0, -1):
        value = _value(words[:end])
        if value is not None:
            unit = rf"\text{{ {' '.join(words[end:])}}}" if end < len(words) else ""
            counts = not unit or is_known_unit(words[end]) or _PLURAL.fullmatch(" ".join(words[end:])) is not None
            return sign + value + unit if counts else None
    return None


def spelled_number(text: str) -> int | None:
    """The value of a whole number in words: "five", "twenty-one"."""
    return _cardinal(canonical_words(text).split())


def _value(words: list[str]) -> str | None:
    """A whole number, a fraction or a mixed number."""
    if (whole := _cardinal(words)) is not None:
        return str(whole)
    before = len(words) - 1 - words[::-1].index("and") if "and" in words else 0
    whole, part = _cardinal(words[:before]), _fraction(words[before + 1 if before else 0 :])
    if part is None or (before and (whole is None or part[0] >= part[1])):
        return None
    return rf"{'' if whole is None else whole}\frac{{{part[0]}}}{{{part[1]}}}"


def _fraction(words: list[str]) -> tuple[int, int] | None:
    """A part, "half", "a third", or several, "two thirds"."""
    if words == ["half"]:
        return 1, 2
    if words[:1] in (["a"], ["one"]) and len(words) == 2 and words[1] in _PARTS:
        return 1, _PARTS[words[1]]
    above = _cardinal(words[:-1])
    return (above, _MANY_PARTS[words[-1]]) if above is not None and words[-1] in _MANY_PARTS else None


def _cardinal(words: list[str]) -> int | None:
    """A whole number: what stands before each scale, the largest first, times it."""
    total = 0
    for word, size in _SCALES.items():
        if word in words:
            at = words.index(word)
            many = 1 if words[:at] == ["a"] else _cardinal(words[:at])
            if not many or many >= 1_000:
                return None
            total += many * size
            words = words[at + 1 :]
            words = words[1:] if words[:1] == ["and"] and len(words) > 1 else words
            if not words:
                return total
    first, second = _TENS.get(words[0]) if words else None, _SMALL.get(words[-1]) if words else None
    if len(words) == 2 and first and second and second < 10:
        return total + first + second
    value = second if first is None else first
    return total + value if len(words) == 1 and value is not None and (value or not total) else None
