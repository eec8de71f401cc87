"""Unsloth's `check_numbers`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import clip
from rewardkit.rewards._truth import truth_float, truth_text
from rewardkit.rewards._unsloth import SOLUTION_START
from rewardkit.types import Sample, Score, Verdict

_DIGITS = re.compile(r"-?[\d.,]+")


@dataclass(frozen=True, kw_only=True)
class UnslothNumbers(SampleReward):
    """3.5 if the first number after `<SOLUTION>` is the ground truth, -1.5 for another one, -2.5 without, 0 if unreadable."""

    name: ClassVar[str] = "unsloth_numbers"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "Unsloth GRPO notebooks, check_numbers"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Compare as floats."""
        text = truth_text(sample).strip()
        truth = truth_float(text)
        _, _, solution = sample.completion.partition(SOLUTION_START)
        match = _DIGITS.search(solution)
        if match is None:
            return Score.of(-2.5, verdict=Verdict.NO_ANSWER, reason="no number after <SOLUTION>")
        try:
            number = float(match[0].replace(",", ""))
        except ValueError:
            return Score.of(0.0, verdict=Verdict.MALFORMED, answer=clip(match[0]), reason="not readable as a number")
        equal = number == truth
        reason = f"{clip(match[0])} against {clip(text)}"
        return Score.of(3.5 if equal else -1.5, answer=clip(match[0]), reason=reason)
