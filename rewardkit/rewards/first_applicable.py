"""The first reward that can judge a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from rewardkit.base import Explanation, Reward, as_reward
from rewardkit.errors import UsageError
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class FirstApplicable(Reward):
    """The score of the first reward that can judge a sample: `first_applicable([math, exact])`.

    Unjudged if all of them are. A wrong completion is judged, so the next reward is not tried.
    """

    name: ClassVar[str] = "first_applicable"
    source: ClassVar[str] = "rewardkit"
    needs: ClassVar[tuple[str, ...]] = ()
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True

    rewards: tuple[Reward, ...] = field(kw_only=False)
    """The rewards, in the order in which they are tried."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewards", tuple(map(as_reward, self.rewards)))
        if not self.rewards:
            raise UsageError("first_applicable needs a list with at least one reward: first_applicable([math, exact])")

    def needed_by(self, sample: Sample | None = None) -> frozenset[str]:  # noqa: ARG002 - for those that choose by sample
        """Nothing: what one reward lacks leaves the sample to the next."""
        return frozenset()

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Ask each reward about the samples that are still unjudged, in one batch."""
        scores: list[Score | None] = [None] * len(samples)
        left = list(range(len(samples)))
        for reward in self.rewards:
            for index, score in zip(left, reward.score([samples[index] for index in left]), strict=True):
                scores[index] = self._joined(reward, score, scores[index])
            left = [index for index in left if (score := scores[index]) is not None and score.value is None]
        return [score for score in scores if score is not None]

    def explain(self, sample: Sample) -> Explanation:
        """Each reward that was asked."""
        asked: list[Explanation] = []
        score: Score | None = None
        for reward in self.rewards:
            asked.append(reward.explain(sample))
            score = self._joined(reward, asked[-1].score, score)
            if score.value is not None:
                break
        last = score or Score.unjudged("nothing to ask")
        return Explanation(self.text, last, (f"{asked[-1].text} decides",), tuple(asked))

    def _joined(self, reward: Reward, score: Score, before: Score | None) -> Score:
        parts: dict[str, float | None] = {**(before.parts if before else {}), reward.label: score.value, **score.parts}
        reason = f"{reward.label}: {score.reason}"
        if score.value is None and before is not None:
            return Score.unjudged(f"{before.reason}; {reason}", parts=parts)
        return replace(score, parts=parts, reason=reason)
