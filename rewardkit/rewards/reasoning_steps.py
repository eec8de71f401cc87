"""Visible steps of reasoning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import UsageError
from rewardkit.types import Sample, Score

_STEP = re.compile(r"Step \d+:|^\d+\.|\n[-*]|First,|Second,|Next,|Finally,")


@dataclass(frozen=True, kw_only=True)
class ReasoningSteps(SampleReward):
    """A third for each mark of a step, up to 1: `Step 1:`, bullets, `First,` `Second,` `Next,` `Finally,`. Values of open-r1.

    Easy to game, since the content of a step does not matter. Keep its weight small.
    """

    name: ClassVar[str] = "reasoning_steps"
    source: ClassVar[str] = "open-r1 reasoning_steps_reward"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    steps: int = 3
    """Number of marks that earn the full value."""

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise UsageError(f"reasoning_steps: steps={self.steps}: give 1 or more")

    def grade(self, sample: Sample) -> Score:
        """Count the marks."""
        count = sum(1 for _ in _STEP.finditer(sample.completion))
        return Score.of(min(1.0, count / self.steps), reason=f"{count} marks of a step")
