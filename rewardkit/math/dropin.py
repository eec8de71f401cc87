"""Replacements for existing calls: math-verify's `parse` and `verify`, TRL's reward function, lm-eval's helper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardkit.chat import content_text
from rewardkit.errors import GroundTruthError
from rewardkit.math.extract.extract import extract
from rewardkit.math.ground_truth import gold_texts
from rewardkit.math.judge import compare_any, judge
from rewardkit.math.latex.normalise import strip_delimiters
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.results import Status

LENIENT = Policy(lenient=True)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What `parse` found in a text: an answer to hand to `verify`. Empty (and false) if there is none."""

    answer: str | None

    def __len__(self) -> int:
        return int(self.answer is not None)

    def __str__(self) -> str:
        return self.answer or ""


def parse(pred: str, extraction_config: object = None, *, policy: Policy = LENIENT, **_: Any) -> Parsed:
    r"""The answer of a text, as math-verify's `parse` takes it; configs and timeouts of math-verify are accepted and unused.

    >>> str(parse("so it is $\\frac{1}{2}$"))
    '\\frac{1}{2}'
    """
    del extraction_config
    extraction = extract(pred, policy)
    if extraction.answer is None and policy.lenient and 0 < len(pred.strip()) <= 300:
        return Parsed(pred.strip())
    return Parsed(None if extraction.answer is None else strip_delimiters(extraction.answer))


def verify(gold: object, target: object, *, policy: Policy = DEFAULT, **_: Any) -> bool:
    """Whether `target` equals `gold`; both may be texts, numbers or what `parse` returned (math-verify's argument order).

    An unusable ground truth equals nothing here; `judge` reports it separately.

    >>> verify("1/2", "0.5"), verify(parse("$3$"), parse("$4$"))
    (True, False)
    """
    answer = target if isinstance(target, str) else str(target)
    try:
        golds = gold_texts(str(gold) if isinstance(gold, Parsed) else gold)
    except GroundTruthError:
        return False
    return compare_any(golds, answer, policy).equal


def accuracy_reward(
    completions: Sequence[Any], solution: Sequence[Any], *, policy: Policy = DEFAULT, **_: Any
) -> list[float | None]:
    r"""TRL's `accuracy_reward`: 1.0 or 0.0 for each completion, None if its solution is unusable.

    Completions are texts or chats (lists of messages); further columns are ignored.

    >>> accuracy_reward([r"\boxed{4}", "no idea"], ["$4$", "4"])
    [1.0, 0.0]
    """
    rewards: list[float | None] = []
    for completion, truth in zip(completions, solution, strict=True):
        judgement = judge(_text(completion), truth, policy)
        rewards.append(None if judgement.status is Status.BAD_GOLD else float(judgement.equal))
    return rewards


def process_results(doc: dict[str, Any], results: Sequence[str], *, policy: Policy = DEFAULT) -> dict[str, float]:
    """lm-eval's `process_results`: `exact_match` and the share of readable answers; `nan` if the target is unusable.

    The target is read from `answer`, `final_answer`, `solution`, `target` or `ground_truth` of the document.
    """
    target = next(
        (doc[name] for name in ("answer", "final_answer", "target", "ground_truth", "solution") if name in doc), None
    )
    judgement = judge(results[0] if results else "", target, policy)
    if judgement.status is Status.BAD_GOLD:
        return {"exact_match": float("nan"), "answered": float("nan")}
    return {"exact_match": float(judgement.equal), "answered": float(judgement.answer is not None)}


def _text(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """The text of a completion, or of the last message of a chat."""
    if isinstance(completion, str):
        return completion
    last = completion[-1] if completion else ""
    return content_text(last) if isinstance(last, Mapping) else str(last)
