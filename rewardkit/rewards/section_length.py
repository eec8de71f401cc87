"""Length of one section, such as the thinking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.errors import UsageError
from rewardkit.rewards._layout import check_tag
from rewardkit.rewards._text import sections
from rewardkit.scripts import spaced_words
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class SectionLength(SampleReward):
    """1 if the section `<tag>..</tag>` has between `low` and `high` words, proportionally less outside that range, 0 without the section."""

    name: ClassVar[str] = "section_length"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "rewardkit"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    tag: str = "think"
    """Name of the tag around the section."""
    low: int = 10
    """Shortest length that pays 1."""
    high: int = 2_000
    """Longest length that pays 1."""
    unit: Literal["words", "chars"] = "words"
    """What is counted."""

    def __post_init__(self) -> None:
        check_tag(self.tag, self.name)
        if not 0 < self.low <= self.high:
            raise UsageError(f"section_length: needs 0 < low <= high, not {self.low}, {self.high}")

    def grade(self, sample: Sample) -> Score:
        """Measure the one section."""
        found = sections(sample.completion, self.tag)
        if len(found) != 1:
            return Score.of(0, verdict=Verdict.MALFORMED, reason=f"<{self.tag}> stands {len(found)} times")
        length = len(spaced_words(found[0])) if self.unit == "words" else len(found[0].strip())
        value = min(1.0, length / self.low, self.high / length if length else 0.0)
        verdict = Verdict.CORRECT if value == 1 else Verdict.PARTIAL if value > 0 else Verdict.MALFORMED
        return Score.of(value, verdict=verdict, reason=f"{length} {self.unit}, expected {self.low} to {self.high}")
