"""Stages `structure` and `proof`: both texts as trees."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from rewardkit.math.compare.as_text import (
    MAX_REASON_CHARS,
    different,
    equal,
    long_decimal,
    readings,
    rounds_or_truncates,
    with_decimal_comma,
)
from rewardkit.math.compare.compare import compared
from rewardkit.math.compare.finished import unfinished
from rewardkit.math.compare.names import renamings
from rewardkit.math.compare.relations import ContradictionError
from rewardkit.math.compare.values import Comparing
from rewardkit.math.latex.normalise import squeeze
from rewardkit.math.latex.tree import LimitError, Node, ParseError, Rel, Seq
from rewardkit.math.latex.walk import CONSTANTS
from rewardkit.math.patterns import lazy
from rewardkit.math.policy import Policy
from rewardkit.math.prove.proof import real_value, symbols, working_precision
from rewardkit.math.results import Judgement, Status
from rewardkit.math.text.words import canonical_words, is_prose, same_sentence

Trees = tuple[Node, ...]


def same_tree(gold: str, answer: str, policy: Policy) -> Judgement:
    """The verdict by structure and proof; always one, the last stage."""
    golds, free = _gold_readings(gold)
    answers = readings(answer)
    if policy.lenient:
        golds, answers = with_decimal_comma(gold, golds), with_decimal_comma(answer, answers)
        free = _has_free_constants(golds)
    if isinstance(answers, str) or isinstance(golds, str):
        return _asked(gold, _unread(gold, answer, golds, answers), policy)
    if free:
        answers = tuple(reading for one in answers for reading in renamings(golds[0], one))
    if ("order" in gold or "respectively" in gold) and _SAYS_ORDER.search(gold) is not None:
        policy = ordered(policy)
    if long_decimal(answer) is not None and any(_rounded(one, answer) for one in golds):
        return equal(answer, "a decimal that rounds or truncates the ground truth", "proof")
    return _compared(gold, answer, golds, answers, policy)


def _rounded(gold: Node, answer: str) -> bool:
    """Whether a long decimal is the value of a ground truth, rounded."""
    if isinstance(gold, Rel) and gold.ops == ("=",):
        gold = gold.args[1]
    value = real_value(gold)
    if value is None:
        return False
    with working_precision():
        return rounds_or_truncates(value, answer)


def _compared(gold: str, answer: str, golds: Trees, answers: Trees, policy: Policy) -> Judgement:
    """Equal where one reading of the answer is equal to one of the ground truth; else why not."""
    reason = ""
    status = Status.DIFFERENT
    for one in golds:
        for other in answers:
            comparison = Comparing(policy, compared)
            try:
                if comparison.equal(one, other):
                    if (why := unfinished(one, other, policy.finished)) is not None:
                        reason = f"not finished: {why}"
                        continue
                    why = comparison.why or "equal"
                    return equal(answer, why, "structure" if "expressions" in why else "proof")
            except (ParseError, ArithmeticError, OverflowError) as error:
                reason = f"no common ground: {error}"
            except ContradictionError:
                if gold == answer:
                    return Judgement(False, Status.BAD_GOLD, answer, "the ground truth contradicts itself", "gold")
                reason = "the answer contradicts itself"
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

    if math_verify_accepts(gold, found.answer):
        return equal(found.answer, "math-verify accepts it", "fallback")
    return found._replace(reason=f"{found.reason}; math-verify was asked and does not accept it")


def _unread(gold: str, answer: str, golds: Trees | str, answers: Trees | str) -> Judgement:
    """The verdict where a side is not in our grammar: only the same text or the same words are equal."""
    if (
        canonical_words(gold) == canonical_words(answer)
        and _SQUARE.findall(gold) == _SQUARE.findall(answer)
        and ("?" in gold) == ("?" in answer)
        and (is_prose(gold) or same_sentence(gold, answer))
    ):
        return equal(answer, "the same words", "words")
    if gold == answer or squeeze(gold) == squeeze(answer):
        return equal(answer, "the same text", "text")
    if isinstance(answers, str):
        status = Status.LIMIT if answers.startswith("limit") else Status.UNPARSED
        return Judgement(False, status, answer, f"the answer is not in our grammar ({answers})", "parse")
    return different(answer, f"the ground truth is only comparable as text ({golds})", "parse")


@lru_cache(maxsize=4_096)
def _gold_readings(gold: str) -> tuple[Trees | str, bool]:
    """The trees that a ground truth may mean, and whether the first has free constants."""
    found = readings(gold)
    return found, _has_free_constants(found)


def _has_free_constants(found: Trees | str) -> bool:
    return not isinstance(found, str) and not symbols(found[0]) <= CONSTANTS


def list_length(gold: str) -> int:
    """How many values a ground truth lists; 0 where it is no list."""
    found, _ = _gold_readings(gold)
    first = found[0] if not isinstance(found, str) and found else None
    return len(first.items) if isinstance(first, Seq) and not first.opened and not first.either else 0


@lru_cache(maxsize=64)
def ordered(policy: Policy) -> Policy:
    """`policy` for lists whose order means something."""
    return replace(policy, order="strict")


_SAYS_ORDER = lazy(r"\b(?:in (?:that|this|the given|exactly this) order|respectively)\b")
_SQUARE = lazy(r"[\[\]]")
