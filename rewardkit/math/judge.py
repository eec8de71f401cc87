"""The judgement: extraction, then one stage after the other until one decides."""

from __future__ import annotations

from functools import lru_cache

from rewardkit.errors import GroundTruthError
from rewardkit.math.extract import extract
from rewardkit.math.gold import clean_gold, gold_texts
from rewardkit.math.normalise import squeeze, strip_delimiters
from rewardkit.math.numbers import plain_number
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.results import Found, Judgement, Status


def judge(completion: str, ground_truth: object, policy: Policy = DEFAULT) -> Judgement:
    """Extract the final answer of `completion` and compare it with `ground_truth` (a text, a number, or a list)."""
    try:
        golds = gold_texts(ground_truth)
    except GroundTruthError as error:
        return Judgement(False, Status.BAD_GOLD, None, str(error), "gold")
    extraction = extract(completion, policy)
    if extraction.answer is None:
        status = Status.NO_ANSWER if extraction.status is Found.NO_ANSWER else Status.MALFORMED
        reason = "no final answer is stated" if status is Status.NO_ANSWER else f"the answer ({extraction.how}) is broken off or too long"
        return Judgement(False, status, None, reason, "extract")
    return compare_any(golds, extraction.answer, policy)


def compare(gold: str, answer: str, policy: Policy = DEFAULT) -> Judgement:
    """Compare two answers."""
    try:
        return compare_any((clean_gold(gold),), answer, policy)
    except GroundTruthError as error:
        return Judgement(False, Status.BAD_GOLD, answer, str(error), "gold")


def compare_any(golds: tuple[str, ...], answer: str, policy: Policy) -> Judgement:
    """Equal to one of `golds`; else the first judgement."""
    first = _compare(golds[0], answer, policy)
    if first.equal or len(golds) == 1:
        return first
    for gold in golds[1:]:
        other = _compare(gold, answer, policy)
        if other.equal:
            return other
    return first


@lru_cache(maxsize=65_536)
def _compare(gold: str, answer: str, policy: Policy) -> Judgement:
    if not answer.strip():
        return Judgement(False, Status.MALFORMED, answer, "the answer is empty", "extract")
    left, right = strip_delimiters(gold), strip_delimiters(answer)
    if left == right:
        return Judgement(True, Status.EQUAL, answer, "the same text", "text")
    a, b = plain_number(left), plain_number(right)
    if a is not None and b is not None:
        if a == b:
            return Judgement(True, Status.EQUAL, answer, f"equal as rationals: {a}", "number")
        return Judgement(False, Status.DIFFERENT, answer, f"{b} is not {a}" if len(right) < 60 else "different numbers", "number")
    if squeeze(gold) == squeeze(answer):
        return Judgement(True, Status.EQUAL, answer, "the same text but for layout", "text")
    return Judgement(False, Status.DIFFERENT, answer, "different", "text")
