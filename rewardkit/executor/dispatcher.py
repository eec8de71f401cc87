"""The dispatcher: work of a queue goes to idle workers, results go to their jobs, and lost workers are replaced."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.util import is_exiting

from rewardkit.executor.child import WorkerConfig
from rewardkit.executor.queue import Queue, Work
from rewardkit.executor.threads import Threads
from rewardkit.executor.worker import Worker, WorkerLostError

MAX_FAILURES = 3
"""A job fails after this many consecutive workers that did not start."""
PAUSE_S = 0.5
"""Seconds between two attempts to start a worker."""
LOOK_S = 0.05
"""How often rows under way are looked at: for their clocks, and for a caller who has left."""


class Dispatcher:
    """Up to `count` workers. Whoever brings work hands it to an idle one. All else is done by one thread or, where it is not
    `threaded`, by whoever calls `step`. Only what waits for a process to start or to end has a thread of its own.
    """

    def __init__(
        self,
        config: WorkerConfig,
        queue: Queue,
        *,
        count: int,
        warm: int,
        row_timeouts_s: Sequence[float],
        worker_rows: int,
        on_worker: Callable[[str, int], None] | None,
        threaded: bool,
    ) -> None:
        self._config, self._queue, self._warm = config, queue, warm > 0
        self._row_timeouts_s, self._worker_rows, self._on_worker = row_timeouts_s, worker_rows, on_worker
        self._look_s = min(LOOK_S, min(row_timeouts_s) / 4)
        self._next_look = 0.0
        self._stepping = threading.Lock()
        self._lock = threading.RLock()
        self._free = count
        """Workers that may be started."""
        self._idle: list[Worker] = []
        self._busy: dict[Worker, Work] = {}
        self._workers: set[Worker] = set()
        self._closed = self._awake = False
        self._selector = selectors.DefaultSelector()
        self._bell, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._threads = Threads()
        self._to_do: deque[Callable[[], None]] = deque()
        """For `step`, once a thread has done what comes before."""
        if threaded:
            self._threads.start(self._take_results, or_here=False)
        for _ in range(warm):
            self._free -= 1
            self._start(None)

    @property
    def pids(self) -> list[int]:
        """Process ids of the running workers."""
        with self._lock:
            return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def hand_out(self) -> None:
        """Give work to workers that have none."""
        with self._lock:
            while (self._idle or self._free) and not self._closed and (work := self._queue.next()) is not None:
                work.began = time.monotonic()
                fresh = any(unit.deaths for unit in work.units)  # what an earlier row did is not the fault of this one
                worker = next((one for one in reversed(self._idle) if not (fresh and one.rows)), None)
                if worker is not None:
                    self._idle.remove(worker)
                    self._begin(worker, work)
                elif self._free:
                    self._free -= 1
                    self._start(work)
                else:
                    self._end(self._idle.pop(0), lambda worker, work=work: self._replace(worker, "retired", work))

    def close(self) -> None:
        """End all processes. Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            workers = list(self._workers)
            self._ring()
        for worker in workers:
            worker.kill()
        self._threads.join()
        with self._stepping:
            for worker in list(self._workers):
                worker.close()
                self._workers.discard(worker)
            for one in (self._selector, self._bell, self._waker):
                one.close()

    def end(self) -> None:
        """`close`, wherever the last user lets go of it: within `step`, or where the garbage collector runs, whatever locks are held there."""
        if is_exiting():
            self.close()
        else:
            threading.Thread(target=self.close, daemon=True).start()

    def _ring(self) -> None:
        """Have `step` called."""
        with contextlib.suppress(BlockingIOError):  # it rings already
            self._waker.send(b"\0")

    def _begin(self, worker: Worker, work: Work) -> None:
        """Hand work to a worker that has none. Holds the lock."""
        job = work.job
        work.began, work.before_s = time.monotonic(), worker.cpu_s
        self._busy[worker] = work
        rows = [[job.rows[place] for place in unit.places] for unit in work.units]
        try:
            timeout_s = self._row_timeouts_s[job.reward]
            all_sent = worker.begin(job.reward, rows, row_timeout_s=timeout_s, budget_s=work.budget_s)
        except WorkerLostError as lost:
            self._lose(worker, lost)
            return
        if not all_sent:
            self._selector.modify(worker, selectors.EVENT_READ | selectors.EVENT_WRITE)
        if not self._awake:
            self._awake = True
            self._ring()

    def _take_results(self) -> None:
        """The thread."""
        while not self._closed:
            self.step(self._look_s if self._awake else None)

    def fileno(self) -> int:
        """Readable when there is something for `step`."""
        return self._selector.fileno()  # type: ignore[attr-defined]

    def wait(self) -> None:
        """Wait for a moment until there is something to do, and do it. Whoever waits beside may have done it, so nobody waits for long."""
        self.step(self._look_s)

    def step(self, timeout: float | None = 0) -> None:
        """Take the results that are there, and now and then look at the rows under way."""
        with self._stepping:
            if self._closed:
                return
            for key, events in self._selector.select(timeout):
                if isinstance(key.fileobj, Worker):
                    self._serve(key.fileobj, events)
                else:
                    self._bell.recv(64)
            while self._to_do:
                self._to_do.popleft()()
            if time.monotonic() >= self._next_look:
                self._look()

    def _serve(self, worker: Worker, events: int) -> None:
        """A worker has sent something, or takes more."""
        work = self._busy.get(worker)
        try:
            if events & selectors.EVENT_WRITE and worker.flush():
                self._selector.modify(worker, selectors.EVENT_READ)
            if work is not None:
                self._receive(worker, work)
                return
            with self._lock:
                if worker in self._idle:
                    raise worker.lost("the worker process died", None)
        except WorkerLostError as lost:
            self._lose(worker, lost)
        except Exception as error:  # noqa: BLE001 - handed to who waits for the job
            if work is not None:
                work.job.fail(error)
            self._lose(worker, worker.lost("its results could not be handed over", None, "left"))

    def _receive(self, worker: Worker, work: Work) -> None:
        while results := worker.receive():
            took = work.places[work.done : work.done + len(results)]
            work.done += len(results)
            work.job.deliver(took, results)
            for place in (place for place, result in zip(took, results, strict=True) if result is None):
                self._queue.put_off(work, next(unit for unit in work.units if unit.places == [place]))
            if work.done == len(work.places):
                self._finish(worker, work)
                return
            if not worker.has_more:
                return

    def _finish(self, worker: Worker, work: Work) -> None:
        work.cpu_s = worker.cpu_s - work.before_s
        with self._lock:
            del self._busy[worker]
            if worker.rows >= self._worker_rows or worker.has_grown or worker.has_more:
                self._end(worker, lambda worker: self._replace(worker, "retired", None))
            else:
                self._idle.append(worker)
            self._done(work)
            self.hand_out()

    def _done(self, work: Work) -> None:
        self._queue.done(work, time.monotonic() - work.began)

    def _look(self) -> None:
        """Stop rows that are late, slow, or awaited by nobody."""
        with self._lock:
            busy = list(self._busy.items())
            self._awake = bool(busy)
            now = time.monotonic()
            late_s, self._next_look = now - self._next_look, now + self._look_s
        for worker, work in busy:
            try:
                unit, seconds = worker.check(unseen_s=late_s if late_s > self._look_s else 0.0)
                if work.job.overdue:
                    raise worker.lost("the work was cancelled", unit, "left")
                if unit is not None and self._queue.stops(work, work.units[unit], seconds):
                    raise worker.lost("the row is slow", unit, "slow")
            except WorkerLostError as lost:
                self._lose(worker, lost)
        self.hand_out()

    def _lose(self, worker: Worker, lost: WorkerLostError) -> None:
        """A worker is gone, and so is what it was at."""
        with self._lock:
            if self._closed:
                return
            work = self._busy.pop(worker, None)
            if work is None:
                if worker not in self._idle:  # it was lost before
                    return
                self._idle.remove(worker)
            self._end(worker, lambda worker: self._bury(worker, work, lost))

    def _end(self, worker: Worker, then: Callable[[Worker], None]) -> None:
        """End the process of a worker, which takes a moment, and go on in `step`."""
        self._selector.unregister(worker)
        worker.kill()

        def end() -> None:
            worker.close()
            self._to_do.append(lambda: then(worker))
            self._ring()

        self._threads.start(end)

    def _bury(self, worker: Worker, work: Work | None, lost: WorkerLostError) -> None:
        """Settle what becomes of the work of a worker that was lost."""
        reason = f"{lost} (exit code {worker.exit_code()})" if lost.cause == "died" else str(lost)
        if work is not None:
            if lost.cause != "slow":
                work.blame(lost.unit if lost.cause == "timeout" else None, reason)
            self._done(work)
        self._replace(worker, "ended" if lost.cause == "left" else lost.cause, None)

    def _replace(self, worker: Worker, cause: str, work: Work | None) -> None:
        """Another worker for one that is gone, if there is work for it or workers are kept warm."""
        with self._lock:
            self._workers.discard(worker)
        self._tell(cause)
        if work is not None or self._warm:
            self._start(work)
        else:
            with self._lock:
                self._free += 1
        self.hand_out()

    def _start(self, work: Work | None) -> None:
        """Start a worker, which takes a while, and go on in `step`, with work if there is some for it."""

        def start() -> None:
            found = self._launch(1 if work is None else MAX_FAILURES)
            self._to_do.append(lambda: self._started(found, work))
            self._ring()

        self._threads.start(start)

    def _launch(self, tries: int) -> Worker | Exception:
        """A new worker, or why there is none."""
        while True:
            tries -= 1
            try:
                worker = Worker(self._config)
            except WorkerLostError as error:
                if not tries or self._closed:
                    return error
                time.sleep(PAUSE_S)
            except Exception as error:  # noqa: BLE001 - handed to who waits for the job
                return error
            else:
                with self._lock:
                    self._workers.add(worker)
                if self._closed:
                    worker.kill()
                return worker

    def _started(self, found: Worker | Exception, work: Work | None) -> None:
        with self._lock:
            if isinstance(found, Exception):
                self._free += 1
            else:
                self._selector.register(found, selectors.EVENT_READ)
                self._tell("")
                if work is None:
                    self._idle.append(found)
                else:
                    self._begin(found, work)
        if work is not None and isinstance(found, Exception):
            if isinstance(found, WorkerLostError):
                work.job.end(str(found))
            else:
                work.job.fail(found)
            self._done(work)
        self.hand_out()

    def _tell(self, cause: str) -> None:
        if self._on_worker is not None:
            self._on_worker(cause, len(self._workers))
