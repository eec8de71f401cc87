"""The value that a plain sentence gives its subject, where the subject or the rest of it holds a formula or a number of its own."""

from __future__ import annotations

import re

from rewardkit.math.extract.clauses import COPULA, MATH_SPAN, SO, STATES_NONE, described, plain_words_only
from rewardkit.math.extract.sentences import unit_end
from rewardkit.math.latex.units import canonical_unit, is_known_unit
from rewardkit.math.text.patterns import lazy

MAX_TOLD_CHARS = 400
"""A longer sentence is not read in this way."""

_LEADS = (
    rf"\**(?:(?:and )?(?:{SO}|consequently|finally|then|in conclusion|as a result|overall|in summary),? ){{0,2}}"
    r"(?:(?:it follows|(?:we|I) (?:conclude|find|see|get|have)|this means|we can conclude)(?: that)?,? )?"
)
_IS = r"(?:is|are|was|were|will be|must be|equals|is equal to|are equal to|is equivalent to)"
_TELLS = lazy(
    rf"{_LEADS}(?P<subject>(?:the|its|their|his|her|(?:[A-Z][a-z]+|[Tt]he [a-z]+)['’]s|[A-Z]?[a-z]*[0]+|there) [^;:?!]{{1,300}}?|0+[a-z ]{{0,40}}) {_IS} "
    r"(?:therefore |thus |then |exactly |only |just |simply |indeed |precisely )?(?:(?:[a-z]+ )?number )?(?P<value>0+)(?P<unit>(?: (?!in base)[a-z]+){0,3})(?P<base> in base (?:0+|[a-z]+))?[.!*]*$",
    re.IGNORECASE,
)
"""Subject, copula, value; formulas and numbers are masked by zeros."""

_COUNTS = lazy(
    rf"{_LEADS}(?:in (?:total|all),? )?there (?:are|is|were|will be) (?:exactly |only |a total of |thus |therefore )?(?P<value>0+)"
    r"(?P<things>(?: (?!(?:before|after|until|he|she|it|they|we|you|as|is|are|was|were|has|have|had)\b)[a-z-]+){1,5}?)(?P<tail>(?: 0+)?(?:,? (?:to|for|in|of|on|from|with|such that|that|which|who|whose|where|less than|greater than|between|below|among|under|at|when|per|by|satisfying|containing|using|(?-i:[A-Z][a-z]+))\b[^;:?!]{0,240}?)?)[.!*]*$",
    re.IGNORECASE,
)
"""There are so many things, of which more may be said."""

_RELATIVE = lazy(
    r"\b(?:when|where|(?<!claim )that|(?<!of )which|whose|who|while)\b|(?<=[a-z] )(?-i:[A-Z][a-z]+)", re.IGNORECASE
)
_SECOND = lazy(
    r",? (?:and|so|but|while|whereas) (?:the|its|his|her|their|that|this|it|he|she|they|we|an?|0+ [a-z]+)\b|; ",
    re.IGNORECASE,
)
_UNSETTLED = lazy(
    r"\b(?:not|no|never|neither|nor|either|if|unless|whether|cannot|could|might|may|would|should|suppose|assum\w+|claims?|guess\w*|far|now|cases?|steps?|half|twice|double|triple|previous"
    r"|bounds?|wrong|incorrect|except|without|probably|perhaps|maybe|possibly|approximately|about|roughly|answer|unknowns?|equations?|variables?)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words of a sentence that supposes, denies, or speaks of a part of the work."""

_OPEN = lazy(
    r"\b(?:if|unless|whether|wrong|incorrect|extraneous|rejected|discarded|probably|perhaps|maybe|possibly|suppose|assum\w+)\b",
    re.IGNORECASE,
)
"""Words that leave the whole sentence open, wherever they stand."""

_PARTIAL = lazy(r"\b(?:remaining|left|still|each|every|per|another|other)\b", re.IGNORECASE)
"""Words of a count that is not the whole one."""

_CHANGING = lazy(
    r"\b(?:more|less|fewer|times|than|dozens?|hundreds?|thousands?|millions?|billions?|percent|halves|thirds?|quarters?|squared|cubed|factorial|or|and|plus|minus|of|to|in|for|base|mod|modulo|power|root)\b",
    re.IGNORECASE,
)
"""Words right behind a number that may make another one of it."""

_MORE_THINGS = lazy(r"\b(?:and|or|plus|minus|of which|including|but)\b,? (?:[a-z]+ )?0+ [a-z]", re.IGNORECASE)
_MORE = lazy(r"\b(?:and|or|plus|minus|of which|including|but)\b,? (?:[a-z]+ )?0", re.IGNORECASE)
"""What adds another number to the one before; in a relative clause, another number of things."""

_FIRST_OF_MANY = lazy(r"\bfor (?:the|its) (?:first|second|third|last|next)\b", re.IGNORECASE)
_BARE = lazy(r"[-+−]?\\?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?: ?\\?%)?(?![\w^_/])")


def told(sentence: str) -> str | None:
    """The value that a sentence gives its subject, or the number of things that there are.

    >>> told("Thus, the sum of the digits of $x$ is $11$."), told("There are $11$ ways to seat the 8 people.")
    ('$11$', '$11$')
    """
    if len(sentence) > MAX_TOLD_CHARS:
        return None
    if "*" in sentence:
        sentence = unstarred(sentence)
    blank = _blank(sentence)
    found = _COUNTS.match(blank)
    if found is not None:
        if (
            _CHANGING.search(found["things"]) is not None
            or not _settled(blank, found.start("tail"))
            or _PARTIAL.search(blank) is not None
            or _adds(found["tail"])
            or _CASE.search(sentence, found.start("tail")) is not None
            or _FIRST_OF_MANY.search(found["tail"]) is not None
        ):
            return None
        return sentence[
            found.start("value") : found.end("things" if is_known_unit(found["things"].rpartition(" ")[2]) else "value")
        ]
    found = _TELLS.match(blank)
    if found is None or not _one_clause(found["subject"]) or not _settled(blank, 0):
        return None
    if found["base"] and not (
        "_" in sentence[found.start("value") :]
        or sentence[found.start("base") :].startswith((" in base 10", " in base ten"))
    ):
        return None
    unit = found["unit"]
    known = _unit_chars(unit)
    if known < len(unit) and (_CHANGING.search(unit, known) is not None or not plain_words_only(unit[known:].strip())):
        return None
    return sentence[found.start("value") : found.end("value") + known]


def _adds(tail: str) -> bool:
    """Whether what is said of a count adds another one to it."""
    relative = _RELATIVE.search(tail)
    end = len(tail) if relative is None else relative.start()
    return _MORE.search(tail, 0, end) is not None or _MORE_THINGS.search(tail, end) is not None


_CASE = lazy(r"\b(?:when|for|at|with) (?:\$|\\\()?[^$\s]{1,20} ?=")
"""A count under a condition is one of several."""


def _unit_chars(words: str) -> int:
    """How many characters at the beginning of the words behind a value are its unit."""
    end = len(words)
    while end > 0 and not canonical_unit(words[:end]):
        end = max(words.rfind(" ", 0, end), 0)
    return end


def unstarred(sentence: str) -> str:
    """`sentence` without the stars that set words and letters of it in bold or italics."""
    return _ITALIC.sub(r"\1", sentence.replace("**", ""))


_ITALIC = lazy(r"(?<![\w*)])\*([A-Za-z0-9](?:[^*\n]{0,40}[\w)=])?)\*(?![\w*])")


def _settled(blank: str, start: int) -> bool:
    """Whether nothing in a sentence supposes, denies, or makes it a part of the work, but in a relative clause that begins from `start`."""
    if _OPEN.search(blank) is not None:
        return False
    relative = _RELATIVE.search(blank, start)
    end = len(blank) if relative is None else relative.start()
    return _UNSETTLED.search(blank, 0, end) is None and STATES_NONE.search(blank[:end]) is None


def _blank(sentence: str) -> str:
    """`sentence` with zeros in the place of its formulas and numbers, of the same length."""
    blank = MATH_SPAN.sub(lambda span: "0" * len(span[0]), sentence.replace("\\$", "00"))
    return _BARE.sub(lambda number: "0" * len(number[0]), blank)


def _one_clause(subject: str) -> bool:
    """Whether what stands in front of a copula is one subject: each copula in it belongs to a relative clause."""
    if "," in subject:
        subject = _LISTED.sub("0", _ASIDE.sub("", subject))
    if "," in subject:
        return False
    at = 0
    for copula in COPULA.finditer(subject):
        if _RELATIVE.search(subject, at, copula.start()) is None:
            return False
        at = copula.end()
    return _SECOND.search(subject, at) is None


_LISTED = lazy(r"0+(?:, 0+){1,6},? (?:and|or) 0+")
_ASIDE = lazy(r", [^,]{0,60}\b(?:whose|which|who) [^,]{1,80},?(?= |$)")
"""What may stand between commas in a subject: a list, a relative clause."""

_DIFFERENCE = lazy(r" (?:less|more|fewer|[a-z]{2,}er)(?: [a-z]+)? than (?:the )?[A-Za-z][A-Za-z ]{1,60}$")
_PERSON = lazy(r"(?!(?:The|It|This|That|There|An?|What|Number|Value|Answer|Sum|Result)\b)[A-Z][a-z]+ ")


def difference(sentence: str) -> str | None:
    """By how much a concluding sentence says that somebody is ahead: "Thus, Pam pays 10 more dollars than Susan."."""
    lead = _SO_SOMEBODY.match(sentence)
    rest = sentence[lead.end() :].rstrip("*.! ") if lead is not None else ""
    return one_value(rest) if " than " in rest and _MORE_THAN.search(rest) is not None else None


_MORE_THAN = lazy(r" (?:less|more|fewer)(?: [a-z]+)? than [A-Z]")
_SO_SOMEBODY = lazy(rf"\**{SO},? (?=[A-Z][a-z]+ [a-z])", re.IGNORECASE)


def one_value(sentence: str) -> str | None:
    """The one value of a sentence behind an answer label: "Jim walks $11$ feet less than Martha".

    >>> one_value("Chris is currently $11$ years old"), one_value("Ann has 3 of the 12 apples")
    ('$11$ years', None)
    """
    if len(sentence) > MAX_TOLD_CHARS or _PERSON.match(sentence) is None:
        return None
    sentence = unstarred(sentence).rstrip(".! ")
    blank = _blank(sentence)
    values = list(_ZEROS.finditer(blank))
    if len(values) != 1 or _UNSETTLED.search(blank) is not None:
        return None
    value = values[0]
    if _REPORTS.search(blank) is not None:
        return None
    behind = _DIFFERENCE.search(blank, value.end())
    if behind is None and _CHANGING.match(blank, min(value.end() + 1, len(blank))) is not None:
        return None
    said = sentence if behind is None else sentence[: behind.start()]
    said = said.removesuffix(" old")
    return sentence[value.start() : unit_end(sentence, value.end())] if described(said, *value.span()) else None


_REPORTS = lazy(
    r"\b(?:thinks?|says?|said|claims?|believes?|wants?|needs?|hopes?|expects?|tries|tried|thought|that|before|after|until)\b"
)
_ZEROS = lazy(r"0+")
