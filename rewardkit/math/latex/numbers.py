"""Numbers: the value of a text that is nothing but a number, and the nodes of numbers in a tree."""

from __future__ import annotations

import re
from functools import lru_cache

from flint import fmpq

from rewardkit.math.latex.tree import Based, LimitError, Node, Num, ParseError

MAX_DIGITS = 1_000
"""Numbers with more digits are not read; the longest reference number in our data has 300."""

MAX_EXPONENT = 10_000
"""Powers of ten beyond this are left to ball arithmetic."""

_PLAIN = re.compile(
    r"(?a)([-+]?)\s?(?=\.?\d)(?:(\d{1,3}(?:,\d{3})+|\d{1,3}(?:'\d{3})+|\d{1,3}(?:(?:\{,\}|\\,|,\\!|\\!|\\ | | |~)\d{3})+|\d+)|)(?:(\.\d*)|)"
    r"(?:\s?(?:\\times|\\cdot|×|x|\*|·)\s?10\s?(?:\^|\*\*)\s?(?:\{\s?([-+]?\d{1,6})\s?\}|\(([-+]?\d{1,6})\)|([-+]?\d{1,6}))|[eE]([-+]?\d{1,6})|)\.?"
)
_FRACTION = re.compile(
    r"(?a)([-+]?)\s?(?:\\[dtc]?frac\s?\{\s?(-?\d{1,30})\s?\}\s?\{\s?(-?\d{1,30})\s?\}|\\[dtc]?frac\s?(\d)\s?(\d)|(\d{1,30})\s?/\s?(\d{1,30}))"
)
_NO_DIGITS = re.compile(r"\D")
_FIRST = frozenset("0123456789.-+−–\\ \t\n\r\f\v")
_LAST = frozenset("0123456789.})")
"""The characters that a plain number can begin and end with."""


def plain_number(text: str) -> fmpq | None:
    r"""The exact value of a text that is a plain number, else None.

    >>> plain_number("1,234.50"), plain_number(r"-\frac{3}{6}"), plain_number("x")
    (2469/2, -1/2, None)
    """
    if not text or text[0] not in _FIRST or text[-1] not in _LAST or len(text) > 2 * MAX_DIGITS:
        return None
    if len(text) < 16 and text.isascii() and text.isdigit():
        return fmpq(int(text))
    if not text.isascii():
        text = text.replace("−", "-").replace("–", "-")
    match = _PLAIN.fullmatch(text) if text[0] != "\\" else None
    if match is not None:
        return _decimal(match)
    match = _FRACTION.fullmatch(text) if "/" in text or "frac" in text else None
    if match is None or match.lastindex is None or (bottom := int(match[match.lastindex])) == 0:
        return None
    value = fmpq(int(match[match.lastindex - 1]), bottom)
    return -value if match[1] == "-" else value


def digits_value(whole: str, decimals: str = "", exponent: int = 0) -> fmpq | None:
    """The exact value of decimal digits times a power of ten; None beyond the digit and exponent limits."""
    if len(whole) + len(decimals) > MAX_DIGITS or abs(exponent) > MAX_EXPONENT:
        return None
    value = fmpq(int(whole + decimals or "0"))
    shift = exponent - len(decimals)
    return value * fmpq(10) ** shift if shift else value


def _decimal(match: re.Match[str]) -> fmpq | None:
    sign, whole, decimals, *exponents = match.groups()
    decimals = decimals[1:] if decimals else ""
    if whole and not whole.isdecimal():
        whole = _NO_DIGITS.sub("", whole)
    power = int(next(filter(None, exponents), "0"))
    if "e-" in match[0] and "." not in match[0] and -10 < power < 0:
        return None  # 2e-1 may be 2e - 1
    value = digits_value(whole or "", decimals, power)
    return -value if value is not None and sign == "-" else value


@lru_cache(maxsize=2_048)
def integer(text: str) -> Num:
    """A whole number."""
    return Num(fmpq(int(text)))


def decimal(text: str, exponent: int = 0) -> Num:
    """Digits with a decimal point."""
    if len(text) < 16 and not exponent and text.isdigit():
        return Num(fmpq(int(text)))
    whole, _, decimals = text.partition(".")
    value = digits_value(whole, decimals, exponent)
    if value is None:
        raise LimitError("a number with too many digits")
    return Num(value, len(decimals) or None)


def special(kind: str, text: str) -> Num:
    r"""A mixed number, 2 1/2, a number with an exponent, 1.5e3, or a repeating decimal, 0.1\overline{6}."""
    if kind == "mixed":
        whole, top, bottom = map(int, text.replace("/", " ").split())
        if not 0 < top < bottom:
            raise ParseError("two numbers side by side")
        return Num(whole + fmpq(top, bottom))
    if kind == "sci":
        digits, _, power = text.replace("E", "e").partition("e")
        return decimal(digits, int(power))
    plain, _, cycle = text.partition("\\")
    digits = _NO_DIGITS.sub("", cycle)
    value = decimal(plain)
    return Num(value.value + fmpq(int(digits), (10 ** len(digits) - 1) * 10 ** (value.places or 0)))


def in_base(value: Node, base: int) -> Node:
    """Digits read in a base."""
    if not isinstance(value, Num) or value.value.q != 1 or value.value < 0:
        raise ParseError("digits in a base must be digits")
    digits = str(value.value.p)
    if not 2 <= abs(base) <= 36 or any(int(one) >= abs(base) for one in digits):
        raise ParseError("no number in that base")  # either may be too long to write out
    return value if base == 10 else Based(digits, base)
