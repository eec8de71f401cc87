"""Answers in words: synonyms, prose, lists of words, verdicts and names in sentences: "No, because ...", "Petya wins the game"."""

from __future__ import annotations

import re
from functools import lru_cache

from rewardkit.math.latex.vocabulary import FUNCTIONS, word_set
from rewardkit.math.patterns import lazy

_GROUPS = (
    ("yes", "true", "y", "correct"),
    ("no", "false"),
    ("no solution", "no solutions", "none", "empty set", "the empty set", "no solution exists",
     "no solutions exist", "there is no solution", "there are no solutions", "no such number exists", "no such numbers exist", "null set", "无解", "нет решений", "sin solución", "keine lösung", "pas de solution"),
    ("does not exist", "dne", "doesnt exist", "undefined", "not defined", "limit does not exist", "diverges", "divergent"),
    ("all real numbers", "all reals", "all real", "any real number", "real numbers", "every real number", "r"),
    ("infinitely many", "infinite", "infinitely many solutions", "infinite number of solutions"),
    ("impossible", "not possible", "cannot be determined", "cant be determined", "cannot determine", "not enough information"),
    ("even", "even number"),
    ("odd", "odd number"),
    ("convergent", "converges"),
)  # fmt: skip
SAME = {text: group[0] for group in _GROUPS for text in group}
SAME.update(
    (f"{thing} is {truth}", verdict)
    for thing in ("statement", "claim", "assertion", "proposition", "it")
    for truth, verdict in (("true", "yes"), ("false", "no"))
)
SAME["converges absolutely"] = "absolutely convergent"
SAME["converges conditionally"] = "conditionally convergent"
SAME["divergent"] = SAME["diverges"] = "diverges"
EMPTY_WORDS = frozenset(_GROUPS[2]) | {
    f"no {kind} {thing}" for kind in ("real", "integer") for thing in ("solution", "solutions", "roots")
}
ALL_REALS = frozenset(_GROUPS[4]) - {"r"}
_LITTLE = frozenset({"the", "a", "an", "due"})
"""Words that say nothing."""

_WRAPPED = lazy(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc|up|normal)?|mathrm|mathbf|mbox|boxed|fbox|operatorname|textup|mathsf|emph|bf|rm)(?![A-Za-z]) ?"
)
_LAYOUT = lazy(r"\\[,;:!> ]|\\q?quad(?![A-Za-z])|~|\\left(?![a-z])|\\right(?![a-z])|\\\\(?![A-Za-z])")


@lru_cache(maxsize=4_096)
def plain_words(text: str) -> str:
    r"""`text` without LaTeX wrappers and layout: `\text{Yes}` is Yes."""
    text = without_layout(text.replace("$", " "))
    return " ".join(text.replace("{", "").replace("}", "").split())


def without_layout(text: str) -> str:
    """`text` without LaTeX wrappers of text and commands for space."""
    return _LAYOUT.sub(" ", _WRAPPED.sub("", text))


_SIGNS = lazy(r"(?<![a-z])(-)|([+<>=/*^|_%])")
_PUNCTUATION = lazy(r"[^-+<>=/*^|\\%\w]")
_HYPHEN = lazy(r"(?<=[a-z])-(?=[a-z])")


@lru_cache(maxsize=4_096)
def canonical_words(text: str) -> str:
    """Lower case, no punctuation, no articles, one word for each group of synonyms."""
    cleaned = _SIGNS.sub(r" \1 ", plain_words(text).lower().replace("'", ""))
    words = _HYPHEN.sub(" ", _PUNCTUATION.sub(" ", cleaned)).split()
    if not _LITTLE.isdisjoint(words):
        pairs = zip(words, [*words[1:], ""], strict=True)  # "a" may be a letter among others, as in "A, C"
        words = [one for one, behind in pairs if one not in _LITTLE or (one == "a" and len(behind) < 2)]
    joined = " ".join(words)
    if len(words) < MAX_PHRASE:
        for pattern, plain in _PLAINER:
            joined = pattern.sub(plain, joined)
    if joined not in SAME and (said := _SAID.match(joined)) is not None and joined[said.end() :] in SAME:
        joined = joined[said.end() :]
    return SAME.get(joined, joined)


_SAID = lazy(r"(?:it|this|that|they)(?: is| are)? ")
MAX_PHRASE = 12
"""Texts of so many words are no phrase that has a plainer form."""

_THERE_IS = r"\A(?:there (?:is|are|exists?) )?"
_PLAINER = (
    (lazy(r"\b(north|south) (east|west)"), r"\1\2"),
    (lazy(rf"{_THERE_IS}no such (?:numbers?|[a-z])(?: exists?)?\Z"), "no solution"),
    (lazy(rf"{_THERE_IS}no such ([a-z ]{{3,30}}?)(?: exists?)?\Z"), r"no such \1"),
    (lazy(rf"{_THERE_IS}no ((?!such|more|other)[a-z]+) (?:solution|root|zero)s?(?: (?:exists?|to .{{1,40}}))?\Z"), r"no \1 solution"),
    (lazy(r"\A(isosceles|equilateral|scalene|right angled|acute angled|obtuse angled) triangle\Z"), r"\1"),
    (lazy(r"\A((?:(?:neither|nor|but|and|not|necessary|sufficient) ?)+(?<! )) condition\Z"), r"\1"),
    (lazy(r"right angled triangle"), "right triangle"),
    (lazy(r"right isosceles"), "isosceles right"),
)  # fmt: skip
"""Plainer forms of what says the same; no integer solutions are not no real ones."""


SIGNED = lazy(r"[0-9+=/^_<|*-]")
"""Digits and signs: a text with one of them is not an option letter, no yes and no prose, whatever its layout."""


def says_more(text: str) -> bool:
    """Whether a tail says more than over what letters run: it has numbers, another case, another statement."""
    return _SAYS_MORE.search(text) is not None


_SAYS_MORE = lazy(
    r"[2-9]|\d\d|\b(?:otherwise|else|(?:integer|real|rational)s only|only (?:for|of|if|when)|excluded|excluding|extraneous|rejected|remainder|even|odd|prime|composite|except(?! (?:(?:for|at|when|where) )?(?:[a-z] (?:= )?)?0\b)|but(?! (?:[a-z] )?(?:!= )?0\b)|other than|apart from|besides)\b|\) ="
)


def is_prose(text: str) -> bool:
    """Whether a text is words, not mathematics: it has words of three letters and no digit, operator or command."""
    if MATHEMATICAL.search(text) is not None:
        return False
    plain = plain_words(text)
    if ">" in plain or "\\" in plain:
        return False
    if any(one in plain for one in "()[]"):  # a structure, unless there are words enough around the brackets
        return len(_THREE_LETTERS.findall(plain)) >= 3
    words = _TWO_LETTERS.findall(plain)
    return bool(words) and not (words[0] in FUNCTIONS and set(words) <= FUNCTIONS.keys() and _ONE_LETTER.search(plain))


def are_factors(text: str) -> bool:
    """Whether two or three letters without a mark of text are a product, which keeps its case, and no word or name."""
    few = len(text) == 2 or (len(text) == 3 and not text.istitle())
    return few and text.isascii() and text.isalpha() and text.lower() not in SAME


MATHEMATICAL = lazy(r"[\d=<+*/^|_]")
_THREE_LETTERS = lazy(r"[^\W\d_]{3,}")
_ONE_LETTER = lazy(r"(?<![^\W\d_])[a-zA-Z](?![^\W\d_])")
_TWO_LETTERS = lazy(r"[^\W\d_]{2,}")


_FIGURES = lazy(r"\d+(?:[.,/]\d+)*")


def same_sentence(left: str, right: str) -> bool:
    """Whether two texts of the same words are sentences with the same figures: "a circle of radius 2", "Circle of radius 2"."""
    texts = plain_words(left), plain_words(right)
    if any("\\" in one or len(_THREE_LETTERS.findall(one)) < 2 for one in texts):
        return False
    return _FIGURES.findall(texts[0]) == _FIGURES.findall(texts[1])


_LISTED = lazy(r"\s*(?:[,;]\s*(?:and\b)?|\band\b)\s*")


def same_word_list(left: str, right: str) -> bool:
    """Lists of words in any order: "line segment, circle" and "circle and line segment"."""
    parts, others = _LISTED.split(plain_words(left)), _LISTED.split(plain_words(right))
    if len(parts) != len(others) or len(parts) < 2:
        return False
    a, b = list(map(canonical_words, parts)), list(map(canonical_words, others))
    return a == b or (_TRUTHS.isdisjoint(a) and sorted(a) == sorted(b))


_TRUTHS = frozenset({"yes", "no"})
"""In a row of verdicts each stands for its own question."""


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

_NO_KIND = lazy(r"no (?:real|integer|whole|rational|positive|natural) solution")
_NO_NAMES = word_set("yes no true false hence the it there so we thus therefore then if when all any every each this that these those both only since because as in on at by for to of with from let none one two they he she you such")  # fmt: skip
_SAYS_OF = word_set("is was wins won has had will did does can could must gets got makes made earns earned scored finished came bought ate owns lives plays because since always")  # fmt: skip
_VERB = lazy(r"[a-z]{2,}(?:s|ed)")
_DENIES = lazy(
    r"\b(?:not|no|never|neither|nor|none|or|false|incorrect|less|fewer|fails?|lies|loses|lost|beaten|then|only if|unless|cannot|and)\b|n['’]t\b",
    re.IGNORECASE,
)
_OTHER_NAME = lazy(r"(?<![A-Za-z])[A-Z][a-z]")


def same_verdict(gold: str, answer: str) -> bool | None:
    """Whether a sentence begins with the verdict of the ground truth ("No, because ..."); None where a side has none."""
    if SIGNED.search(gold) is not None or canonical_words(gold) not in {"yes", "no"}:
        return None
    plain = plain_words(answer)
    match = _VERDICT.match(plain)
    if match is None or _CONTRADICTED.match(plain) is not None:
        return None
    return canonical_words(match[1]) == canonical_words(gold)


def same_said(left: str, right: str) -> bool:
    """Whether one text says the other of something, as its winner, or alone: n is even, the second player wins, I only."""
    if _begins_with(left, right) or _begins_with(right, left):
        return True
    a, b = (canonical_words(one).replace("has winning strategy", "wins") for one in (left, right))
    if "no solution" in {a, b} and _NO_KIND.fullmatch(b if a == "no solution" else a) is not None:
        return True
    return a == b or _says(a, b) or _says(b, a)


def _says(sentence: str, plain: str) -> bool:
    """Whether a sentence says `plain` and no more."""
    found = (frame.fullmatch(sentence) for frame in _FRAMES if frame.fullmatch(plain) is None)
    said = {next(filter(None, one.groups()), "") for one in found if one is not None}
    return plain not in {"yes", "no"} and any(SAME.get(one, one) == plain for one in said)


def _begins_with(short: str, long: str) -> bool:
    """Whether `long` is a sentence that begins with the one name `short` and denies nothing ("Petya wins the game")."""
    head, words = canonical_words(short), canonical_words(long).split()
    if len(head) < 2 or words[:1] != [head] or head in _NO_NAMES or not plain_words(short).istitle():
        return False
    rest = plain_words(long)[len(head) :]
    says = len(words) > 1 and (words[1] in _SAYS_OF or _VERB.fullmatch(words[1]) is not None)
    return says and _DENIES.search(rest) is None and _OTHER_NAME.search(rest) is None
