"""A reward as a function that always gives numbers, for any trainer that calls Python with completions and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewardkit import Reward, Score
from rewardkit.columns import score_columns

from .parts import loaded
from .unjudged import GROUP_MEAN, checked, values_of

__all__ = ["Scorer"]


class Scorer:
    r"""A picklable function: one number per completion, even if it could not be judged (see `trainers.unjudged`).

    >>> scorer = Scorer("exact(tag='boxed')")
    >>> scorer([r"\boxed{2}", r"\boxed{3}"], answer=["2", "2"]), scorer.one(r"\boxed{2}", answer="2")
    ([1.0, 0.0], 1.0)
    """

    def __init__(self, reward: Reward | str, *, unjudged: float | str = GROUP_MEAN) -> None:
        self.reward = loaded(reward)
        self.unjudged = checked(unjudged)
        self.__name__ = self.reward.label

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float]:
        """A batch: completions (texts or chats) and columns as in a TRL data set. Rows with equal `prompts` are a group."""
        return self.judge_columns(completions, **columns)[0]

    def one(self, completion: Any, *, prompt: Any = None, **row: Any) -> float:
        """One completion with the fields of its row."""
        return self([completion], prompts=[prompt], **{name: [value] for name, value in row.items()})[0]

    def judge_columns(self, completions: Sequence[Any], **columns: Any) -> tuple[list[float], list[Score]]:
        """The numbers and the scores they are computed from.

        Raises:
            UsageError: nothing could be judged, and a column that the reward needs is not there.
        """
        samples, scores = score_columns(self.reward, completions, columns)
        return values_of(self.reward, samples, scores, unjudged=self.unjudged), scores
