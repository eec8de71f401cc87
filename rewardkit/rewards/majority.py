"""The answer that most completions of the group give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import Reward
from rewardkit.errors import UsageError, quoted
from rewardkit.groups import by_group
from rewardkit.math import compare, extract
from rewardkit.types import Sample, Score, Verdict

MAX_ANSWERS = 200
"""Different answers of one group that are compared; later ones count as different."""


@dataclass(frozen=True, kw_only=True)
class Majority(Reward):
    """1 if the answer is the one that most completions of the group give, else 0. Needs no ground truth.

    Answers are equal as mathematics. A group is `group`, else the prompt; `least` answers are needed, and if the two most
    frequent answers tie, or there is no group, the samples are `unjudged`.
    """

    name: ClassVar[str] = "majority"
    version: ClassVar[int] = 6
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
            answers = [extract(samples[index].completion).answer for index in indices]
            unknown = (
                Score.unjudged("no group and no prompt: the other completions are not known") if key is None else None
            )
            for index, score in zip(indices, self._vote(answers), strict=True):
                scores[index] = unknown or score
        return [score for score in scores if score is not None]

    def _vote(self, answers: list[str | None]) -> list[Score]:
        classes: list[str] = []
        votes: list[int] = []
        own: list[int | None] = []
        for answer in answers:
            place = _class_of(answer, classes)
            if place == len(classes) and answer is not None:
                classes.append(answer)
                votes.append(0)
            if place is not None:
                votes[place] += 1
            own.append(place)
        if sum(votes) < self.least:
            return [Score.unjudged(f"{sum(votes)} answers in the group, {self.least} are needed")] * len(answers)
        most = max(votes)
        if votes.count(most) > 1:
            return [Score.unjudged(f"{votes.count(most)} answers tie with {most} votes")] * len(answers)
        winner = votes.index(most)
        return [
            self._score(answer, place == winner, classes[winner], most, sum(votes))
            for answer, place in zip(answers, own, strict=True)
        ]

    def _score(self, answer: str | None, won: bool, winner: str, most: int, total: int) -> Score:
        if answer is None:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no answer")
        return Score.of(won, answer=answer, reason=f"{most} of {total} answers are {quoted(winner)}")


def _class_of(answer: str | None, classes: list[str]) -> int | None:
    if answer is None or not answer.strip():
        return None
    for place, known in enumerate(classes):
        if known == answer or compare(known, answer).equal:
            return place
    return len(classes) if len(classes) < MAX_ANSWERS else None
