"""What is done with rows, here or in a worker, and how rows and results travel: as one line of JSON each.

Texts of models are never pickled: what reads them back makes plain values and nothing else.
"""

from __future__ import annotations

import json
import typing
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, cast

from rewardkit.base import Reward
from rewardkit.errors import UsageError
from rewardkit.grading import score_batch
from rewardkit.groups import group_key
from rewardkit.types import Sample, Score

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Item = TypeVar("Item", default=Sample)
    Result = TypeVar("Result", default=Score)
else:
    Item, Result = typing.TypeVar("Item"), typing.TypeVar("Result")

_REFUSED = "the row cannot be handed to a worker"


class Task(ABC, Generic[Item, Result]):
    """Judges items: gives one result for each, in order. It is pickled to workers; items and results travel as lines."""

    @abstractmethod
    def judge(self, reward: Reward, items: Sequence[Item]) -> list[Result]:
        """Judge items in one call of the reward. A failure of the reward leaves them unjudged."""

    @abstractmethod
    def to_line(self, item: Item) -> bytes:
        """An item as JSON without line breaks."""

    @abstractmethod
    def from_line(self, line: bytes) -> Item:
        """The item on a line. One that cannot be read is an item, too."""

    @abstractmethod
    def result_line(self, result: Result) -> bytes:
        """A result as JSON without line breaks."""

    @abstractmethod
    def results(self, lines: Sequence[bytes]) -> list[Result]:
        """The results on lines, which a reward may have written over.

        Raises:
            ValueError, TypeError, KeyError, AttributeError, RecursionError: they are no results.
        """

    @abstractmethod
    def unjudged(self, line: bytes, reason: str) -> Result:
        """The result for the item on a line, if no worker could judge it."""

    @abstractmethod
    def group(self, line: bytes) -> str | None:
        """The key of an item's group, whose items are judged together. None: it is in none, or cannot be read."""


@dataclass(frozen=True)
class ScoreSamples(Task[Sample, Score]):
    """Samples in, scores out."""

    def judge(self, reward: Reward, items: Sequence[Sample | Score]) -> list[Score]:
        """A score stands for a row that could not be read; it is kept and does not touch the others."""
        judged = iter(score_batch(reward.score, [item for item in items if isinstance(item, Sample)]))
        return [next(judged) if isinstance(item, Sample) else item for item in items]

    def to_line(self, item: Sample) -> bytes:
        """The row, or the reason why it cannot be sent."""
        try:
            return item.to_json().encode()
        except UsageError as error:
            return json.dumps(f"{_REFUSED}: {error}").encode()

    def from_line(self, line: bytes) -> Any:
        """A sample, or a score that says why there is none."""
        try:
            row: Any = json.loads(line)
            if isinstance(row, dict):
                return Sample.from_row(cast("dict[str, Any]", row))
            return Score.unjudged(row if isinstance(row, str) else f"{_REFUSED}: it is no object")
        except (ValueError, RecursionError) as error:
            return Score.unjudged(f"{_REFUSED}: {error}")

    def result_line(self, result: Score) -> bytes:
        """All fields."""
        return result.to_json().encode()

    def results(self, lines: Sequence[bytes]) -> list[Score]:
        """Checked scores."""
        return [Score(**row) for row in json.loads(b"[%b]" % b",".join(lines))]

    def unjudged(self, line: bytes, reason: str) -> Score:  # noqa: ARG002 - all that is told is the reason
        """A score without a value."""
        return Score.unjudged(reason)

    def group(self, line: bytes) -> str | None:
        """As `group_key` has it."""
        item = self.from_line(line)
        return group_key(item) if isinstance(item, Sample) else None


SAMPLES: Any = ScoreSamples()
"""What executors do unless they are told otherwise."""


def field_of(line: bytes, name: str) -> Any:
    """A field of the sample on a line; None if it has none or cannot be read."""
    try:
        return json.loads(line).get(name)
    except (ValueError, AttributeError, RecursionError):
        return None
