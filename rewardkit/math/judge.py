"""The judgement: read the ground truth and the completion, then try one stage after another until one decides."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple


from rewardkit.errors import GroundTruthError
from rewardkit.math.compare.as_words import same_words
from rewardkit.math.compare.stages import (
    Reading,
    different,
    list_length,
    may_begin_with_option,
    only_mathematics,
    ordered,
    read,
    same_number,
    same_text,
    same_tree,
)
from rewardkit.math.explain import steps
from rewardkit.math.extract.decimal_comma import with_decimal_points
from rewardkit.math.extract.extract import all_boxed, extract
from rewardkit.math.latex.normalise import repair
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
    if extraction.parts and len(texts) == 1 and list_length(texts[0]) == len(extraction.parts):
        return compare_any(texts, " , ".join(extraction.parts), ordered(policy))
    if "," in answer or any("{,}" in gold for gold in texts):
        texts, answer = with_decimal_points(texts, answer, completion)
    judgement = compare_any(texts, answer, policy)
    if not judgement.equal and policy.percent == "stated" and _speaks_of_percent(completion, answer, texts):
        return compare_any(texts, answer, _percent_optional(policy))
    return judgement


def compare(gold: str, answer: str, policy: Policy = DEFAULT) -> Judgement:
    """Compare two answers."""
    try:
        if "box" in answer and all_boxed(answer):
            answer = clean_gold(answer)
        texts, answer = with_decimal_points((clean_gold(gold),), answer, "")
        return compare_any(texts, answer, policy)
    except GroundTruthError as error:
        return Judgement(False, Status.BAD_GOLD, answer, str(error), "gold")


def compare_any(golds: tuple[str, ...], answer: str, policy: Policy) -> Judgement:
    """Equal to one of `golds`; else the first judgement."""
    first = _compare(golds[0], answer, policy)
    if first.equal:
        return first
    return next((other for gold in golds[1:] if (other := _compare(gold, answer, policy)).equal), first)


def _compare(gold: str, answer: str, policy: Policy) -> Judgement:
    if len(gold) + len(answer) > CACHED_CHARS:
        return _stages(gold, answer, policy)
    return _compare_default(gold, answer) if policy is DEFAULT else _compare_short(gold, answer, policy)


def _stages(gold: str, answer: str, policy: Policy = DEFAULT) -> Judgement:
    """The stages, cheapest first: numbers, text, words, trees."""
    one, other = read(gold) if len(gold) <= CACHED_CHARS else Reading(gold), Reading(answer)
    text = other.text
    if not text:
        return Judgement(False, Status.MALFORMED, answer, "the answer is empty", "extract")
    if (found := same_number(one, other, policy)) is not None:
        return found._replace(answer=answer)
    if "?" in text and "?" not in one.plain and text.rstrip("} $.").endswith("?"):
        return different(answer, "the answer is a question", "words")
    if (found := same_text(one.text, text)) is not None:
        return found
    words = not only_mathematics(one.text) or may_begin_with_option(text)
    return (same_words(one.text, text) if words else None) or same_tree(one, other, policy)


_compare_short = lru_cache(maxsize=4_096)(_stages)
_compare_default = lru_cache(maxsize=16_384)(_stages)
"""Without the policy, whose hash is asked for at each look."""

_PERCENT = re.compile(r"[%pP](?:(?<=%)|(?i:er ?cent|(?<=\bp)ct\b))")
"""With the first characters spelled out, which is five times as fast as a pattern without letter case."""


def _speaks_of_percent(completion: str, answer: str, golds: tuple[str, ...]) -> bool:
    """Whether the sign stands on one side alone, and the response speaks of per cent outside its answer."""
    signed = _has_percent(answer)
    if all(_has_percent(gold) == signed for gold in golds):
        return False
    return _PERCENT.search(completion.replace(answer, " ")) is not None


@lru_cache(maxsize=4_096)
def _has_percent(text: str) -> bool:
    return _PERCENT.search(text) is not None


@lru_cache(maxsize=64)
def _percent_optional(policy: Policy) -> Policy:
    return replace(policy, percent="optional")


# -- ground truths: their forms, and the checks that refuse unusable ones ------------------------------------------------

MAX_GOLD_CHARS = 20_000
"""A longer ground truth is not an answer."""

_SAYS_SOMETHING = re.compile(r"[^\W_]|\\[A-Za-z{]|[∅∞√π%°]|\{ *\}")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


class Gold(NamedTuple):
    """A ground truth, read once for all completions that are judged by it."""

    texts: tuple[str, ...]
    """The accepted answers."""

    def texts_for(self, policy: Policy) -> tuple[str, ...]:
        """The answers of which one is enough; one list of all of them if the policy asks for all."""
        texts = tuple(_stated(one, policy) for one in self.texts) if policy.lenient else self.texts
        return texts if policy.any_gold or len(texts) == 1 else (" , ".join(texts),)


def _stated(gold: str, policy: Policy) -> str:
    """The answer that a whole solution states, if a ground truth is one (lenient mode)."""
    if len(gold) < 80 or gold.count(" ") < 12:
        return gold
    return extract(gold, policy).answer or gold


def prepare(ground_truth: object) -> Gold:
    """A ground truth for `judge`, prepared for many completions. Raises GroundTruthError if it is broken."""
    return ground_truth if isinstance(ground_truth, Gold) else Gold(gold_texts(ground_truth))


def gold_texts(ground_truth: object) -> tuple[str, ...]:
    """The accepted answers as texts; a list or tuple holds several. Raises GroundTruthError if one is broken."""
    if isinstance(ground_truth, str):
        return (clean_gold(ground_truth),)
    if isinstance(ground_truth, list | tuple | set | frozenset):
        return _several(ground_truth)  # pyright: ignore[reportUnknownArgumentType]
    return (_scalar(ground_truth),)


@lru_cache(maxsize=8_192)
def clean_gold(text: str) -> str:
    """`text` without its box or math delimiters. Raises GroundTruthError if no answer could ever equal it."""
    if len(text) > MAX_GOLD_CHARS:
        raise GroundTruthError(f"ground truth of {len(text)} characters is too long to be an answer")
    stripped = text.strip()
    if "####" in stripped and (marked := stripped.rsplit("####", 1)[1].strip()):
        stripped = marked  # a worked solution
    if "\\boxed" in stripped or "\\fbox" in stripped:
        boxes = all_boxed(repair(stripped))
        if not boxes:
            raise GroundTruthError(f"ground truth with a truncated box: {text[:80]!r}")
        stripped = " , ".join(dict.fromkeys(one.strip() for one in boxes))
    if stripped not in {"<", ">", "="} and not _SAYS_SOMETHING.search(stripped):
        raise GroundTruthError(f"empty ground truth: {text[:80]!r}")
    if stripped.lower() in {"nan", "null", "n/a", "tbd", "unknown", "\\text{nan}"}:
        raise GroundTruthError(f"ground truth is a placeholder: {text[:80]!r}")
    if not _balanced(stripped) or stripped.count("(") + stripped.count("[") > stripped.count(")") + stripped.count("]"):
        raise GroundTruthError(f"ground truth with unbalanced braces: {text[:80]!r}")
    return stripped


def _balanced(text: str) -> bool:
    """Whether each brace has its partner; escaped ones are text."""
    if "{" not in text and "}" not in text:
        return True
    depth = 0
    for brace in _BRACES.findall(text):
        if brace == "{":
            depth += 1
        elif brace == "}":
            depth -= 1
            if depth < 0:
                return False
    return not depth


def _several(values: Iterable[object]) -> tuple[str, ...]:
    texts: list[str] = []
    for value in values:
        texts.extend(gold_texts(value))
    if not texts:
        raise GroundTruthError("the list of ground truths is empty")
    return tuple(texts)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return clean_gold(str(value)) if abs(value) < 10**1000 else _too_long(value)
    if isinstance(value, float):
        if math.isnan(value):
            raise GroundTruthError("ground truth is NaN")
        return clean_gold(repr(value) if math.isfinite(value) else ("\\infty" if value > 0 else "-\\infty"))
    if value is None:
        raise GroundTruthError("no ground truth")
    raise GroundTruthError(f"a ground truth is a text, a number or a list of them, not {type(value).__name__}")


def _too_long(value: int) -> str:
    raise GroundTruthError(f"ground truth of {value.bit_length()} bits is too long")
