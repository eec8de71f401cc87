"""Judge only the text after the thinking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from rewardkit.base import Explanation, Reward, take_functions
from rewardkit.errors import UsageError
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class AnswerOnly(Reward):
    """The outcome of the text after the last `</think>`; `wrong` if thinking never ends. TRL's `reasoning_accuracy_reward`.

    In a chat, the last assistant message is cut; what stands before it stays.
    """

    name: ClassVar[str] = "answer_only"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "TRL reasoning_accuracy_reward"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True

    outcome: Reward = field(kw_only=False)
    """The reward that judges the answer."""
    delimiter: str = "</think>"
    """What ends the thinking."""
    wrong: float = 0.0
    """Value of a completion without the delimiter."""

    def __post_init__(self) -> None:
        take_functions(self, "outcome")
        if not self.delimiter:
            raise UsageError("answer_only: delimiter is empty")
        if not math.isfinite(self.wrong):
            raise UsageError(f"answer_only: wrong={self.wrong}: give a finite number")

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Cut each completion, then score those that have an end of thinking in one batch."""
        cut = {index: answer for index, sample in enumerate(samples) if (answer := self._cut(sample)) is not None}
        scored = dict(zip(cut, self.outcome.score(list(cut.values())), strict=True))
        return [scored.get(index) or self._unfinished() for index in range(len(samples))]

    def explain(self, sample: Sample) -> Explanation:
        """The outcome of the cut text."""
        cut = self._cut(sample)
        if cut is None:
            return Explanation(self.text, self._unfinished(), (f"there is no {self.delimiter}",))
        child = self.outcome.explain(cut)
        return Explanation(self.text, child.score, (f"judged after the last {self.delimiter}",), (child,))

    def _cut(self, sample: Sample) -> Sample | None:
        _, found, answer = sample.completion.rpartition(self.delimiter)
        return replace(sample, completion=answer, messages=_ending_in(sample, answer)) if found else None

    def _unfinished(self) -> Score:
        return Score.of(self.wrong, verdict=Verdict.NO_ANSWER, reason=f"no {self.delimiter}: the thinking never ends")


def _ending_in(sample: Sample, answer: str) -> list[dict[str, Any]] | None:
    """The chat with this text alone in its last assistant message: some rewards and functions read chats."""
    if sample.messages is None:
        return None
    chat = list(sample.messages)
    for place in reversed(range(len(chat) - len(sample.turns), len(chat))):
        if chat[place].get("role") == "assistant":
            kept = {
                name: value for name, value in chat[place].items() if name not in {"reasoning_content", "reasoning"}
            }
            chat[place] = {**kept, "content": answer}
            break
    return chat
