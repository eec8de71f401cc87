"""Read the value of a concluding sentence: "Therefore, the area is 12 cm.", a value in bold, "So she walks 42 miles."."""

from __future__ import annotations

import re

from rewardkit.math.extract import cues
from rewardkit.math.latex.units import is_known_unit
from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import SAME, canonical_words

TAIL_CHARS = 1_500
"""A concluding sentence is looked for in this many characters at the end."""
MAX_SENTENCES = 4
"""In this many sentences at the end, of which all but one say nothing of the answer."""

MAX_SENTENCE_CHARS = 400
"""A longer sentence states nothing."""
MAX_NUMBERS = 24
"""A sentence with more numbers states no single one."""

MATH_SPAN = lazy(r"\$\$([^$]{1,800})\$\$|\$([^$\n]{1,400})\$|\\\[(.{1,800}?)\\\]|\\\((.{1,400}?)\\\)", re.DOTALL)
WORD = lazy(r"[A-Za-z]{3,}")
BEGINS = lazy(rf"[*_>\s-]*(?:(?:{cues.CONCLUDES})\b|{cues.SIGNS})", re.IGNORECASE)
LEAD = lazy(rf"(?:[*_>\s-]*(?:(?:{cues.LEAD})\b|{cues.SIGNS})[,:]?\s*)+", re.IGNORECASE)
CHANGING = lazy(rf"\b(?:{cues.CHANGING})\b", re.IGNORECASE)
_NUMBER = lazy(r"(?<![\w.,])[-+−]?\\?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?: ?\\?%)?(?!\w|,\d)")
_SPLIT = lazy(r"(?:(?<=[.?。])|(?<=[a-z]!))(?<!p\.m\.)(?<!a\.m\.)(?<!Mr\.)(?<!Ms\.)(?<!Dr\.)(?<!Mrs\.)\s+|\n\s*\n|\n(?=[A-Z*\-])")  # fmt: skip
_HEADING = lazy(r"(?:\A|\n)[#*\s\d.-]*(?:(?:Final )?Conclusion|Final Result)\b[*:.]*\s*", re.IGNORECASE)
_BELOW = lazy(r"(?<=\w):\**\s*\n\s*(?=\\\[|\$|[-\d\[(])")
"""The colon in front of a value on a line of its own."""

_DISPLAY = lazy(r"\\\[\s*([^\n]{1,400}?)\.?\s*\\\]\.?\Z")
"""A formula on lines of its own at the end."""

_LONE = lazy(r"\**(?:\$\$?[^$\n]{1,200}\$\$?|\\\[[^\]]{1,200}\\\]|\\\([^)\n]{1,200}\\\)|[-\d][\d,./]*)\**\.?")
"""A value alone."""

_WITHIN = lazy(rf".{{0,160}}\b(?:{cues.CONCLUDES_WITHIN})\b", re.IGNORECASE | re.DOTALL)
_FILLER = lazy(rf"[*_\s]*(?:{cues.FILLER})", re.IGNORECASE)
_CONFIRMS = lazy(cues.CONFIRMS, re.IGNORECASE)
_TRUTH = lazy(r"(?!.*\b(?:not|if|whether|or|would|could)\b).* is (true|false)\W*", re.IGNORECASE)
_BOLD = lazy(r"\*\*([^*\n]{1,200})\*\*")
_BROKEN_OFF = lazy(rf"\b(?:{cues.BROKEN_OFF})\Z", re.IGNORECASE)


def concluding_value(text: str) -> tuple[str, str] | None:
    """(value, how) of the last sentence of `text` that concludes, where only sentences that say nothing follow it.

    >>> concluding_value("We add 3 and 4. Therefore, the sum is 7. I hope this helps!")
    ('7', 'conclusion')
    """
    tail = text[-TAIL_CHARS:].rstrip()
    if breaks_off(tail):
        return None
    tail = _DISPLAY.sub(r"\\[ \1 \\]", tail)
    tail = _HEADING.sub("\n\nSo ", _BELOW.sub(": ", tail))
    sentences = [part.strip() for part in _SPLIT.split(tail) if part.strip()][-MAX_SENTENCES:]
    if len(sentences) > 1 and _LONE.fullmatch(sentences[-1]) is not None and BEGINS.match(sentences[-2]) is not None:
        return sentences[-1].strip("*."), "conclusion"
    confirmed = False
    for sentence in reversed(sentences):
        if len(sentence) > MAX_SENTENCE_CHARS:
            return None
        plain = sentence.replace("**", "")
        bold = list(_BOLD.finditer(sentence))
        if (
            bold
            and is_value(value := bold[-1][1])
            and _SUPPOSED.search(plain) is None
            and (WORD.search(sentence, bold[-1].end()) is None or _only_value(plain, plain, 0) == value)
        ):
            return value.strip().rstrip("."), "bold"
        if confirmed or BEGINS.match(plain) is not None or _WITHIN.match(plain) is not None:
            value = sentence_value(plain) or (_only_value(plain, plain, 0) if confirmed else None)
            if value is not None or confirmed:
                return None if value is None else (value, "conclusion")
        if (truth := _TRUTH.fullmatch(plain)) is not None:
            return truth[1], "conclusion"
        if _FILLER.match(sentence) is None:
            return None
        confirmed = confirmed or _CONFIRMS.search(sentence) is not None
    return None


def breaks_off(text: str) -> bool:
    """Whether a text ends with a word that wanted to go on."""
    return text[-1:].isalpha() and _BROKEN_OFF.search(text, max(len(text) - 12, 0)) is not None


_REASON_FIRST = lazy(r"(?:and )?(?:since|because|as|given|after|with|for|in|at|on|by|of|from) [^,]{1,160}, (?=[a-z0$])", re.IGNORECASE)  # fmt: skip
_REASON = lazy(r"\d.*?(,? (?:since|because|given that|as the|although|even though)\b)", re.IGNORECASE | re.DOTALL)
_SUPPOSED = lazy(rf"\b(?:{cues.SUPPOSED})\b", re.IGNORECASE)
_CONDITION = lazy(rf"\b(?:{cues.CONDITION})\b", re.IGNORECASE)
_HEDGED = lazy(rf"\b(?:{cues.HEDGED})\b|n['’]t\b", re.IGNORECASE)
_GOES_ON = lazy(rf"\d.*?(?:{cues.GOES_ON})\b", re.IGNORECASE | re.DOTALL)
_OPTION = lazy(r"\W*(?:option |choice )?\(?([A-H])\)?\W*\Z", re.IGNORECASE)
_ROW = lazy(r"(?:.*: )?(0{2,}(?:(?:,| and| or|, and|, or) 0{2,}){1,8})[.!]*")
"""Formulas and nothing else, perhaps behind a colon: "$x_1 = 1$ and $x_2 = 5$"."""

_VALUE_FIRST = lazy(r"(?:that |\A)([-$\\(]*\d[^ ]*(?: [a-z]+)?) is (?:indeed |therefore )?the (?:correct|right|only|unique|final|required|desired) ", re.IGNORECASE)  # fmt: skip
"""A sentence in which the value comes first: "1940 is the correct number of ways"."""
_DESCRIBES = lazy(cues.DESCRIBES, re.IGNORECASE)
_THERE_ARE = lazy(r"(?:(?:that|in total|in all),? )?there (?:are|is|were|will be) (?:exactly |only |a total of |thus |therefore )?(\\?\$?[\d,]+\$?)(?= [a-z][a-z-]*(?! than\b))(?! (?:more|less|fewer|dozen|hundred|thousand|million|cases)\b)", re.IGNORECASE)  # fmt: skip
_IS = lazy(rf"(?:{cues.COPULA})(?:\s*:|\s+{cues.BEFORE_VALUE})*\s*(?=[-+−*$€£\\(\[{{√_]*[\d√πe∞]|(?:ln|log|sqrt|sin|cos|tan) )", re.IGNORECASE)  # fmt: skip
_UNSOLVED = lazy(r"(?:\d ?\*? ?[a-z]|\b[a-z](?:\^\{?\d\}?|[²³]| ?[-+*/] ?\d+)|\d+ ?[-+/] ?[a-z]) ?\Z")
"""The left side of an equation that gives no letter its value: 2n, n - 1, n^2."""
_SUBORDINATE = lazy(r"\b(?:when|where|which|since|because|as|if|for|while|that|who|whose)\b", re.IGNORECASE)
_SECOND = lazy(r"(?:(?<!,) and| while| whereas|;) (?!so\b|then\b|thus\b|which\b)(?:the|its|his|her|their|that) ", re.IGNORECASE)  # fmt: skip
"""What joins a second clause with a subject of its own."""
_DASH = r"\s(?:—+|-{2,}|[-–](?!\s(?:\\?[$(]*\d|(?-i:[b-hj-z]\b|[ai](?=[.$)]|\Z))(?! [a-z]{2}))))\s"
"""No minus: that stands between numbers and letters."""
_ENDS = lazy(rf"(?:[,;]? |, ?|\s\()(?:{cues.BEHIND_VALUE}|(?:{cues.CONDITION})\b)|[;:](?=\s)|(?<=[a-z]{{2}})\s[-–]\s|{_DASH}", re.IGNORECASE)  # fmt: skip
_TERM = r"[$£€\\(]*\d[\d,.]*[)%]*(?:[ /]?(?!(?:with|where|when|at|if|as|since|because|given|that|which|so|and|but|or)\b)[a-z]{2,}+){0,8}"
_CALCULATION = lazy(rf"-?{_TERM}(?: ?[-−–+*/x×÷] ?{_TERM})+ ?=", re.IGNORECASE)
_THINGS = lazy(r"[-−$]{0,2}\d[\d,./]*%? (?!(?:and|or|pi|square|units?)\b)(?:an? )?[a-z]{2,}", re.IGNORECASE)
COUNTED = lazy(cues.COUNTED, re.IGNORECASE)


def sentence_value(sentence: str) -> str | None:
    """The value that a concluding sentence gives its subject; None where it supposes, denies or gives several.

    >>> sentence_value("So the angle is 26 degrees, because the other one is 64 degrees."), sentence_value("So far it is 3.")
    ('26 degrees', None)
    """
    lead = LEAD.match(sentence)
    if (described := _DESCRIBES.match(sentence, 0 if lead is None else lead.end())) is not None:
        return described[1]
    if _SUPPOSED.search(masked(sentence)) is not None:
        return None
    sentence = sentence if lead is None else sentence[lead.end() :]
    blank = masked(sentence)
    if (reason := _REASON_FIRST.match(blank)) is not None:
        sentence, blank = sentence[reason.end() :], blank[reason.end() :]
    if (reason := _REASON.search(blank)) is not None and _states(sentence, blank[: reason.start(1)]):
        sentence, blank = sentence[: reason.start(1)], blank[: reason.start(1)]
    if (option := _OPTION.match(sentence)) is not None:
        return option[1]
    if (found := _ROW.fullmatch(blank) or _VALUE_FIRST.search(blank)) is not None:
        return sentence[found.start(1) : found.end(1)]
    if "=" not in blank and _GOES_ON.search(blank) is not None:
        return None
    if (there := _THERE_ARE.match(blank)) is not None and _CALCULATION.match(blank, there.start(1)) is None:
        return sentence[there.start(1) : there.end(1)]
    at = _behind_copula(blank)
    if at is None:
        return _only_value(sentence, blank, 0)
    return None if at < 0 else _value_at(sentence, blank, at)


def _states(sentence: str, blank: str) -> bool:
    """Whether the beginning of a sentence states its value: behind a copula, or in a main clause, and not in its subject."""
    return (
        "=" in sentence[: len(blank)]
        or _IS.search(blank) is not None
        or _THERE_ARE.match(blank) is not None
        or _ASIDE.match(blank) is None
    )


_ASIDE = lazy(r"(?:(?:in|after|within|during|over|for|at|on|by|of|from|with|although|the|these|those|his|her|their|its|all) ){1,2}[$\d][\d,.]*+(?!\D*\d)|\D*\b(?:who|whose|which|although)\b", re.IGNORECASE)  # fmt: skip
"""The only number is in a phrase in front of the main clause, in its subject, or in a clause within it."""


def _value_at(sentence: str, blank: str, at: int) -> str | None:
    """The value that follows the copula, up to the end of its clause."""
    end = _ENDS.search(blank, at + 1)
    stop = len(blank) if end is None else end.start()
    if end is not None and _CONDITION.search(blank, end.start(), end.end() + 1) is not None:
        return None
    value = sentence[at:stop].lstrip(" *_").rstrip(" *_!.")
    ranges = "=" not in value and _RANGE.search(masked(value)) is not None
    if ranges or CHANGING.search(blank[stop : stop + 30].partition(",")[0]) is not None:
        return None
    if (counted := COUNTED.fullmatch(value)) is not None:
        return counted[1]
    short = len(WORD.findall(masked(value))) <= 3
    counts = "=" in blank[at - 2 : at] and _THINGS.match(value) is not None
    only = _only_value(value, masked(value), 0) if counts or not short else None
    return only or (value if short else None)


def _behind_copula(blank: str) -> int | None:
    """Where the value of the main clause begins: behind its last "is", else behind its last "="; -1 where two clauses have one."""
    place = sign = None
    for one in _IS.finditer(blank):
        if _HEDGED.search(blank, max(one.start() - 9, 0), one.start()) is not None:
            continue
        if "=" in one[0]:
            if _UNSOLVED.search(blank, max(one.start() - 20, 0), one.start()) is not None:
                return -1
            sign = one.end() if place is None or _CALCULATION.fullmatch(blank, place, one.start() + 1) else sign
        elif place is None:
            place = one.end()
        elif _SUBORDINATE.search(blank, place, one.start()) is None:
            if _SECOND.search(blank, place, one.start()) is not None:
                return -1
            place = one.end()
    return max(filter(None, (place, sign)), default=None)


_OTHER_VALUE = lazy(rf"\b{cues.OTHER_VALUE}(?: (?:the|its|an?|all|those|these|each|every|first|last))*[ *_]*\Z", re.IGNORECASE)  # fmt: skip
_OTHER_RELATION = lazy(r"[<>≤≥]|\\(?:le|ge|lt|gt|neq?)")
_RATE = lazy(r" ?(?:per|each|an?|every|/) ?(?!more\b|less\b|fewer\b)[a-z]+\b(?! (?:more|less|fewer)\b)")
_RANGE = lazy(r"\d [-–] \d+(?![a-z\\(\d])")
_OPERATOR = lazy(r"[A-Za-z)\]}] ?[-+*/^−] ?\Z")
_COMPARED = lazy(r" (?:more|less|fewer)\b[^.\d]{0,60}? than (?=[A-Zth])[^.\d]*")
_UNIT = lazy(r" ?([A-Za-z]{1,15})(?: (?:per|an?) [a-z]{1,10}|/[a-z]{1,6})?(?![A-Za-z])")


def _only_value(sentence: str, blank: str, start: int) -> str | None:
    """The one formula, or else the one number, of a clause; those in its phrases of time, place and share aside."""
    blank = _COMPARED.sub("", blank)
    if _HEDGED.search(blank, start) is not None or _OTHER_RELATION.search(blank, start) is not None:
        return None
    spans = list(MATH_SPAN.finditer(sentence, start))
    found = spans or list(_NUMBER.finditer(sentence, start))
    if len(found) > MAX_NUMBERS or (spans and _NUMBER.search(re.sub("0{2,}", "", blank)) is not None):
        return None
    if found and _OPERATOR.search(sentence, start, found[0].start()) is not None:
        return None
    found = [one for one in found if _OTHER_VALUE.search(sentence, start, one.start()) is None]
    if len({one[0] for one in found}) != 1:
        return None
    first, end = found[0], found[-1].end()
    behind = _COMPARED.sub("", sentence[end : end + 60])
    unit = None if spans else _UNIT.match(behind)
    named = re.sub(" an? ", " per ", unit[0]) if unit is not None and is_known_unit(unit[1]) and unit[1] != "in" else ""
    rate = _RATE.match(sentence, end) if first[0].startswith("$") else None
    told = len(named) if rate is None else rate.end() - end
    return None if CHANGING.search(behind, told) is not None else first[0] + named


def masked(sentence: str) -> str:
    """`sentence` with zeros in the place of its formulas, of the same length."""
    return MATH_SPAN.sub(lambda span: "0" * len(span[0]), sentence)


_OPTION_TEXT = lazy(r"\(?[A-J]\)(?! ?(?:or|and)\b)[^.?!:]{0,60}$")
_SAYS_MORE = lazy(rf"\b(?:equals?|is|are|gives?|means?)\b|^(?:{cues.NO_VALUE})\b", re.IGNORECASE)
_COMMAND = lazy(r"\\[A-Za-z]+")
_WORDS = lazy(r"[A-Za-z]{2,}")
_PART_OF_VALUE = frozenset({"and", "or", "sqrt", "sin", "cos", "pi", "square", "units"})


def is_value(text: str) -> bool:
    """Whether a text is nothing but a value: mathematics with at most a unit, an option with its text, one word."""
    if text.endswith(("?", ":")):
        return False
    if _OPTION_TEXT.match(text) is not None or (len(text) < 40 and canonical_words(text) in SAME):
        return True
    if _SAYS_MORE.search(text) is not None:
        return False
    if re.search(r"[\d\\=√π]", text) is None:
        return re.search(r"[^\W_]", text) is not None and " " not in text.strip("*$ .")
    words = _WORDS.findall(_COMMAND.sub(" ", text))
    return len(words) <= 2 or (len(words) <= 4 and _PART_OF_VALUE.issuperset(words))
