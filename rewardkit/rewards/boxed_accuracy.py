"""Boxed accuracy with an error breakdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError, clip
from rewardkit.math import Policy, Status, judge
from rewardkit.rewards.math import final_answer
from rewardkit.types import Sample, Score, Verdict

KINDS = ("correct", "wrong_value", "no_box", "truncated", "malformed", "empty", "format_only")
"""The classes of the breakdown. Each sample is of exactly one; their means over a run are the shares."""

_BOXED = Policy(boxed_only=True)
_PLACEHOLDERS = frozenset(
    {"", "...", "…", "\\ldots", "\\dots", "?", "x", "answer", "your answer", "final answer", "result"}
)
_VERDICTS = {
    "correct": Verdict.CORRECT,
    "wrong_value": Verdict.WRONG,
    "malformed": Verdict.MALFORMED,
}


@dataclass(frozen=True, kw_only=True)
class BoxedAccuracy(SampleReward):
    r"""1 if the last `\boxed{}` equals the ground truth by the math verifier, else 0, with the kind of error as a part.

    correct, wrong_value, no_box, truncated (cut at the token limit, or thinking that never ends, before a box was closed), malformed
    (a box that never closes or cannot be read), empty (blank completion), format_only (a box that holds nothing or a placeholder).
    """

    name: ClassVar[str] = "boxed_accuracy"
    version: ClassVar[int] = 7
    source: ClassVar[str] = "the boxed evaluation with error breakdown of the reasoning alignment recipe (seed S4)"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Judge the last box and name the kind of outcome."""
        truth = final_answer(sample.ground_truth)
        judgement = judge(sample.completion, truth, _BOXED)
        if judgement.status is Status.BAD_GOLD:
            raise GroundTruthError(judgement.reason)
        kind = _kind(sample, judgement.status, judgement.answer, str(truth))
        return Score.of(
            kind == "correct",
            verdict=_VERDICTS.get(kind, Verdict.NO_ANSWER),
            answer=judgement.answer,
            reason=f"{kind.replace('_', ' ')}: {clip(judgement.reason, 200)}",
            parts={name: float(name == kind) for name in KINDS},
        )


def _kind(sample: Sample, status: Status, answer: str | None, truth: str) -> str:
    text = sample.completion
    if status is Status.EQUAL:
        return "correct"
    if not text.strip():
        return "empty"
    if status is Status.NO_ANSWER:
        endless = text.rfind("<think>") > text.rfind("</think>")
        return "truncated" if sample.finish_reason == "length" or endless else "no_box"
    if answer is None:
        return "truncated" if sample.finish_reason == "length" else _unread(text)
    if answer.strip(" $.").lower() in _PLACEHOLDERS - {truth.strip().lower()}:
        return "format_only"
    return "wrong_value" if status is Status.DIFFERENT else "malformed"


def _unread(text: str) -> str:
    return "format_only" if text.rstrip(" .$\n").endswith(("\\boxed{}", "\\fbox{}")) else "malformed"
