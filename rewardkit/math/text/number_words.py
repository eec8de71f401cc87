"""Numbers written out: "one hundred and twenty-one", "two and a half", "three-fourths", "minus five"."""

from __future__ import annotations

from functools import lru_cache

from rewardkit.math.latex.units import is_known_unit
from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import canonical_words, plain_words

MAX_WORDS = 24
"""Longer texts are no numbers."""

_SMALL = {word: value for value, word in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
)}  # fmt: skip
_TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {word: value for value, word in enumerate(
    ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"], 3)} | {"half": 2, "quarter": 4, "hundredth": 100, "thousandth": 1000, "millionth": 10**6}  # fmt: skip
_MANY_PARTS = {f"{word}s": value for word, value in _PARTS.items() if value != 2} | {"halves": 2}
_ALONE = _SMALL | _TENS | {"hundred": 100, "once": 1, "twice": 2}
_FIRST = _SMALL.keys() | _TENS.keys() | {"minus", "negative", "half", "a"}
_WORD = lazy(r"[a-z]+|[^a-z\s]")
_EXACTLY = frozenset({"exactly", "only"})


@lru_cache(maxsize=4_096)
def number_in_words(text: str) -> str | None:
    r"""A number in words, perhaps with a unit, in figures; None for all other texts.

    >>> number_in_words("one hundred and twenty-one"), number_in_words("two and a half hours"), number_in_words("five of them")
    ('121', '2\\frac{1}{2}\\text{ hours}', None)
    """
    words = _WORD.findall(plain_words(text).lower().replace("-", " ").rstrip("."))
    if words[:2] in (["there", "are"], ["there", "is"]):
        words = words[2 + (words[2:3] != [] and words[2] in _EXACTLY) :]
    elif words[:1] == ["exactly"]:
        words = words[1:]
    if not words or words[0] not in _FIRST or len(words) > MAX_WORDS:
        return None
    sign = "-" if words[0] in {"minus", "negative"} else ""
    words = words[bool(sign) :]
    for end in range(len(words), 0, -1):
        value = _value(words[:end])
        if value is not None:
            rest = words[end:]
            if rest and not is_known_unit(rest[0]) and not _counted(rest):
                return None
            return sign + value + (rf"\text{{ {' '.join(rest)}}}" if rest else "")
    return None


def spelled_number(text: str) -> int | None:
    """The value of a number in words, up to a hundred: "five", "twenty-one"."""
    words = canonical_words(text).split()
    if len(words) == 1:
        return _ALONE.get(words[0])
    if len(words) == 2 and _ALONE.get(words[0], 0) >= 20 and 0 < _SMALL.get(words[1], 0) < 10:
        return _ALONE[words[0]] + _SMALL[words[1]]
    return None


def _counted(rest: list[str]) -> bool:
    """Whether one plural is all that follows: "four solutions"."""
    word = rest[0]
    return (len(rest) == 1 and word in _PLURALS) or (
        len(rest) == 1 and len(word) > 3 and word.endswith("s") and not word.endswith("ss") and word not in _MANY
    )


_PLURALS = frozenset({"people", "children", "men", "women"})
_MANY = frozenset({"tens", "hundreds", "thousands", "millions", "dozens", "pairs", "times"})


def _value(words: list[str]) -> str | None:
    """A whole number, a fraction, a mixed number or a decimal."""
    whole = _cardinal(words)
    if whole is not None:
        return str(whole)
    fraction = _fraction(words)
    if fraction is not None:
        return rf"\frac{{{fraction[0]}}}{{{fraction[1]}}}"
    if "and" in words:
        place = len(words) - 1 - words[::-1].index("and")
        whole, fraction = _cardinal(words[:place]), _fraction(words[place + 1 :])
        if whole is not None and fraction is not None and fraction[0] < fraction[1]:
            return rf"{whole}\frac{{{fraction[0]}}}{{{fraction[1]}}}"
    if "point" in words:
        place = words.index("point")
        whole, decimals = _cardinal(words[:place]), words[place + 1 :]
        if whole is not None and decimals and all(_SMALL.get(one, 10) < 10 for one in decimals):
            return f"{whole}." + "".join(str(_SMALL[one]) for one in decimals)
    return None


def _fraction(words: list[str]) -> tuple[int, int] | None:
    if words == ["half"]:
        return 1, 2
    if len(words) < 2:
        return None
    if words[0] in {"a", "one"} and len(words) == 2:
        return (1, _PARTS[words[1]]) if words[1] in _PARTS else None
    below, above = _MANY_PARTS.get(words[-1]), _cardinal(words[:-1])
    return (above, below) if below is not None and above is not None and above > 1 else None


def _cardinal(words: list[str]) -> int | None:
    """A whole number: groups below a thousand with falling scales."""
    if words[:1] == ["a"]:
        words = ["one", *words[1:]] if words[1:] and (words[1] in {"hundred", "dozen"} or words[1] in _SCALES) else []
    if words[-1:] == ["dozen"]:
        many = _cardinal(words[:-1])
        return None if many is None else 12 * many
    total = 0
    limit = 10**15
    position = 0
    while position < len(words):
        group, position = _group(words, position)
        if group is None:
            return None
        scale = _SCALES.get(words[position], 0) if position < len(words) else 1
        if not 0 < scale < limit:
            return None
        total, limit = total + group * scale, scale
        position += scale > 1
        if scale > 1 and words[position : position + 1] == ["and"]:
            position += 1
            if position == len(words):
                return None
    return total if words else None


def _group(words: list[str], position: int) -> tuple[int | None, int]:
    """A number below a thousand from `position`, and what follows it."""
    found: int | None = None
    if _SMALL.get(words[position], 0) > 0 and words[position + 1 : position + 2] == ["hundred"]:
        found = 100 * _SMALL[words[position]]
        position += 2
        if (
            words[position : position + 1] == ["and"]
            and position + 1 < len(words)
            and words[position + 1] in _SMALL.keys() | _TENS.keys()
        ):
            position += 1
    word = words[position] if position < len(words) else ""
    if word in _TENS:
        found = (found or 0) + _TENS[word]
        position += 1
        if position < len(words) and 0 < _SMALL.get(words[position], 0) < 10:
            found += _SMALL[words[position]]
            position += 1
    elif word in _SMALL:
        found = (found or 0) + _SMALL[word]
        position += 1
    return found, position
