"""Judge completions through a reward's public `score`, in a worker that can be killed if the reward may not bound itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from rewardkit.base import Reward
from rewardkit.executor import executor_for, is_bounded, needs_sandbox
from rewardkit.types import Sample, Score

CHUNK_ROWS = 16
ROW_TIMEOUT_S = 3.0
"""A completion that keeps the user's reward busy for longer is unjudged, which the findings count."""


class Judge:
    """Scores samples and counts them. Close it, or use it in a `with` block."""

    def __init__(self, reward: Reward, *, workers: int = 0, row_timeout_s: float | None = None) -> None:
        self.reward = reward
        self.judged = 0
        if row_timeout_s is None and not needs_sandbox(reward) and not is_bounded(reward):
            row_timeout_s = ROW_TIMEOUT_S
        self._executor = executor_for(reward, workers=workers, row_timeout_s=row_timeout_s)

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """One score a sample, in order."""
        self.judged += len(samples)
        chunks = [list(samples[start : start + CHUNK_ROWS]) for start in range(0, len(samples), CHUNK_ROWS)]
        return [score for scores in self._executor.map(chunks) for score in scores]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._executor.close()
