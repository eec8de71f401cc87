"""Answers in words: yes and no, "no solution", option letters, numbers spelled out, times, dates, names."""

from __future__ import annotations

import re
from functools import lru_cache

from rewardkit.math.latex.vocabulary import FUNCTIONS
from rewardkit.math.text.patterns import lazy

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
_MONTHS = {name: index for index, names in enumerate((
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept",
    "october oct", "november nov", "december dec"), 1) for name in names.split()}  # fmt: skip
_WRAPPED = lazy(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc|up|normal)?|mathrm|mathbf|mbox|boxed|fbox|operatorname|textup|mathsf|emph|bf|rm)(?![A-Za-z]) ?"
)
_LAYOUT = lazy(r"\\[,;:!> ]|\\q?quad(?![A-Za-z])|~|\\left(?![a-z])|\\right(?![a-z])|\\\\(?![A-Za-z])")
_CHOICE = lazy(r"[(\[{ ]*(?:(?:option|choice|answer)\s+)?[(\[{ ]*([A-Za-z])[ )\]}]*[.):]?[ )\]}]*", re.IGNORECASE)
_CHOICE_TEXT = lazy(
    r"\s*(?:(?:option|choice|answer)\s+)?(?:\(([A-Ja-j])\)|\{?\(?([A-J])\)?\}?\s*[.):\]]|([A-J])(?=\\ |\s*[-–—]\s))(.*)",
    re.IGNORECASE | re.DOTALL,
)
_ROMAN = lazy(r"[(\[ ]*(I{1,3}|IV|VI{0,3}|IX|X)[)\] .]*")
_TIME = lazy(
    r"(\d{1,2})\s?:\s?(\d{2})(?::(\d{2}))?\s*(?:([ap])\.?\s?m\.?)?(?:\s*(?:hours|hrs|o'clock))?", re.IGNORECASE
)
_HOUR = lazy(r"(\d{1,2})\s*([ap])\.?\s?m\.?", re.IGNORECASE)
_HALF_DAY = lazy(r"[apAP](?:[.\s{}~$]|\\[a-zA-Z]*)*[mM]")
_NAMED_TIME = lazy(r"(?i:noon|midday|midnight)[.} ]*\Z")
_NAMED_TIMES = {"noon": (12, 0, 0, "p"), "midday": (12, 0, 0, "p"), "midnight": (0, 0, 0, "a")}
_DATES = (
    lazy(r"(?P<month>[a-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?", re.IGNORECASE),
    lazy(
        r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<month>[a-z]{3,9})\.?(?:,? (?P<year>\d{4}))?",
        re.IGNORECASE,
    ),
    lazy(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"),
)


_DATED = lazy(
    r"[0-9A-Za-z](?:(?<=[A-Za-z])[A-Za-z]{2}[.}]? ?\}?[0-9]"
    r"|(?<=[0-9])(?:(?i:st|nd|rd|th)? (?i:of )?[A-Za-z]{3}|[0-9]{3}-[0-9]))"
)


_DAY_AHEAD = lazy(r"[0-9] ?\\text ?\{ ?(?:of )?[A-Z][a-z]{2}")


def _may_be_dated(text: str) -> bool:
    """False for most texts: no day and month stand in them."""
    return _DATED.search(text) is not None or ("\\text" in text and _DAY_AHEAD.search(text) is not None)


@lru_cache(maxsize=4_096)
def plain_words(text: str) -> str:
    r"""`text` without LaTeX wrappers and layout: `\text{Yes}` is Yes."""
    text = _LAYOUT.sub(" ", _WRAPPED.sub("", text.replace("$", " ")))
    return " ".join(text.replace("{", "").replace("}", "").split())


_SIGNS = lazy(r"(?<![a-z])(-)|([+<>=/*^|_%])")
_COMPASS = lazy(r"\b(north|south)[ -](east|west)")
_HYPHEN = lazy(r"(?<=[a-z])-(?=[a-z])")


@lru_cache(maxsize=4_096)
def canonical_words(text: str) -> str:
    """Lower case, no punctuation, no articles, one word for each group of synonyms."""
    cleaned = _SIGNS.sub(r" \1 ", plain_words(text).lower().replace("'", ""))
    cleaned = "".join(one if one.isalnum() or one in "-+<>=/*^|\\_%" else " " for one in cleaned)
    cleaned = _HYPHEN.sub(" ", _COMPASS.sub(r"\1\2", cleaned))
    words = cleaned.split()
    if not _LITTLE.isdisjoint(words):
        words = [one for one, following in zip(words, [*words[1:], ""], strict=True) if not _little(one, following)]
    joined = " ".join(words)
    if "no " in joined and (none := _NONE.fullmatch(joined)) is not None:
        joined = f"no {none[1]} solution"
    elif "no such " in joined and (such := _NO_SUCH.fullmatch(joined)) is not None:
        joined = "no solution" if such[1] in {"number", "numbers"} or len(such[1]) == 1 else f"no such {such[1]}"
    if (named := _NAMED.fullmatch(joined)) is not None:
        joined = named[1] or named[2]
    if joined not in SAME and (said := _SAID.match(joined)) is not None and joined[said.end() :] in SAME:
        joined = joined[said.end() :]
    joined = joined.replace("right angled triangle", "right triangle").replace("right isosceles", "isosceles right")
    return SAME.get(joined, joined)


def _little(word: str, following: str) -> bool:
    """Whether a word says nothing: an article, unless "a" is a letter among others, as in "A, C"."""
    return word in _LITTLE and (word != "a" or len(following) > 1)


_SAID = lazy(r"(?:it|this|that|they)(?: is| are)? ")
_NO_SUCH = lazy(r"(?:there (?:is|are|exists?) )?no such ([a-z]|[a-z ]{3,30}?)(?: exists?)?")
_NONE = lazy(
    r"(?:there (?:is|are|exists?) )?no ((?!such|more|other)[a-z]+) (?:solution|root|zero)s?(?: (?:exists?|to .{1,40}))?"
)
"""No solutions of one kind: no integer ones are not no real ones."""

_NAMED = lazy(
    r"(isosceles|equilateral|scalene|right angled|acute angled|obtuse angled) triangle|((?:(?:neither|nor|but|and|not|necessary|sufficient) ?)+(?<! )) condition"
)
"""Words with the name of the kind of thing that they are said of."""


SIGNED = lazy(r"[0-9+=/^_<|*-]")
"""Digits and signs: a text with one of them is no option letter, no yes and no prose, whatever its layout."""


def choice(text: str) -> str | None:
    r"""The letter of a text that is nothing but an option letter: C, (C), C., \textbf{(C)}, Option C."""
    if len(text) > 60 or SIGNED.search(text) is not None:
        return None
    match = _CHOICE.fullmatch(plain_words(text))
    return match[1].upper() if match else None


_OPTION_AHEAD = lazy(
    r"[\s${}~(]*(?:[A-J](?:[\s)}.:\]\\~$–—-]|$)|option|choice|answer"
    r"|\\(?:[,;:!> \\]|q?quad|left|right|text|math(?:rm|bf|sf)|mbox|boxed|fbox|operatorname|emph|bf|rm))",
    re.IGNORECASE,
)
"""How each text begins that has an option letter in front; most texts do not."""

_NO_OPTION_AHEAD = frozenset("0123456789-+.,[|<>=/xyzrstn")
"""Frequent characters with which none of them begins."""

_CONTINUES = lazy(r"\s*(?:or\b|and\b|[,;&+*/=^<>|]|-(?!\d)|\\(?:or|lor|cdot|times|cup|pm))")


def may_begin_with_option(text: str) -> bool:
    """False for most texts, at little cost: no option letter stands in front."""
    return text[:1] not in _NO_OPTION_AHEAD and _OPTION_AHEAD.match(text) is not None


@lru_cache(maxsize=4_096)
def only_mathematics(text: str) -> bool:
    """Whether a text, at little cost, is known to be no option, time, date, verdict or prose."""
    return (
        _MATHEMATICAL.search(text) is not None
        and ":" not in text
        and not may_begin_with_option(text)
        and ("m" not in text.lower() or _HALF_DAY.search(text) is None)
        and not _may_be_dated(text)
    )


def choice_with_text(text: str) -> tuple[str, str] | None:
    """(letter, rest) of an option letter with its text: "(B) 12", "B. 12"."""
    if not may_begin_with_option(text):
        return None
    plain = text.replace("$", " ")
    plain = _LAYOUT.sub(" ", _WRAPPED.sub("", plain[:40])) + plain[40:]
    match = _CHOICE_TEXT.fullmatch(plain.strip().lstrip("{"))
    if match is None:
        return None
    letter, rest = match[1] or match[2] or match[3], match[4]
    if _NO_OPTION.search(rest) is not None or f"({chr(ord(letter) + 1)})" in rest.upper() or "(ii)" in rest:
        return None  # a map, a word set apart, several parts
    follows = _CONTINUES.match(rest)
    if (
        follows is not None
        and not (follows[0].strip() == "\\pm" and plain[: len(plain) - len(rest)].rstrip().endswith(":"))
    ) or _OR.search(rest[:12]) is not None:
        return None
    rest = rest.strip().lstrip("}").strip()
    return letter.upper(), rest[:-1].rstrip() if rest.endswith("}") and rest.count("}") > rest.count("{") else rest


def bracketed_choice(text: str) -> bool:
    """Whether an option letter is written so that it can be nothing else: with brackets, a stop, or in text."""
    plain = text.strip()
    return plain != plain.strip("()[]. ") or "\\text" in plain or "\\mathrm" in plain or len(plain_words(plain)) > 3


def says_more(text: str) -> bool:
    """Whether a tail says more than over what letters run: it has numbers, another case, another statement."""
    return _SAYS_MORE.search(text) is not None


_SAYS_MORE = lazy(
    r"[2-9]|\d\d|\b(?:otherwise|else|(?:integer|real|rational)s only|only (?:for|of|if|when)|excluded|excluding|extraneous|rejected|remainder|even|odd|prime|composite|except(?! (?:(?:for|at|when|where) )?(?:[a-z] (?:= )?)?0\b)|but(?! (?:[a-z] )?(?:!= )?0\b)|other than|apart from|besides)\b|\) ="
)

_NO_OPTION = lazy(
    r"\\(?:to|mapsto|rightarrow|longrightarrow)(?![a-z])|→|->|^(?:[\s{}~]|\\[,;: ])*(?:[A-Z](?:[\s{}~]|\\[,;: ])+)*[A-Z](?:[\s{}~]|\\[,;: ])*$"
)
"""What follows no option letter: f: R -> Z, and the letters of a word set apart, C O T."""

_OR = lazy(r"\bor\b")
_BETWEEN_CHOICES = lazy(r"[A-J]|\b(?:and|or|both|either)\b|[\s,;&().\\]")


def choices(text: str) -> tuple[frozenset[str], bool, bool] | None:
    """(letters, whether they stand apart, whether one of them is enough) of several option letters: "A, C and D", "(A)(C)", "ACD"."""
    if SIGNED.search(text) is not None:
        return None
    plain = plain_words(text)
    if len(plain) > 60:
        return None
    letters = [one for one in plain if "A" <= one <= "J"]
    if not 2 <= len(letters) <= 10 or len(set(letters)) != len(letters):
        return None
    if _BETWEEN_CHOICES.sub("", plain):
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
    if len(found) < 2 or len(plain) > 60 or rest not in {"", "or", "或"}:
        return None
    return found, bool(rest)


def same_marks(gold: tuple[tuple[int, ...], bool], answer: tuple[tuple[int, ...], bool]) -> bool:
    """The same statements; those that stand in another order than 1, 2, 3 have an order, as may all from the first on."""
    if gold[1] != answer[1]:
        return False
    listed = sorted(gold[0])
    ordered = list(gold[0]) != listed or listed == list(range(1, len(listed) + 1))
    return gold[0] == answer[0] if ordered else listed == sorted(answer[0])


_CIRCLED = lazy("[\u2460-\u2473](?:[\\s,，、;；]|and|和|及|与)*")


def roman(text: str) -> str | None:
    """A roman option number."""
    if "I" not in text and "V" not in text and "X" not in text:
        return None
    match = _ROMAN.fullmatch(plain_words(text))
    return match[1] if match else None


def clock(text: str) -> tuple[int, int, int, str] | None:
    """(hour, minute, second, am/pm or "") of a time of day."""
    if len(text) > 80:
        return None
    if ":" not in text and _HALF_DAY.search(text) is None and _NAMED_TIME.search(text) is None:
        return None
    text = plain_words(text).rstrip(".")
    match = _TIME.fullmatch(text)
    if match is None:
        if text.lower() in _NAMED_TIMES:
            return _NAMED_TIMES[text.lower()]
        match = _HOUR.fullmatch(text)
        return (int(match[1]), 0, 0, match[2].lower()) if match and 1 <= int(match[1]) <= 12 else None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[3] and not match[4]:
        return None
    if hour > 24 or minute > 59 or second > 59:
        return None
    if hour > 12 and (match[4] or "").lower() == "a":
        return None
    half = match[4] or ("a" if match[1][0] == "0" and len(match[1]) == 2 else "")  # 08:32 is said of a whole day
    return hour, minute, second, half.lower()


def same_clock(left: tuple[int, int, int, str], right: tuple[int, int, int, str]) -> bool:
    """Two times of day; am/pm may be left out; 16:30 is 4:30 pm."""
    if left[1:3] != right[1:3]:
        return False
    if left[3] and right[3]:
        return left[0] % 12 == right[0] % 12 and left[3] == right[3]
    for one, other in ((left, right), (right, left)):
        if one[3] and not other[3]:
            return other[0] in {one[0], one[0] % 12 + 12 if one[3] == "p" else one[0] % 12}
    return left[0] == right[0]


def date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date."""
    if len(text) > 80 or not _may_be_dated(text):
        return None
    text = plain_words(text).rstrip(".").replace("^", "")
    for pattern in _DATES:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        name = match["month"].lower()
        month = int(name) if name.isdigit() else _MONTHS.get(name)
        day = int(match["day"])
        if month and 1 <= month <= 12 and 1 <= day <= 31:
            return int(match["year"]) if match["year"] else None, month, day
    return None


def is_prose(text: str) -> bool:
    """Whether a text is words, not mathematics: it has words of three letters and no digit, operator or command."""
    if _MATHEMATICAL.search(text) is not None:
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
    return (
        2 <= len(text) <= 3
        and text.isascii()
        and text.isalpha()
        and not (text.istitle() and len(text) > 2)
        and text.lower() not in SAME
    )


_MATHEMATICAL = lazy(r"[\d=<+*/^|_]")
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
    a, b = ([canonical_words(one) for one in _LISTED.split(plain_words(text))] for text in (left, right))
    if len(a) < 2 or not _TRUTHS.isdisjoint(a):
        return len(a) > 1 and a == b
    return sorted(a) == sorted(b)


_TRUTHS = frozenset({"yes", "no"})
"""In a row of verdicts each stands for its own question."""
