"""Unsloth's `match_format_approximately`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.rewards._unsloth import SOLUTION_END, SOLUTION_START, WORKING_END
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class UnslothFormatApprox(SampleReward):
    """For each of `<end_working_out>`, `<SOLUTION>`, `</SOLUTION>`: +0.5 if it occurs exactly once, else -1.0."""

    name: ClassVar[str] = "unsloth_format_approx"
    source: ClassVar[str] = "Unsloth GRPO notebooks, match_format_approximately"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Count the three tags."""
        counts = {tag: sample.completion.count(tag) for tag in (WORKING_END, SOLUTION_START, SOLUTION_END)}
        once = sum(count == 1 for count in counts.values())
        verdict = Verdict.CORRECT if once == 3 else Verdict.MALFORMED if once == 0 else Verdict.PARTIAL
        reason = ", ".join(f"{tag} x{count}" for tag, count in counts.items())
        return Score.of(0.5 * once - 1.0 * (3 - once), verdict=verdict, reason=reason)
