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


def _bracket(match: re.Match[str]) -> str:
    return "(" if match[1] == "l" else ")"


def _upright(match: re.Match[str]) -> str:
    mark = match[1]
    return rf"{mark}{{\text{{{match[2]}}}}}" if mark else rf"\text{{{match[2]}}}"


def _primes(match: re.Match[str]) -> str:
    return "'" * match[0].count("p")


def _logic(match: re.Match[str]) -> str:
    return r") \land (" if match[1] == "&" else r") \lor ("


def _number_set(match: re.Match[str]) -> str:
    return _NUMBER_SETS[match[1]]


def _quotient(match: re.Match[str]) -> str:
    return rf"\mathbb{{Z}}_{{{match[1] or match[2]}}}"


def _micro(match: re.Match[str]) -> str:
    return rf"{match[1]}\text{{u{match[2] or match[3]}}}"


# -- the table ---------------------------------------------------------------------------------------------------------

_INDEX = r"(?:\{ ?(\w{1,9}) ?\}|(\w))"
_WORD_PART = r"\{ ?(\\(?:text|mathrm|rm) ?\{[^{}]*\}(?:\^(?:\d|\{ ?\d ?\}))?) ?\}"
_BLANKS = r"(?:\\[ ,;:]|\s|~)*"
_OVER_NUMBERS = r"(?:\\text ?\{ ?)?(?:the )?(?:set of )?(?:all |any |every )?(?:the )?"
_NUMBER_SETS = {"natural": r"\mathbb{N}", "rational": r"\mathbb{Q}", "complex": r"\mathbb{C}", "irrational": r"\mathbb{R}\setminus\mathbb{Q}"}  # fmt: skip
_ROUNDING = r"(-?[0-9][0-9,]*(?:\.[0-9]+)? ?(?:\\?%)?)"

RULES = (
    # remarks: what they say does not count, but a rounding must be one
    Rule(("about", "approx", "rough", "around", "\\approx"), lazy(
        rf"(?<=[0-9}}!a-z)]){_BLANKS}(?:\\text ?\{{ ?)?\( ?(?:\\text ?\{{ ?)?(?:or )?(?:about|approx\.?|approximately|roughly|around|\\approx) ?\}}?{_BLANKS}{_ROUNDING}"
        r"(?:[ ~]?[a-z ]{1,30}|[ ~]?\\text ?\{[a-z ]{1,30}\}?)? ?\)?(?: ?\})?\)?\Z"), r" \\approx \1"),
    Rule(("simpl", "exact", "lowest", "reduced", "rounded", "nearest"), lazy(
        rf"(?<=\S){_BLANKS}(?:\\text ?\{{ ?)?\( ?(?:\\text ?\{{ ?)?(?:simplified|exact(?:ly)?|reduced|(?:in )?(?:simplest|lowest) (?:form|terms)|rounded[a-z0-9 ]{{0,40}}|to the nearest [a-z ]{{1,20}})"
        r"(?: ?\})?\)(?: ?\})?\Z"), ""),
    Rule(("\\text",), lazy(r"(?<=[0-9}])(?:\\[ ,;])?\\text ?\{ ?\(?(?:(?:attained|achieved|reached) (?:at|when|for)|at) ?\} ?[a-z] ?= ?[^,;=()]{1,40}\)?\Z"), ""),
    Rule(("(=", "(\\approx"), lazy(r"(?:\\[ ,;])? ?\(((?:=|\\approx)[^()]{1,80})\)\Z"), r" \1"),
    Rule(("dots", "..."), lazy(r"(?<=[0-9}])(?<!_[0-9]) ?= ?(-?[0-9]*\.[0-9]+) ?(?:\\[lc]?dots|\.\.\.)\Z"), r" \\approx \1"),
    Rule(("in total", "in all", "altogether"), lazy(r"(?<=[0-9}a-z])(?: ?\})? (?:in total|in all|altogether)\Z"), ""),
    # commands
    Rule(("\\pounds",), lazy(r"\\pounds(?![A-Za-z])"), "£"),
    Rule(("paren",), lazy(r"\\([lr])paren(?![A-Za-z])"), _bracket),
    Rule(("\\script",), lazy(r"\\script(?:script)?style(?![A-Za-z])"), " "),
    Rule(("\\gen",), lazy(r"\\genfrac ?\{\} ?\{\} ?\{\} ?\{[0-3]?\}"), r"\\frac"),
    Rule(("\\overset", "\\stackrel"), lazy(r"\\(?:overset|stackrel) ?\{(?:[^{}?]|\{[^{}?]{0,40}\}){0,40}\} ?\{ ?= ?\}"), "= "),
    Rule(("{",), lazy(
        r"(?:\\math(?:rel|bin|ord|op) ?|(?<![_^A-Za-z\]])(?<![_^] )|(?<=[^A-Za-z\\][a-z]))"
        r"\{ ?([-+=/]|\\(?:div|times|cdot|pm|mp|leq?|geq?|neq?|slash)(?![A-Za-z])) ?\}"), r"\1 "),
    Rule(("{\\rm ", "{\\text "), lazy(r"([_^]?)\{ ?\\(?:rm|text) +([A-Za-z][A-Za-z/ ^0-9]*)\}"),
         _upright),
    Rule(("{and ", "{ and "), lazy(r"\\text ?\{ ?and ([A-Za-z][A-Za-z :]{2,60})\}"), r"\\text{ and }\\text{ \1}"),
    # brackets, bars, marks
    Rule(("<",), lazy(r"\A([^<>]*= ?|)<([^<>=]*,[^<>=]*)>\Z"), r"\1\\langle \2\\rangle "),
    Rule(("prime",), lazy(r"\^ ?(?:\\prime|\{ ?(?:\\prime ?){1,3}\})(?![A-Za-z])"), _primes),
    Rule((") & (", ") | ("), lazy(r"\) ([&|]) \("), _logic),
    Rule(("+-", "+ -", "+/-", "+ /-"), lazy(r"(?:(?<==)|\A) ?\+ ?/? ?-(?= ?[0-9a-z\\(])"), r"\\pm "),
    Rule(("/_",), lazy(r"(?:\{ ?\} ?)?\^\{?([0-9]{1,4})\}? ?/_\{?([0-9]{1,4})\}?"), r"\\frac{\1}{\2}"),
    Rule(("{:", "{ :"), lazy(r"(?<=[0-9a-z])\{ ?: ?\}(?=[0-9a-z]{1,9}\Z)"), ":"),
    Rule(("\\circ",), lazy(r"\( ?([a-zA-Z]) ?\\circ ?([a-zA-Z]) ?\) ?\( ?([a-z]|-?[0-9]{1,6}) ?\)"), r"\1(\2(\3))"),
    Rule(("\\angle",), lazy(r"\\angle ?([A-Z])(?= ?=.*\\circ)"), r"\1"),
    # numbers
    Rule(("C",), lazy(rf"(?:\{{ ?\}}|(?<![\w)}}\]]))[_^]{_INDEX} ?(?:\\(?:mathrm|text) ?\{{C\}}|C) ?_{_INDEX}", re.ASCII), _choose((1, 2), (3, 4))),
    Rule(("C",), lazy(rf"(?<![A-Za-z\\])C_{_INDEX} ?\^{_INDEX}", re.ASCII), _choose((1, 2), (3, 4))),
    Rule(("C",), lazy(rf"(?<![A-Za-z\\])C\^{_INDEX} ?_{_INDEX}", re.ASCII), _choose((3, 4), (1, 2))),
    Rule(("C", "choose"), lazy(r"(?<![A-Za-z_^\\0-9])([0-9]{1,3}|n)(?:C| choose )([0-9]{1,3}|[kr])(?![A-Za-z0-9])"), r"\\binom{\1}{\2}"),
    Rule(("\\dot",), lazy(r"\\dot ?\{?(\d)\}?(\d*)\\dot ?\{?(\d)\}?"), r"\\overline{\1\2\3}"),
    Rule((")",), lazy(r"\A([-+]?\d*\.\d*)\((\d{1,60})\)\Z"), r"\1\\overline{\2}"),
    Rule((" in ", "out of"), lazy(r"\A([0-9]{1,9}) ?(?:\\text ?\{ ?)?(?: in|(?:in )?out of)(?: every)?(?: ?\})? ?([0-9]{1,9})\Z"), r"\1/\2"),
    Rule(("minus", "egative"), lazy(r"\A(?:\\(?:text|mathrm) ?\{ ?)?(?:minus|negative) ?\}? ?(?=[0-9\\])", re.IGNORECASE), "-"),
    Rule(("log",), lazy(r"(?<![A-Za-z\\])log(2|10)\("), r"\\log_{\1}("),
    Rule(("\\equiv",), lazy(r"\\equiv ?_(?:\{ ?([0-9]+|[a-z]) ?\}|([0-9a-z])) ?(-?[0-9a-z]+)\Z"), r"\\equiv \3\\pmod{\1\2}"),
    Rule(("_",), lazy(r"_ ?\\text ?\{ ?([a-z]{3,11}) ?\}"), r"_{\1}"),
    # sets of numbers
    Rule(("mathbb", "positive integer"), lazy(
        r"\A((?:[a-zA-Z] ?\\in ?)?)(?:\\mathbb ?(?:\{ ?[ZN] ?\}|[ZN]) ?(?:[_^] ?(?:\+|\{ ?\+ ?\})|_ ?\{ ?(?:>|\\gt) ?0 ?\}|_ ?\{ ?(?:\\geq?(?:slant)?|>=) ?1 ?\})"
        rf"|\\mathbb ?(?:\{{ ?N ?\}}|N) ?[_^] ?(?:\*|\{{ ?\* ?\}})|{_OVER_NUMBERS}positive integers?(?: [a-z])?(?: ?\}})?)\Z"), r"\1\\mathbb{Z}^+"),
    Rule((" numbers",), lazy(rf"\A{_OVER_NUMBERS}(natural|rational|irrational|complex) numbers(?: ?\}})?\Z"), _number_set),
    Rule(("1",), lazy(r"\A\\\{ ?1 ?, ?2 ?, ?3 ?(?:, ?4 ?(?:, ?5 ?)?)?, ?(?:\\[lc]?dots[cb]?|\.\.\.) ?\\\}\Z"), r"\\mathbb{Z}^+"),
    Rule(("mathbb",), lazy(
        r"\\mathbb ?(?:\{ ?Z ?\}|Z) ?/ ?(?:([0-9]{1,9}|[nmk]) ?\\mathbb ?(?:\{ ?Z ?\}|Z)|(?:\( ?|\\langle ?)([0-9]{1,9}|[nmk]) ?(?:\)|\\rangle))"),
         _quotient),
    Rule(("mathbf",), lazy(r"\\mathbf ?(?:\{ ?([RZQN]) ?\}|([RZQN])(?![A-Za-z]))"), r"\\mathbb{\1\2}"),
    # units
    Rule(("^{",), lazy(r"(\\(?:text|mathrm|rm) ?\{[^{}]{0,40}\^)\{ ?(-?\d) ?\}"), r"\1\2"),
    Rule(("frac",), lazy(rf"\\[dt]?frac ?{_WORD_PART} ?{_WORD_PART}"), r"\1/\2"),
    Rule(("min",), lazy(r"([0-9]) ?h(?:rs?)? ?([0-9]{1,2}) ?min(?![A-Za-z])"), r"\1\\text{ h }\2\\text{ min}"),
    Rule(("ft", "feet"), lazy(r"([0-9]) ?(?:ft|feet) ?([0-9]{1,2}) ?in(?:ches)?(?![A-Za-z])"), r"\1\\text{ ft }\2\\text{ in}"),
    Rule(("\\mu",), lazy(
        r"([0-9](?:\s|\\[ ,;:]|~)*|[0-9]\}(?:\s|\\[ ,;:]|~)+)(?:\\(?:text|mathrm|rm) ?\{ ?)?\\mu ?(?:\\(?:text|mathrm|rm) ?\{ ?([msgLlAFCVWJ])(?=[} ])|([msg])(?![A-Za-z]))[ }]*"),
         _micro),
    Rule(("\\mu",), lazy(r"(?<=[0-9}])(\s|\\[ ,;:]|~)\s*\\mu ?([FACVLJW])\Z"), r"\1\\text{u\2}"),
    Rule(("in",), lazy(r"([0-9}]) ?in(?=\^\{?[23]|\s*\Z)"), r"\1\\text{ in}"),
    Rule(("sq",), lazy(
        r"([0-9}i]) ?sq\.? ?(in|ft|yd|mi|[kcmd]?m|units?|inches|feet|yards|miles|(?:kilo|centi|milli)?met(?:er|re)s)(?![A-Za-z])"), r"\1\\text{ square \2}"),
    Rule((" ",), lazy(
        r"(\\pi|[0-9}]) +((?:(?:[kcm]?m|ft|mi|k?g|m?L)/(?:s|h|hr|min|[cm]?m|m?L)(?:\^\{?[23]\}?)?|sec|min|lbs?))\s*\Z"), r"\1\\text{ \2}"),
    Rule((" a ", " an "), lazy(
        r"([0-9]) an? (week|day|month|year|hour|minute|second|night|person|piece|pound|mile|gallon|share|ticket|trip)\Z"), r"\1\\text{ per \2}"),
    Rule(("deg",), lazy(r"(?<=[0-9]) ?deg(?![A-Za-z])"), r"^\\circ "),
    Rule(("Rs.",), lazy(r"Rs\."), "Rs "),
    Rule(("US",), lazy(r"US\\\$"), r"\\$"),
    # letters
    Rule(("\\",), lazy(
        r"(\\(?:sin|cos|tan|cot|sec|csc|ln|log|sinh|cosh|tanh|arcsin|arccos|arctan)(?![A-Za-z])(?:\^(?:[0-9]|\{[0-9]{1,2}\}))? ?"
        r"(?:[0-9.]{0,6} ?(?:[a-z]|\\[a-z]{2,8})))[ ]?(?:\\[,;: ]|~)\s*(?=d[a-z](?![a-z]))"), r"\1\\cdot "),
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

    >>> respell("<1, 2>"), respell("{}_{5}C_2"), respell(r"\frac{\text{km}}{\text{h}}")
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
