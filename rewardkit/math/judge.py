"""The judgement: read the ground truth and the completion, then try one stage after another until one decides."""

from __future__ import annotations

import re
from functools import lru_cache

from rewardkit.errors import GroundTruthError
from rewardkit.math.compare import stages
from rewardkit.math.compare.as_words import same_words
from rewardkit.math.explain import steps
from rewardkit.math.extract.decimal_comma import with_decimal_points
from rewardkit.math.extract.extract import all_boxed, extract
from rewardkit.math.ground_truth import Gold, clean_gold, prepare
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.results import Extraction, Found, Judgement, Status

CACHED_CHARS = 512
"""Judgements of longer answers are not kept."""


def judge(completion: str, ground_truth: object, policy: Policy = DEFAULT, *, explain: bool = False) -> Judgement:
    """Extract the final answer of `completion` and compare it with `ground_truth` (a text, a number, or a list).

    With `explain`, `steps` describes each step. A ground truth that many completions share may be prepared by `prepare`.
    """
    try:
        golds = prepare(ground_truth)
    except GroundTruthError as error:
        return Judgement(False, Status.BAD_GOLD, None, str(error), "gold", (f"gold: {error}",) if explain else ())
    extraction = extract(completion, policy)
    judgement = judge_extracted(completion, extraction, golds, policy)
    if not explain:
        return judgement
    return judgement._replace(steps=steps(completion, golds.texts, extraction, policy, judgement))


def explain(completion: str, ground_truth: object, policy: Policy = DEFAULT) -> Judgement:
    """`judge`, with a description of each step in `steps`."""
    return judge(completion, ground_truth, policy, explain=True)


def judge_extracted(completion: str, extraction: Extraction, golds: Gold, policy: Policy) -> Judgement:
    """The judgement of what `extract` found in `completion`."""
    answer = extraction.answer
    if answer is None:
        if extraction.status is Found.NO_ANSWER:
            return Judgement(False, Status.NO_ANSWER, None, "no final answer is stated", "extract")
        reason = f"the answer ({extraction.how}) is broken off or too long"
        return Judgement(False, Status.MALFORMED, None, reason, "extract")
    texts = golds.texts_for(policy)
    if extraction.parts and len(texts) == 1 and stages.list_length(texts[0]) == len(extraction.parts):
        return compare_any(texts, " , ".join(extraction.parts), stages.changed(policy, order="strict"))
    if "," in answer or "." in answer or golds.decimal_commas or policy.lenient:
        texts, answer = with_decimal_points(texts, answer, completion, always=policy.lenient)
    judgement = compare_any(texts, answer, policy)
    if not judgement.equal and policy.percent == "stated" and _speaks_of_percent(completion, answer, texts):
        return compare_any(texts, answer, stages.changed(policy, percent="optional"))
    return judgement


def compare(gold: str, answer: str, policy: Policy = DEFAULT) -> Judgement:
    """Compare two answers."""
    try:
        if "box" in answer and all_boxed(answer):
            answer = clean_gold(answer)
        texts, answer = with_decimal_points((clean_gold(gold),), answer, "", always=policy.lenient)
        return compare_any(texts, answer, policy)
    except GroundTruthError as error:
        return Judgement(False, Status.BAD_GOLD, answer, str(error), "gold")


def compare_any(golds: tuple[str, ...], answer: str, policy: Policy) -> Judgement:
    """Equal to one of `golds`; else the first judgement."""
    first = _compare(golds[0], answer, policy)
    if first.equal or len(golds) == 1:
        return first
    return next((other for gold in golds[1:] if (other := _compare(gold, answer, policy)).equal), first)


def _compare(gold: str, answer: str, policy: Policy) -> Judgement:
    if len(gold) + len(answer) > CACHED_CHARS:
        return _stages(gold, answer, policy)
    return _compare_default(gold, answer) if policy is DEFAULT else _compare_short(gold, answer, policy)


def _stages(gold: str, answer: str, policy: Policy = DEFAULT) -> Judgement:
    """The stages, cheapest first: numbers, text, words, trees."""
    one, other = stages.read(gold) if len(gold) <= CACHED_CHARS else stages.Reading(gold), stages.Reading(answer)
    text = other.text
    if not text:
        return Judgement(False, Status.MALFORMED, answer, "the answer is empty", "extract")
    if (found := stages.same_number(one, other, policy)) is not None:
        return found._replace(answer=answer)
    if "?" in text and "?" not in one.plain and text.rstrip("} $.").endswith("?"):
        return stages.different(answer, "the answer is a question", "words")
    if (found := stages.same_text(one.text, text)) is not None:
        return found
    words = not stages.only_mathematics(one.text) or stages.may_begin_with_option(text)
    return (same_words(one.text, text) if words else None) or stages.same_tree(one, other, policy)


_compare_short = lru_cache(maxsize=4_096)(_stages)
_compare_default = lru_cache(maxsize=16_384)(_stages)
"""Without the policy, whose hash is asked for at each look."""

_PERCENT = re.compile(r"[%pP](?:(?<=%)|(?i:er ?cent|(?<=\bp)ct\b))")
"""With the first characters spelled out, which is five times as fast as a pattern without letter case."""


def _speaks_of_percent(completion: str, answer: str, golds: tuple[str, ...]) -> bool:
    """Whether the sign stands on one side alone, and the response speaks of per cent outside its answer."""
    signed = _PERCENT.search(answer) is None
    if all((_PERCENT.search(gold) is None) == signed for gold in golds):
        return False
    return _PERCENT.search(completion.replace(answer, " ")) is not None
