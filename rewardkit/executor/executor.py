"""The executor: rows in, results out, from worker processes that start once and are replaced when they are lost."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from multiprocessing.util import Finalize
from typing import Any, Generic, Self

from rewardkit.base import Reward
from rewardkit.executor.child import WorkerConfig
from rewardkit.executor.dispatcher import Dispatcher
from rewardkit.executor.job import CANCELLED, Job
from rewardkit.executor.queue import Queue
from rewardkit.executor.task import SAMPLES, Item, Result, Task
from rewardkit.executor.units import default_row_timeout_s, is_by_row, is_independent, needs_sandbox

MEMORY_MB = 4_096
"""Address space of a worker whose reward runs no sandbox."""
WORKER_ROWS = 50_000
"""A worker is replaced after this many rows, so that what a judge leaks stays small."""
JOBS_AHEAD = 2
"""Jobs queued per worker in `map`, so that the other workers stay busy while one row is slow."""
EXIT_PRIORITY = 100
"""Executors that are still open are closed at the end of the program, before `multiprocessing` waits for their processes: those of its
finalizers with a priority run then."""
STEP_ROWS = 64
"""Results that `map` gives at once, at most."""
JOB_ROWS = 2_048
"""Batches that wait for workers are joined to jobs of so many rows at most."""


class Executor(Generic[Item, Result]):
    """Judges rows in `workers` processes: samples, unless the task is another. What a row does to its process costs that row alone.

    A row that takes longer than `row_timeout_s` is unjudged and its process killed. A row whose process dies is tried again
    in a fresh one, a few times, then it is unjudged. Rows that the reward scores together (a group, or a batch of an async
    reward) share their clock; if their process is lost, they are tried again apart.

    The rows of a job are shared out among the workers, some milliseconds of work at once. With `chunk_rows`, a worker gets so many at once
    at most, and jobs and callers take turns by the time they cost; without, a job is done after the one before it. With `slow_workers`,
    there are this many processes more, and rows that take much longer than others hold no more than these while other rows come.

    A thread takes the results. Where that is not `threaded`, who waits for a job takes them; so may an event loop, which calls `step` when
    `fileno` is readable and every `LOOK_S`.
    """

    def __init__(
        self,
        reward: Reward | Sequence[Reward],
        *,
        workers: int = 1,
        row_timeout_s: float | Sequence[float] | None = None,
        memory_mb: int | None = None,
        chunk_rows: int | None = None,
        slow_workers: int = 0,
        worker_rows: int = WORKER_ROWS,
        setup: Callable[[], None] | None = None,
        warm: bool = False,
        task: Task[Item, Result] = SAMPLES,
        on_worker: Callable[[str, int], None] | None = None,
        threaded: bool = True,
    ) -> None:
        rewards = (reward,) if isinstance(reward, Reward) else tuple(reward)
        if row_timeout_s is None or isinstance(row_timeout_s, (int, float)):
            timeouts = [row_timeout_s or default_row_timeout_s(one) for one in rewards]
        else:
            timeouts = list(row_timeout_s)
        if memory_mb is None and not any(map(needs_sandbox, rewards)):
            memory_mb = MEMORY_MB
        self._by_row = [is_independent(one) if chunk_rows else is_by_row(one) for one in rewards]
        self._chunk_rows, self._count, self._task, self._threaded = chunk_rows, workers, task, threaded
        self._lock = threading.Lock()
        self._jobs: set[Job[Any]] = set()
        self._closed, self._owner = False, os.getpid()
        self._queue = Queue(
            workers=workers,
            slow_workers=slow_workers,
            chunk_of=partial(_chunk_of, [is_by_row(one) for one in rewards], chunk_rows),
            in_order=chunk_rows is None,
            programs=[place for place, one in enumerate(rewards) if needs_sandbox(one)],
        )
        self._dispatcher = Dispatcher(
            WorkerConfig(rewards, memory_mb, setup, task),
            self._queue,
            count=workers + slow_workers,
            warm=workers if warm else 0,
            row_timeouts_s=timeouts,
            worker_rows=worker_rows,
            on_worker=on_worker,
            threaded=threaded,
        )
        # One that nobody closed ends with its last user and job, or with the program. The dispatcher refers to it by its jobs alone.
        Finalize(self, self._dispatcher.end, exitpriority=EXIT_PRIORITY)

    def submit(
        self,
        rows: Sequence[Item | bytes],
        *,
        reward: int = 0,
        caller: str = "",
        on_scores: Callable[[Sequence[Result]], None] | None = None,
    ) -> Job[Result]:
        """Have rows judged, given as items or as their JSON; returns at once. `on_scores` is called with results as
        they come in, by whoever takes them or ends the job.

        Raises:
            RuntimeError: the executor is closed, or was made before a fork.
        """
        job = Job(
            [_one_line(row) if isinstance(row, bytes) else self._task.to_line(row) for row in rows],
            task=self._task,
            reward=reward,
            caller=caller,
            by_row=self._by_row[reward],
            unit_rows=self._chunk_rows,
            on_scores=on_scores,
            wait=None if self._threaded else self._dispatcher.wait,
        )
        if os.getpid() != self._owner:
            raise RuntimeError("the executor was made before this process was forked; make one in this process")
        with self._lock:
            if self._closed:
                raise RuntimeError("the executor is closed")
            self._jobs.add(job)
        job.executor = self  # until it is done
        job.future.add_done_callback(partial(_let_go, weakref.ref(job)))
        if rows:
            self._queue.put(job)
            self._dispatcher.hand_out()
        return job

    def score(self, rows: Sequence[Item | bytes]) -> list[Result]:
        """The results of rows, in order."""
        return self.submit(rows).result()

    def map(self, batches: Iterable[Sequence[Item | bytes]]) -> Iterator[list[Result]]:
        """The results of all rows, in order, some at a time as they come, while the next rows are read and judged. The rows of a
        batch are judged together if the reward asks for it. Leaving it ends the work.
        """
        jobs: deque[Job[Result]] = deque()
        try:
            for rows in self._joined(batches, jobs):
                jobs.append(self.submit(rows))
                while jobs and (jobs[0].over or len(jobs) > self._count * JOBS_AHEAD):
                    yield from self._in_order(jobs[0])
                    jobs.popleft()
            while jobs:
                yield from self._in_order(jobs[0])
                jobs.popleft()
        finally:
            for job in jobs:
                job.end()

    def _in_order(self, job: Job[Result]) -> Iterator[list[Result]]:
        """The results of a job, a few at a time: what the caller does with them keeps no worker waiting for its next rows."""
        for results in job.in_order():
            for start in range(0, len(results), STEP_ROWS):
                yield results[start : start + STEP_ROWS]
                if not self._threaded:
                    self.step()

    def _joined(
        self, batches: Iterable[Sequence[Item | bytes]], jobs: Collection[Job[Any]]
    ) -> Iterator[Sequence[Item | bytes]]:
        """Batches as they are; while rows wait for workers and are judged one by one, ever larger ones: each job costs time of its own."""
        rows: list[Item | bytes] = []
        least = 0
        for batch in batches:
            if not self._threaded:
                self.step()
            rows += batch
            if not self._by_row[0] or len(rows) >= least:
                least = 0 if all(job.over for job in jobs) else min(JOB_ROWS, 2 * len(rows))
                yield rows
                rows = []
        if rows:
            yield rows

    def fileno(self) -> int:
        """Readable when there is something for `step`."""
        return self._dispatcher.fileno()

    def step(self) -> None:
        """Take the results that are there, and end the rows that are late."""
        self._dispatcher.step()

    @property
    def pids(self) -> list[int]:
        """Process ids of the running workers."""
        return self._dispatcher.pids

    def cancel(self, reason: str = CANCELLED) -> None:
        """End all jobs: rows without a result are unjudged with this reason. `on_scores` is called here."""
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.end(reason)

    def close(self) -> None:
        """End all work and all processes. Idempotent; in a forked copy of this process, nothing."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            self._closed = True
        self.cancel()
        self._dispatcher.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def forget(self, job: Job[Any]) -> None:
        """A job is done."""
        with self._lock:
            self._jobs.discard(job)


def _let_go(job: weakref.ref[Job[Any]], _: object) -> None:
    """Drop the reference of a finished job to its executor: no reference cycle may keep that alive after its last user."""
    done = job()
    if done is not None and done.executor is not None:
        done.executor.forget(done)
        done.executor = None


def _chunk_of(by_row: Sequence[bool], chunk_rows: int | None, job: Job[Any]) -> int:
    """How many units of a job a worker gets at once, at most."""
    if job.by_row and not by_row[job.reward]:
        return 1
    return chunk_rows if chunk_rows is not None and job.by_row else len(job.rows)


def _one_line(row: bytes) -> bytes:
    """JSON without line breaks: between its values they are blanks, and within a text there can be none."""
    return row.replace(b"\n", b" ") if b"\n" in row else row
