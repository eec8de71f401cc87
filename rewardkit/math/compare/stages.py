"""The stages that compare texts (`number`, `text`) and trees (`structure`, `proof`)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from rewardkit.math.compare.compare import LONG_DIGITS, ROUNDED, Comparing, rounds_or_truncates
from rewardkit.math.compare.finished import unfinished
from rewardkit.math.compare.names import renamings
from rewardkit.math.compare.relations import ContradictionError, contradicts
from rewardkit.math.compare.shapes import shaped
from rewardkit.math.latex.normalise import skeleton, squeeze, strip_delimiters
from rewardkit.math.latex.numbers import decimal, plain_number
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.tree import LimitError, Node, Num, ParseError, Seq
from rewardkit.math.latex.walk import CONSTANTS, symbols
from rewardkit.math.patterns import lazy
from rewardkit.math.policy import Policy
from rewardkit.math.results import Judgement, Status
from rewardkit.math.text.number_words import number_in_words
from rewardkit.math.text.words import canonical_words, is_prose, same_sentence

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


Trees = tuple[Node, ...]


class Reading:
    """What one text says, read once."""

    __slots__ = ("_trees", "number", "plain", "text")

    def __init__(self, text: str) -> None:
        self.plain = strip_delimiters(text)
        self.number = plain_number(self.plain)
        self.text = self.plain
        """With a number in words as figures."""
        if self.number is None and (self.plain[:2].isalpha() or self.plain.startswith(_WRAPPERS)):
            self.text = number_in_words(self.plain) or self.plain
        self._trees: Trees | str | None = None

    @property
    def trees(self) -> Trees | str:
        """The trees that the text may mean, or why there is none."""
        if self._trees is None:
            self._trees = readings(self.text)
        return self._trees


read = lru_cache(maxsize=2_048)(Reading)
"""Of ground truths, which several answers share."""


def same_number(gold: Reading, answer: Reading, policy: Policy) -> Judgement | None:
    """The verdict on two plain numbers; None where a side is none, or may be read in another way."""
    value, other, text = gold.number, answer.number, answer.plain
    if value is None or other is None:
        return None
    if value == other:
        return Judgement(True, Status.EQUAL, text, "equal as rationals", "number")
    long = len(text) > LONG_DIGITS and _DECIMAL.fullmatch(text) is not None
    if long and rounds_or_truncates(value, Num(other, len(text) - text.index(".") - 1)):
        return Judgement(True, Status.EQUAL, text, ROUNDED, "number")
    if policy.rtol or policy.gold_digits or policy.lenient or ambiguous(gold.plain) or ambiguous(text):
        return None
    short = len(gold.plain) + len(text) < MAX_REASON_CHARS
    reason = f"{text} is not {gold.plain}".replace("\n", " ") if short else "another number"
    return Judgement(False, Status.DIFFERENT, text, reason, "number")


_DECIMAL = lazy(r"[-−+]?\d{1,20}\.\d{1,60}", re.ASCII)
_UPRIGHT = lazy(r"\\(?:text|mathrm|rm|ce) ?\{([^{}\\$]{1,60})\}")


def same_text(gold: str, answer: str) -> Judgement | None:
    """The same text but for layout (a chain such as 41 = 42 is left to the later stages)."""
    if "=" in answer and not any(map(str.isalpha, answer.split("=", 1)[0])):
        return None
    if gold == answer or (_may_be_same(gold, answer) and squeeze(gold) == squeeze(answer)):
        return equal(answer, "the same text", "text")
    if "_" in gold and "_" in answer and (_UPRIGHT.search(gold) or _UPRIGHT.search(answer)):
        left, right = _UPRIGHT.sub(r"\1", gold), _UPRIGHT.sub(r"\1", answer)
        if _may_be_same(gold, answer) and squeeze(left) == squeeze(right):
            return equal(answer, "the same text but for upright letters", "text")
    return None


def _may_be_same(gold: str, answer: str) -> bool:
    """Whether two texts have the same digits and signs in the same order, as far as that is known."""
    one, other = skeleton(gold), skeleton(answer)
    return one is None or other is None or one == other


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
_WORDS = re.compile(
    r":|[A-Za-z](?:(?<![A-Za-z\\].)(?<!begin\{.)(?<!end\{.)[A-Za-z]|(?<=[apAP])\.? ?[mM]\b)|[0-9]{4}-[0-9]"
)


def may_begin_with_option(text: str) -> bool:
    """False for most texts, at little cost: no option letter is in front."""
    return text[:1] not in _NO_OPTION_AHEAD and _OPTION_AHEAD.match(text) is not None


@lru_cache(maxsize=4_096)
def only_mathematics(text: str) -> bool:
    """Whether a text, at little cost, is known to be no option, time, date, verdict or prose."""
    return _MATHEMATICAL.search(text) is not None and _WORDS.search(text) is None and not may_begin_with_option(text)


_WRAPPERS = ("\\text", "\\mbox", "\\mathrm")
"""How a number in words may begin, besides with a letter."""


# -- the trees that a text may mean ------------------------------------------------------------------------------------


def readings(text: str) -> tuple[Node, ...] | str:
    """The trees of `text`: two where commas may separate thousands or members; or why there is none."""
    try:
        first = decimal(text) if text.isdigit() and text.isascii() else _shaped(text)
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
        second = _shaped(_SHORT_POWER.sub(r"\1E\2", text), commas=False)
    except (LimitError, ParseError, RecursionError):
        return (first,) if first is not None else "no reading"
    return (first, second) if first is not None else (second,)


def _shaped(text: str, *, commas: bool = True) -> Node:
    """The tree of `text` in one shape."""
    node = parse(text, commas=commas)
    plain = text.isascii() and not ("=" in text or "+" in text or "\\pm" in text or "\\mp" in text)
    return node if plain else shaped(node)


_GROUP = re.compile(r",[0-9]{3}")
_GROUPED = lazy(r"(?<![0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})(?![0-9])")


_PAIR = lazy(r"(?:^|[,={\s])[(\[][0-9]{1,3},[0-9]{3}[)\]]")
"""Brackets around two numbers and nothing else, in which a comma does not set thousands apart."""

_SHORT_POWER = lazy(r"([0-9])e([-+][0-9])(?![0-9])")


def ambiguous(text: str) -> bool:
    """Whether a comma may separate thousands or members (10,000 is not a list: 000 is not a number), or 7e-8 be a power of ten."""
    return (
        "," in text and _GROUP.search(text) is not None and any(",0" not in one for one in _GROUPED.findall(text))
    ) or ("e" in text and _SHORT_POWER.search(text) is not None)


# -- the stage of trees ------------------------------------------------------------------------------------------


def same_tree(one: Reading, other: Reading, policy: Policy) -> Judgement:
    """The verdict by structure and proof; always one, the last stage."""
    gold, answer, golds, answers = one.text, other.text, one.trees, other.trees
    if isinstance(answers, str) or isinstance(golds, str):
        return _asked(gold, _unread(gold, answer, golds, answers), policy)
    if not symbols(golds[0]) <= CONSTANTS:
        answers = tuple(reading for one in answers for reading in renamings(golds[0], one))
    if ("order" in gold or "respectively" in gold) and _SAYS_ORDER.search(gold) is not None:
        policy = changed(policy, order="strict")
    return _compared(gold, answer, golds, answers, policy)


def _compared(gold: str, answer: str, golds: Trees, answers: Trees, policy: Policy) -> Judgement:
    """Equal where one reading of the answer is equal to one of the ground truth; else why not."""
    reason = ""
    status = Status.DIFFERENT
    for one in golds:
        for other in answers:
            comparison = Comparing(policy)
            try:
                if comparison.equal(one, other):
                    if one != other and (why := unfinished(one, other, policy.finished)) is not None:
                        reason = f"not finished: {why}"
                        continue
                    why = comparison.why or "equal"
                    return equal(answer, why, "structure" if "expressions" in why else "proof")
            except (ParseError, ArithmeticError, OverflowError) as error:
                reason = f"no common ground: {error}"
            except ContradictionError:
                if contradicts(one, comparison.apart().equal):
                    return Judgement(False, Status.BAD_GOLD, answer, "the ground truth contradicts itself", "gold")
                reason = "an equation in the answer does not hold, or is not proven"
            except LimitError as error:
                reason, status = str(error), Status.LIMIT
            except RecursionError:
                reason, status = "nested too deeply", Status.LIMIT
            reason = reason or comparison.against or (UNDECIDED if comparison.undecided else "")
    reason = reason or (f"{answer} is not {gold}" if len(gold) + len(answer) < MAX_REASON_CHARS else "another value")
    found = Judgement(False, status, answer, reason.replace("\n", " "), "structure")
    if policy.fallback == "none" or unfinished(golds[0], answers[0], policy.finished) is not None:
        return found
    return _asked(gold, found, policy)


UNDECIDED = "not proven equal"


def _asked(gold: str, found: Judgement, policy: Policy) -> Judgement:
    """What math-verify says where the policy asks it and we could not decide."""
    open_to_it = found.status is Status.UNPARSED or found.stage == "parse" or found.reason == UNDECIDED
    if policy.fallback == "none" or not open_to_it or found.equal or found.answer is None:
        return found
    from rewardkit.math.prove.fallback import math_verify_accepts

    accepts = math_verify_accepts(gold, found.answer)
    if accepts:
        return equal(found.answer, "math-verify accepts it", "fallback")
    said = "gave no verdict" if accepts is None else "does not accept it"
    return found._replace(reason=f"{found.reason}; math-verify was asked and {said}")


def _unread(gold: str, answer: str, golds: Trees | str, answers: Trees | str) -> Judgement:
    """The verdict where a side is not in our grammar: only the same text or the same words are equal."""
    if (
        canonical_words(gold) == canonical_words(answer)
        and _MARKS.findall(gold) == _MARKS.findall(answer)
        and (is_prose(gold) or same_sentence(gold, answer))
    ):
        return equal(answer, "the same words", "words")
    if gold == answer or squeeze(gold) == squeeze(answer):
        return equal(answer, "the same text", "text")
    if isinstance(answers, str):
        status = Status.LIMIT if answers.startswith("limit") else Status.UNPARSED
        return Judgement(False, status, answer, f"the answer is not in our grammar ({answers})", "parse")
    return different(answer, f"the ground truth is only comparable as text ({golds})", "parse")


def list_length(gold: str) -> int:
    """How many values a ground truth lists; 0 where it is no list."""
    found = read(gold).trees
    first = None if isinstance(found, str) else found[0]
    return len(first.items) if isinstance(first, Seq) and not first.opened and not first.either else 0


changed = lru_cache(maxsize=64)(replace)
"""A policy with another option."""


_SAYS_ORDER = lazy(r"\b(?:in (?:that|this|the given|exactly this) order|respectively)\b")
_MARKS = lazy(r"[\[\]?]")
