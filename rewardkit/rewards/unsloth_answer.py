"""Unsloth's `check_answer`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import quoted
from rewardkit.rewards._truth import truth_text
from rewardkit.rewards._unsloth import EOS_TOKEN, framed_answer
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class UnslothAnswer(SampleReward):
    """5.0 if the answer in the tags equals the ground truth, 3.5 if it differs in blanks, 2.0 within 10%, 1.5 within 20%, -2.5 for another number.

    -4.5 if the two are not numbers to divide (also for a ground truth of 0), -2.0 without a framed answer. The frame is
    that of `unsloth_format_exact`.
    """

    name: ClassVar[str] = "unsloth_answer"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "Unsloth GRPO notebooks, check_answer"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    eos_token: str = EOS_TOKEN
    """The tokenizer's end-of-text token, which may follow the frame."""
    fixed: bool = False
    """The frame must end the completion, and any model's end-of-text token may follow."""

    def grade(self, sample: Sample) -> Score:
        """Compare as text, then as a ratio."""
        truth = truth_text(sample)
        answer = framed_answer(sample.completion, eos_token=self.eos_token, fixed=self.fixed)
        if answer is None:
            return Score.of(-2.0, verdict=Verdict.NO_ANSWER, reason="no framed answer")
        value, reason = _compare(answer, truth)
        verdict = Verdict.CORRECT if value >= 3.5 else Verdict.PARTIAL if value > 0 else Verdict.WRONG
        return Score.of(
            value, verdict=verdict, answer=answer, reason=f"{quoted(answer)} against {quoted(truth)}: {reason}"
        )


def _compare(answer: str, truth: str) -> tuple[float, str]:
    if answer == truth:
        return 5.0, "equal"
    if answer.strip() == truth.strip():
        return 3.5, "equal but for blanks"
    try:
        ratio = float(answer) / float(truth)
    except (ValueError, ZeroDivisionError, OverflowError):
        return -4.5, "not numbers"
    if 0.9 <= ratio <= 1.1:
        return 2.0, "within 10%"
    if 0.8 <= ratio <= 1.2:
        return 1.5, "within 20%"
    return -2.5, "another number"
