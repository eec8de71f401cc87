"""open-r1's `format_reward`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.rewards._layout import layout_score
from rewardkit.rewards._openr1 import NO_LAYOUT, open_r1_answer
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class OpenR1Format(SampleReward):
    r"""1 for `<think>\n..\n</think>\n<answer>\n..\n</answer>` from the start, each tag on its own line, else 0. Values
    of open-r1, which accepts lines after `</answer>`; `format` does not.
    """

    name: ClassVar[str] = "open_r1_format"
    source: ClassVar[str] = "open-r1 format_reward"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Look for the layout."""
        problem = NO_LAYOUT if open_r1_answer(sample.completion) is None else ""
        return layout_score(problem, "the layout is right")
