"""Layout: tags in order, each once and filled, or a regular expression."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import UsageError
from rewardkit.rewards._layout import layout_score, read_layout, tag_names
from rewardkit.types import Sample, Score

MAX_CHARS = 100_000
"""A longer completion is not matched against `pattern`: it is `malformed`."""


@dataclass(frozen=True, kw_only=True)
class Format(SampleReward):
    """1 if the completion is laid out as `<think>..</think><answer>..</answer>`, else 0: each tag once, in order, none empty.

    Tool turns count too: with `whole_chat=True` every assistant message of a chat must follow the layout: the last one
    all of it, earlier ones the first section. With `pattern` the completion, or every message, must match the regular expression instead.
    """

    name: ClassVar[str] = "format"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "DeepSeek-R1 format reward (arXiv 2501.12948, 2.2.2)"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    tags: str = "think, answer"
    """Tag names, separated by commas or blanks. Use `think, tool_call` for a tool turn."""
    between: bool = False
    """Allow text outside the sections."""
    prefilled: bool = False
    """The chat template has already written the first opening tag."""
    whole_chat: bool = False
    """Judge each assistant message of the chat, not just the last."""
    pattern: str = ""
    """A regular expression for the whole completion (dot matches newlines). It may backtrack without end, so the command line, the harness
    and the server judge rows in workers that can be killed; in a trainer, `isolated` does that."""

    def __post_init__(self) -> None:
        tag_names(self.tags, self.name)
        if self.pattern:
            _compile(self.pattern)

    @property
    def patterns(self) -> tuple[str, ...]:
        """`pattern`, where it is set."""
        return (self.pattern,) if self.pattern else ()

    def grade(self, sample: Sample) -> Score:
        """Check the layout of the completion, or of each assistant message."""
        text = sample.completion
        problem = self._matches(text) if self.pattern else self._laid_out(text, tag_names(self.tags, self.name))
        if not text.strip():
            problem = problem or "the completion is empty"
        if not problem and self.whole_chat:
            problem = self._earlier_turns(sample)
        return layout_score(problem, "the layout is right")

    def _matches(self, text: str) -> str:
        if len(text) > MAX_CHARS:
            return f"longer than {MAX_CHARS} characters"
        return "" if _compile(self.pattern).fullmatch(text) else f"does not match {self.pattern!r}"

    def _laid_out(self, text: str, tags: tuple[str, ...], *, between: bool | None = None) -> str:
        opening = f"<{tags[0]}>"
        if self.prefilled and opening not in text and text.strip():
            text = opening + text
        return read_layout(text, tags, between=self.between if between is None else between, empty=False).problem

    def _earlier_turns(self, sample: Sample) -> str:
        from rewardkit.chat import message_text

        turns = [turn for turn in sample.turns if turn.get("role") == "assistant"]
        first = tag_names(self.tags, self.name)[:1]
        for number, turn in enumerate(turns[:-1], 1):
            text = message_text(turn)
            problem = self._matches(text) if self.pattern else self._laid_out(text, first, between=True)
            if problem:
                return f"assistant message {number}: {problem}"
        return ""


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.DOTALL)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"format: pattern={pattern!r} is not a regular expression: {error}") from None
