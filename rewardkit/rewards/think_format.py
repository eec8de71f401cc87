"""Thinking in tags at the start, as TRL's `think_format_reward` judges it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.rewards._layout import layout_score, read_layout, tag_names
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class ThinkFormat(SampleReward):
    """1 if the completion opens with `<think>`, once, and closes it, else 0. Values of TRL's `think_format_reward`.

    `tags='think, answer'` requires these sections in this order, each tag once. Empty thinking is accepted, as in TRL;
    `format` is the strict form.
    """

    name: ClassVar[str] = "think_format"
    source: ClassVar[str] = "TRL think_format_reward"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    tags: str = "think"
    """Tag names, separated by commas or blanks."""
    prefilled: bool = False
    """The chat template has already written the first opening tag, so the completion may start inside it."""

    def __post_init__(self) -> None:
        tag_names(self.tags, self.name)

    def grade(self, sample: Sample) -> Score:
        """Look for the tags."""
        return layout_score(self._problem(sample.completion), "tags as asked")

    def _problem(self, text: str) -> str:
        first, *others = tag_names(self.tags, self.name)
        opening, closing = f"<{first}>", f"</{first}>"
        if not text.startswith(opening):
            if not (self.prefilled and text.strip()):
                return f"does not start with {opening}"
            text = opening + text
        if others:
            return read_layout(text, (first, *others), between=True, empty=True).problem
        rest = text[len(opening) :]
        if opening in rest:
            return f"{opening} occurs more than once"
        return "" if closing in rest else f"{closing} is missing"
