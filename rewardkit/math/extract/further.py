"""Sentences that go on from a count to another value, or to work with it: "there are 11 ways, giving 33 in total"."""

from __future__ import annotations

from rewardkit.math.extract.clauses import SO, masked
from rewardkit.math.extract.sentences import NUMBER
from rewardkit.math.text.patterns import lazy


def further(sentence: str) -> str | None:
    """The value that a sentence goes on to from its first one; "" where it only goes on to work, None where it does not.

    >>> further("There are $11$ ways to choose one, giving $33$ in total."), further("There are 11 ways, which we double.")
    ('$33$', '')
    >>> further("There are 11 ways to seat them.") is None
    True
    """
    if " and " in sentence and _AT_TWO_TIMES.search(sentence) is not None:
        return ""
    if "here are" not in sentence:
        if "which is " in sentence and _USED_LATER.search(sentence) is not None:
            return ""
        return _in_ways(sentence) if " ways" in sentence else None
    blank = NUMBER.sub(lambda number: "0" * len(number[0]), masked(sentence))
    count = _COUNT.search(blank)
    if count is None:
        return None
    later = _LATER.search(blank, count.end())
    if later is not None:
        value = _TO_VALUE.match(blank, later.end())
        return "" if value is None else sentence[value.start("value") : value.end("value")]
    return "" if _WORK.search(blank, count.end()) is not None else None


_COUNT = lazy(r"\b[Tt]here are (?:exactly |only |a total of |thus |therefore )?0+")
_LATER = lazy(
    rf", (?:(?:and )?{SO}\b,?|giving|making|yielding|for a total of|bringing the total to|(?:which|this) (?:gives|makes|yields))(?=[^,]*0)",
)
_TO_VALUE = lazy(
    r" (?:us )?(?:(?:a |the )?(?:total|answer|result)(?: number)?(?: of [a-z ]{1,40})?(?: is| of) |there are |it is |we get )?(?P<value>0+)"
    r"(?: [a-z]+){0,3}[.!]*\Z"
)
_WORK = lazy(
    r"\b(?:which|that|these|those|it) (?:(?:we|must|have to|has to|should|needs?|still|then|now|next|are|be|to) ){1,5}(?:doubled?|multipl(?:y|ied)|subtract(?:ed)?|exclud(?:e|ed)|discard(?:ed)?|remov(?:e|ed)|divide(?: by|d by)|halved?|reject(?:ed)?)\b"
    r"|\bto be (?:doubled|multiplied|subtracted|excluded|discarded|removed|divided|checked|considered)\b|\bof which we (?:discard|exclude|subtract|remove|reject)\b"
    r"|\beach of which can be [a-z]+ in 0|\bin (?:Case|Step|Part) (?:0|[A-Z])|\bcases,? (?:to |(?:which|that) we (?:now |then |next )?)(?:check|consider|examine|test|treat|distinguish)\b"
    r"|\bmore [a-z]+ to (?:check|consider|examine|test)\b|\bterms whose sum is\b"
)
"""What is done with a count that is not yet the one asked for."""

_USED_LATER = lazy(r", which is (?:needed|used|required) (?:below|later|next|in the (?:next|following))\b")


_AT_TWO_TIMES = lazy(
    r"(?<![\w.])\d[\d,.]* ([a-z]+) (?:after|in|on|at|by) [^,.;]{1,30} and \d[\d,.]* \1\b(?:(?!\b(?:is|are|was|were|totals?|makes?|gives?)\b)[^,;=])*\Z"
)
"""Two counts of the same things at two times: "24 pages after 3 days and 32 pages after 4 days"."""


def _in_ways(sentence: str) -> str | None:
    """In how many ways a sentence says that so many things can be arranged."""
    ways = _IN_WAYS.match(sentence)
    return None if ways is None else ways["value"]


_IN_WAYS = lazy(
    rf"(?:[Ss]o|[Tt]hus|[Hh]ence|[Tt]herefore),? the {NUMBER.pattern} [a-z ]{{3,40}} can be [a-z]+ in (?:exactly |a total of )?(?P<value>{NUMBER.pattern}|\$[^$]{{1,60}}\$) (?:different |distinct |possible )?ways[.!]?\Z",
)
