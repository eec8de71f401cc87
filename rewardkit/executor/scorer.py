"""Score batches in order: in this process, or in workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rewardkit.base import Reward
from rewardkit.executor.executor import Executor
from rewardkit.executor.units import is_bounded
from rewardkit.grading import score_batch
from rewardkit.types import Sample, Score

ScoreChunks = Callable[[Iterable[list[Sample]]], Iterator[list[Score]]]
"""Scores chunks in order: here, in workers, or on Ray."""


def scorer(reward: Reward, *, workers: int = 0, row_timeout_s: float | None = None) -> ScoreChunks:
    """Scores batches in order, in `workers` processes. 0 chooses: this process for bounded rewards, else one worker."""
    if workers == 0 and is_bounded(reward):
        return score_here(reward)

    def score(batches: Iterable[list[Sample]]) -> Iterator[list[Score]]:
        with Executor(reward, workers=max(1, workers), row_timeout_s=row_timeout_s) as executor:
            yield from executor.map(batches)

    return score


def score_here(reward: Reward) -> ScoreChunks:
    """Score in this process."""

    def score(batches: Iterable[list[Sample]]) -> Iterator[list[Score]]:
        for batch in batches:
            yield score_batch(reward.score, batch)

    return score
