"""Answers that are options, verdicts or names: (C), "②③", "No, because ...", "Petya wins the game"."""

from __future__ import annotations

import re

from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import SAME, SIGNED, canonical_words, plain_words, without_layout

_CHOICE = lazy(r"[(\[{ ]*(?:(?:option|choice|answer)\s+)?[(\[{ ]*([A-Za-z])[ )\]}]*[.):]?[ )\]}]*", re.IGNORECASE)
_CHOICE_TEXT = lazy(
    r"\s*(?:(?:option|choice|answer)\s+)?(?:\(([A-Ja-j])\)|\{?\(?([A-J])\)?\}?\s*[.):\]]|([A-J])(?=\\ |\s*[-–—]\s))(.*)",
    re.IGNORECASE | re.DOTALL,
)


def choice(text: str) -> str | None:
    r"""The letter of a text that is nothing but an option letter: C, (C), C., \textbf{(C)}, Option C."""
    if len(text) > 60 or SIGNED.search(text) is not None:
        return None
    match = _CHOICE.fullmatch(plain_words(text))
    return match[1].upper() if match else None


_CONTINUES = lazy(r"[\s{}]*(?:or\b|and\b|[,;&+*/=^<>|]|-(?!\d)|\\(?:or|lor|cdot|times|cup|pm))")


def choice_with_text(text: str) -> tuple[str, str] | None:
    """(letter, rest) of an option letter with its text: "(B) 12", "B. 12"."""
    plain = text.replace("$", " ")
    plain = without_layout(plain[:40]) + plain[40:]
    match = _CHOICE_TEXT.fullmatch(plain.strip().lstrip("{"))
    if match is None:
        return None
    letter, rest = match[1] or match[2] or match[3], match[4]
    if f"({chr(ord(letter) + 1)})" in rest.upper() or "(ii)" in rest or _CONTINUES.match(rest) is not None:
        return None  # several options or parts
    rest = rest.strip().lstrip("}").strip()
    return letter.upper(), rest[:-1].rstrip() if rest.endswith("}") and rest.count("}") > rest.count("{") else rest


def bracketed_choice(text: str) -> bool:
    """Whether an option letter is written so that it can be nothing else: with brackets, a stop, or in text."""
    plain = text.strip()
    return plain != plain.strip("()[]. ") or "\\text" in plain or "\\mathrm" in plain or len(plain_words(plain)) > 3


_BETWEEN_CHOICES = lazy(r"[A-J]|\b(?:and|or|both|either)\b|[\s,;&().\\]")


def choices(text: str) -> tuple[frozenset[str], bool, bool] | None:
    """(letters, whether they are apart, whether one of them is enough) of several option letters: "A, C and D", "(A)(C)", "ACD"."""
    if len(text) > 60 or SIGNED.search(text) is not None:
        return None
    plain = plain_words(text)
    letters = [one for one in plain if "A" <= one <= "J"]
    if len(letters) < 2 or len(set(letters)) != len(letters) or _BETWEEN_CHOICES.sub("", plain):
        return None
    apart = len(plain) > len(letters)
    either = " or " in plain
    return (frozenset(letters), apart, either) if apart or letters == sorted(letters) else None


def marks(text: str) -> tuple[tuple[int, ...], bool] | None:
    """(numbers, whether they are alternatives) of several numbers in circles, which name statements: "②③"."""
    if text.isascii():
        return None
    plain = plain_words(text)
    found = tuple(ord(one[0]) - 0x245F for one in _CIRCLED.findall(plain))
    rest = _CIRCLED.sub("", plain).strip()
    return (found, bool(rest)) if len(found) > 1 and rest in {"", "or", "或"} else None


def same_marks(gold: tuple[tuple[int, ...], bool], answer: tuple[tuple[int, ...], bool]) -> bool:
    """The same statements; those that are in another order than 1, 2, 3 have an order, as may all from the first on."""
    if gold[1] != answer[1]:
        return False
    listed = sorted(gold[0])
    ordered = list(gold[0]) != listed or listed == list(range(1, len(listed) + 1))
    return gold[0] == answer[0] if ordered else listed == sorted(answer[0])


_CIRCLED = lazy("[\u2460-\u2473](?:[\\s,，、;；]|and|和|及|与)*")


# -- verdicts and names ----------------------------------------------------------------------------------------------

_VERDICT = lazy(
    r"(?!no\. ?\d)(yes|no|true|false)\s*(?:[,.;:!—–-]|\bbecause\b|\bsince\b)\s*"
    r"(?!(?:yes|no|true|false|maybe|perhaps|not|if|but|or|unless|only|and|wait|actually)\b)\w",
    re.IGNORECASE,
)
"""A verdict in front of its reason; the other verdict or a condition behind it makes it none."""

_CONTRADICTED = lazy(
    r"(?:yes|true)\W+\w+ (?:is|are|does|do|can|was|has)(?: not\b|n['’]t\b|not\b| impossible| false)|(?:no|false)\W+\w+ (?:is|are|can|does) (?:possible|true|correct|so)\b",
    re.IGNORECASE,
)
"""A verdict whose reason says the opposite."""

_FRAMES = (
    lazy(r"(?:it|they|this|these|[a-z]|(?:this |these |both )?(?!half|opposite|other|neither|no\b|not\b)[a-z]{3,}(?: of [a-z]+)?) (?:is|are|will be|must be|has to be) (?!not )(.+)"),
    lazy(r"(.+) wins?(?: game)?"),
    lazy(r"(?:only )(.+)|(.+) only"),
    lazy(r"on ((?:mon|tues|wednes|thurs|fri|satur|sun)day)"),
    lazy(r"(.+) (?:number|integer)"),
    lazy(r"(?:series|sequence|integral|limit|function) ((?:absolutely |conditionally )?(?:converges?|convergent|diverges?|divergent)[a-z ]*)"),
)  # fmt: skip
"""What a sentence says around a word that may as well stand alone: the locus is an ellipse, n is even, Petya wins."""

_NO_NAMES = word_set("yes no true false hence the it there so we thus therefore then if when all any every each this that these those both only since because as in on at by for to of with from let none one two they he she you such")  # fmt: skip
_SAYS_OF = word_set("is was wins won has had will did does can could must gets got makes made earns earned scored finished came bought ate owns lives plays because since always")  # fmt: skip
_VERB = lazy(r"[a-z]{2,}(?:s|ed)")
_DENIES = lazy(
    r"\b(?:not|no|never|neither|nor|none|or|false|incorrect|less|fewer|fails?|lies|loses|lost|beaten|then|only if|unless|cannot|and)\b|n['’]t\b",
    re.IGNORECASE,
)
_OTHER_NAME = lazy(r"(?<![A-Za-z])[A-Z][a-z]")


def is_verdict(text: str) -> bool:
    """Whether a text is yes, no, true or false."""
    return SIGNED.search(text) is None and canonical_words(text) in {"yes", "no"}


def verdict_of(text: str) -> str | None:
    """The yes, no, true or false that a sentence begins with: "No, because ..."."""
    plain = plain_words(text)
    match = _VERDICT.match(plain)
    return match[1] if match is not None and _CONTRADICTED.match(plain) is None else None


def same_said(left: str, right: str) -> bool:
    """Whether one text says the other of something, as its winner, or of that alone: n is even, the second player wins, I only."""
    a, b = (canonical_words(one).replace("has winning strategy", "wins") for one in (left, right))
    return a == b or _says(a, b) or _says(b, a)


def _says(sentence: str, plain: str) -> bool:
    """Whether a sentence says `plain` and no more."""
    found = (frame.fullmatch(sentence) for frame in _FRAMES if frame.fullmatch(plain) is None)
    said = {next(filter(None, one.groups()), "") for one in found if one is not None}
    return plain not in {"yes", "no"} and any(SAME.get(one, one) == plain for one in said)


def head_of(short: str, long: str) -> bool:
    """Whether `long` is a sentence that begins with the one name `short` and denies nothing ("Petya wins the game")."""
    head, words = canonical_words(short), canonical_words(long).split()
    if len(head) < 2 or words[:1] != [head] or head in _NO_NAMES or not plain_words(short).istitle():
        return False
    rest = plain_words(long)[len(head) :]
    says = len(words) > 1 and (words[1] in _SAYS_OF or _VERB.fullmatch(words[1]) is not None)
    return says and _DENIES.search(rest) is None and _OTHER_NAME.search(rest) is None
