"""A term that may be missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from rewardkit.base import Explanation, Reward, take_functions
from rewardkit.errors import UsageError
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class Optional(Reward):
    """The reward if it can judge, `default` if it cannot: a sum then stays judged, as in TRL, which leaves None out.

    Without it one unjudged term leaves the whole sum unjudged. Meant for shaping terms, never for the outcome.
    """

    name: ClassVar[str] = "optional"
    source: ClassVar[str] = "TRL GRPOTrainer: a None reward is left out of the weighted sum"
    needs: ClassVar[tuple[str, ...]] = ()
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True

    reward: Reward = field(kw_only=False)
    """The reward that may be unable to judge."""
    default: float = 0.0
    """Value where it cannot."""

    def __post_init__(self) -> None:
        take_functions(self, "reward")
        if not math.isfinite(self.default):
            raise UsageError(f"optional: default={self.default}: give a finite number")

    def needed_by(self, sample: Sample | None = None) -> frozenset[str]:  # noqa: ARG002 - for those that choose by sample
        """Nothing: what it lacks leaves the default."""
        return frozenset()

    @property
    def label(self) -> str:
        """The label of the reward."""
        return self.reward.label

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Replace unjudged scores by the default."""
        return [self._filled(score) for score in self.reward.score(samples)]

    def explain(self, sample: Sample) -> Explanation:
        """The reward, and whether it was left out."""
        child = self.reward.explain(sample)
        score = self._filled(child.score)
        return Explanation(self.text, score, (score.reason,), (child,))

    def _filled(self, score: Score) -> Score:
        if score.value is not None:
            return score
        reason = f"left out ({self.default:g}): {score.reason}"
        return replace(score, value=self.default, verdict=Verdict.NO_ANSWER, reason=reason)
