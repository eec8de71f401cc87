"""Read the value of a concluding sentence: "Therefore, the area is 12 cm.", a value in bold, "So she walks 42 miles."."""

from __future__ import annotations

import re
from functools import lru_cache

from rewardkit.math.extract import cues
from rewardkit.math.latex.units import is_known_unit
from rewardkit.math.text.patterns import lazy
from rewardkit.math.text.wording import SAME, canonical_words

TAIL_CHARS = 1_500
"""A concluding sentence is looked for in so many characters at the end."""

MAX_SENTENCES = 4
"""In so many sentences at the end, of which all but one say nothing of the answer."""

MAX_SENTENCE_CHARS = 400
"""A longer sentence states nothing."""

MATH_SPAN = lazy(r"\$\$([^$]{1,800})\$\$|\$([^$\n]{1,400})\$|\\\[(.{1,800}?)\\\]|\\\((.{1,400}?)\\\)", re.DOTALL)
_NUMBER = lazy(r"(?<![\w.,])[-+−]?\\?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?: ?\\?%)?(?!\w|,\d)")
_SPLIT = lazy(
    r"(?:(?<=[.?。])|(?<=[a-z]!))(?<!p\.m\.)(?<!a\.m\.)(?<!Mr\.)(?<!Ms\.)(?<!Dr\.)(?<!Mrs\.)\s+|\n\s*\n|\n(?=[A-Z*\-])"
)
BEGINS = lazy(rf"[*_>\s-]*(?:(?:{cues.CONCLUDES})\b|{cues.SIGNS})", re.IGNORECASE)
_WITHIN = lazy(rf".{{0,160}}\b(?:{cues.CONCLUDES_WITHIN})\b", re.IGNORECASE | re.DOTALL)
_FILLER = lazy(rf"[*_\s]*(?:{cues.FILLER})", re.IGNORECASE)
_CONFIRMS = lazy(cues.CONFIRMS, re.IGNORECASE)
_SUPPOSED = lazy(rf"\b(?:{cues.SUPPOSED})\b", re.IGNORECASE)
_CONDITION = lazy(rf"\b(?:{cues.CONDITION})\b", re.IGNORECASE)
_GOES_ON = lazy(rf"(?:{cues.GOES_ON})\b", re.IGNORECASE)
_HEDGED = lazy(rf"\b(?:{cues.HEDGED})\b|n['’]t\b", re.IGNORECASE)
LEAD = lazy(
    rf"(?:[*_>\s-]*(?:(?:and )?(?:so|thus|hence|therefore|then|finally|yes|indeed)\b|{cues.SIGNS})[,:]?\s*)+",
    re.IGNORECASE,
)
_REASON_FIRST = lazy(
    r"(?:and )?(?:since|because|as|given|after|with|for|in|at|on|by|of|from) [^,]{1,160}, (?=[a-z0$])", re.IGNORECASE
)
_IS = lazy(
    rf"(?:{cues.COPULA})(?:\s*:|\s+{cues.BEFORE_VALUE})*\s*(?=[-+−*$€£\\(\[{{√]*[\d√πe∞]|(?:ln|log|sqrt|sin|cos|tan) )",
    re.IGNORECASE,
)
_SUBORDINATE = lazy(r"\b(?:when|where|which|since|because|as|if|for|while|that|who|whose)\b", re.IGNORECASE)
_ENDS = lazy(rf"(?:[,;]? |, ?|\s\()(?:{cues.BEHIND_VALUE}|(?:{cues.CONDITION})\b)|[;:](?=\s)|\s[-–—]+\s", re.IGNORECASE)
_BOLD = lazy(r"\*\*([^*\n]{1,200})\*\*")
_WORD = lazy(r"[A-Za-z]{3,}")
_OPTION = lazy(r"\W*(?:option |choice )?\(?([A-H])\)?\W*\Z", re.IGNORECASE)
_TRUTH = lazy(r"(?!.*\b(?:not|if|whether|or|would|could)\b).* is (true|false)\W*", re.IGNORECASE)
_VERDICT = lazy(
    r"\b(?:is|are) (true|false|correct|incorrect|impossible|undefined|divergent|convergent)\W*\Z", re.IGNORECASE
)


def concluding_value(text: str) -> tuple[str, str] | None:
    """(value, how) of the last sentence of `text` that concludes, where only sentences that say nothing follow it.

    >>> concluding_value("We add 3 and 4. Therefore, the sum is 7. I hope this helps!")
    ('7', 'conclusion')
    """
    tail = _BELOW.sub(": ", text[-TAIL_CHARS:].rstrip())
    if breaks_off(tail):
        return None
    sentences = [part.strip() for part in _SPLIT.split(tail) if part.strip()]
    confirmed = False
    for sentence in reversed(sentences[-MAX_SENTENCES:]):
        if len(sentence) > MAX_SENTENCE_CHARS:
            return None
        bold = list(_BOLD.finditer(sentence))
        if bold and not _WORD.search(sentence, bold[-1].end()) and is_value(bold[-1][1]):
            return bold[-1][1].strip().rstrip("."), "bold"
        plain = sentence.replace("**", "")
        if confirmed or BEGINS.match(plain) is not None or _WITHIN.match(plain) is not None:
            value = sentence_value(plain) or (_only_value(plain, "", 0) if confirmed else None)
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


_BELOW = lazy(r"(?<=\w):\s*\n\s*(?=\\\[|\$|[-\d\[(])")
"""The colon in front of a value on a line of its own."""

_BROKEN_OFF = lazy(rf"\b(?:{cues.BROKEN_OFF})\Z", re.IGNORECASE)


def sentence_value(sentence: str, *, loose: bool = True) -> str | None:
    """The value that a concluding sentence gives its subject; None where it supposes, denies or gives several.

    With `loose`, a sentence without "is" states its only value.

    >>> sentence_value("So the angle is 26 degrees, because the other one is 64 degrees."), sentence_value("So far it is 3.")
    ('26 degrees', None)
    """
    blank = masked(sentence)
    start = 0
    if (lead := LEAD.match(blank)) is not None:
        start = lead.end()
    if (reason := _REASON_FIRST.match(blank, start)) is not None:
        start = reason.end()
    if _SUPPOSED.search(blank) is not None or _CONDITION.match(blank, start) is not None:
        return None
    if (option := _OPTION.match(sentence, start)) is not None:
        return option[1]
    if _ROW.fullmatch(blank, start) is not None:
        return sentence[start:].strip(" .")
    if (first := _VALUE_FIRST.search(blank, start)) is not None:
        return sentence[first.start(1) : first.end(1)]
    at = _behind_copula(blank, start)
    if at == -1:
        return None
    if at is None:
        verdict = _VERDICT.search(blank, start)
        if verdict is not None:
            return verdict[1]
        return _only_value(sentence, blank, start) if loose and _GOES_ON.search(blank, start) is None else None
    end = _ENDS.search(blank, at + 1)
    if end is not None and (
        _CONDITION.search(blank, end.start(), end.end() + 1) or _GOES_ON.search(blank, end.start())
    ):
        return None
    value = sentence[at : len(sentence) if end is None else end.start()].lstrip(" *_").rstrip(" *_!.")
    words = len(_WORD.findall(masked(value)))
    if CHANGING.search(blank, at + len(value)) is not None:
        return None
    return value if words <= 3 else _only_value(value, masked(value), 0)


_ROW = lazy(r"0{2,}(?:(?:,| and| or|, and|, or) 0{2,}){1,8}[.!]*")
"""Formulas and nothing else: "$x_1 = 1$ and $x_2 = 5$"."""

_VALUE_FIRST = lazy(
    r"(?:that |\A)([-$\\(]*\d[^ ]*(?: [a-z]+)?) is (?:indeed |therefore )?the (?:correct|right|only|unique|final|required|desired) ",
    re.IGNORECASE,
)
"""A sentence in which the value comes first: "1940 is the correct number of ways"."""


def _behind_copula(blank: str, start: int) -> int | None:
    """Where the value of the main clause begins: behind its last "is", else behind its last "="; -1 where two clauses have one."""
    place = sign = None
    for one in _IS.finditer(blank, start):
        if _HEDGED.search(blank, max(one.start() - 9, start), one.start()) is not None:
            continue
        if "=" in one[0]:
            sign = one.end() if place is None else sign
        elif place is None:
            place = one.end()
        elif _SUBORDINATE.search(blank, place, one.start()) is None:
            if _SECOND.search(blank, place, one.start()) is not None:
                return -1
            place = one.end()
    return place or sign


_SECOND = lazy(
    r"(?:(?<!,) and| while| whereas|;) (?!so\b|then\b|thus\b|which\b)(?:the|its|his|her|their|that) ", re.IGNORECASE
)
"""What joins a second clause with a subject of its own."""


def _only_value(sentence: str, blank: str, start: int) -> str | None:
    """The one formula, or else the one number, of a clause whose other words make no other value of it."""
    if _HEDGED.search(blank, start) is not None or _OTHER_RELATION.search(blank, start) is not None:
        return None
    spans = list(MATH_SPAN.finditer(sentence, start))
    found = spans or list(_NUMBER.finditer(sentence, start))
    if len({one[0] for one in found}) != 1 or (spans and _NUMBER.search(_zeros(blank)) is not None):
        return None
    first, end = found[0], found[-1].end()
    if _OTHER_VALUE.search(sentence, start, first.start()) is not None or CHANGING.search(sentence, end) is not None:
        return None
    unit = None if spans else _UNIT.match(sentence, end)
    return first[0] + (unit[0] if unit is not None and is_known_unit(unit[1]) and unit[1] != "in" else "")


_OTHER_VALUE = lazy(rf"\b{cues.OTHER_VALUE}[ *_]*\Z", re.IGNORECASE)
CHANGING = lazy(rf"\b(?:{cues.CHANGING})\b", re.IGNORECASE)
_OTHER_RELATION = lazy(r"[<>≤≥]|\\(?:le|ge|lt|gt|neq?)")
_UNIT = lazy(r" ?([A-Za-z]{1,15})(?: (?:per|an?) [a-z]{1,10}|/[a-z]{1,6})?(?![A-Za-z])")


def _zeros(blank: str) -> str:
    return re.sub(r"0{2,}", "", blank)


def masked(sentence: str) -> str:
    """`sentence` with zeros in the place of its formulas, of the same length."""
    if "$" not in sentence and "\\" not in sentence:
        return sentence
    return MATH_SPAN.sub(lambda span: "0" * len(span[0]), sentence)


def is_value(text: str) -> bool:
    """Whether a text is nothing but a value: mathematics with at most a unit, an option with its text, one word."""
    if text.endswith(("?", ":")) or _SAYS_MORE.search(text) is not None:
        return False
    if _OPTION_TEXT.match(text) is not None:
        return True
    words = _WORDS.findall(_COMMAND.sub(" ", text))
    if re.search(r"[\d\\=√π]", text) is None:
        return re.search(r"[^\W_]", text) is not None and (
            " " not in text.strip("*$ .") or canonical_words(text) in SAME
        )
    return len(words) <= 2 or (len(words) <= 4 and _PART_OF_VALUE.issuperset(words))


_OPTION_TEXT = lazy(r"\(?[A-J]\)(?! ?(?:or|and)\b)[^.?!:]{0,60}$")
_SAYS_MORE = lazy(
    r"\b(?:equals?|is|are|gives?|means?)\b|^(?:partial|intermediate|example|put|plug|substitute|suppose|let|assume|consider|if|given|say|try|note|recall|since|because|when)\b",
    re.IGNORECASE,
)
_COMMAND = lazy(r"\\[A-Za-z]+")
_WORDS = lazy(r"[A-Za-z]{2,}")
_PART_OF_VALUE = frozenset({"and", "or", "sqrt", "sin", "cos", "pi", "square", "units"})


@lru_cache(maxsize=1_024)
def value_of_truth(truth: str) -> str | None:
    """The value that a ground truth states which is a sentence.

    >>> value_of_truth("The rent for a room is 240 yuan."), value_of_truth("The second player wins.")
    ('240 yuan', None)
    """
    if len(truth) > MAX_SENTENCE_CHARS or truth.count(" ") < 3 or _BEGINS_SENTENCE.match(truth) is None:
        return None
    return sentence_value(_TEXT.sub(r"\1", truth))


_TEXT = lazy(r"\\text ?\{([^{}$\\]{0,80})\}")
_BEGINS_SENTENCE = lazy(r"(?!(?:Yes|No|True|False)\b)[A-Z][a-z]*,? [a-z]+ ")
