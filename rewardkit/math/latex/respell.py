"""Spellings that no single token shows, as a table of rules: vectors in angle signs, units in fractions, remarks, dotted decimals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from rewardkit.math.patterns import lazy

Replacement = str | Callable[[re.Match[str]], str]


class Rule(NamedTuple):
    """What a text must hold for the rule to be tried, what is replaced, and by what."""

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: Replacement


# -- rules that need more than a replacement ---------------------------------------------------------------------------


def _choose(high: tuple[int, int], low: tuple[int, int]) -> Callable[[re.Match[str]], str]:
    """Choose k of n where n can be a size and k a part of it; C_1^2 is the square of a constant."""

    def replace(match: re.Match[str]) -> str:
        top, bottom = match[high[0]] or match[high[1]], match[low[0]] or match[low[1]]
        if top.isdigit() and not (bottom.isdigit() and int(bottom) <= int(top)):
            return match[0]
        return rf"\binom{{{top}}}{{{bottom}}}"

    return replace


LONG_CYCLE = 5
"""Cycles of so many digits need to be written twice, shorter ones three times: e is 2.718281828 and goes on otherwise."""


_UNENDING = lazy(r"(?<![0-9])([0-9]{1,30}\.)([0-9]{3,60})(?:\\,| )?(?:\.\.\.|\\[lc]?dots(?![A-Za-z]))(?![0-9.])")


def with_cycles(text: str) -> str:
    r"""`text` with decimals that go on as their last digits repeat themselves as repeating ones.

    >>> with_cycles(r"0.4999\ldots"), with_cycles("0.142857142857..."), with_cycles("2.718281828...")
    ('0.4\\overline{9}', '0.\\overline{142857}', '2.718281828...')
    """
    return _UNENDING.sub(_repeating, text)


def _repeating(match: re.Match[str]) -> str:
    """A decimal that goes on as its last digits repeat themselves: 0.4999..., 0.121212..., 0.142857142857..."""
    digits = match[2]
    for size in range(1, len(digits) // 2 + 1):
        times = 3 if size < LONG_CYCLE else 2
        if len(digits) >= size * times and digits.endswith(digits[-size:] * times):
            start = len(digits) - size * times
            return rf"{match[1]}{digits[:start]}\overline{{{digits[-size:]}}}"
    return match[0]


_UNIT_PAIRS = frozenset({"hr", "rs", "mg", "ml", "gm", "kg", "ft"})
_GREEK_BEFORE = lazy(r"\\(?!pi)(?:mu|theta|alpha|beta|gamma|lambda|omega|rho|sigma|phi|tau) ?\Z")
_FORMULA_BEHIND = lazy(
    r"[ ]?[-+][ ]?(?:[A-Za-z](?![A-Za-z]{2})|\\[a-z])|\(|\\(?:sin|cos|tan|sqrt|frac|theta|alpha|beta|phi|omega|mu|lambda)(?![A-Za-z])"
)


def _as_letters(match: re.Match[str]) -> str:
    """Two letters that spell a word or a unit where they stand in a formula as its factors: an + b, at^2/2, 2mg sin(theta)."""
    pair = match[1]
    if pair is None:
        return match[0]
    text, start, end = match.string, match.start(), match.end()
    left, right = text[max(0, start - 12) : start], text[end : end + 12]
    before, after = left.rstrip(), right.lstrip()
    bound = after[:1] in {"+", "=", "*", "/"} or right[:1] == "-" or right[:3] == " - "
    if pair in _UNIT_PAIRS:
        of_pi = before.endswith("\\pi") and (
            pair in {"hr", "rs"} or right[:1] == ")" or (right[:1] == "^" and pair != "ft")
        )
        raised = right[:1] == "^" and pair != "ft" and (not before or before[-1].isdigit() or before[-1] == "}")
        beside = before == left and (right[:1] == "}" or (pair == "mg" and left.endswith("}") and not right.strip()))
        letters = of_pi or raised or beside or bool(_GREEK_BEFORE.search(left) or _FORMULA_BEHIND.match(right))
    elif not (left or right) or right.startswith(("^", "_")):
        letters = True
    elif not before:
        letters = bound
    elif before[-1] in "+-=*/^":
        letters = not (right[:1].isspace() and after[:1].isalpha())
    elif before[-1] in "({":
        letters = bound or right[:1] in {")", "}"}
    else:  # behind a factor
        letters = before == left and not (right[:1].isspace() and after[:1].isalnum())
    return f"{pair[0]} {pair[1]}" if letters else pair


_PART = lazy(
    r"(?:\\text ?\{ ?)?\(([a-e]|[1-5]|i{1,3}|iv|v)\)(?: ?\}[ ~]*| ?\\quad(?![A-Za-z])|\\ |[ ~]+)(?=[^\s=+*/^(])"
)
_TAIL = lazy(r"(?:\\\\|\\q?quad|\\text ?\{ ?and ?\}|\band|[,;])\s*$")
_PARTS = (tuple("abcde"), tuple("12345"), ("i", "ii", "iii", "iv", "v"))


def _labelled_parts(text: str) -> str:
    """(a) 3, (b) 4 as values with the names of their parts."""
    found = list(_PART.finditer(text))
    names = tuple(match[1] for match in found)
    if len(found) < 2 or text[: found[0].start()].strip(" $") or not any(names == one[: len(names)] for one in _PARTS):
        return text
    edges = [match.start() for match in found[1:]] + [len(text)]
    values = (text[match.end() : edge].strip(" $,;.\t\n") for match, edge in zip(found, edges, strict=True))
    values = (_TAIL.sub("", one).strip(" ,;") for one in values)
    return " , ".join(rf"\text{{{name}part}}: {value}" for name, value in zip(names, values, strict=True))


_RESTRICTION = lazy(
    r"\s*(?:[a-z]|-?[0-9.]{1,9}) ?(?:[<>]|\\(?:neq?|leq?|leqslant|geq?|geqslant|lt|gt)(?![A-Za-z]))[^()=,]{1,40}"
)
_SPACE_AT_END = lazy(r"(?:\s|~|\\(?:q?quad|left|[,;: ]?))+\Z")


def _restricted(text: str) -> str:
    """A restriction in brackets behind an equation, y^2=4x (x>0), set off by a comma."""
    place = text.rfind("(")
    if place < 1 or _RESTRICTION.fullmatch(text, place + 1, len(text) - 1) is None:
        return text
    head = _SPACE_AT_END.sub("", text[:place])
    spaced = "=" in head or len(head) < place
    if not head or not spaced or head[-1] in ",;({[fgh&|+-*/<>^_" or head[-1].isupper():
        return text
    return f"{head} , {text[place + 1 : -1].removesuffix(chr(92) + 'right')}"


def _primes(match: re.Match[str]) -> str:
    return "'" * match[0].count("p")


def _logic(match: re.Match[str]) -> str:
    return r") \land (" if match[1] == "&" else r") \lor ("


def _quotient(match: re.Match[str]) -> str:
    return rf"\mathbb{{Z}}_{{{match[1] or match[2]}}}"


def _micro(match: re.Match[str]) -> str:
    return rf"{match[1]}\text{{u{match[2] or match[3]}}}"


# -- the table ---------------------------------------------------------------------------------------------------------

_INDEX = r"(?:\{ ?(\w{1,9}) ?\}|(\w))"
_WORD_PART = r"\{ ?(\\(?:text|mathrm|rm) ?\{[^{}]*\}(?:\^(?:\d|\{ ?\d ?\}))?) ?\}"
_BLANKS = r"(?:\\[ ,;:]|\s|~)*"
_ROUNDING = r"(-?[0-9][0-9,]*(?:\.[0-9]+)? ?(?:\\?%)?)"

RULES = (
    # remarks: what they say does not count, but a rounding must be one
    Rule(("about", "approx", "rough", "around", "\\approx"), lazy(
        rf"(?<=[0-9}}!a-z)]){_BLANKS}(?:\\text ?\{{ ?)?\( ?(?:\\text ?\{{ ?)?(?:or )?(?:about|approx\.?|approximately|roughly|around|\\approx) ?\}}?{_BLANKS}{_ROUNDING}"
        r"(?:[ ~]?[a-z ]{1,30}|[ ~]?\\text ?\{[a-z ]{1,30}\}?)? ?\)?(?: ?\})?\)?\Z"), r" \\approx \1"),
    Rule(("simpl", "exact", "lowest", "reduced", "rounded", "nearest"), lazy(
        rf"(?<=\S){_BLANKS}(?:\\text ?\{{ ?)?\( ?(?:\\text ?\{{ ?)?(?:simplified|exact(?:ly)?|reduced|(?:in )?(?:simplest|lowest) (?:form|terms)|rounded[a-z0-9 ]{{0,40}}|to the nearest [a-z ]{{1,20}})"
        r"(?: ?\})?\)(?: ?\})?\Z"), ""),
    # signs
    Rule(("{",), lazy(
        r"\{(?:(?<![_^A-Za-z\]]\{)(?<![_^] \{)|(?<=[^A-Za-z\\][a-z]\{)) ?([-+=/]|\\(?:div|times|cdot|pm|mp|leq?|geq?|neq?|slash)(?![A-Za-z])) ?\}"), r"\1 "),
    Rule(("{and ", "{ and "), lazy(r"\\text ?\{ ?and ([A-Za-z][A-Za-z :]{2,60})\}"), r"\\text{ and }\\text{ \1}"),
    Rule(("<",), lazy(r"\A([^<>]*= ?|)<([^<>=]*,[^<>=]*)>\Z"), r"\1\\langle \2\\rangle "),
    Rule(("prime",), lazy(r"\^ ?(?:\\prime|\{ ?(?:\\prime ?){1,3}\})(?![A-Za-z])"), _primes),
    Rule(("+-", "+ -", "+/-", "+ /-"), lazy(r"(?:(?<==)|\A) ?\+ ?/? ?-(?= ?[0-9a-z\\(])"), r"\\pm "),
    Rule((") & (", ") | ("), lazy(r"\) ([&|]) \("), _logic),
    Rule(("\\angle",), lazy(r"\\angle ?([A-Z])(?= ?=.*\\circ)"), r"\1"),
    Rule(("C",), lazy(rf"(?<![A-Za-z\\])C_{_INDEX} ?\^{_INDEX}", re.ASCII), _choose((1, 2), (3, 4))),
    Rule(("C", "choose"), lazy(r"(?<![A-Za-z_^\\0-9])([0-9]{1,3}|n)(?:C| choose )([0-9]{1,3}|[kr])(?![A-Za-z0-9])"), r"\\binom{\1}{\2}"),
    Rule(("_",), lazy(r"_ ?\\text ?\{ ?([a-z]{3,11}) ?\}"), r"_{\1}"),
    Rule(("mathbb",), lazy(
        r"\\mathbb ?(?:\{ ?Z ?\}|Z) ?/ ?(?:([0-9]{1,9}|[nmk]) ?\\mathbb ?(?:\{ ?Z ?\}|Z)|(?:\( ?|\\langle ?)([0-9]{1,9}|[nmk]) ?(?:\)|\\rangle))"),
         _quotient),
    Rule(("mathbf",), lazy(r"\\mathbf ?(?:\{ ?([RZQN]) ?\}|([RZQN])(?![A-Za-z]))"), r"\\mathbb{\1\2}"),
    Rule(("^{",), lazy(r"(\\(?:text|mathrm|rm) ?\{[^{}]{0,40}\^)\{ ?(-?\d) ?\}"), r"\1\2"),
    Rule(("frac",), lazy(rf"\\[dt]?frac ?{_WORD_PART} ?{_WORD_PART}"), r"\1/\2"),
    # units
    Rule(("\\mu",), lazy(
        r"([0-9](?:\s|\\[ ,;:]|~)*|[0-9]\}(?:\s|\\[ ,;:]|~)+)(?:\\(?:text|mathrm|rm) ?\{ ?)?\\mu ?(?:\\(?:text|mathrm|rm) ?\{ ?([msgLlAFCVWJ])(?=[} ])|([msg])(?![A-Za-z]))[ }]*"),
         _micro),
    Rule((" ",), lazy(
        r" (?:(?<=[0-9}] )|(?<=\\pi )) *((?:[kcm]?m|ft|mi|k?g|m?L)/(?:s|h|hr|min|[cm]?m|m?L)(?:\^\{?[23]\}?)?|sec|min|lbs?)\s*\Z"), r"\\text{ \1}"),
    Rule(tuple("efglmnrsty"), lazy(
        r"\\(?:text[a-z]{0,6}|math(?:rm|sf|tt|bf)|operatorname\*?|[mhf]box|emph|rm|unit|begin|end) ?\{[^{}]*\}|\\[A-Za-z]+"
        r"|(?<![A-Za-z])(i[st]|a[nts]|o[fn]|b[ye]|we|hr|rs|m[gl]|gm|kg|ft)(?![A-Za-z])"), _as_letters),
)  # fmt: skip
"""In the order in which they are tried; a rule that needs no more than its pattern stands nowhere else."""

_SET_BRACE = lazy(r"\\[{|]|\\lbrace|(?:^|[=∈]|\\in|\\cup) ?\{")
"""Where one bar may be the bar of a set or half of a norm."""

_OTHER_EDGES = lazy(r"\\[{}|]|\||\\[lr](?:brace|vert|Vert)|\\begin")


def respell(text: str) -> str:
    r"""`text` with such spellings in plain LaTeX.

    >>> respell("<1, 2>"), respell("C_5^2"), respell(r"\frac{\text{km}}{\text{h}}")
    ('\\langle 1, 2\\rangle ', '\\binom{5}{2}', '\\text{km}/\\text{h}')
    """
    if text.count("|") == 1 and _SET_BRACE.search(text) is None:
        text = text.replace("|", r"\mid ")
    if "(a)" in text or "(1)" in text or "(i)" in text:
        text = _labelled_parts(text)
    if text.endswith(")"):
        text = _restricted(text)
    if "\\right." in text and "\\left." in text and not _OTHER_EDGES.search(text):
        text = text.replace("\\right.", " ").replace("\\left.", " ")
    for needles, pattern, replacement in RULES:
        for needle in needles:
            if needle in text:
                text = pattern.sub(replacement, text)
                break
    return text
