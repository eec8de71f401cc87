"""Spellings that are met seldom, in usual ones: asked for only where two answers differ as they stand."""

from __future__ import annotations

from functools import lru_cache

from rewardkit.math.text.patterns import lazy

_SELDOM = lazy(
    r"[\\_C+:d](?:(?<=\\)(?:pounds|[lr]paren|script|equiv ?_|mathbf|angle"
    r"|text ?\{ ?\(?(?:simpl|exact|in (?:simpl|lowest)|reduced|about|approx|rough|all|every|any|is|must|odd|even))"
    r"|(?<=_) ?\\text|(?<=[0-9n]C)[0-9kr]|(?<=\+) ?/? ?-|(?<=\{:) ?\}|(?<=d)(?:eg(?<![A-Za-z]deg)(?<!\\deg)|ots[bc]? ?\Z))|[0-9n] choose |log(?:2|10)\(|\.\.\. ?\Z"
)
"""What all of them have in them; most texts have none of it."""

_COMMANDS = (
    ("\\pounds", "£"), ("\\lparen", "("), ("\\rparen", ")"), ("\\scriptstyle", " "), ("\\scriptscriptstyle", " "),
)  # fmt: skip
_EQUIV = lazy(r"\\equiv ?_(?:\{ ?([0-9]+|[a-z]) ?\}|([0-9a-z])) ?(-?[0-9a-z]+)\Z")
_BOLD_SET = lazy(r"\\mathbf ?(?:\{ ?([RZQNC]) ?\}|([RZQNC]))(?![A-Za-z])")
_BOLD_FIELD = lazy(r"\\mathbf ?(?:\{ ?F ?\}|F)(?= ?_)")
_ANGLE = lazy(r"\\angle ?([A-Z])(?= ?=.*\\circ)")
_REMARK = lazy(
    r"(?:\\[ ,;]|\s)*\\text ?\{ ?\(?(?:simplified|exact(?:ly)?|reduced|in (?:simplest|lowest) (?:form|terms))\)? ?\}\Z"
)
_ROUNDED = lazy(
    r"(?<=[0-9}])(?:\\[ ,;]|\s)*\\text ?\{ ?\((?:about|approx\.?|approximately|roughly) (-?[0-9]+(?:\.[0-9]+)? ?(?:\\?%)?)\) ?\}\Z"
)
_PARITY = lazy(
    r"(?:\\text ?\{ ?(?:all|every|any) (odd|even) ?\} ?[nkm]|[nkm] ?\\text ?\{ ?(?:(?:is|must be) )?(odd|even) ?\})\Z"
)
_NAMED_BASE = lazy(r"_ ?\\text ?\{ ?([a-z]{3,11}) ?\}")
_CHOOSE = lazy(r"(?<![A-Za-z_^\\0-9])([0-9]{1,3}|n)(?:C| choose )([0-9]{1,3}|[kr])(?![A-Za-z0-9])")
_DEGREES = lazy(r"(?<=[0-9]) ?deg(?![A-Za-z])")
_LOGARITHM = lazy(r"(?<![A-Za-z\\])log(2|10)\(")
_BOTH_SIGNS = lazy(r"(?:(?<==)|\A) ?\+ ?/? ?-(?= ?[0-9a-z\\(])")
_COLON = lazy(r"(?<=[0-9a-z])\{ ?: ?\}(?=[0-9a-z]{1,9}\Z)")
_DIGITS_GO_ON = lazy(r"(?<=[0-9}])(?<!_[0-9]) ?= ?(-?[0-9]*\.[0-9]+) ?(?:\\[lc]?dots|\.\.\.)\Z")


def may_be_seldom(text: str) -> bool:
    """False for most texts that our grammar reads, at little cost."""
    return (
        "C" in text
        or "+-" in text
        or "log" in text
        or "\\text" in text
        or "\\mathbf" in text
        or "\\angle" in text
        or "+/-" in text
        or "{:" in text
    )


@lru_cache(maxsize=4_096)
def usual(text: str) -> str:
    r"""`text` with seldom spellings in usual ones.

    >>> usual("5C2"), usual(r"\pounds3.20"), usual(r"x \equiv_7 3"), usual("60 deg")
    ('\\binom{5}{2}', '£3.20', 'x \\equiv 3\\pmod{7}', '60^\\circ ')
    """
    if _SELDOM.search(text) is None:
        return text
    for command, plain in _COMMANDS:
        text = text.replace(command, plain)
    if "\\equiv" in text:
        text = _EQUIV.sub(r"\\equiv \3\\pmod{\1\2}", text)
    if "\\mathbf" in text:
        text = _BOLD_FIELD.sub(r"\\mathbb{F}", _BOLD_SET.sub(r"\\mathbb{\1\2}", text))
    if "\\angle" in text:
        text = _ANGLE.sub(r"\1", text)
    if "\\text" in text:
        text = _PARITY.sub(r"\\text{all \1\2 integers}", _ROUNDED.sub(r" \\approx \1", _REMARK.sub("", text)))
        text = _NAMED_BASE.sub(r"_{\1}", text)
    if "C" in text or " choose " in text:
        text = _CHOOSE.sub(r"\\binom{\1}{\2}", text)
    if "deg" in text:
        text = _DEGREES.sub(r"^\\circ ", text)
    if "log" in text:
        text = _LOGARITHM.sub(r"\\log_{\1}(", text)
    if "+" in text:
        text = _BOTH_SIGNS.sub(r"\\pm ", text)
    if ":" in text:
        text = _COLON.sub(":", text)
    if "dots" in text or "..." in text:
        text = _DIGITS_GO_ON.sub(r" \\approx \1", text)
    return text


def of_other_letters(gold: str, answer: str) -> bool:
    """Whether two texts say of two letters that they are odd or even: n is even, m is even."""
    one, other = _PARITY.search(gold), _PARITY.search(answer)
    return one is not None and other is not None and _COUNTED.findall(one[0]) != _COUNTED.findall(other[0])


_COUNTED = lazy(r"\A[nkm]\b|\b[nkm]\Z")
