"""The executor: rows in, results out, from worker processes that start once and are replaced when they are lost."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any, Generic, Self

from rewardkit.base import Reward
from rewardkit.errors import RewardkitError
from rewardkit.executor.child import WorkerConfig
from rewardkit.executor.job import Job
from rewardkit.executor.queue import Queue, Work
from rewardkit.executor.task import SAMPLES, Item, Result, Task
from rewardkit.executor.units import default_row_timeout_s, is_by_row, is_independent, needs_sandbox
from rewardkit.executor.worker import Order, Worker, WorkerLostError

MEMORY_MB = 4_096
"""Address space of a worker whose reward runs no sandbox."""
WORKER_ROWS = 50_000
"""A worker is replaced after this many rows, so that what a judge leaks stays small."""
JOBS_AHEAD = 2
"""Jobs queued per worker in `map`, so that the other workers stay busy while one row is slow."""
JOB_ROWS = 512
"""Batches that wait for workers are joined to jobs of so many rows at most."""
MAX_FAILURES = 3
"""A job fails after this many consecutive workers that did not start."""


class Executor(Generic[Item, Result]):
    """Judges rows in `workers` processes: samples, unless the task is another. What a row does to its process costs that row alone.

    A row that takes longer than `row_timeout_s` is unjudged and its process killed. A row whose process dies is tried again
    in a fresh one, a few times, then it is unjudged. Rows that the reward scores together (a group, or a batch of an async
    reward) share their clock; if their process is lost, they are tried again apart.

    The rows of a job are shared out among the workers, some milliseconds of work at once. With `chunk_rows`, a worker gets so many at once
    at most, and jobs and callers take turns by the time they cost; without, a job is done after the one before it. With `slow_workers`,
    there are this many processes more, and rows that take much longer than others hold no more than these while other rows come.
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
    ) -> None:
        rewards = (reward,) if isinstance(reward, Reward) else tuple(reward)
        if row_timeout_s is None or isinstance(row_timeout_s, (int, float)):
            timeouts = [row_timeout_s or default_row_timeout_s(one) for one in rewards]
        else:
            timeouts = list(row_timeout_s)
        self.row_timeouts_s = timeouts
        if memory_mb is None and not any(map(needs_sandbox, rewards)):
            memory_mb = MEMORY_MB
        self._config = WorkerConfig(rewards, memory_mb, setup, task)
        self._by_row = [is_independent(one) if chunk_rows else is_by_row(one) for one in rewards]
        self._one_by_one = [self._by_row[place] and not is_by_row(one) for place, one in enumerate(rewards)]
        self._chunk_rows, self._count, self._worker_rows = chunk_rows, workers, worker_rows
        self._on_worker, self._task, self._warm = on_worker, task, warm
        self._queue = Queue(
            workers=workers, slow_workers=slow_workers, chunk_of=self._chunk_of, in_order=chunk_rows is None
        )
        self._lock = threading.Lock()
        self._workers: set[Worker] = set()
        self._jobs: set[Job[Any]] = set()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, args=(warm and place < workers,), name=f"judge-{place}", daemon=True)
            for place in range(workers + slow_workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(
        self,
        rows: Sequence[Item | bytes],
        *,
        reward: int = 0,
        caller: str = "",
        on_scores: Callable[[Sequence[Result]], None] | None = None,
    ) -> Job[Result]:
        """Have rows judged, given as items or as their JSON; returns at once. `on_scores` is called from other threads with
        results as they come in.
        """
        job = Job(
            [_one_line(row) if isinstance(row, bytes) else self._task.to_line(row) for row in rows],
            task=self._task,
            reward=reward,
            caller=caller,
            by_row=self._by_row[reward],
            unit_rows=self._chunk_rows,
            on_scores=on_scores,
        )
        if rows:
            with self._lock:
                self._jobs.add(job)
            job.future.add_done_callback(lambda _: self._forget(job))
            self._queue.put(job)
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
                    yield from jobs[0].in_order()
                    jobs.popleft()
            while jobs:
                yield from jobs[0].in_order()
                jobs.popleft()
        finally:
            for job in jobs:
                job.end()

    def _joined(
        self, batches: Iterable[Sequence[Item | bytes]], jobs: Sequence[object]
    ) -> Iterator[Sequence[Item | bytes]]:
        """Batches as they are; while jobs wait and rows are judged one by one, larger ones: each job costs time of its own."""
        rows: list[Item | bytes] = []
        for batch in batches:
            rows += batch
            if not self._by_row[0] or len(rows) >= min(JOB_ROWS, len(batch) * (1 + len(jobs))):
                yield rows
                rows = []
        if rows:
            yield rows

    @property
    def pids(self) -> list[int]:
        """Process ids of the running workers."""
        with self._lock:
            return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def close(self) -> None:
        """End all work and all processes."""
        with self._lock:
            self._closed = True
            workers, jobs = list(self._workers), list(self._jobs)
        self._queue.close()
        for job in jobs:
            job.end()
        for worker in workers:
            worker.kill()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _forget(self, job: Job[Any]) -> None:
        with self._lock:
            self._jobs.discard(job)

    def _chunk_of(self, job: Job[Any]) -> int:
        """How many units of a job a worker gets at once, at most."""
        if self._one_by_one[job.reward]:
            return 1
        return self._chunk_rows if self._chunk_rows is not None and job.by_row else len(job.rows)

    def _serve(self, warm: bool) -> None:
        """A thread: one worker, work after work. A `warm` one starts it before it asks for work."""
        worker: Worker | None = None
        failures = 0
        try:
            while True:
                if warm and worker is None:
                    with contextlib.suppress(RewardkitError):  # whoever has work will see
                        worker = self._start()
                work = self._queue.take()
                if work is None:
                    return
                warm, since = self._warm, time.monotonic()
                try:
                    worker, ok = self._judge(work, worker)
                    failures = 0 if ok else failures + 1
                    if failures >= MAX_FAILURES:
                        work.job.end("the worker processes did not start")
                except Exception as error:  # noqa: BLE001 - handed to who waits for the job
                    work.job.fail(error)
                finally:
                    self._queue.done(work, time.monotonic() - (work.began or since))
        finally:
            self._drop(worker, "ended")

    def _judge(self, work: Work, worker: Worker | None) -> tuple[Worker | None, bool]:
        """Do some work; the worker that is left, and whether it got as far as to begin."""
        job, units = work.job, work.units
        if worker is not None and (not worker.is_alive or (worker.rows and any(unit.deaths for unit in units))):
            self._drop(worker, "retired" if worker.is_alive else "died")
            worker = (
                None  # a row that a worker died over is tried in a fresh one: what an earlier row did is not its fault
            )
        try:
            worker = worker or self._start()
            work.began = time.monotonic()
            places = (place for unit in units for place in unit.places)
            rows = [[job.rows[place] for place in unit.places] for unit in units]
            timeout_s = self.row_timeouts_s[job.reward]
            watch, before_s = partial(self._watch, work), worker.cpu_s
            for results in worker.run(job.reward, rows, row_timeout_s=timeout_s, budget_s=work.budget_s, watch=watch):
                took = list(islice(places, len(results)))
                job.deliver(took, results)
                for place in (place for place, result in zip(took, results, strict=True) if result is None):
                    self._queue.put_off(work, next(unit for unit in units if unit.places == [place]))
            work.cpu_s = worker.cpu_s - before_s
        except WorkerLostError as lost:
            if worker is None:
                job.put_back(units)
                return None, False
            self._drop(worker, "ended" if lost.cause == "left" else lost.cause)
            if lost.cause != "slow":
                self._blame(work, lost)
            return None, True
        if worker.rows >= self._worker_rows or worker.has_grown:
            self._drop(worker, "retired")
            worker = None
        return worker, True

    def _watch(self, work: Work, unit: int | None, seconds: float) -> Order:
        """Decide what to do with a worker that has spent `seconds` on a unit."""
        if work.job.overdue:
            return "end"
        return "put off" if unit is not None and self._queue.stops(work, work.units[unit], seconds) else "go on"

    def _blame(self, work: Work, lost: WorkerLostError) -> None:
        """Hand the units of a lost worker out again, but for the one that is to blame. That is known if its time ran out;
        a process may die later than the row that broke it, so that the others are tried again apart.
        """
        job, units = work.job, work.units
        late = lost.unit if lost.cause == "timeout" else None
        if late is not None or len(units) == 1:
            broken = units[late or 0]
            job.put_back(unit for unit in units if unit is not broken)
            job.broken(broken, str(lost), final=late is not None)
        else:
            job.put_back(units, apart=True)

    def _start(self) -> Worker:
        worker = Worker(self._config)
        with self._lock:
            self._workers.add(worker)
            alive, closed = len(self._workers), self._closed
        if closed:
            worker.kill()
        if self._on_worker is not None:
            self._on_worker("", alive)
        return worker

    def _drop(self, worker: Worker | None, cause: str) -> None:
        if worker is not None:
            worker.close()
            with self._lock:
                self._workers.discard(worker)
                alive = len(self._workers)
            if self._on_worker is not None:
                self._on_worker(cause, alive)


def _one_line(row: bytes) -> bytes:
    """JSON without line breaks: between its values they are blanks, and within a text there can be none."""
    return row.replace(b"\n", b" ") if b"\n" in row else row
