"""Spellings that no single token shows: vectors in angle signs, left subscripts, units in fractions, dotted decimals."""

from __future__ import annotations

import re

from rewardkit.math.tree import Based
from rewardkit.math.vocabulary import BASE_NAMES

_ANGLES = re.compile(r"([^<>]*= ?|)<([^<>=]*,[^<>=]*)>")
_INDEX = r"(?:\{ ?(\w{1,9}) ?\}|(\w))"
_CHOOSE_LEFT = re.compile(
    rf"(?:\{{ ?\}}|(?<![\w)}}\]]))[_^]{_INDEX} ?(?:\\(?:mathrm|text) ?\{{C\}}|C) ?_{_INDEX}", re.ASCII
)
_CHOOSE_LOW = re.compile(rf"(?<![A-Za-z\\])C_{_INDEX} ?\^{_INDEX}", re.ASCII)
_CHOOSE_HIGH = re.compile(rf"(?<![A-Za-z\\])C\^{_INDEX} ?_{_INDEX}", re.ASCII)
_WORD_PART = r"\{ ?(\\(?:text|mathrm|rm) ?\{[^{}]*\}(?:\^(?:\d|\{ ?\d ?\}))?) ?\}"
_UNIT_FRACTION = re.compile(rf"\\[dt]?frac ?{_WORD_PART} ?{_WORD_PART}")
_RAISED_IN_TEXT = re.compile(r"(\\(?:text|mathrm|rm) ?\{[^{}]{0,40}\^)\{ ?(-?\d) ?\}")
_COMPOSED = re.compile(r"\( ?([a-zA-Z]) ?\\circ ?([a-zA-Z]) ?\) ?\( ?([a-z]) ?\)")
_DOTS = re.compile(r"\\dot ?\{?(\d)\}?(\d*)\\dot ?\{?(\d)\}?")
_IN_BRACKETS = re.compile(r"([-+]?\d*\.\d*)\((\d{1,60})\)")
_WRAPPED = re.compile(r"\\(?:text|mathrm|mathtt|texttt) ?\{([0-9A-Za-z]*)\}")
_BASED = re.compile(r"\(?([0-9A-Za-z]{2,200})\)? ?_ ?\{? ?(\d{1,2}|[a-z]{3,11}) ?\}?")


def respell(text: str) -> str:
    r"""`text` with such spellings in plain LaTeX.

    >>> respell("<1, 2>"), respell("{}_{5}C_2"), respell(r"\frac{\text{km}}{\text{h}}")
    ('\\langle 1, 2\\rangle ', '\\binom{5}{2}', '\\text{km}/\\text{h}')
    """
    if "<" in text and ">" in text and (angles := _ANGLES.fullmatch(text)) is not None:
        text = rf"{angles[1]}\langle {angles[2]}\rangle "
    if "C" in text and "_" in text:
        text = _CHOOSE_LEFT.sub(lambda m: _choose(m, m[1] or m[2], m[3] or m[4]), text)
        text = _CHOOSE_LOW.sub(lambda m: _choose(m, m[1] or m[2], m[3] or m[4]), text)
        text = _CHOOSE_HIGH.sub(lambda m: _choose(m, m[3] or m[4], m[1] or m[2]), text)
    if "\\text" in text or "\\mathrm" in text or "\\rm" in text:
        if "^{" in text:
            for _ in range(3):
                text = _RAISED_IN_TEXT.sub(r"\1\2", text)
        if "frac" in text:
            text = _UNIT_FRACTION.sub(r"\1/\2", text)
    if "(a)" in text or "(1)" in text or "(i)" in text:
        text = _labelled_parts(text)
    if "\\circ" in text and "(" in text:
        text = _COMPOSED.sub(r"\1(\2(\3))", text)
    if "US" in text:
        text = text.replace("US\\$", "\\$")
    if "\\dot" in text:
        text = _DOTS.sub(r"\\overline{\1\2\3}", text)
    if "." in text and text.endswith(")") and (bracketed := _IN_BRACKETS.fullmatch(text)) is not None:
        text = rf"{bracketed[1]}\overline{{{bracketed[2]}}}"
    return text


_PART = re.compile(
    r"(?:\\text ?\{ ?)?\(([a-e]|[1-5]|i{1,3}|iv|v)\)(?: ?\}[ ~]*| ?\\quad(?![A-Za-z])|\\ |[ ~]+)(?=[^\s=+*/^(])"
)
_PARTS = (tuple("abcde"), tuple("12345"), ("i", "ii", "iii", "iv", "v"))


def _labelled_parts(text: str) -> str:
    """(a) 3, (b) 4 as values with the names of their parts."""
    found = list(_PART.finditer(text))
    names = tuple(match[1] for match in found)
    if (
        len(found) < 2
        or text[: found[0].start()].strip(" $")
        or not any(names == kind[: len(names)] for kind in _PARTS)
    ):
        return text
    edges = [match.start() for match in found[1:]] + [len(text)]
    values = [text[match.end() : edge].strip(" $,;.\t\n") for match, edge in zip(found, edges, strict=True)]
    values = [re.sub(r"(?:\\\\|\\q?quad|\\text ?\{ ?and ?\}|\band|[,;])\s*$", "", one).strip(" ,;") for one in values]
    return " , ".join(rf"\text{{{name}part}}: {value}" for name, value in zip(names, values, strict=True))


def _choose(match: re.Match[str], top: str, bottom: str) -> str:
    """Choose k of n, where n can be a size and k a part of it; C_1^2 is the square of a constant."""
    if top.isdigit() and not (bottom.isdigit() and int(bottom) <= int(top)):
        return match[0]
    return rf"\binom{{{top}}}{{{bottom}}}"


def digits_in_base(text: str) -> Based | None:
    """Digits with letters among them in a base beyond ten, 2B_{16}, or None."""
    match = _BASED.fullmatch(_WRAPPED.sub(r"\1", text))
    if match is None or match[1].isdigit():
        return None
    base = int(match[2]) if match[2].isdigit() else BASE_NAMES.get(match[2], 0)
    if not 10 < base <= 36 or not (
        any(map(str.isdigit, match[1])) or (base == 16 and (match[1].isupper() or match[1].islower()))
    ):
        return None
    return Based(match[1].upper(), base) if all(int(one, 36) < base for one in match[1]) else None
