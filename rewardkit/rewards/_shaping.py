"""Bases of shaping wrappers: judge the outcome of the whole batch, then change the score of each sample."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from rewardkit.base import Explanation, Reward, take_functions
from rewardkit.grading import failure
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class OfOutcome(Reward):
    """A reward that changes the score of an outcome; subclasses write `reshape`."""

    needs: ClassVar[tuple[str, ...]] = ()
    row_wise: ClassVar[bool] = True

    outcome: Reward = field(kw_only=False)
    """The reward that judges the answer."""

    def __post_init__(self) -> None:
        take_functions(self, "outcome")

    @abstractmethod
    def reshape(self, sample: Sample, outcome: Score) -> Score:
        """The new score."""

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Score the outcome on the whole batch, then shape."""
        scores = self.outcome.score(samples)
        return [self.reshape(sample, score) for sample, score in zip(samples, scores, strict=True)]

    def explain(self, sample: Sample) -> Explanation:
        """The outcome, and how its value was changed."""
        child = self.outcome.explain(sample)
        score = self.reshape(sample, child.score)
        return Explanation(self.text, score, (score.reason,), (child,))


@dataclass(frozen=True, kw_only=True)
class Shaping(OfOutcome):
    """A reward that changes the value of an outcome. Verdict and answer are the outcome's; subclasses write `shape`."""

    @abstractmethod
    def shape(self, sample: Sample, outcome: Score) -> tuple[float, str]:
        """The new value, and why. Called for judged outcomes only.

        Raises:
            MissingDataError: the sample lacks a fact that the shape depends on.
        """

    def reshape(self, sample: Sample, outcome: Score) -> Score:
        """The outcome with its new value; unjudged if the shape cannot be computed."""
        parts: dict[str, float | None] = {self.outcome.label: outcome.value, **outcome.parts}
        if outcome.value is None:
            return replace(outcome, parts=parts)
        try:
            value, why = self.shape(sample, outcome)
            reason = f"{outcome.reason}; {why}" if outcome.reason else why
            return replace(outcome, value=value + 0.0, parts=parts, outcome=None, reason=reason)
        except Exception as error:  # noqa: BLE001 - the border of a row: what fails here is unjudged
            return replace(failure(error), parts=parts)
