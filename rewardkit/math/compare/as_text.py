"""Stages `number` and `text`: two plain numbers, a long decimal that rounds the ground truth, the same text but for layout; readings of a text."""

from __future__ import annotations

import re
from functools import lru_cache

from flint import arb, fmpq

from rewardkit.math.latex.normalise import skeleton, squeeze
from rewardkit.math.latex.numbers import plain_number
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.tree import LimitError, Node, ParseError
from rewardkit.math.patterns import lazy
from rewardkit.math.policy import Policy
from rewardkit.math.results import Judgement, Status
from rewardkit.math.text.number_words import number_in_words

LONG_DIGITS = 12
"""A decimal of so many significant digits is the output of a computer, which rounds."""

DOUBLE_DIGITS = 15
"""A decimal with so many decimals may be a double, printed in full."""

MAX_REASON_CHARS = 100
"""Longer texts are not repeated in a reason."""


def equal(answer: str, reason: str, stage: str) -> Judgement:
    """The judgement that an answer is right."""
    return Judgement(True, Status.EQUAL, answer, reason, stage)


def different(answer: str, reason: str, stage: str) -> Judgement:
    """The judgement that an answer is wrong."""
    return Judgement(False, Status.DIFFERENT, answer, reason, stage)


def decided(same: bool, answer: str, reason: str, stage: str) -> Judgement:
    """The judgement of a stage that decides either way."""
    return equal(answer, reason, stage) if same else different(answer, reason, stage)


def same_number(gold: str, value: fmpq | None, answer: str, policy: Policy) -> Judgement | None:
    """The verdict on two plain numbers; None where a side is none, or may be read in another way."""
    other = plain_number(answer) if value is not None else None
    if value is None or other is None:
        return None
    if value == other:
        return Judgement(True, Status.EQUAL, answer, "equal as rationals", "number")
    if len(answer) > LONG_DIGITS and rounds_or_truncates(value, answer):
        return Judgement(True, Status.EQUAL, answer, "a decimal that rounds or truncates the ground truth", "number")
    if policy.rtol or policy.gold_digits or policy.lenient or ambiguous(gold) or ambiguous(answer):
        return None
    short = len(gold) + len(answer) < MAX_REASON_CHARS
    reason = f"{answer} is not {gold}".replace("\n", " ") if short else "another number"
    return Judgement(False, Status.DIFFERENT, answer, reason, "number")


def long_decimal(text: str) -> int | None:
    """The decimals of a number with at least `LONG_DIGITS` significant digits, else None.

    >>> long_decimal("0.08333333333333333"), long_decimal("0.0833")
    (17, None)
    """
    if len(text) <= LONG_DIGITS or _DECIMAL.fullmatch(text) is None:
        return None
    digits = text.lstrip("-−+0.").replace(".", "")
    return len(text) - text.index(".") - 1 if len(digits) >= LONG_DIGITS else None


_DECIMAL = lazy(r"[-−+]?\d{1,20}\.\d{1,60}", re.ASCII)


def rounds_or_truncates(value: fmpq | arb, answer: str) -> bool:
    """Whether a long decimal is `value`, rounded or cut off at its last place.

    >>> rounds_or_truncates(fmpq(2, 3), "0.6666666666666667"), rounds_or_truncates(fmpq(2, 3), "0.6667")
    (True, False)
    """
    places = long_decimal(answer)
    other = plain_number(answer) if places is not None else None
    if places is None or other is None:
        return False
    unit = fmpq(1, 10**places)
    if 2 * abs(value - other) <= unit or (value * other > 0 and 0 <= abs(value) - abs(other) < unit):
        return True
    return places >= DOUBLE_DIGITS and float(value) == float(answer)  # what a computer prints of the nearest double


_ONE_TEXT = lazy(r"\\text ?\{([^{}\\]{1,200})\}")
_UPRIGHT = lazy(r"\\(?:text|mathrm|rm|ce) ?\{([^{}\\$]{1,60})\}")


def same_text(gold: str, answer: str) -> Judgement | None:
    """The same text but for layout (a chain such as 41 = 42 is left to the later stages)."""
    if "=" in answer and not any(map(str.isalpha, answer.split("=", 1)[0])):
        return None
    if gold == answer or (_may_be_same(gold, answer) and squeeze(gold) == squeeze(answer)):
        return equal(answer, "the same text", "text")
    if gold.startswith("\\text") != answer.startswith("\\text"):
        wrapped, plain = (gold, answer) if gold.startswith("\\text") else (answer, gold)
        inside = _ONE_TEXT.fullmatch(wrapped)
        if inside is not None and squeeze(inside[1]) == squeeze(plain):
            return equal(answer, "the same text", "text")
    if "_" in gold and "_" in answer and (_UPRIGHT.search(gold) or _UPRIGHT.search(answer)):
        left, right = _UPRIGHT.sub(r"\1", gold), _UPRIGHT.sub(r"\1", answer)
        if _may_be_same(gold, answer) and squeeze(left) == squeeze(right):
            return equal(answer, "the same text but for upright letters", "text")
    return None


def _may_be_same(gold: str, answer: str) -> bool:
    """Whether two texts have the same digits and signs in the same order, as far as that is known."""
    one = _gold_skeleton(gold)
    other = None if one is None else skeleton(answer)
    return one is None or other is None or one == other


_gold_skeleton = lru_cache(maxsize=4_096)(skeleton)


# -- which texts may hold words ---------------------------------------------------------------------------------------

_OPTION_AHEAD = re.compile(
    r"[\s${}~(]*(?:[A-J](?:[\s)}.:\]\\~$–—-]|$)|option|choice|answer"
    r"|\\(?:[,;:!> \\]|q?quad|left|right|text|math(?:rm|bf|sf)|mbox|boxed|fbox|operatorname|emph|bf|rm))",
    re.IGNORECASE,
)
"""How each text begins that has an option letter in front; most texts do not."""

_NO_OPTION_AHEAD = frozenset("0123456789-+.,[|<>=/xyzrstn")
"""Frequent characters with which none of them begins."""

_MATHEMATICAL = re.compile(r"[\d=<+*/^|_]")
_WORDS = re.compile(r":|(?<![A-Za-z\\])(?<!begin\{)(?<!end\{)[A-Za-z]{2}|[ap]\.? ?m\b|[0-9]{4}-[0-9]", re.IGNORECASE)


def may_begin_with_option(text: str) -> bool:
    """False for most texts, at little cost: no option letter stands in front."""
    return text[:1] not in _NO_OPTION_AHEAD and _OPTION_AHEAD.match(text) is not None


@lru_cache(maxsize=4_096)
def only_mathematics(text: str) -> bool:
    """Whether a text, at little cost, is known to be no option, time, date, verdict or prose."""
    return _MATHEMATICAL.search(text) is not None and _WORDS.search(text) is None and not may_begin_with_option(text)


def in_figures(text: str) -> str:
    """`text`, or the figures of the number in words that it is."""
    if (text[:2].isalpha() or text.startswith(_WRAPPERS)) and (figures := number_in_words(text)) is not None:
        text = figures
    return text


_WRAPPERS = ("\\text", "\\mbox", "\\mathrm")
"""How a number in words may begin, besides with a letter."""


# -- the trees that a text may mean ------------------------------------------------------------------------------------


def readings(text: str) -> tuple[Node, ...] | str:
    """The trees of `text`: two where commas may separate thousands or members; or why there is none."""
    try:
        first = parse(text)
    except LimitError as error:
        return f"limit: {error}"
    except RecursionError:
        return "limit: nested too deeply"
    except ParseError as error:
        if not ambiguous(text):
            return str(error)
        first = None
    if not ambiguous(text):
        return () if first is None else (first,)
    if "(" in text and _PAIR.search(text) is not None:
        first = None
    try:
        second = parse(_SHORT_POWER.sub(r"\1E\2", text), commas=False)
    except (LimitError, ParseError, RecursionError):
        return (first,) if first is not None else "no reading"
    return (first, second) if first is not None else (second,)


_GROUP = re.compile(r",[0-9]{3}")
_GROUPED = lazy(r"(?<![0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})(?![0-9])")


_PAIR = lazy(r"(?:^|[,={\s])[(\[][0-9]{1,3},[0-9]{3}[)\]]")
"""Brackets around two numbers and nothing else, in which a comma does not set thousands apart."""

_SHORT_POWER = lazy(r"([0-9])e([-+][0-9])(?![0-9])")


def ambiguous(text: str) -> bool:
    """Whether a comma may separate thousands or members (10,000 is no list: 000 is no number), or 7e-8 be a power of ten."""
    return (
        "," in text and _GROUP.search(text) is not None and any(",0" not in one for one in _GROUPED.findall(text))
    ) or ("e" in text and _SHORT_POWER.search(text) is not None)


_DECIMAL_COMMA = lazy(r"([0-9]),([0-9]+)")


def with_decimal_comma(text: str, found: tuple[Node, ...] | str) -> tuple[Node, ...] | str:
    """One more reading, for the lenient mode: 2,74 as 2.74."""
    if len(text) > 20 or len(_DECIMAL_COMMA.findall(text)) != 1:
        return found
    more = readings(_DECIMAL_COMMA.sub(r"\1.\2", text))
    if isinstance(more, str):
        return found
    return more if isinstance(found, str) else found + more
