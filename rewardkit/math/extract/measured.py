"""A formula that a sentence says of a quantity, with its value: "the perimeter is 2x + 2y = 80"."""

from __future__ import annotations

from rewardkit.math.text.patterns import lazy

MAX_BEFORE = 120
"""So many characters before the formula are read."""

_QUANTITY = lazy(
    r"(?:^|[.!?\n])(?![^.!?\n]*\b(?:equation|condition|relation|constraint|formula|expression|if|when|half|twice|not|never|no)\b)[^.!?\n$=\\]*"
    r"\b(?:perimeter|area|length|side|cost|sum|number(?= of )|total|height|width|distance|volume|angle|price|diameter|radius|amount|age|circumference)s?"
    r"(?: (?:of|in|for|that) [^.$=\\]{1,60})? (?:is|was|are) (?:equal to |exactly )?[$\\(\[]*\Z"
)
_FORMULA = lazy(r"[$\\(\[ ]*[^=<>\\]*[A-Za-z][^=<>]*=([^=<>]+)")


def measured(completion: str, answer: str) -> str | None:
    r"""The value behind the one sign of equality of an answer that a sentence gives a quantity, else None.

    >>> measured("Hence, the perimeter is $2x + 2y = 80$.", "$2x + 2y = 80$")
    ' 80'
    >>> measured("Hence, the line is $2x + 2y = 80$.", "$2x + 2y = 80$")
    """
    if answer.count("=") != 1 or (formula := _FORMULA.fullmatch(answer)) is None:
        return None
    place = completion.rfind(answer)
    if place < 0 or _QUANTITY.search(completion[max(0, place - MAX_BEFORE) : place]) is None:
        return None
    value = formula[1]
    for opening, closing in (("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
        if answer.startswith(opening):
            value = value.replace(closing, " ", 1)
    return value.rstrip()
