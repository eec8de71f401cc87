"""The answer that most completions of the group give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from rewardkit.base import Reward
from rewardkit.errors import UsageError, quoted
from rewardkit.groups import by_group
from rewardkit.math import compare, extract
from rewardkit.types import Sample, Score, Verdict

MAX_ANSWERS = 200
"""So many of a group's different answers are compared with each other, the most frequent ones; the others with the winner alone."""


@dataclass(frozen=True, kw_only=True)
class Majority(Reward):
    """1 if the answer is the one that most completions of the group give, else 0. Needs no ground truth.

    An answer has the votes of all completions that are equal to it as mathematics, whatever their order: 5, 5 cm and 5 m are three votes
    for 5. A group is `group`, else the prompt; `least` answers are needed, and if two different answers have the most votes, or
    there is no group, the samples are `unjudged`.
    """

    name: ClassVar[str] = "majority"
    version: ClassVar[int] = 8
    source: ClassVar[str] = "TTRL (arXiv 2504.16084)"
    needs: ClassVar[tuple[str, ...]] = ("completion", "group")
    bounded: ClassVar[bool] = True

    least: int = 2
    """Completions with an answer that a group must have."""

    def __post_init__(self) -> None:
        if self.least < 1:
            raise UsageError(f"majority: least={self.least}: give 1 or more")

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Vote in each group."""
        scores: list[Score | None] = [None] * len(samples)
        for key, indices in by_group(samples).items():
            answers = [(extract(samples[index].completion).answer or "").strip() or None for index in indices]
            unknown = (
                Score.unjudged("no group and no prompt: the other completions are not known") if key is None else None
            )
            for index, score in zip(indices, self._vote(answers), strict=True):
                scores[index] = unknown or score
        return [score for score in scores if score is not None]

    def _vote(self, answers: list[str | None]) -> list[Score]:
        counts = Counter(answer for answer in answers if answer is not None)
        if counts.total() < self.least:
            return [Score.unjudged(f"{counts.total()} answers in the group, {self.least} are needed")] * len(answers)
        ranked = sorted(counts, key=lambda answer: (-counts[answer], answer))
        equal = {answer: {answer} for answer in ranked[:MAX_ANSWERS]}
        for one, other in combinations(equal, 2):
            if compare(one, other).equal:
                equal[one].add(other)
                equal[other].add(one)
        votes = {answer: sum(counts[other] for other in others) for answer, others in equal.items()}
        most = max(votes.values())
        first = [answer for answer in equal if votes[answer] == most]
        winner = next((answer for answer in first if equal[answer].issuperset(first)), None)
        if winner is None:
            return [Score.unjudged(f"{len(first)} answers tie with {most} votes")] * len(answers)
        right = equal[winner] | {answer for answer in ranked[MAX_ANSWERS:] if compare(winner, answer).equal}
        reason = f"{sum(counts[answer] for answer in right)} of {counts.total()} answers are {quoted(winner)}"
        return [
            Score.of(0, verdict=Verdict.NO_ANSWER, reason="no answer")
            if answer is None
            else Score.of(answer in right, answer=answer, reason=reason)
            for answer in answers
        ]
