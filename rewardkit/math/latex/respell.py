"""Spellings that no single token shows: vectors in angle signs, left subscripts, units in fractions, dotted decimals."""

from __future__ import annotations

import re

from rewardkit.math.latex.tree import Based
from rewardkit.math.latex.vocabulary import BASE_NAMES
from rewardkit.math.text.patterns import lazy

_ANGLES = lazy(r"([^<>]*= ?|)<([^<>=]*,[^<>=]*)>")
_INDEX = r"(?:\{ ?(\w{1,9}) ?\}|(\w))"
_CHOOSE_LEFT = lazy(rf"(?:\{{ ?\}}|(?<![\w)}}\]]))[_^]{_INDEX} ?(?:\\(?:mathrm|text) ?\{{C\}}|C) ?_{_INDEX}", re.ASCII)
_CHOOSE_LOW = lazy(rf"(?<![A-Za-z\\])C_{_INDEX} ?\^{_INDEX}", re.ASCII)
_CHOOSE_HIGH = lazy(rf"(?<![A-Za-z\\])C\^{_INDEX} ?_{_INDEX}", re.ASCII)
_WORD_PART = r"\{ ?(\\(?:text|mathrm|rm) ?\{[^{}]*\}(?:\^(?:\d|\{ ?\d ?\}))?) ?\}"
_UNIT_FRACTION = lazy(rf"\\[dt]?frac ?{_WORD_PART} ?{_WORD_PART}")
_RAISED_IN_TEXT = lazy(r"(\\(?:text|mathrm|rm) ?\{[^{}]{0,40}\^)\{ ?(-?\d) ?\}")
_COMPOSED = lazy(r"\( ?([a-zA-Z]) ?\\circ ?([a-zA-Z]) ?\) ?\( ?([a-z]|-?[0-9]{1,6}) ?\)")
_DOTS = lazy(r"\\dot ?\{?(\d)\}?(\d*)\\dot ?\{?(\d)\}?")
_HOURS = lazy(r"([0-9]) ?h(?:rs?)? ?([0-9]{1,2}) ?min(?![A-Za-z])")
_ONE_IN = lazy(r"([0-9]{1,9}) ?(?:\\text ?\{ ?)?(?: in|(?:in )?out of)(?: every)?(?: ?\})? ?([0-9]{1,9})")
_PRIMES = lazy(r"\^ ?(?:\\prime|\{ ?(?:\\prime ?){1,3}\})(?![A-Za-z])")
_FEET = lazy(r"([0-9]) ?(?:ft|feet) ?([0-9]{1,2}) ?in(?:ches)?(?![A-Za-z])")
_RAISED_OVER = lazy(r"(?:\{ ?\} ?)?\^\{?([0-9]{1,4})\}? ?/_\{?([0-9]{1,4})\}?")
_SAME_IN_BRACKETS = lazy(r"(?:\\[ ,;])? ?\(((?:=|\\approx)[^()]{1,80})\)$")
_MICRO = lazy(
    r"([0-9](?:\s|\\[ ,;:]|~)*|[0-9]\}(?:\s|\\[ ,;:]|~)+)(?:\\(?:text|mathrm|rm) ?\{ ?)?\\mu ?(?:\\(?:text|mathrm|rm) ?\{ ?([msgLlAFCVWJ])(?=[} ])|([msg])(?![A-Za-z]))[ }]*"
)
_MICRO_END = lazy(r"(?<=[0-9}])(\s|\\[ ,;:]|~)\s*\\mu ?([FACVLJW])$")
_PLAIN_AREA = lazy(
    r"([0-9}i]) ?sq\.? ?(in|ft|yd|mi|[kcmd]?m|units?|inches|feet|yards|miles|(?:kilo|centi|milli)?met(?:er|re)s)(?![A-Za-z])"
)
_PLAIN_INCHES = lazy(r"([0-9}]) ?in(?=\^\{?[23]|\s*$)")
_PLAIN_UNIT = lazy(
    r"(\\pi|[0-9}]) +((?:(?:[kcm]?m|ft|mi|k?g|m?L)/(?:s|h|hr|min|[cm]?m|m?L)(?:\^\{?[23]\}?)?|sec|min|lbs?))\s*$"
)
_IN_ALL = lazy(r"(?<=[0-9}a-z])(?: ?\})? (?:in total|in all|altogether)$")
_AND_MORE = lazy(r"\\text ?\{ ?and ([A-Za-z][A-Za-z :]{2,60})\}")
_SWITCHED = lazy(r"([_^]?)\{ ?\\(?:rm|text) +([A-Za-z][A-Za-z/ ^0-9]*)\}")
_A_WEEK = lazy(
    r"([0-9]) an? (week|day|month|year|hour|minute|second|night|person|piece|pound|mile|gallon|share|ticket|trip)$"
)
_IN_BRACKETS = lazy(r"([-+]?\d*\.\d*)\((\d{1,60})\)")
_UNENDING = lazy(r"([0-9]{1,30}\.)([0-9]{3,60})(?:\\,| )?(?:\.\.\.|\\[lc]?dots(?![A-Za-z]))(?![0-9.])")
_MINUS = lazy(r"(?:\\(?:text|mathrm) ?\{ ?)?(?:minus|negative) ?\}? ?(?=[0-9\\])", re.IGNORECASE)
_QUOTIENT = lazy(
    r"\\mathbb ?(?:\{ ?Z ?\}|Z) ?/ ?(?:([0-9]{1,9}|[nmk]) ?\\mathbb ?(?:\{ ?Z ?\}|Z)"
    r"|(?:\( ?|\\langle ?)([0-9]{1,9}|[nmk]) ?(?:\)|\\rangle))"
)
_WRAPPED = lazy(r"\\(?:text|mathrm|mathtt|texttt) ?\{([0-9A-Za-z]*)\}")
_BASED = lazy(r"\(?([0-9A-Za-z]{2,200})\)? ?_ ?\{? ?(\d{1,2}|[a-z]{3,11}) ?\}?")


_ATTAINED = lazy(
    r"(?<=[0-9}])(?:\\[ ,;])?\\text ?\{ ?\(?(?:(?:attained|achieved|reached) (?:at|when|for)|at) ?\} ?[a-z] ?= ?[^,;=()]{1,40}\)?\Z"
)
"""Where an extreme value is taken."""

_NEARLY = lazy(
    r"(?:\\[ ,;]|\\text ?\{)? ?\((?:approximately|approx\.?|about) ?\}? ?(-?[0-9][0-9,]*(?:\.[0-9]+)?)(?:\\text ?\{)?\)\}?$"
)

_SET_BRACE = lazy(r"\\[{|]|\\lbrace|(?:^|[=∈]|\\in|\\cup) ?\{")
"""Where one bar may be the bar of a set or half of a norm."""


def respell(text: str) -> str:
    r"""`text` with such spellings in plain LaTeX.

    >>> respell("<1, 2>"), respell("{}_{5}C_2"), respell(r"\frac{\text{km}}{\text{h}}")
    ('\\langle 1, 2\\rangle ', '\\binom{5}{2}', '\\text{km}/\\text{h}')
    """
    if "<" in text and ">" in text and (angles := _ANGLES.fullmatch(text)) is not None:
        text = rf"{angles[1]}\langle {angles[2]}\rangle "
    if "|" in text and text.count("|") == 1 and _SET_BRACE.search(text) is None:
        text = text.replace("|", r"\mid ")
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
    if "min" in text:
        text = _HOURS.sub(r"\1\\text{ h }\2\\text{ min}", text)
    if (" in " in text or "out of" in text) and (chance := _ONE_IN.fullmatch(text)) is not None:
        text = f"{chance[1]}/{chance[2]}"
    if "prime" in text:
        text = _PRIMES.sub(lambda m: "'" * m[0].count("p"), text)
    if " in" in text and ("ft" in text or "feet" in text):
        text = _FEET.sub(r"\1\\text{ ft }\2\\text{ in}", text)
    if "(approx" in text or "(about" in text:
        text = _NEARLY.sub(r" \\approx \1", text)
    if "\\text" in text and "at" in text and "=" in text:
        text = _ATTAINED.sub("", text)
    if "(=" in text or "(\\approx" in text:
        text = _SAME_IN_BRACKETS.sub(r" \1", text)
    if "\\mu" in text:
        text = _MICRO.sub(lambda m: rf"{m[1]}\text{{u{m[2] or m[3]}}}", text)
        text = _MICRO_END.sub(r"\1\\text{u\2}", text)
    if "Rs." in text:
        text = text.replace("Rs.", "Rs ")
    if "/_" in text:
        text = _RAISED_OVER.sub(r"\\frac{\1}{\2}", text)
    if "in" in text and ("in^" in text or text.rstrip().endswith("in")):
        text = _PLAIN_INCHES.sub(r"\1\\text{ in}", text)
    if "sq" in text and text.count("sq") != text.count("sqrt"):
        text = _PLAIN_AREA.sub(r"\1\\text{ square \2}", text)
    if " " in text and ("/" in text or text.endswith(("sec", "min", "lb", "lbs"))):
        text = _PLAIN_UNIT.sub(r"\1\\text{ \2}", text)
    if " a " in text or " an " in text:
        text = _A_WEEK.sub(r"\1\\text{ per \2}", text)
    if text.endswith((" in total", " in all", " altogether")):
        text = _IN_ALL.sub("", text)
    if ") & (" in text or ") | (" in text:
        text = text.replace(") & (", r") \land (").replace(") | (", r") \lor (")
    if "{\\rm " in text or "{\\text " in text:
        text = _SWITCHED.sub(lambda m: (m[1] and m[1] + "{") + r"\text{" + m[2] + "}" + (m[1] and "}"), text)
    if "{and " in text or "{ and " in text:
        text = _AND_MORE.sub(r"\\text{ and }\\text{ \1}", text)
    if "mathbb" in text and "/" in text:
        text = _QUOTIENT.sub(lambda m: rf"\mathbb{{Z}}_{{{m[1] or m[2]}}}", text)
    if ("minus" in text or "egative" in text) and (minus := _MINUS.match(text)) is not None:
        text = "-" + text[minus.end() :]
    if "mathbb" in text or text.endswith(_NUMBERS_END):
        text = number_sets(text)
    if text.endswith(")") and ("<" in text or ">" in text or "\\" in text):
        text = restricted(text)
    if "{" in text and _SIGN_AHEAD.search(text) is not None:
        text = _SIGN_IN_BRACES.sub(r"\1 ", _DEFINED_AS.sub("= ", text))
    if "\\right." in text and "\\left." in text and not _OTHER_EDGES.search(text):
        text = text.replace("\\right.", " ").replace("\\left.", " ")
    if "\\gen" in text:
        text = _GENERAL_FRACTION.sub(r"\\frac", text)
    if "\\" in text and _DIFFERENTIAL.search(text) is not None:
        text = _ARGUMENT_ENDS.sub(r"\1\\cdot ", text)
    if _LETTER_PAIR.search(text) is not None:
        text = _SPACED_PAIR.sub(_as_letters, text)
    if "US" in text:
        text = text.replace("US\\$", "\\$")
    if "\\dot" in text:
        text = _DOTS.sub(r"\\overline{\1\2\3}", text)
    if "." in text and text.endswith(")") and (bracketed := _IN_BRACKETS.fullmatch(text)) is not None:
        text = rf"{bracketed[1]}\overline{{{bracketed[2]}}}"
    return text


_SIGN_IN_BRACES = lazy(
    r"(?:\\math(?:rel|bin|ord|op) ?|(?<![_^A-Za-z\]])(?<![_^] )|(?<=[^A-Za-z\\][a-z]))"
    r"\{ ?([-+=/]|\\(?:div|times|cdot|pm|mp|leq?|geq?|neq?|slash)(?![A-Za-z])) ?\}"
)
_SIGN_AHEAD = lazy(r"\{ ?(?:[-+=/]|\\[dtcplgns][a-z]{1,4}) ?\}")
_DIFFERENTIAL = lazy(r"[,;: ~]d[a-z](?![a-z])")
_DEFINED_AS = lazy(r"\\(?:overset|stackrel) ?\{(?:[^{}?]|\{[^{}?]{0,40}\}){0,40}\} ?\{ ?= ?\}")
_OTHER_EDGES = lazy(r"\\[{}|]|\||\\[lr](?:brace|vert|Vert)|\\begin")
_GENERAL_FRACTION = lazy(r"\\genfrac ?\{\} ?\{\} ?\{\} ?\{[0-3]?\}")
_ARGUMENT_ENDS = lazy(
    r"(\\(?:sin|cos|tan|cot|sec|csc|ln|log|sinh|cosh|tanh|arcsin|arccos|arctan)(?![A-Za-z])(?:\^(?:[0-9]|\{[0-9]{1,2}\}))? ?"
    r"(?:[0-9.]{0,6} ?(?:[a-z]|\\[a-z]{2,8})))[ ]?(?:\\[,;: ]|~)\s*(?=d[a-z](?![a-z]))"
)
"""A space behind the argument of a function, before a differential."""

_OVER_NUMBERS = r"(?:\\text ?\{ ?)?(?:the )?(?:set of )?(?:all |any |every )?(?:the )?"
_POSITIVE = lazy(
    r"((?:[a-zA-Z] ?\\in ?)?)(?:\\mathbb ?(?:\{ ?[ZN] ?\}|[ZN]) ?(?:[_^] ?(?:\+|\{ ?\+ ?\})|_ ?\{ ?(?:>|\\gt) ?0 ?\}|_ ?\{ ?(?:\\geq?(?:slant)?|>=) ?1 ?\})"
    r"|\\mathbb ?(?:\{ ?N ?\}|N) ?[_^] ?(?:\*|\{ ?\* ?\})"
    rf"|{_OVER_NUMBERS}positive integers?(?: [a-z])?(?: ?\}})?)"
)
_KINDS_OF_NUMBERS = lazy(rf"{_OVER_NUMBERS}(natural|rational|irrational|complex) numbers(?: ?\}})?")
_COUNTED_ON = lazy(r"\\\{ ?1 ?, ?2 ?, ?3 ?(?:, ?4 ?(?:, ?5 ?)?)?, ?(?:\\(?:l|c)?dots(?:c|b)?|\.\.\.) ?\\\}")
_BOTH_WAYS = lazy(
    r"\\\{ ?(?:0 ?, ?\\pm ?1 ?, ?\\pm ?2 ?(?:, ?\\pm ?3 ?)?, ?DOTS|DOTS ?, ?(?:-3 ?, ?)?-2 ?, ?-1 ?, ?0 ?, ?1 ?, ?2 ?(?:, ?3 ?)?, ?DOTS) ?\\\}".replace(
        "DOTS", r"(?:\\(?:l|c)?dots(?:c|b)?|\.\.\.)"
    )
)
_NUMBERS_END = ("numbers", "integers", "integer", "numbers}", "integers}", "integer}", "dots\\}", "...\\}")
_SETS = {
    "natural": r"\mathbb{N}",
    "rational": r"\mathbb{Q}",
    "complex": r"\mathbb{C}",
    "irrational": r"\mathbb{R}\setminus\mathbb{Q}",
}


def number_sets(text: str) -> str:
    r"""A set of numbers that is the whole text, in one spelling.

    >>> number_sets(r"\mathbb{Z}_{>0}"), number_sets(r"\text{all positive integers}")
    ('\\mathbb{Z}^+', '\\mathbb{Z}^+')
    """
    if (positive := _POSITIVE.fullmatch(text)) is not None:
        return rf"{positive[1] or ''}\mathbb{{Z}}^+"
    if _COUNTED_ON.fullmatch(text) is not None:
        return r"\mathbb{Z}^+"
    if _BOTH_WAYS.fullmatch(text) is not None:
        return r"\mathbb{Z}"
    kind = _KINDS_OF_NUMBERS.fullmatch(text)
    return text if kind is None else _SETS[kind[1]]


_RESTRICTION = lazy(
    r"\s*(?:[a-z]|-?[0-9.]{1,9}) ?(?:[<>]|\\(?:neq?|leq?|leqslant|geq?|geqslant|lt|gt)(?![A-Za-z]))[^()=,]{1,40}"
)


def restricted(text: str) -> str:
    r"""A restriction in brackets behind an equation or a value, set off by a comma.

    >>> restricted("y^2=4x (x>0)"), restricted("p=P(x>0)")
    ('y^2=4x , x>0', 'p=P(x>0)')
    """
    place = text.rfind("(")
    head = text[:place].rstrip()
    if place < 1 or _RESTRICTION.fullmatch(text, place + 1, len(text) - 1) is None:
        return text
    for mark in ("\\quad", "\\qquad", "\\left", "\\,", "\\;", "\\:", "\\", "~"):
        head = head.removesuffix(mark).rstrip()
    if not head or head[-1] in ",;({[" or head[-1].isupper() or head[-1] in "fgh" or "=" not in head:
        return text
    return f"{head} , {text[place + 1 : -1].removesuffix(chr(92) + 'right')}"


_LETTER_PAIR = lazy(r"[abfghikmorw][efglmnrsty](?<![A-Za-z]..)(?![A-Za-z])")
"""Two letters alone, among them all that spell a word or a unit; it begins with a set of characters, which is found soon."""

_SPACED_PAIR = lazy(
    r"\\(?:text[a-z]{0,6}|math(?:rm|sf|tt|bf)|operatorname\*?|[mhf]box|emph|rm|unit|begin|end) ?\{[^{}]*\}|\\[A-Za-z]+"
    r"|(?<![A-Za-z])(i[st]|a[nts]|o[fn]|b[ye]|we|hr|rs|m[gl]|gm|kg|ft)(?![A-Za-z])"
)


def _as_letters(match: re.Match[str]) -> str:
    """Two letters that spell a word where they stand in a formula as its factors: an + b, at^2/2."""
    pair = match[1]
    if pair is None:
        return match[0]
    text, start, end = match.string, match.start(), match.end()
    left, right = text[max(0, start - 4) : start], text[end : end + 3]
    if pair in _UNIT_PAIRS:
        letters = _is_product(pair, text[max(0, start - 12) : start], text[end : end + 12])
    elif not (left or right) or right.startswith(("^", "_")):
        letters = True
    else:
        before, after = left.rstrip(), right.lstrip()
        bound = after[:1] in set("+=*/") or right[:1] == "-" or right[:3] == " - "
        if not before:
            letters = bound
        elif before[-1] in "+-=*/^":
            letters = not (right[:1].isspace() and after[:1].isalpha())
        elif before[-1] in "({":
            letters = bound or right[:1] in set(")}")
        else:  # behind a factor
            letters = before == left and not (right[:1].isspace() and after[:1].isalnum())
    return f"{pair[0]} {pair[1]}" if letters else pair


_UNIT_PAIRS = frozenset({"hr", "rs", "mg", "ml", "gm", "kg", "ft"})
_FRACTION_OF = lazy(r"[0-9A-Za-z}]\}\Z|frac ?[0-9]{2}\Z")
_OF_LETTERS = lazy(r"\\(?!pi)(?:mu|theta|alpha|beta|gamma|lambda|omega|rho|sigma|phi|tau) ?\Z")
_GOES_ON = lazy(
    r"[ ]?[-+][ ]?(?:[A-Za-z](?![A-Za-z]{2})|\\[a-z])|\(|\\(?:sin|cos|tan|sqrt|frac|theta|alpha|beta|phi|omega|mu|lambda)(?![A-Za-z])"
)


def _is_product(pair: str, left: str, right: str) -> bool:
    """Whether two letters that also spell a unit are factors: 2mg sin(theta), sin(2 pi ft), 6ml^2, but not 5 mg."""
    before = left.rstrip()
    of_pi = before.endswith("\\pi")
    if _OF_LETTERS.search(left) is not None or _GOES_ON.match(right) is not None:
        return True
    if right.startswith("^"):
        return pair != "ft" and (of_pi or before[-1:].isdigit() or before[-1:] in {"", "}"})
    if right.startswith(")"):
        return of_pi
    if pair == "mg" and (right.startswith("}") or _FRACTION_OF.search(left) is not None):
        return left == before  # a weight: 3mg/2
    return of_pi and pair in {"hr", "rs"}


def unending(text: str) -> str:
    r"""`text` with decimals that go on as their last digits repeat themselves as repeating ones.

    >>> unending(r"0.4999\ldots"), unending("0.142857142857..."), unending("2.718281828...")
    ('0.4\\overline{9}', '0.\\overline{142857}', '2.718281828...')
    """
    return _UNENDING.sub(_unending, text)


def _unending(match: re.Match[str]) -> str:
    """A decimal that goes on as its last digits repeat themselves: 0.4999..., 0.121212..., 0.142857142857..."""
    digits = match[2]
    for size in range(1, len(digits) // 2 + 1):
        times = 3 if size < LONG_CYCLE else 2
        if len(digits) >= size * times and digits.endswith(digits[-size:] * times):
            start = len(digits) - size * times
            return rf"{match[1]}{digits[:start]}\overline{{{digits[-size:]}}}"
    return match[0]


LONG_CYCLE = 5
"""Cycles of so many digits need to be written twice, shorter ones three times: e is 2.718281828 and goes on otherwise."""

_PART = lazy(
    r"(?:\\text ?\{ ?)?\(([a-e]|[1-5]|i{1,3}|iv|v)\)(?: ?\}[ ~]*| ?\\quad(?![A-Za-z])|\\ |[ ~]+)(?=[^\s=+*/^(])"
)
_TAIL = lazy(r"(?:\\\\|\\q?quad|\\text ?\{ ?and ?\}|\band|[,;])\s*$")
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
    values = [_TAIL.sub("", one).strip(" ,;") for one in values]
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
