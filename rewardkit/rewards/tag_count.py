"""0.25 for each tag that occurs exactly once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.rewards._layout import tag_names
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class TagCount(SampleReward):
    r"""Share of the tags that occur exactly once, on lines of their own: 0.25 for each of the four of think and answer, as in open-r1.

    open-r1 looks for `<think>\n`, `\n</think>\n`, `\n<answer>\n` and `\n</answer>`; `own_lines=False` counts the bare tags.
    """

    name: ClassVar[str] = "tag_count"
    source: ClassVar[str] = "open-r1 tag_count_reward"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    tags: str = "think, answer"
    """Tag names, separated by commas or blanks."""
    own_lines: bool = True
    """Count only tags on lines of their own, as open-r1 does. If false, tags anywhere."""

    def __post_init__(self) -> None:
        tag_names(self.tags, self.name)

    def grade(self, sample: Sample) -> Score:
        """Count each mark."""
        marks = self._marks(tag_names(self.tags, self.name))
        missing = [mark.strip() for mark in marks if sample.completion.count(mark) != 1]
        value = (len(marks) - len(missing)) / len(marks)
        verdict = Verdict.CORRECT if value == 1 else Verdict.MALFORMED if value == 0 else Verdict.PARTIAL
        reason = f"not exactly once: {', '.join(missing)}" if missing else "each tag once"
        return Score.of(value, verdict=verdict, reason=reason)

    def _marks(self, tags: tuple[str, ...]) -> list[str]:
        if not self.own_lines:
            return [mark for tag in tags for mark in (f"<{tag}>", f"</{tag}>")]
        last = len(tags) - 1
        marks: list[str] = []
        for index, tag in enumerate(tags):
            marks.append(f"<{tag}>\n" if index == 0 else f"\n<{tag}>\n")
            marks.append(f"\n</{tag}>" if index == last else f"\n</{tag}>\n")
        return marks
