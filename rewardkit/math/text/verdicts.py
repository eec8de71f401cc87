"""Answers that are a verdict or a name, and sentences that say one of them: "No, because ...", "Petya wins the game"."""

from __future__ import annotations

import re

from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import SAME, SIGNED, canonical_words, plain_words

_NO_NAMES = word_set(
    "hence the it there so we thus therefore then if when all any every each this that these those both only since because as in on at by for"
    " to of with from let no none one two three four five some many more most less first second third they he she you i such not can will"
)
_VERDICT = lazy(r"(?!no\. ?\d)(yes|no|true|false)\s*(?:[,.;:!—–-]|\bbecause\b|\bsince\b)\s*\w", re.IGNORECASE)
_UNSETTLED = lazy(
    r"[\s,.;:!—–-]*(?:yes|no|true|false|maybe|perhaps|not|if|but|or|unless|only|and|wait|actually|hmm+|sorry|rather|correction|hold on|on second)\b",
    re.IGNORECASE,
)
"""What makes a verdict none: the other one, a condition."""

_ECHO = word_set(
    "it is they are does do he she can will we this that the statement true correct exists could may must would did has have"
)
_NEGATION = lazy(r"\b(?:not|no|never|neither|nor|isn't|doesn't|none|or|false|incorrect|less|fewer)\b", re.IGNORECASE)


def is_verdict(text: str) -> bool:
    """Whether a text is yes, no, true or false."""
    return SIGNED.search(text) is None and canonical_words(text) in {"yes", "no"}


def verdict_of(text: str) -> str | None:
    """The yes, no, true or false that a sentence begins with: "No, because ..."."""
    match = _VERDICT.match(plain_words(text))
    if match is not None and _UNSETTLED.match(plain_words(text), match.end(1)) is not None:
        return None
    if match is not None and _AGAINST[match[1].lower()].match(plain_words(text), match.end(1)) is not None:
        return None
    return match[1] if match else None


_DENIES = lazy(
    r"\W*(?:it|that|this|they|he|she|one|we|there) (?:is|are|does|do|can|was|has|will)(?: not\b|n['’]t\b|not\b| impossible| false| never| no\b)",
    re.IGNORECASE,
)
_AFFIRMS = lazy(
    r"\W*(?:it|that|this|they|one|we) (?:is|are|can|does|do|was|has) (?:indeed |always |certainly )?(?:possible|true|correct|right|the case|so)\b",
    re.IGNORECASE,
)
_AGAINST = {"yes": _DENIES, "true": _DENIES, "no": _AFFIRMS, "false": _AFFIRMS}
"""What behind a verdict says the opposite."""


_KIND = lazy(
    r"(?:([a-z]) )?(?:is |must be |has to be )?(odd|even|prime|composite|positive|negative|rational|irrational)(?: number| integer)?"
)
_WINS = lazy(r"(.+) wins?(?: game)?")
_ONLY = lazy(r"(?:only )?(.+?)(?: only)?")
_SAID_OF = lazy(
    r"(?:[a-z] |it )?(?:is|must be) ((?!not )[a-z ]+)|(?:series|sequence|integral|limit|function) ((?:absolutely |conditionally )?(?:converges?|convergent|diverges?|divergent)[a-z ]*)"
)


_ON = lazy(r"on ((?:mon|tues|wednes|thurs|fri|satur|sun)day)")

_NO_KIND = lazy(r"no (?:real|integer|whole|rational|positive|natural) solution")


def same_said(left: str, right: str) -> bool:
    """Whether one text says the other of a letter, as its winner, or of that alone: n is even, the second player wins, I and III only."""
    a, b = canonical_words(left), canonical_words(right)
    a, b = a.replace("has winning strategy", "wins"), b.replace("has winning strategy", "wins")
    if a == b:
        return True
    kinds = _KIND.fullmatch(a), _KIND.fullmatch(b)
    if kinds[0] is not None and kinds[1] is not None and kinds[0][2] == kinds[1][2]:
        return kinds[0][1] is None or kinds[1][1] is None or kinds[0][1] == kinds[1][1]
    if "no solution" in {a, b} and _NO_KIND.fullmatch(b if a == "no solution" else a) is not None:
        return True
    for pattern in (_WINS, _ONLY, _SAID_OF, _ON, _IS_A):
        one, other = (
            match and (match[1] or match[match.re.groups]) for match in (pattern.fullmatch(a), pattern.fullmatch(b))
        )
        if (one is not None and SAME.get(one, one) == b and other is None) or (
            other is not None and SAME.get(other, other) == a and one is None
        ):
            return True
        if pattern is _ONLY and one is not None and a != b and one == other:
            return True
    return False


_IS_A = lazy(
    r"(?!.*\b(?:not|no|never|neither|nor|or|if|half|opposite|unless|but|except|without|may|might|could|other|less|more|than)\b)(?:it|they|this|these|(?:this |these |both )?[a-z]{3,}(?: of [a-z]+)?) (?:is|are|will be) (?!(?:true|false|correct|yes|no)\Z)([a-z ]{3,40})"
)
"""A short sentence that says a word of something: the locus is an ellipse."""

_VERDICTS = frozenset({"yes", "no", "true", "false"})
_SAYS_OF = word_set(
    "is was wins won has had will did does can could must should gets got takes took makes made earns earned scored finished came bought ate owns lives plays because since always"
)
_VERB = lazy(r"[a-z]{2,}(?:s|ed)")
_OTHER_NAME = lazy(r"(?<![A-Za-z])[A-Z][a-z]")
_LOSES = lazy(
    r"\b(?:cannot|can't|fails?|lies|lied|loses|lost|beaten|defeated|then|never|unless|only if)\b", re.IGNORECASE
)


def head_of(short: str, long: str) -> bool:
    """Whether `long` is a sentence that begins with the one word `short` and denies nothing ("Petya wins the game")."""
    head = canonical_words(short).split()
    words = canonical_words(long).split()
    if (
        len(head) != 1
        or len(head[0]) < 2
        or words[:1] != head
        or (len(words) < 3 and words[1:] not in (["wins"], ["won"]))
    ):
        return False
    if (
        words[1] in {"and", "or", "with", "but", "nor"}
        or re.match(r"\W*,\s*[A-Z]", plain_words(long)[len(head[0]) :]) is not None
    ):
        return False
    if head[0] not in _VERDICTS and (
        (words[1] not in _SAYS_OF and _VERB.fullmatch(words[1]) is None)
        or _OTHER_NAME.search(plain_words(long)[len(head[0]) :]) is not None
        or _LOSES.search(long) is not None
    ):
        return False
    if head[0] in _VERDICTS and (
        not _ECHO.issuperset(words[1:]) or _AGAINST[head[0]].match(plain_words(long), len(head[0])) is not None
    ):
        return False
    if head[0] not in _VERDICTS and (not plain_words(short).istitle() or head[0] in _NO_NAMES):
        return False
    return _NEGATION.search(plain_words(long)[len(head[0]) :]) is None
