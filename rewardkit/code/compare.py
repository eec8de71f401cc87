"""What counts as the right output: the rules for printed text. All run on the host, none inside the sandbox."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from itertools import islice

from rewardkit.errors import GroundTruthError, quoted

TOKEN_TOLERANCE = 1e-6
"""How far a number may be from an expected decimal fraction under `tokens`, absolute or relative (Codeforces' usual)."""

DEFAULT_TOLERANCE = 1e-5
"""The tolerance of the `floats` rule and of returned floats, absolute or relative, as LeetCode's checker has it."""


MAX_NUMBER_CHARS = 400
"""Longer tokens are compared as text: no float has more digits."""

ALIASES = {
    "whitespace": "tokens",
    "standard": "tokens",
    "wcmp": "tokens:0",
    "ncmp": "tokens:0",
    "hcmp": "tokens:0",
    "icmp": "tokens:0",
    "fcmp": "lines",
    "lcmp": "tokens:0",
    "nyesno": "caseless",
    "yesno": "caseless",
    "identical": "exact",
    "sorted": "unordered",
    "dcmp": "floats:1e-6",
    "rcmp": "floats:1.5e-6",
    "rcmp4": "floats:1e-4",
    "rcmp6": "floats:1e-6",
    "rcmp9": "floats:1e-9",
}
"""Rules by other names: DMOJ's, and testlib's checkers as Polygon names them (`std::wcmp.cpp`)."""

_CONTEXT = Context(28, ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, capitals=1, clamp=0, flags=[], traps=[])
"""Python's usual one. The caller may have set another, and no verdict depends on that."""
_LINE = re.compile(r"\S[^\r\n]*")
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


@dataclass(frozen=True)
class TextRule:
    """A rule's name and its tolerance. Text form: `tokens`, `floats` or `floats:1e-9`."""

    name: str = "tokens"
    tolerance: float = TOKEN_TOLERANCE

    @classmethod
    def parse(cls, text: str) -> TextRule:
        """Read the text form; an unknown name is a `GroundTruthError` that lists the known ones."""
        name, _, number = ALIASES.get(text.removeprefix("std::").removesuffix(".cpp"), text).partition(":")
        if name not in CHECKERS:
            raise GroundTruthError(f"no compare rule {quoted(text)}; known: {', '.join(sorted(CHECKERS))}")
        default = TOKEN_TOLERANCE if name in ("tokens", "caseless") else DEFAULT_TOLERANCE
        try:
            tolerance = float(number) if number else default
        except ValueError:
            tolerance = math.nan
        if not 0 <= tolerance < 1:
            raise GroundTruthError(f"the tolerance of {quoted(text)} is not a number from 0 to 1")
        return cls(name, tolerance)


def difference(rule: TextRule, actual: str, expected: str) -> str | None:
    """None where `actual` is right, else one line that says where it first goes wrong."""
    return CHECKERS[rule.name](actual, expected, rule.tolerance)


def tokens(actual: str, expected: str, tolerance: float) -> str | None:
    """The same words in the same order, however they are spaced.

    A word that the expected output writes as a decimal fraction (`0.5`, `1e-3`) also matches a number within
    `tolerance`; a word written as an integer matches only itself.
    """
    if actual == expected:
        return None
    return _words(actual, expected, lambda left, right: _is_near_fraction(left, right, tolerance))


def exact(actual: str, expected: str, _tolerance: float) -> str | None:
    """The same characters, blanks and line ends included."""
    if actual == expected:
        return None
    at = next((i for i, (a, b) in enumerate(zip(actual, expected, strict=False)) if a != b), None)
    if at is None:
        return f"{len(actual):,} characters, expected {len(expected):,}"
    return f"character {at + 1} is {actual[at]!r}, expected {expected[at]!r}"


def lines(actual: str, expected: str, _tolerance: float) -> str | None:
    """The same lines; blanks at line ends and empty lines at the end do not count, nor does CRLF."""
    right = _lines(expected)
    left = _lines(actual, len(right))
    for index, (one, other) in enumerate(zip(left, right, strict=False), start=1):
        if one != other:
            return f"line {index} is {quoted(one)}, expected {quoted(other)}"
    return _other_count(len(left), len(right), "line")


def caseless(actual: str, expected: str, tolerance: float) -> str | None:
    """The same words, upper and lower case taken as one (`YES` and `Yes`)."""
    return tokens(actual.casefold(), expected.casefold(), tolerance)


def unordered(actual: str, expected: str, _tolerance: float) -> str | None:
    """The same lines in any order, each compared word by word."""
    right = Counter(tuple(line.split()) for line in _lines(expected) if line.strip())
    longest = max(map(len, right), default=0)
    lines = islice(_LINE.finditer(actual), right.total() + 1)
    left = Counter(tuple(line[0].split(None, longest)) for line in lines)
    if left == right:
        return None
    missing, surplus = list((right - left).elements()), list((left - right).elements())
    if missing:
        return f"line {quoted(' '.join(missing[0]))} is missing"
    return f"line {quoted(' '.join(surplus[0]))} is not expected"


def floats(actual: str, expected: str, tolerance: float) -> str | None:
    """The same words; numbers within `tolerance`, absolute or relative. Integers match only their own value, and NaN
    matches nothing.
    """
    return _words(actual, expected, lambda left, right: _is_near(left, right, tolerance))


CHECKERS: dict[str, Callable[[str, str, float], str | None]] = {
    "caseless": caseless,
    "exact": exact,
    "floats": floats,
    "lines": lines,
    "tokens": tokens,
    "unordered": unordered,
}
"""The named checkers: (actual, expected, tolerance) -> None, or what is wrong."""


def _words(actual: str, expected: str, same: Callable[[str, str], bool]) -> str | None:
    right = expected.split()
    left = actual.split(None, len(right))
    for index, (one, other) in enumerate(zip(left, right, strict=False), start=1):
        if (one != other or _is_nan(other)) and not same(one, other):
            return f"word {index} is {quoted(one)}, expected {quoted(other)}"
    return _other_count(len(left), len(right), "word")


def _is_nan(word: str) -> bool:
    return len(word) <= 4 and word.lstrip("+-").lower() == "nan"


def _is_near_fraction(actual: str, expected: str, tolerance: float) -> bool:
    if _is_nan(expected):  # printed words, not numbers: under `tokens` text equals itself
        return actual == expected
    if _INTEGER.fullmatch(expected):
        return False
    return _is_near(actual, expected, tolerance)


def _is_near(actual: str, expected: str, tolerance: float) -> bool:
    if max(len(actual), len(expected)) > MAX_NUMBER_CHARS:
        return False
    if not (_DECIMAL.fullmatch(actual) and _DECIMAL.fullmatch(expected)):
        return False
    left, right = Decimal(actual), Decimal(expected)
    if left == right or _INTEGER.fullmatch(expected):
        return left == right
    gap, size = _CONTEXT.abs(_CONTEXT.subtract(left, right)), max(Decimal(1), _CONTEXT.abs(right))
    return gap <= _CONTEXT.multiply(Decimal.from_float(tolerance), size)  # noqa: FURB164 - Decimal() follows the traps of the caller


def _lines(text: str, most: int = -1) -> list[str]:
    """Lines without blanks at their ends, and without empty ones at the end; of more than `most`, the rest in one."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    return [line.rstrip() for line in text.split("\n", most)] if text else []


def _other_count(found: int, expected: int, noun: str) -> str | None:
    """What an output has too few or too many of. No more are split off than are expected: an output may have millions."""
    if found > expected:
        return f"more than {_count(expected, noun)}"
    return f"{_count(found, noun)}, expected {expected:,}" if found < expected else None


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
