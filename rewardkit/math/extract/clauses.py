"""Which part of a sentence states its value: reasons and asides are cut off; what is supposed, partial, or one of several values states none."""

from __future__ import annotations

import re

from rewardkit.math.text.patterns import lazy

MAX_REASONS = 16
"""A sentence with more subordinate clauses states nothing."""

DISPLAYED = r"\\\[(?:(?!\\\])[\s\S]){1,400}\\\]|\$\$[^$]{1,400}\$\$"
"""A formula on lines of its own."""

MATH_SPAN = lazy(r"\$\$([^$]{1,800})\$\$|\$([^$\n]{1,400})\$|\\\[(.{1,800}?)\\\]|\\\((.{1,400}?)\\\)", re.DOTALL)
COPULA = lazy(
    r"(?:\b(?:is|are|was|were|(?<!can )(?<!may )(?<!could )be|equals|equal to|comes (?:out )?to|amounts to|totals)\b|(?<=\bit)['’]s\b|(?<=\bthat)['’]s\b|=)\s*",
    re.IGNORECASE,
)

SO = r"(?:so|thus|hence|therefore)"
"""What sets off a conclusion."""

AS_WANTED = "required|desired|claimed|expected|stated|needed|wanted|promised"
"""What comes after "as" without saying more of a value: as required."""

_LEADING = lazy(
    r"(?:(?:and|so|thus|hence|therefore|consequently|finally|then|in conclusion|as a result|indeed|but),? ){0,3}"
    r"(?:since|because|as|while|although|though|given(?: that)?|after|seeing that|knowing that) (?:[^,]|,(?! )){1,160}, (?:then )?(?!and\b|or\b|which\b|while\b|but\b)",
    re.IGNORECASE,
)
"""A reason in front of the clause that states something."""

_REASON = lazy(
    r"(?:[,;] ?| [-–—]+ | )(?:since|because|given (?:that|the)|seeing that|although|even though|though|after|where|attained|achieved|with equality"
    r"|which(?! (?:simplifies to|reduces to|is equal to|equals|is|gives|comes (?:out )?to)(?: about| approximately| exactly| just)? [-$\\\d])"
    rf"|(?:exactly |just )?as (?:the|it|its|we|he|she|they|there|{AS_WANTED}))\b|, (?:as|for)\b|,? and (?:we are|so we are|the (?:proof|problem) is|this (?:completes|finishes))\b",
    re.IGNORECASE,
)
"""What begins a clause that says why, or what follows."""

_VALUED = lazy(rf"{COPULA.pattern}(?:[^\s,]+ ){{0,3}}[^\s,\d]{{0,3}}\d|000\W*$", re.IGNORECASE)
"""A clause that already has a value, behind its copula or as a formula at its end."""

_GOES_ON = lazy(r"\W*(?:where|which (?:leaves|makes|brings))\b", re.IGNORECASE)
"""What names another value behind the one before."""

_WHEN = lazy(r",? \(?(?:when|at|for) [^,]{1,40}$", re.IGNORECASE)
_EXTREME = lazy(r"\b(?:minimum|maximum|minimal|maximal|largest|smallest|greatest|(?<!at )least|best)\b", re.IGNORECASE)
"""An extreme value may tell where it is taken."""

STATES_NONE = lazy(
    rf"^{SO},? the first (?:two|three|four|five|six)\b|\b(?:otherwise|at best|so far|until now|up to now|at this (?:point|stage)|not yet|compared (?:with|to)"
    r"|in (?:the|this|that|our|one|each|either) (?:(?:first|second|third|fourth|last|other|former|latter|next|base|worst|best|general|special|same) )?(?:case|scenario|variant|version)|in case \S+|(?:intermediate|interim|preliminary|provisional|partial) (?:result|value|answer)|of (?:the|this) (?:first|second|third|next|last) step|first approximation|find out what"
    r"|half (?:of )?(?:the|our)|twice (?:the|our)|(?:double|triple) (?:the|our)|of (?:the|our|my) (?:final |correct )?answer|next step|(?:upper|lower) bound"
    r"|the claim|whether|(?:cannot|can not|can['’]?t|could|may|might|must not|need not) (?:be|also|not|think|guess|say|assume|conclude|expect)|should have been"
    r"|(?:to|must|we|I|one) (?:show|prove|guess|suspect|assume|suppose|reject|discard|exclude|refute|doubt)|seems?|appears?|extraneous|spurious|rejected|discarded|without|besides|other than|except|sum of the other|would have been|had been|counted (?:twice|double)|double[- ]count\w*|overcount\w*"
    r"|short of|must divide|isn['’]t (?:our|the|my|an) (?:(?:final|correct|right) )?(?:answer|solution)|we (?:now |then |next )?(?:add|subtract|multiply|divide|substitute|plug|put|set|let|take))\b"
    r"|^(?:(?:so|thus|hence|therefore|then|now|next|finally|consequently),? ){0,2}(?:let(?! me)|put|set|add|subtract|substitute|take|plug|consider|multiply|divide|choose|note|recall|suppose|assume)\b"
    r"|(?:^|,|\d[^,]{0,60}?)(?: ?(?:and|so|thus|hence|therefore|then|but)\b,?)* ?\b(?:if|unless|provided|whenever|assuming|supposing|suppose)\b"
    r"|\bbut\b.*(?:\b(?:not|wrong|too|fails?|never|cannot)\b|n['’]t\b)",
    re.IGNORECASE,
)
"""What makes a sentence a supposition, a part of the work, or a statement about another quantity."""

_OF_DIGITS = lazy(r"\b(?:sum|product|number|last|first)[a-z ]{0,20} digits?\b", re.IGNORECASE)
"""What is said of digits may be a part of the work."""

_NEXT = lazy(
    r"(?:[,;] ?| )(?:and|while|whereas|but|or)\b|; |, (?!(?:so|thus|hence|then|therefore|which (?:is|equals))\b)",
    re.IGNORECASE,
)
_FOLLOWS_ON = lazy(r"\b(?:so|thus|hence|then|therefore|resulting|finally|consequently)\b", re.IGNORECASE)
_ROW = lazy(
    r"(?P<row>[A-Za-z](?:_?\w)? ?= ?[^\s,;=]{1,40}(?:(?:,| and| or|, and|, or) [A-Za-z](?:_?\w)? ?= ?[^\s,;=]{1,40}){1,8})[.!]?\s*$"
)
"""Several equations of one letter each: "x = 1 or x = 3"."""

_WORK = lazy(r"[\d)] ?[-+*/×÷·x–] ?[$€£(]?\d[^=]{0,30}$|[A-Za-z] ?[-+*/] ?[A-Za-z]\b[^=]{0,10}$|\w\(-?[\d.]+\) ?$")
"""What is calculated in front of an equals sign."""


_FIRST_DIGIT = lazy(r"(?:[^\s\d]+ ){0,2}[^\s\d]{0,4}\d")


def masked(sentence: str) -> str:
    """`sentence` with zeros in the place of its formulas, of the same length."""
    parts: list[str] = []
    at = 0
    for span in MATH_SPAN.finditer(sentence):
        parts += [sentence[at : span.start()], "0" * len(span[0])]
        at = span.end()
    return "".join(parts) + sentence[at:] if parts else sentence


def stating_clause(sentence: str) -> str | None:
    """The part of a concluding sentence that states its value; None where there is none, or more than one.

    >>> stating_clause("Therefore the angle is 26 degrees, because the other angle is 64 degrees.")
    'Therefore the angle is 26 degrees'
    >>> stating_clause("So the smaller root is 3, while the larger root is 4."), stating_clause("So far the sum is 3.")
    (None, None)
    """
    blank = masked(sentence)
    if STATES_NONE.search(blank) is not None or _OF_DIGITS.search(blank) is not None:
        return None
    leading = _LEADING.match(blank)
    start = leading.end() if leading is not None else 0
    end = len(blank)
    for count, reason in enumerate(_REASON.finditer(blank, start)):
        if count == MAX_REASONS:
            return None
        if _VALUED.search(blank[start : reason.start()]) is None and (
            _VALUED.search(blank, reason.end()) is not None or not any(map(str.isdigit, blank[start : reason.start()]))
        ):
            continue
        if _GOES_ON.match(blank, reason.start()) is not None and any(map(str.isdigit, blank[reason.end() :])):
            return None
        end = reason.start()
        break
    when = _WHEN.search(blank, start, end)
    if when is not None and _EXTREME.search(blank, start, when.start()) and _VALUED.search(blank, start, when.start()):
        end = when.start()
    if (row := _ROW.search(sentence, start, end)) is not None:
        return row["row"].rstrip(".!")
    cut = _beside(blank[start:end])
    return None if cut is None else sentence[start : start + cut]


def _beside(clause: str) -> int | None:
    """Where the first of two clauses ends, the whole length for one; None where two things have a value each."""
    copulas = list(COPULA.finditer(clause))
    for first, second in zip(reversed(copulas[:-1]), reversed(copulas), strict=False):
        between = clause[first.end() : second.start()]
        joiner = _NEXT.search(between)
        if joiner is None or not any(map(str.isalnum, between[joiner.end() :])):
            continue
        if _FIRST_DIGIT.match(between[: joiner.start()]) is None:
            continue
        if _WORK.search(between, joiner.start()) or _FOLLOWS_ON.search(clause, copulas[0].end()):
            return len(clause)
        return None if any(map(str.isdigit, clause[second.end() :])) else first.end() + joiner.start()
    return len(clause)


def plain_words_only(value: str) -> bool:
    """Whether a complement is a few words that neither deny nor hedge: "isosceles", "Sofia", "the second player"."""
    return (
        _FEW_WORDS.fullmatch(value) is not None
        and _CHANGES.search(value) is None
        and _CHANGES_BEHIND.search(value) is None
    )


_FEW_WORDS = lazy(
    r"(?!(?:correct|right|consistent|complete|valid|fine|good|reasonable|sure|confident|same|different|done|finished|given|known|clear|shown|proved|proven|possible|needed|true|false|equal|found|that|what|there)\b)(?:[A-Za-z][a-z-]{2,}|an?)(?: [A-Za-z][a-z-]{2,}){0,2}"
)

_CHANGES = lazy(
    r"\b(?:or|nor|but|plus|minus|times(?= (?:two|three|four|five|six|ten|the|as|that|more|an?|x)\b)|divided|multiplied|over|without|except|excluding|besides|per ?cent of|power|squared|cubed|factorial|modulo|mod"
    r"|half|halves|dozens?|hundreds?|thousands?|millions?|billions?|trillions?|not|no(?! matter)|never|none|cannot|n't|if|when|whenever|unless|otherwise|else|than|least|most"
    r"|between|either|neither|both|maybe|perhaps|possibly|probably|wait|wrong|incorrect|false|cases?|below|above|out of|(?<!add )(?<!adds )up to|at the [a-z]+st|away|close to|far|anything|everything"
    r"|twice|thrice|double|triple|too|of (?:the|an?) (?:answer|number|other|result|value)|(?:any|all|every|each|some) (?:[a-z]+ )?(?:number|integer|real|value|rational|solution)s?"
    r"|(?:root|square|cube|reciprocal|inverse|negative|opposite|conjugate|complement|derivative|integral|logarithm|factorial|digits?|divisors?|choose"
    r"|multiples?|permutations?|factors?|sum|product|difference|quotient|percent) of(?! (?:the )?(?:side|length)))\b",
    re.IGNORECASE,
)
"""Words that make another value, several, a condition, or a doubt of the value they stand beside."""

_CHANGES_BEHIND = lazy(
    r"^\W*(?:[a-z]+ )?and\b|(?<!can )\bbe\b|\b(?:base|binary|hex\w*|octal|remainder|thirds?|quarters?|fourths?|fifths?|tenths?|scores?|bn|zero|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|is|are|was|were|might|may|works?|fails?|longer|o['’]clock|(?:before|after|past) (?:noon|midnight)|short|odd|even|under|off|replaced)\b",
    re.IGNORECASE,
)
"""What else changes a value when it stands behind it: other numbers, and verbs that it is the subject of."""

_REACHES = lazy(
    r"\b(?:(?:an?|another) (?:[a-z]+ ){1,2}of|(?:(?:in )?total|value|probability) of|(?:converges?|tends|adds? up|sums?(?: up)?|equal|leads|comes|evaluates|simplifies|reduces|amounts|rounds|rounded)(?: in probability)? to|given by|(?:ends?|ended|left|leaves|leaving)(?: her| him| them| us| me| it| you)?(?: up)? with) *[*_]*$",
    re.IGNORECASE,
)
_RELATES = lazy(
    r"\b(?:of|to|from|in|inside|outside|within|than|by|with|before|after|until|near|among|towards?|except|first|last|next|and|minus|negative|times|say|else|steps?|section|chapter|theorem|lemma|method|example|exercise) *[*_]*$",
    re.IGNORECASE,
)
"""A preposition in front of a value names another one: the divisors of 17."""

_DONE_TO_IT = lazy(r"[*_ ]*[a-z]+ed[*_ ]*")
_PROSE = lazy(r"[A-Za-z ,'’*_()-]*")


def described(text: str, start: int, end: int) -> bool:
    """Whether the words around the value from `start` to `end` of `text` only say what it is: "42 ways to seat them"."""
    lead, tail = text[:start], text[end:].rstrip(".! ")
    if _DONE_TO_IT.fullmatch(tail) is not None:
        return False
    if _PROSE.fullmatch(tail) is None or _CHANGES.search(tail) is not None or _CHANGES_BEHIND.search(tail) is not None:
        return False
    if not lead.strip(" *_"):
        return True
    return _CHANGES.search(lead) is None and (_RELATES.search(lead) is None or _REACHES.search(lead) is not None)
