"""Decimal commas: 2{,}5 and 2,5 are 2.5, and 1.234,5 is 1234.5, where the response is in a language that writes so, or the gold does."""

from __future__ import annotations

from rewardkit.math.extract.cues import DECIMAL_COMMA
from rewardkit.math.patterns import lazy

LOOKED_AT_CHARS = 4_000
"""The language of a response is told by so many characters at its end."""

_BRACED = lazy(r"(?<=\d)\{,\}(?=\d{1,2}(?!\d)|\d{4})")
_PLAIN = lazy(r"(?<![\d,])(\d+|[1-9]\d{0,2}(?:\.\d{3})+),(\d{1,2}|\d{4,})(?![\d,])")
_MILLIONS = lazy(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3}){2,}(?![\d.])")
"""Points that can only set thousands apart."""

_CYRILLIC = lazy("[\u0430-\u044f]{3}")


def with_decimal_points(
    golds: tuple[str, ...], answer: str, completion: str, *, always: bool = False
) -> tuple[tuple[str, ...], str]:
    r"""Ground truths and answer with points for decimal commas, where those are what the commas are; `always`, whatever the language is.

    >>> with_decimal_points(("2.5",), "2{,}5", "La réponse est donc 2{,}5."), with_decimal_points(("2{,}5",), "5/2", "")
    ((('2.5',), '2.5'), (('2.5',), '5/2'))
    """
    points = tuple(_BRACED.sub(".", gold) if "{,}" in gold else gold for gold in golds)
    if always and "," not in answer:
        points = tuple(_PLAIN.sub(r"\1.\2", point) for point in points)
    if _MILLIONS.search(answer) and not any(map(_MILLIONS.search, golds)) and _has_decimal_commas(completion):
        answer = _MILLIONS.sub(lambda number: number[0].replace(".", ""), answer)
    may_be_decimal = "," in answer and ("{,}" in answer or _PLAIN.search(answer) is not None)
    if may_be_decimal and (always or points != golds or _has_decimal_commas(completion)):
        answer = _BRACED.sub(".", answer)
        if not any("," in gold for gold in points):
            answer = _PLAIN.sub(lambda number: f"{number[1].replace('.', '')}.{number[2]}", answer)
    return points, answer


def _has_decimal_commas(completion: str) -> bool:
    """Whether a response is written in a language that writes decimal commas."""
    text = completion[-LOOKED_AT_CHARS:].lower()
    known = any(sum(word in text for word in words) > 1 for words in DECIMAL_COMMA.values())
    return known or _CYRILLIC.search(text) is not None
