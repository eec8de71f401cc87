"""Fenced code: one closed block in the right language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

_FENCE = re.compile(r"^[ \t]{0,3}```[ \t]*([\w+#.-]*)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class CodeFence(SampleReward):
    """1 for one closed fenced block in the language after the thinking, 0.5 for several, 0 for none, an open or an empty one."""

    name: ClassVar[str] = "code_fence"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "rewardkit"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    language: str = "python"
    """The language that must follow the three backticks. Empty accepts any language, or none."""

    def grade(self, sample: Sample) -> Score:
        """Pair the fences and count the blocks."""
        blocks, closed = _blocks(after_thinking(sample.completion))
        if not closed:
            return Score.of(0, verdict=Verdict.MALFORMED, reason="a fence is never closed")
        wanted = [code for tag, code in blocks if not self.language or tag.lower() == self.language.lower()]
        filled = [code for code in wanted if code.strip()]
        if not filled:
            return Score.of(0, verdict=Verdict.MALFORMED, reason=f"no filled ```{self.language} block")
        if len(filled) > 1:
            return Score.of(0.5, verdict=Verdict.PARTIAL, reason=f"{len(filled)} blocks where one was asked for")
        return Score.of(1, reason="one closed block")


def _blocks(text: str) -> tuple[list[tuple[str, str]], bool]:
    marks = list(_FENCE.finditer(text))
    pairs = zip(marks[::2], marks[1::2], strict=False)
    return [(start[1], text[start.end() : end.start()]) for start, end in pairs], len(marks) % 2 == 0
