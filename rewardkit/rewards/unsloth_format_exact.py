"""Unsloth's `match_format_exactly`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.reward import SampleReward
from rewardkit.rewards._unsloth import framed_answer
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class UnslothFormatExact(SampleReward):
    """3.0 where the completion ends in `<end_working_out> .. <SOLUTION>x</SOLUTION>`, else 0."""

    name: ClassVar[str] = "unsloth_format_exact"
    source: ClassVar[str] = "Unsloth GRPO notebooks, match_format_exactly"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Look for the frame."""
        answer = framed_answer(sample.completion)
        if answer is None:
            return Score.of(
                0.0, verdict=Verdict.MALFORMED, reason="no <end_working_out> .. <SOLUTION>x</SOLUTION> at the end"
            )
        return Score.of(3.0, answer=answer, reason="framed as asked")
