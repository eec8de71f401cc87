"""What stands right around a box: words that deny it or only suppose it, another value after "or", a correction."""

from __future__ import annotations

import re

from rewardkit.math.extract.rivals import FORMULA, MAX_TAIL_CHARS, MIN_TAIL_CHARS, NUMBER, SAME_AGAIN, beside_rival
from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.text.patterns import lazy

MAX_LEAD_CHARS = 60
"""Words further in front of a box are not said of it."""


def denied_before(line: str) -> bool:
    """Whether the words right in front of a box deny or suppose it: "It is not", "Suppose"."""
    before = line[-MAX_WORD_CHARS:].rstrip(" $*:")
    if not before[-1:].isalpha():
        return False
    last = before.rpartition(" ")[2].lower()
    if last not in _LAST_WORDS and not last.endswith(_LAST_LETTERS):
        return False
    if last in {"gives", "yields"} and "wrong " not in line and "naive " not in line:
        return False
    if _DENYING.search(line[-MAX_LEAD_CHARS:].lower()) is None:
        return False
    return _NOT_THIS.search(line, max(len(line) - MAX_LEAD_CHARS, 0)) is not None


_DENYING = re.compile(
    r"n[o'’]t|never|tempt|exclude|discard|reject|rules? out|had |wrote|answered|\\ne|wrong|rejected|incorrect|false|suppose|assume|imagine|might|may|could|would|if |let|naive|tempting|doubt|unlikely|format|look like|hardly|scarcely|they |people|student|whether|neither"
)
"""What every such wording holds: most boxes have none of it in front."""

MAX_WORD_CHARS = 24
_LAST_WORDS = word_set(
    "not be get equal to never cannot wrong rejected incorrect false suppose assume imagine that is was were test try check consider think say guess"
    " expect believe answer value result it this of with like been nor format write put exclude discard reject out wrote answered got gotten obtained"
)
"""How the words end that deny a box."""
_LAST_LETTERS = ("n't", "n’t", "\\ne", "\\neq", "gives", "yields")


_NOT_THIS = lazy(
    r"(?:(?:\b(?:is|are|was|were|be|can|could|would|should|must|do|does)|['’]s)(?:(?: [a-z]+ly| of course)? not|n['’]t)(?: be| get| equal| equal to)?|\bcan(?:not|['’]t| not) be|\b(?:is|are) never"
    r"|\\n(?:e|eq)|(?:^|[.:!?] ?)(?:not|wrong|rejected|incorrect|false)|\}[$,) ]{1,4}(?:and |but )?not|\b(?:suppose|assume|imagine)(?: that)?"
    r"|\b(?:might|may|could|would) (?:think|say|guess|expect|believe|be tempted to say)[a-z ]{0,20}|\bif (?:it|this|that|the answer) (?:were|was|is)"
    r"|\blet(?:['’]?s| us| me) (?:test|try|check|consider)|\b(?:wrong|incorrect|false|naive|tempting) (?:answer|value|result|guess|approach|method|way|calculation|argument|reasoning)[a-z ]{0,20}"
    r"|\b(?:doubt|doubtful|unlikely|not (?:sure|certain|convinced|clear))(?: (?:that|if|whether))?(?: (?:it|this|that|the (?:final |correct )?answer))? (?:is|was|equals)"
    r"|(?:^|[.:!?] ?)(?:the|your) (?:answer |output )?format (?:is|was)|\b(?:should|must|would|might|could) look like(?: this)?|\b(?:is|can|could) (?:hardly|scarcely)(?: be)?|\banswer would have been|\bneither [^.\n]{1,40} nor|\bwhether (?:it|this|that|the (?:final )?answer) is"
    r"|\bexample of the (?:answer |output )?format|\b(?:they|people|students?) (?:say|claim|think|believe)(?: that)?(?: (?:it|the answer) is)?|(?:^|[.!?] )if [^.!?\n]{1,40} the answer would be"
    r"|\btempt(?:ing|ed) to (?:write|say|answer|put|guess)|\b(?:(?:do|must|should) not|don['’]t|never) (?:write|answer|put)(?: that)?|\b(?:we|you|I|one) (?:can |may |must |now |therefore |thus )?(?:exclude|discard|reject|rule out)|\b(?:this|that|which) (?:therefore |thus |also )?(?:rules out|excludes)"
    r"|(?:^|[.!?] )had [^.!?\n]{1,60}, (?:we|I|you|one) (?:would|could|might) have (?:got|gotten|obtained)|\bif the answer (?:were|was) [^.!?\n]{1,30} you would (?:write|put|answer)|(?:^|[.!?] )(?:an?|another|some) (?:other )?students? (?:wrote|answered)|(?:^|[.!?] )(?:my friend|the model) (?:wrote|answered))[\s$*:]{0,4}\Z",
    re.IGNORECASE,
)


def other_before(line: str) -> str | None:
    """The value that a box is offered beside: "either 13 or" in front of it."""
    either = _EITHER.search(line, max(len(line) - MAX_LEAD_CHARS, 0))
    return either[1] if either is not None else None


_EITHER = lazy(rf"\beither ({FORMULA}|{NUMBER}),? or [$]?\Z", re.IGNORECASE)


def denied_behind(text: str, end: int) -> bool:
    """Whether the text right behind a box that ends at `end` says that it is none: "is not the answer"."""
    if _NO_BOX.match(text, end) is not None or _SO_MARKED.match(text, end) is not None:
        return True
    return len(text) - end >= MIN_TAIL_CHARS and _NOT_SO.match(text, end) is not None


_CLOSES = r"(?:\\[\])]|[$*`]){0,3}"
_ENDS = r"(?=\W{0,4}(?:\Z|\n|[.;!] |(?:because|since|as|so|but|and|the|either)\b))"
_NO_BOX = lazy(
    rf"{_CLOSES}(?:[,:;]? ?[-–—]{{0,3}} | ?: ?|[.!]?\s{{1,3}}\(|, which |, but (?:that|this|it) )(?:(?:(?:this|that|it|which) )?(?:is|was|are|were|would be)(?: clearly| obviously)? |['’]s )?"
    rf"(?:not (?:(?:the|our|my|a) )?(?:(?:final|correct|right|valid|true) )?(?:answer|solution|right|correct|true|possible|valid|it){_ENDS}|(?:(?:the|an?) )?(?:wrong|incorrect|false|impossible)(?: (?:answer|solution|result|value|choice))?{_ENDS})"
    rf"|{_CLOSES} (?:isn['’]t (?:it|right|correct|the|our|valid)|(?:does not|doesn['’]t) (?:work|satisfy|fit|hold)|fails|must be (?:rejected|discarded|excluded)|is (?:extraneous|a trap|spurious|rejected)|if you (?:want|wish|like|prefer)(?=\W*\Z)|or not(?=\W*\Z)|(?:is|was|would be) (?:much |far |clearly )?too (?:large|small|big|high|low|great)"
    r"|(?:is|was) (?:only |just )?(?:my|our|the|an?) (?:first|initial|original|wild) (?:guess|attempt|try))\b"
    rf"|{_CLOSES} is what (?:most|many|some) (?:people|students|others)\b"
    rf"|{_CLOSES} (?:is|was|are|were) (?:only |just |merely )?(?:how (?:an?|the|your|my) (?:final )?answer|an? (?:example|placeholder)|(?:what|the (?:form|format|way)) (?:an?|the|your|my|of) )",
    re.IGNORECASE,
)
_NOT_SO = lazy(
    rf"{_CLOSES}(?: (?:is (?:what (?:one|you|we) gets? by (?:forgetting|ignoring|overlooking|mistak\w+)|(?:only|just|merely) an? (?:upper|lower) bound|an? (?:common|frequent|typical|popular|tempting) (?:wrong|incorrect|mistak\w+)|(?:thereby |therefore |thus )?(?:ruled out|excluded))"
    r"|by (?:forgetting|overlooking|mistake)|(?:cannot|can['’]t|can not) be (?:the|our) (?:final |correct )?answer|only if|(?:should|must|has to) be replaced"
    r"|if [^.\n]{1,60}(?:were|was|had)\b[^.\n]{0,40}\bbut)\b|,? which (?:I|we) (?:think|believe|know) (?:is|to be) (?:wrong|incorrect|false)\b)",
    re.IGNORECASE,
)
"""What is said of a box that is ruled out, a bound, or got only by a mistake or under another condition."""

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
