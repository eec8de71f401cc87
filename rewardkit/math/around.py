"""What stands right around a box: words that deny it or only suppose it, another value after "or", a correction."""

from __future__ import annotations

import re

from rewardkit.math.patterns import lazy
from rewardkit.math.rivals import FORMULA, MAX_TAIL_CHARS, NUMBER, SAME_AGAIN, beside_rival
from rewardkit.math.vocabulary import word_set

MAX_LEAD_CHARS = 60
"""Words further in front of a box are not said of it."""


def denied_before(line: str) -> bool:
    """Whether the words right in front of a box deny or suppose it: "It is not", "Suppose"."""
    before = line[-MAX_WORD_CHARS:].rstrip(" $*:")
    if not before[-1:].isalpha():
        return False
    last = before.rpartition(" ")[2].lower()
    if last not in _LAST_WORDS and not last.endswith(("n't", "n’t", "\\ne", "\\neq")):
        return False
    if _DENYING.search(line[-MAX_LEAD_CHARS:].lower()) is None:
        return False
    return _NOT_THIS.search(line, max(len(line) - MAX_LEAD_CHARS, 0)) is not None


_DENYING = re.compile(
    r"n[o'’]t|never|\\ne|wrong|rejected|incorrect|false|suppose|assume|imagine|might|may|could|would|if |let|naive|tempting"
)
"""What every such wording holds: most boxes have none of it in front."""

MAX_WORD_CHARS = 24
_LAST_WORDS = word_set(
    "not be get equal to never cannot wrong rejected incorrect false suppose assume imagine that is was were test try check consider think say guess"
    " expect believe answer value result it of with"
)
"""How the words end that deny a box."""


_NOT_THIS = lazy(
    r"(?:\b(?:is|are|was|were|be|can|could|would|should|must|do|does)(?: not|n['’]t)(?: be| get| equal| equal to)?|\bcan(?:not|['’]t| not) be|\b(?:is|are) never"
    r"|\\n(?:e|eq)|(?:^|[.:!?] ?)(?:not|wrong|rejected|incorrect|false)|\b(?:suppose|assume|imagine)(?: that)?"
    r"|\b(?:might|may|could|would) (?:think|say|guess|expect|believe|be tempted to say)[a-z ]{0,20}|\bif (?:it|this|that|the answer) (?:were|was|is)"
    r"|\blet(?:['’]?s| us| me) (?:test|try|check|consider)|\b(?:wrong|incorrect|false|naive|tempting) (?:answer|value|result|guess)[a-z ]{0,20})[\s$*:]{0,4}\Z",
    re.IGNORECASE,
)


def denied_behind(text: str, end: int) -> bool:
    """Whether the text right behind a box that ends at `end` says that it is none: "is not the answer"."""
    return (_NO_BOX.match(text, end) or _SO_MARKED.match(text, end)) is not None


_CLOSES = r"(?:\\[\])]|[$*`]){0,3}"
_ENDS = r"(?=\W{0,4}(?:\Z|\n|[.;!] |(?:because|since|as|so|but|and|the|either)\b))"
_NO_BOX = lazy(
    rf"{_CLOSES}(?:[,:;]? ?[-–—]{{0,3}} | ?: ?|[.!]?\s{{1,3}}\(|, which |, but (?:that|this|it) )(?:(?:(?:this|that|it|which) )?(?:is|was|are|were|would be)(?: clearly| obviously)? |['’]s )?"
    rf"(?:not (?:(?:the|our|my|a) )?(?:(?:final|correct|right|valid|true) )?(?:answer|solution|right|correct|true|possible|valid|it){_ENDS}|(?:wrong|incorrect|false|impossible){_ENDS})"
    rf"|{_CLOSES} (?:isn['’]t (?:it|right|correct|the|our|valid)|(?:does not|doesn['’]t) (?:work|satisfy|fit|hold)|fails|must be (?:rejected|discarded|excluded)|is (?:extraneous|a trap|spurious|rejected))\b"
    rf"|{_CLOSES} is what (?:most|many|some) (?:people|students|others)\b"
    rf"|{_CLOSES} (?:is|was|are|were) (?:only |just |merely )?(?:how (?:an?|the|your|my) (?:final )?answer|an? (?:example|placeholder)|(?:what|the (?:form|format|way)) (?:an?|the|your|my|of) )",
    re.IGNORECASE,
)
_SO_MARKED = lazy(rf"{_CLOSES}[.\s]{{0,3}}(?:[✗❌✘]|×(?= wrong))")


def with_what_is_behind(text: str, end: int, answer: str) -> str:
    """What a box that ends at `end` holds, with what the text behind it makes of it: "or 8", "Correction: it is 8."; "" where it is taken back."""
    if len(text) - end < 4:
        return answer
    if (other := _ALTERNATIVE.match(text, end)) is not None:
        return rf"{answer} \text{{ or }} {other[1]}"
    if len(text) - end > MAX_TAIL_CHARS + 8:
        return answer
    closed = _CLOSED.match(text, end)
    found = beside_rival(text, end if closed is None else closed.end(), answer)
    if found and (
        _OF_SOMETHING_ELSE.search(text, end) is not None
        or (_OPTION.search(found) is not None and any(map(str.isdigit, answer)))
    ):
        return answer
    return answer if found is None else found


_ALTERNATIVE = lazy(
    rf"(?:\\[\])]|[$*]){{0,2}}[,;]?\s{{0,20}}\(?(?:or|alternatively|or (?:maybe|perhaps|possibly)),? {SAME_AGAIN}(?:the )?({FORMULA}|{NUMBER}(?![\d%\\]| ?per))",
    re.IGNORECASE,
)
_OPTION = lazy(r"or \} \(?[A-H]\)?\Z")
"""An option letter behind a box, which names the option that the box holds."""

_CLOSED = lazy(r"(?:\\[\])]|[$*}\s]){1,8}")
"""What closes a formula behind its box."""

_OF_SOMETHING_ELSE = lazy(
    r"\b(?:typo|steps?|line|general(?:ly|ize[sd]?)?|formula|equation|section|figure|table|if|case|added|fixed|without|note|would|should it|helps?|shortened|later|think of|does not change|unchanged"
    r"|(?:key|book|textbook|solutions?|authors?)\b[^\n]{0,80}(?:error|mistake|wrong|typo|incorrect))\b",
    re.IGNORECASE,
)
"""What the number behind a box belongs to, if not to the answer."""
