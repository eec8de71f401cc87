"""open-r1's `code_format_reward`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.rewards._layout import layout_score
from rewardkit.rewards._openr1 import NO_LAYOUT, open_r1_answer
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class CodeFormat(SampleReward):
    """1 if the completion is think and answer on their own lines and the answer holds a fenced block of the language, else 0.

    The language is `extra_info["language"]` if given, as in open-r1.
    """

    name: ClassVar[str] = "code_format"
    source: ClassVar[str] = "open-r1 get_code_format_reward"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    language: str = "python"
    """Language of the fenced block, unless `extra_info["language"]` names one."""

    def grade(self, sample: Sample) -> Score:
        """Look for the layout and the fence."""
        given = sample.extra_info.get("language")
        language = given if isinstance(given, str) else self.language
        answer = open_r1_answer(sample.completion)
        if answer is None:
            return layout_score(NO_LAYOUT, "")
        opening = f"```{language}"
        start = answer.find(opening)
        fenced = start >= 0 and answer.find("```", start + len(opening)) >= 0
        block = f"closed {opening} block in the answer"
        return layout_score("" if fenced else f"no {block}", f"a {block}")
