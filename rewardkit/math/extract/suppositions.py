"""Answers that are only supposed, reported or called wrong, or that are those of another problem."""

from __future__ import annotations

import re

from rewardkit.math.text.patterns import lazy

MAX_SENTENCE_CHARS = 400
"""The beginning of a sentence is looked for in so many characters."""


def supposed(text: str, position: int) -> bool:
    """Whether the answer named at `position` is only supposed, reported, or called wrong."""
    if leads_plainly(text, position):
        return False
    before = text[max(position - 60, 0) : position]
    return (
        _SUPPOSES.search(before) is not None
        or _SO_CALLED.search(before) is not None
        or _HAD_IT.search(text, max(position - 120, 0), position) is not None
    )


def leads_plainly(text: str, position: int) -> bool:
    """Whether the answer named at `position` begins its sentence, or follows a word such as "therefore": that supposes nothing."""
    low = max(position - MAX_PLAIN_LEAD - 1, 0)
    sentence = max(text.rfind(".", low, position), text.rfind("\n", low, position)) + 1
    return position - sentence < MAX_PLAIN_LEAD and text[sentence:position].lstrip(" ").lower() in _PLAIN_LEADS


_PLAIN_LEADS = frozenset(
    f"{word}{comma}the {final}"
    for word in ("", "so", "thus", "hence", "therefore", "finally")
    for comma in ((" ", ", ") if word else ("",))
    for final in ("", "final ")
)
"""How most statements begin."""
MAX_PLAIN_LEAD = 24
"""Longer ones are not looked up."""

_HAD_IT = lazy(r"(?:^|[.!?\n]\s*)(?:had|were|should) [^.!?\n]{3,100}, (?:the |our )?(?:final )?$", re.IGNORECASE)
"""A condition in front of an answer, by the order of its words."""

_SO_CALLED = lazy(
    r"\b(?:friend|teacher|student|classmate|colleague|brother|sister|neighbou?r|book|textbook)['’]s (?:final )?$|\b(?:refute|disprove)\b[^.!?\n]{0,20}$|\b(?:digits?|half|twice|double|triple|third|quarter|square|root|reciprocal|negative|multiple|divisors?|factors?|part)(?: of)?(?: the| our| my)?(?: final)?\s+$|\b(?:partial|intermediate|interim|provisional|preliminary|example|sample|placeholder|dummy|naive|wrong|incorrect|false|initial|first|original|previous|tempting|apparent|expected|another|other|second|alternative|old|earlier|former)\s+$",
    re.IGNORECASE,
)
_SUPPOSES = lazy(
    r"(?:n['’]t (?:think|say|believe|know|claim)|\b(?:(?:wrong|incorrect|false|mistake|absurd) (?:to|that)|not (?:true|say|claim|the case|think|believe|sure|certain|convinced|clear)|doubt|unlikely|doubtful"
    r"|(?:mistake|error|misconception|temptation)s? (?:is|was|would be)|(?:they|people|students|some|many|most|others) (?:claim|say|think|believe|guess|argue|conclude|answer)(?: that)?"
    r"|if|unless|claim is|suppose|whether|assum(?:e|ing)|let['’]?s say|maybe|perhaps|possibly|(?:want|wish|need|have|remains?|going) to (?:show|prove|see|check|verify)|tempting to|(?:might|could|would|may) (?:think|say|guess|expect|believe|assume|conclude)"
    r"|(?:claims|thinks|believes|says|guesses|argues|claimed|thought|guessed|(?:someone|he|she|they) said)(?: that)?))\b[^.!?,:\n]{0,30}$",
    re.IGNORECASE,
)
"""What makes a statement behind it no statement: "it would be wrong to say that", "if"."""


def of_another_case(text: str, position: int, start: int) -> bool:
    """Whether the answer named at `position` is that of a remark: under a condition, of another problem."""
    low = max(position - MAX_SENTENCE_CHARS, 0)
    sentence = max(low - 1, *(text.rfind(mark, low, position) for mark in (". ", "\n", "! ", "? "))) + 1
    return _REMARKS.match(text, sentence, position) is not None or _ELSEWHERE.search(text, position, start) is not None


def of_a_part(text: str, position: int, start: int) -> bool:
    """Whether the answer named at `position` is said to be that of the first part: another one is asked for."""
    if text.find("first", position, start) >= 0 and _OF_FIRST.search(text, position, start) is not None:
        return True
    if text.find("art (", max(position - MAX_PLAIN_LEAD, 0), position) < 0:
        return False
    part = _FOR_PART.search(text, max(position - MAX_PLAIN_LEAD, 0), position)
    return part is not None and _OTHER_PART.search(text, start) is not None


_FOR_PART = lazy(r"(?:for|in|of) part \(a\),? (?:the|our) (?:final )?$", re.IGNORECASE)
_OTHER_PART = lazy(r"\bpart \(b\)", re.IGNORECASE)


_OF_FIRST = lazy(r"answer (?:of|to|for) (?:the )?first (?:part|question|problem|step|case|half)\b", re.IGNORECASE)
_REMARKS = lazy(
    r"[\s(*_]*(?:(?:note|remark|n\.?b\.?)\b[^\n]{0,120}\b(?:if|for|when|in)\b|for comparison|(?:if|unless|had|when|for) [^\n]{3,100}\b|in (?:the|an?|this|that) (?:\w+ )?(?:\w+er|other|first|second|third|original"
    r"|previous|special|general|simple|similar) (?:variant|version|case|problem|question|scenario)\b)",
    re.IGNORECASE,
)
_ELSEWHERE = lazy(
    r"answer (?:of|to|for|in) (?:the |an? )?(?:previous|other|first|second|next|original|similar|easier|harder)\b",
    re.IGNORECASE,
)
"""What names an answer that is not the one asked for."""
