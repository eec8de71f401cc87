"""Small readers of model text, all linear in its length: boxes, tags, numbers."""

from __future__ import annotations

import re
from fractions import Fraction

MAX_NUMBER_CHARS = 200
"""Longer runs of digits are not a number: no reference answer in our data comes near."""

NUMBER = re.compile(r"(?<![\w.])-?\$?(?:(?:\d{1,3}(?>(?:,\d{3}(?!\d))+)|\d++)(?>(?:\.\d++)?)|\.\d++)")
"""A number in running text: `-1,234.5`, `$72`, `.5`."""
WRAPPED = re.compile(r"\\(?:text|textbf|mathbf|mathrm|mathit|textit|boldsymbol|mathsf|mbox)\s*\{([^{}]*)\}")
"""Text in LaTeX's font commands; its group is what they hold."""
_PLAIN = re.compile(r"([-+]?)\$?(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?(?:[eE]([-+]?\d{1,3}))?(/\d+)?")


def last_boxed(text: str) -> str | None:
    r"""Content of the last `\boxed{...}`, braces balanced. None if there is none or it never closes."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    return balanced(text, start + len("\\boxed"))


def balanced(text: str, start: int) -> str | None:
    """The text between the brace at `start` and the one that closes it. None if it never closes."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : index]
    return None


def sections(text: str, tag: str) -> list[str]:
    """Contents of each `<tag>...</tag>`, in order; an opening without a closing one is left out."""
    found: list[str] = []
    opening, closing = f"<{tag}>", f"</{tag}>"
    position = text.find(opening)
    while position >= 0:
        end = text.find(closing, position + len(opening))
        if end < 0:
            break
        found.append(text[position + len(opening) : end])
        position = text.find(opening, end + len(closing))
    return found


def parse_number(text: str) -> Fraction | None:
    """An exact number written as `72`, `-1,234.50`, `$3`, `1e3`, `3/4` or `12%` (the sign is dropped). None for others."""
    text = text.strip().removesuffix("%").rstrip(". ").replace("\\$", "$").replace("\\%", "")
    if len(text) > MAX_NUMBER_CHARS or not text.isascii():
        return None
    match = _PLAIN.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return None
    sign, whole, decimals, exponent, divisor = match.groups()
    value = Fraction((whole or "0").replace(",", "") + (decimals or ""))
    if exponent:
        value *= Fraction(10) ** int(exponent)
    if divisor:
        below = int(divisor[1:])
        if below == 0:
            return None
        value /= below
    return -value if sign == "-" else value


def numbers(text: str) -> list[tuple[str, Fraction]]:
    """All numbers in running text, as written and exactly."""
    return [(written, value) for written in NUMBER.findall(text) if (value := parse_number(written)) is not None]
