"""The executor: samples in, scores out, from worker processes that start once and are replaced when they are lost."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from rewardkit.base import Reward
from rewardkit.executor.child import WorkerConfig
from rewardkit.executor.units import default_row_timeout_s, groups_of, is_bounded, is_by_row, needs_sandbox
from rewardkit.executor.worker import Worker, WorkerLostError
from rewardkit.run import ScoreChunks, score_here
from rewardkit.types import Sample, Score

MEMORY_MB = 4_096
"""Address space of a worker whose reward runs no sandbox."""
MAX_DEATHS = 2
"""A row whose workers died so often is unjudged: once may have been somebody else's doing."""
WORKER_ROWS = 50_000
"""A worker is replaced after this many rows, so that what a judge leaks stays small."""
JOBS_AHEAD = 4
"""Batches that wait for each worker in `map`, so that one slow row keeps the others busy for a while."""
LEAVE_S = 1.0
"""Work that nobody waits for any more may go on so long before its process is killed."""


@dataclass
class Job:
    """Samples that are judged together, and their scores to come."""

    samples: Sequence[Sample]
    future: Future[list[Score]] = field(default_factory=Future[list[Score]])
    _left_at: float | None = None

    def scores(self) -> list[Score]:
        """The scores, in order, once they are all there."""
        return self.future.result()

    def cancel(self) -> None:
        """Nobody waits for these scores any more: what has not begun is dropped, what has is ended."""
        self._left_at = time.monotonic()
        self.future.cancel()

    @property
    def cancelled(self) -> bool:
        """Nobody waits for it."""
        return self._left_at is not None

    def overdue(self) -> bool:
        """Nobody has waited for it for a while."""
        return self._left_at is not None and time.monotonic() - self._left_at > LEAVE_S


class Executor:
    """Judges samples in `workers` processes. What a row does to its process costs that row alone.

    A row that takes longer than `row_timeout_s` is unjudged and its process killed. A row whose process dies is tried once
    more in a fresh one, then it is unjudged. Rows that the reward scores together (a group, or a batch of an async reward)
    share their clock; where their process is lost, they are tried again apart.
    """

    def __init__(
        self,
        reward: Reward,
        *,
        workers: int = 1,
        row_timeout_s: float | None = None,
        memory_mb: int | None = MEMORY_MB,
    ) -> None:
        self.row_timeout_s = default_row_timeout_s(reward) if row_timeout_s is None else row_timeout_s
        self._config = WorkerConfig(reward, None if needs_sandbox(reward) else memory_mb)
        self._by_row = is_by_row(reward)
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._workers: set[Worker] = set()
        self._closed = False
        self._ahead = workers * JOBS_AHEAD
        self._threads = [threading.Thread(target=self._serve, name=f"judge-{i}", daemon=True) for i in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, samples: Sequence[Sample]) -> Job:
        """Have samples judged; returns at once."""
        job = Job(list(samples))
        self._jobs.put(job)
        return job

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """The scores of samples, in order."""
        return self.submit(samples).scores()

    def map(self, batches: Iterable[Sequence[Sample]]) -> Iterator[list[Score]]:
        """The scores of each batch, in order, while the next ones are read and judged. Leaving it ends the work."""
        waiting: deque[Job] = deque()
        try:
            for batch in batches:
                waiting.append(self.submit(batch))
                while len(waiting) > self._ahead:
                    yield waiting.popleft().scores()
            while waiting:
                yield waiting.popleft().scores()
        finally:
            for job in waiting:
                job.cancel()

    @property
    def pids(self) -> list[int]:
        """The processes that are up."""
        with self._lock:
            return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def close(self) -> None:
        """End all work and all processes."""
        with self._lock:
            self._closed = True
            workers = list(self._workers)
        for worker in workers:
            worker.kill()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve(self) -> None:
        """A thread: one worker, job after job."""
        worker: Worker | None = None
        try:
            while (job := self._jobs.get()) is not None:
                if self._closed or not job.future.set_running_or_notify_cancel():
                    job.future.cancel()
                    continue
                try:
                    worker = self._judge(job, worker)
                except BaseException as error:  # noqa: BLE001 - handed to who waits for the job
                    job.future.set_exception(error)
        finally:
            self._drop(worker)

    def _judge(self, job: Job, worker: Worker | None) -> Worker | None:
        """Judge one job and give the worker that is left."""
        board = _Board(job.samples, by_row=self._by_row)
        while board.todo and not job.cancelled and not self._closed:
            units = list(board.todo) if self._by_row else [board.todo[0]]
            try:
                worker = worker or self._start()
                self._run(worker, job, units, board)
            except WorkerLostError as lost:
                self._drop(worker)
                worker = None
                board.blame(None if lost.unit is None else units[lost.unit], str(lost), final=lost.overran)
            if worker is not None and (worker.rows >= WORKER_ROWS or worker.has_grown):
                self._drop(worker)
                worker = None
        job.future.set_result(board.finish("the work was cancelled"))
        return worker

    def _run(self, worker: Worker, job: Job, units: list[list[int]], board: _Board) -> None:
        places = (place for unit in units for place in unit)
        samples = [[job.samples[place] for place in unit] for unit in units]
        for scores in worker.run(samples, row_timeout_s=self.row_timeout_s, left=lambda: self._closed or job.overdue()):
            for score in scores:
                board.scores[next(places)] = score
            board.tidy()

    def _start(self) -> Worker:
        worker = Worker(self._config)
        with self._lock:
            self._workers.add(worker)
        return worker

    def _drop(self, worker: Worker | None) -> None:
        if worker is not None:
            worker.close()
            with self._lock:
                self._workers.discard(worker)


def scorer(reward: Reward, *, workers: int = 0, row_timeout_s: float | None = None) -> ScoreChunks:
    """Scores batches in order, in `workers` processes. 0 chooses: this process for bounded rewards, else one worker."""
    if workers == 0 and is_bounded(reward):
        return score_here(reward)

    def score(batches: Iterable[list[Sample]]) -> Iterator[list[Score]]:
        with Executor(reward, workers=max(1, workers), row_timeout_s=row_timeout_s) as executor:
            yield from executor.map(batches)

    return score


class _Board:
    """What is known of one job: the scores that are in, and the units that are still to do."""

    def __init__(self, samples: Sequence[Sample], *, by_row: bool) -> None:
        self._samples = samples
        self.scores: list[Score | None] = [None] * len(samples)
        places = list(range(len(samples)))
        self.todo: deque[list[int]] = (
            deque([place] for place in places) if by_row else deque([places] if places else [])
        )
        self._deaths: Counter[int] = Counter()

    def tidy(self) -> None:
        """Strike the units whose scores are in. They come in order."""
        while self.todo and self.scores[self.todo[0][-1]] is not None:
            self.todo.popleft()

    def blame(self, unit: list[int] | None, reason: str, *, final: bool) -> None:
        """A worker was lost at a unit, or (None) before it began one. Groups in it are tried again apart, one that is alone once more."""
        self.tidy()
        place = next((index for index, other in enumerate(self.todo) if other is unit), None)
        if unit is None or place is None:
            self._deaths[-1] += 1
            if self._deaths[-1] > MAX_DEATHS:
                self.finish(reason)
                self.todo.clear()
            return
        del self.todo[place]
        parts = groups_of(self._samples, unit)
        self._deaths[unit[0]] += len(parts) == 1
        if len(parts) > 1:
            self.todo.extend(parts)
        elif final or self._deaths[unit[0]] >= MAX_DEATHS:
            for row in unit:
                self.scores[row] = Score.unjudged(reason)
        else:
            self.todo.append(unit)

    def finish(self, reason: str) -> list[Score]:
        """All scores; rows without one are unjudged for this reason."""
        self.scores = [score if score is not None else Score.unjudged(reason) for score in self.scores]
        return [score for score in self.scores if score is not None]
