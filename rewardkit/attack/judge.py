"""Judge completions through a reward's public `score`, in a worker that can be killed if the reward may not bound itself."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rewardkit.base import Reward
from rewardkit.executor import Executor, is_bounded, needs_sandbox
from rewardkit.grading import score_batch
from rewardkit.types import Sample, Score

CHUNK_ROWS = 16
ROW_TIMEOUT_S = 3.0
"""A completion that keeps the user's reward busy for longer is unjudged, which the findings count."""


class Judge:
    """Scores samples and counts them. Close it, or use it in a `with` block."""

    def __init__(self, reward: Reward, *, workers: int = 0, row_timeout_s: float | None = None) -> None:
        self.reward = reward
        self.judged = 0
        wanted = workers or int(not is_bounded(reward))
        if row_timeout_s is None and not needs_sandbox(reward):
            row_timeout_s = ROW_TIMEOUT_S
        self._executor = Executor(reward, workers=wanted, row_timeout_s=row_timeout_s) if wanted else None

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """One score a sample, in order."""
        self.judged += len(samples)
        if self._executor is None:
            return score_batch(self.reward.score, samples)
        chunks = [list(samples[start : start + CHUNK_ROWS]) for start in range(0, len(samples), CHUNK_ROWS)]
        return [score for scores in self._executor.map(chunks) for score in scores]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._executor is not None:
            self._executor.close()
