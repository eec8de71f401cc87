"""Score chunks in worker processes that can be killed: a hung or dead worker costs a row, never a run."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from pebble import ProcessExpired, ProcessPool

from rewardkit.base import Reward, walk
from rewardkit.grading import score_batch
from rewardkit.run import ScoreChunks
from rewardkit.types import Sample, Score

ROW_TIMEOUT_S = 60.0
"""A row that keeps a worker longer than this is unjudged, and the worker is replaced."""
SANDBOX_ROW_TIMEOUT_S = 1800.0
"""The same for rewards that run code: their sandbox has limits of its own, and many tests take their time."""
_CHUNKS_AHEAD = 2
_reward: Reward | None = None


def score_in_pool(reward: Reward, workers: int, *, row_timeout_s: float | None = None) -> ScoreChunks:
    """Score in `workers` spawned processes. Chunks come back in order, with at most two a worker in flight."""
    if row_timeout_s is None:
        row_timeout_s = default_row_timeout_s(reward)

    def score(batches: Iterable[list[Sample]]) -> Iterator[list[Score]]:
        context: Any = multiprocessing.get_context("spawn")
        pool = ProcessPool(max_workers=workers, initializer=_start, initargs=[reward], context=context)
        waiting: deque[tuple[list[Sample], Any]] = deque()
        try:
            for batch in batches:
                waiting.append((batch, pool.schedule(_score, [batch], timeout=row_timeout_s * 2)))
                if len(waiting) > workers * _CHUNKS_AHEAD:
                    yield _result(pool, *waiting.popleft(), row_timeout_s)
            while waiting:
                yield _result(pool, *waiting.popleft(), row_timeout_s)
            pool.close()
        finally:
            pool.stop()
            pool.join()

    return score


class ChunkPool:
    """Worker processes that stay up between calls of `score`: for a service or an actor that scores again and again."""

    def __init__(self, reward: Reward, workers: int, *, row_timeout_s: float | None = None) -> None:
        self._row_timeout_s = row_timeout_s or default_row_timeout_s(reward)
        context: Any = multiprocessing.get_context("spawn")
        self._pool: Any = ProcessPool(max_workers=workers, initializer=_start, initargs=[reward], context=context)

    def score(self, chunks: Sequence[list[Sample]]) -> list[list[Score]]:
        """The scores of each chunk, in order."""
        futures = [self._pool.schedule(_score, [chunk], timeout=self._row_timeout_s * 2) for chunk in chunks]
        pairs = zip(chunks, futures, strict=True)
        return [_result(self._pool, chunk, future, self._row_timeout_s) for chunk, future in pairs]

    def close(self) -> None:
        """End the processes."""
        self._pool.stop()
        self._pool.join()


def default_row_timeout_s(reward: Reward) -> float:
    """How long one row may take."""
    return SANDBOX_ROW_TIMEOUT_S if any("sandbox" in r.needs for r in walk(reward)) else ROW_TIMEOUT_S


def _start(reward: Reward) -> None:
    global _reward  # noqa: PLW0603 - one reward a worker process, set once
    _reward = reward


def _score(batch: list[Sample]) -> list[Score]:
    assert _reward is not None
    return score_batch(_reward.score, batch)


def _result(pool: Any, batch: list[Sample], future: Any, row_timeout_s: float) -> list[Score]:
    """The scores of a chunk. Where it broke, its rows are tried again one by one, so that one row pays for itself."""
    try:
        return future.result()
    except (FutureTimeoutError, ProcessExpired):
        return [_alone(pool, sample, row_timeout_s) for sample in batch]


def _alone(pool: Any, sample: Sample, row_timeout_s: float) -> Score:
    try:
        return pool.schedule(_score, [[sample]], timeout=row_timeout_s).result()[0]
    except FutureTimeoutError:
        return Score.unjudged(f"no verdict within {row_timeout_s:g} s; the worker was killed")
    except ProcessExpired as error:
        return Score.unjudged(f"the worker process died (exit code {error.exitcode})")
