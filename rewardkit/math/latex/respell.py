"""Spellings that no single token shows, as a table of rules: vectors in angle signs, units in fractions, remarks, dotted decimals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from rewardkit.math.patterns import lazy


class Rule(NamedTuple):
    """What a text must hold for the rule to be tried, what is replaced, and by what."""

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]


def _choose(match: re.Match[str]) -> str:
    """Choose k of n where n can be a size and k a part of it; C_1^2 is the square of a constant."""
    top, bottom = match[1] or match[2], match[3] or match[4]
    if top.isdigit() and not (bottom.isdigit() and int(bottom) <= int(top)):
        return match[0]
    return rf"\binom{{{top}}}{{{bottom}}}"


def _primes(match: re.Match[str]) -> str:
    return "'" * match[0].count("p")


def _factors(match: re.Match[str]) -> str:
    return match[0] if match[1] is None else f"{match[1][0]} {match[1][1]}"


_INDEX = r"(?:\{ ?(\w{1,9}) ?\}|(\w))"
_WORD_PART = r"\{ ?(\\(?:text|mathrm|rm) ?\{[^{}]*\}(?:\^(?:\d|\{ ?\d ?\}))?) ?\}"
_BLANKS = r"(?:\\[ ,;:]|\s|~)*"
_ROUNDING = r"(-?[0-9][0-9,]*(?:\.[0-9]+)? ?(?:\\?%)?)"

_TEXT = (
    r"\\(?:text[a-z]{0,6}|math(?:rm|sf|tt|bf)|operatorname\*?|[mhf]box|emph|rm|unit|begin|end) ?\{[^{}]*\}|\\[A-Za-z]+"
)
_BESIDE = r"[ ]?[-+][ ]?(?:[A-Za-z](?![A-Za-z])|\\[a-z])|[ ]?\\(?:sin|cos|tan|theta|sqrt)|[(})]"
"""What follows a factor of a formula, and behind no unit."""

RULES = (
    # remarks: what they say does not count, but a rounding must be one
    Rule(("about", "approx", "rough", "around", "\\approx"), lazy(
        rf"(?<=[0-9}}!a-z)]){_BLANKS}(?:\\text ?\{{ ?)?\( ?(?:\\text ?\{{ ?)?(?:or )?(?:about|approx\.?|approximately|roughly|around|\\approx) ?\}}?{_BLANKS}{_ROUNDING}"
        r"(?:[ ~]?[a-z ]{1,30}|[ ~]?\\text ?\{[a-z ]{1,30}\}?)? ?\)?(?: ?\})?\)?\Z"), r" \\approx \1"),
    Rule(("simpl", "exact", "lowest", "reduced", "rounded", "nearest"), lazy(
        rf"(?<=\S){_BLANKS}(?:\\text ?\{{ ?)?\( ?(?:\\text ?\{{ ?)?(?:simplified|exact(?:ly)?|reduced|(?:in )?(?:simplest|lowest) (?:form|terms)|rounded[a-z0-9 ]{{0,40}}|to the nearest [a-z ]{{1,20}})"
        r"(?: ?\})?\)(?: ?\})?\Z"), ""),
    # cases
    Rule(("begin{array",), lazy(r"\\left ?\\(?:\{|lbrace) ?\\begin\{array\} ?\{[a-z|@{} ]{0,12}\}(.*?)\\end\{array\} ?\\right ?\."), r"\\begin{cases}\1\\end{cases}"),
    # signs
    Rule((" x ",), lazy(r"(?<=[0-9]) x (?=[$\\]{0,2}[0-9][^=]*=)"), r" \\times "),
    Rule(("{",), lazy(
        r"\{(?:(?<![_^A-Za-z\]]\{)(?<![_^] \{)|(?<=[^A-Za-z\\][a-z]\{)) ?([-+=/]|\\(?:div|times|cdot|pm|mp|leq?|geq?|neq?|slash)(?![A-Za-z])) ?\}"), r"\1 "),
    Rule(("{and ", "{ and "), lazy(r"\\text ?\{ ?and ([A-Za-z][A-Za-z :]{2,60})\}"), r"\\text{ and }\\text{ \1}"),
    Rule(("<",), lazy(r"\A([^<>]*= ?|)<([^<>=]*,[^<>=]*)>\Z"), r"\1\\langle \2\\rangle "),
    Rule(("prime",), lazy(r"\^ ?(?:\\prime|\{ ?(?:\\prime ?){1,3}\})(?![A-Za-z])"), _primes),
    Rule(("+-", "+ -", "+/-", "+ /-"), lazy(r"(?:(?<==)|\A) ?\+ ?/? ?-(?= ?[0-9a-z\\(])"), r"\\pm "),
    Rule(("\\angle",), lazy(r"\\angle ?([A-Z])(?= ?=.*\\circ)"), r"\1"),
    Rule(("C",), lazy(rf"(?<![A-Za-z\\])C_{_INDEX} ?\^{_INDEX}", re.ASCII), _choose),
    Rule(("_",), lazy(r"_ ?\\text ?\{ ?([a-z]{3,11}) ?\}"), r"_{\1}"),
    Rule(("mathbb",), lazy(
        r"\\mathbb ?(?:\{ ?Z ?\}|Z) ?/ ?(?:([0-9]{1,9}|[nmk]) ?\\mathbb ?(?:\{ ?Z ?\}|Z)|(?:\( ?|\\langle ?)([0-9]{1,9}|[nmk]) ?(?:\)|\\rangle))"),
         r"\\mathbb{Z}_{\1\2}"),
    Rule(("mathbf",), lazy(r"\\mathbf ?(?:\{ ?([RZQN]) ?\}|([RZQN])(?![A-Za-z]))"), r"\\mathbb{\1\2}"),
    Rule(("ase",), lazy(
        r"(?<=[0-9A-F])(?:\s|\\[ ,;:]|~)*(?:\\text ?\{ ?)?\(?(?:in )?[Bb]ase[ -]?\}? ?(?:\\text ?\{ ?)?(\w{1,11}) ?\)?(?: ?\})?\)?\Z"), r"_{\1}"),
    Rule(("^{",), lazy(r"(\\(?:text|mathrm|rm) ?\{[^{}]{0,40}\^)\{ ?(-?\d) ?\}"), r"\1\2"),
    Rule(("frac",), lazy(rf"\\[dt]?frac ?{_WORD_PART} ?{_WORD_PART}"), r"\1/\2"),
    Rule(("\\mu",), lazy(
        r"([0-9](?:\s|\\[ ,;:]|~)*|[0-9]\}(?:\s|\\[ ,;:]|~)+)(?:\\(?:text|mathrm|rm) ?\{ ?)?\\mu ?(?:\\(?:text|mathrm|rm) ?\{ ?([msgLlAFCVWJ])(?=[} ])|([msg])(?![A-Za-z]))[ }]*"),
         r"\1\\text{u\2\3}"),
    # two letters that spell a word or a unit, as factors of a formula: an + b, at^2/2, 2mg sin(theta)
    Rule(("is", "it", "an", "as", "at", "on", "of", "by", "be", "we"), lazy(
        rf"{_TEXT}|(?<![A-Za-z])(?<![A-Za-z] )(?:(i[st]|a[nts]|o[fn]|b[ye]|we))(?:(?=[\^_)}}]|[ ]?[-+=*/])|(?<=\A..)\Z|(?<=[-+=]..)\Z)"), _factors),
    Rule(("hr", "rs", "mg", "ml", "gm", "kg", "ft"), lazy(
        rf"{_TEXT}|(?<![A-Za-z])(hr|rs|m[gl]|gm|kg|ft)(?:(?={_BESIDE})|(?<=m[gl])(?=\^)|(?<=\\mu ..))"), _factors),
)  # fmt: skip
"""In the order in which they are tried; a rule that needs no more than its pattern stands nowhere else."""

_LAST_UNIT = lazy(
    r"(?<=[0-9])(?<![A-Za-z]\^[0-9])(?:\\[,;: ]|[ ~])+((?:(?:[kcmd]?m|k?g|mol|N|J|W|C|L)(?:\^\{?[23]\}?)?/(?:[cm]?m|m?s|h|hr|min|k?g|mol|L|C|K)(?:\^\{?[23]\}?)?"
    r"|[kcm]?m ?s\^\{?-[12]\}?|min|sec|lbs?|yr|ha|[msghlLNJWVAKCF]|nm|ms|mV|mA|kV|kN|pF|nF|Pa))\s*\Z"
)
_NO_BRACES = str.maketrans("", "", "{}")


def last_unit(text: str) -> str:
    r"""`text` with a unit set off behind a number at its end, 493\,m, as text: it is a letter elsewhere."""
    return _LAST_UNIT.sub(lambda unit: rf" \text{{{unit[1].translate(_NO_BRACES)}}}", text)


_SET_BRACE = lazy(r"\\[{|]|\\lbrace|(?:^|[=∈]|\\in|\\cup) ?\{")
"""Where one bar may be the bar of a set or half of a norm."""


def respell(text: str) -> str:
    r"""`text` with such spellings in plain LaTeX.

    >>> respell("<1, 2>"), respell("C_5^2"), respell(r"\frac{\text{km}}{\text{h}}")
    ('\\langle 1, 2\\rangle ', '\\binom{5}{2}', '\\text{km}/\\text{h}')
    """
    if text.count("|") == 1 and _SET_BRACE.search(text) is None:
        text = text.replace("|", r"\mid ")
    for needles, pattern, replacement in RULES:
        for needle in needles:
            if needle in text:
                text = pattern.sub(replacement, text)
                break
    return text
