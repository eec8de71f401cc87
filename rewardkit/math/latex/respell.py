"""Spellings that no single token shows: remarks behind a value, and two letters of a formula that spell a word or a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rewardkit.math.patterns import lazy

if TYPE_CHECKING:
    import re

_BLANKS = r"(?:\\[ ,;:]|\s|~)*"
_OPENED = rf"{_BLANKS}(?:\\text ?\{{ ?)?\( ?(?:\\text ?\{{ ?)?"
_ROUNDING = r"(-?[0-9][0-9,]*(?:\.[0-9]+)? ?(?:\\?%)?)"
ROUNDED = lazy(
    rf"(?<=[0-9}}!a-z)]){_OPENED}(?:or )?(?:about|approx\.?|approximately|roughly|around|\\approx) ?\}}?{_BLANKS}{_ROUNDING}"
    r"(?:[ ~]?[a-z ]{1,30}|[ ~]?\\text ?\{[a-z ]{1,30}\}?)? ?\)?(?: ?\})?\)?\Z"
)
"""A rounding in brackets, which must be one."""

FORM = lazy(
    rf"(?<=\S){_OPENED}(?:simplified|exact(?:ly)?|reduced|(?:in )?(?:simplest|lowest) (?:form|terms)|rounded[a-z0-9 ]{{0,40}}|to the nearest [a-z ]{{1,20}})"
    r"(?: ?\})?\)(?: ?\})?\Z"
)
"""A remark on the form of a value, which does not count."""

_TEXT = (
    r"\\(?:text[a-z]{0,6}|math(?:rm|sf|tt|bf)|operatorname\*?|[mhf]box|emph|rm|unit|begin|end) ?\{[^{}]*\}|\\[A-Za-z]+"
)
_BESIDE = r"[ ]?[-+][ ]?(?:[A-Za-z](?![A-Za-z])|\\[a-z])|[ ]?\\(?:sin|cos|tan|theta|sqrt)|[(})]"
"""What follows a factor of a formula, and behind no unit."""

FACTORS = lazy(
    rf"{_TEXT}|(?<![A-Za-z])(?:(?<![A-Za-z] )(i[st]|a[nts]|o[fn]|b[ye]|we)(?:(?=[\^_)}}]|[ ]?[-+=*/])|(?<=\A..)\Z|(?<=[-+=]..)\Z)"
    rf"|(hr|rs|m[gl]|gm|kg|ft)(?:(?={_BESIDE})|(?<=m[gl])(?=\^)|(?<=\\mu ..)))"
)
"""Two letters that spell a word or a unit elsewhere: an + b, at^2/2, 2mg sin(theta)."""

_HINT = lazy(
    r"[iaobwhrmgkf](?:(?<=i)[st]|(?<=a)[nts]|(?<=o)[fn]|(?<=b)[ye]|(?<=w)e|(?<=h)r|(?<=r)s|(?<=m)[gl]|(?<=g)m|(?<=k)g|(?<=f)t)"
)
"""Any of them, which most texts do not hold."""


def respell(text: str) -> str:
    r"""`text` without remarks, and with blanks between such letters.

    >>> respell(r"\frac13 \text{ (about 0.33)}"), respell("an+b")
    ('\\frac13 \\approx 0.33', 'a n+b')
    """
    if text.count("|") == 1 and _SET_BRACE.search(text) is None:
        text = text.replace("|", r"\mid ")
    if "\\prime" in text:
        text = text.replace(r"^{\prime}", "'").replace(r"^\prime", "'")
    if "(" in text and text[-1] in ")}":
        text = FORM.sub("", ROUNDED.sub(r" \\approx \1", text))
    return FACTORS.sub(_apart, text) if _HINT.search(text) is not None else text


_SET_BRACE = lazy(r"\\[{|]|\\lbrace|(?:^|[=∈]|\\in|\\cup) ?\{")
"""Where one bar may be the bar of a set or half of a norm."""


def _apart(match: re.Match[str]) -> str:
    letters = match[1] or match[2]
    return f"{letters[0]} {letters[1]}" if letters else match[0]
