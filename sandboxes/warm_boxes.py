"""Warm boxes: start them in advance, lend them, and replace those that are used up or dead."""

import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sandboxes.connection import Box, BoxLost
from sandboxes.errors import ENDS, SandboxError
from sandboxes.worker_threads import Rest, nothing

__all__ = ["WarmBoxes"]

MAX_RUNS = 20_000
"""Jobs before a box is replaced."""
CORES = os.cpu_count() or 1
START_ATTEMPTS = 3
MAX_START_ATTEMPTS = 50
"""With those in which someone on the host killed the box before it was up."""
DAEMON_RESTART_TIMEOUT_S = 60.0
"""How long jobs wait while the Docker daemon restarts, if boxes did start before: it is back in seconds, on a busy machine in
half a minute. After that each job fails at once, with the reason, until a box starts."""
POLL_S, FAST_POLL_S = 1.0, 0.1
"""Polling intervals of a thread that waits for a box; the fast one once recovery is unlikely."""


@dataclass
class Counters:
    """Counts for reports."""

    started: int = 0
    lost: int = 0


class WarmBoxes:
    """Boxes from `make`: up to `workers` in use, and `spares` more kept warm so that a replacement costs no wait."""

    def __init__(self, make: Callable[[], Box], *, workers: int, spares: int) -> None:
        self.make = make
        self.workers = workers
        self.spares = spares
        self.counters = Counters()
        self.closed = False
        self._idle: queue.LifoQueue[Box] = queue.LifoQueue()
        self._boxes: set[Box] = set()
        self._lock = threading.Lock()
        self._starting = 0
        self._in_use = 0
        self._failure: SandboxError | None = None
        """Why the last start failed; None if it did not."""
        self._ended = _closed()
        """Why no box can start any more."""
        self._failures = 0
        self._failing_since = 0.0
        self._starters = ThreadPoolExecutor(2, thread_name_prefix="sandbox-start")
        # one is there from now on, and does all the work if the system has no thread left for another
        self._starters.submit(nothing)

    def warm_up(self) -> None:
        """Start one box now, so that what is wrong here shows at once; the others come when they are needed.

        As they do it starts in a thread that stays: the kernel ends a plain process with the thread that started it.
        """
        with self._lock:
            self._starting += 1
        self._idle.put(self._starters.submit(self._start).result())

    def take(self, check: Callable[[], None], meanwhile: Rest = nothing) -> Box:
        """A warm box; starts one if none is idle and waits for it, after `meanwhile`, as long as `check` does not raise."""
        if self.closed:
            raise _closed()
        with self._lock:
            self._in_use += 1
            failures = self._failures
        try:
            self._fill()
            box = self._next_idle(0.0)
            while box is None:
                meanwhile()
                box = self._next_idle(POLL_S if self._can_recover() else FAST_POLL_S)
                if box is not None:
                    break
                check()
                if self._failures > failures and self._failure is not None and not self._can_recover():
                    raise self._failure
                if not self._fill():
                    raise _closed() if self.closed else self._ended
        except BaseException:
            with self._lock:
                self._in_use -= 1
            raise
        return box

    def _next_idle(self, wait_s: float) -> Box | None:
        """A live idle box; None after `wait_s` without one."""
        while True:
            try:
                box = self._idle.get(block=wait_s > 0, timeout=wait_s)
            except queue.Empty:
                return None
            if box.pipe.silent():
                return box
            with self._lock:
                self._in_use += 1
            self.drop(box, lost=True)  # it died while it was idle: no job's doing

    def _can_recover(self) -> bool:
        """True if boxes start, or did until recently."""
        if self._failure is None:
            return True
        return self.counters.started > 0 and time.monotonic() - self._failing_since < DAEMON_RESTART_TIMEOUT_S

    def swap(self, box: Box) -> Box:
        """An idle box in place of one that has just answered, and still has to fork for its next job; the same one if no
        core is free for that, or no box idle.
        """
        if 2 * self._in_use > CORES or _is_spent(box) or (other := self._next_idle(0.0)) is None:
            return box
        self._idle.put(box)
        return other

    def give(self, box: Box) -> None:
        """Hand a box back: to the idle ones if it is clean, else it is retired."""
        if _is_spent(box) or self.closed:
            self.drop(box, lost=False)
            return
        with self._lock:
            self._in_use -= 1
        self._idle.put(box)

    def drop(self, box: Box, *, lost: bool = False) -> None:
        """Kill a box; a fresh one takes its place."""
        with self._lock:
            self._in_use -= 1
            self._boxes.discard(box)
            self.counters.lost += lost
            queued = self._queue(box.close)
        if not queued:
            box.close()
        self._fill()

    def _fill(self) -> bool:
        """Start boxes until the ones in use and the spares are there. False if none can start any more."""
        with self._lock:
            wanted = min(self._in_use, self.workers) + self.spares
            while len(self._boxes) + self._starting < wanted:
                if not self._queue(self._start_one):
                    return False
                self._starting += 1
            return not self.closed

    def _queue(self, work: Callable[[], None]) -> bool:
        """Have a starter do the work; call it with the lock held. False if there is none: the pool is closed, or the interpreter ends."""
        if self.closed:
            return False
        try:
            self._starters.submit(work)
        except RuntimeError as error:
            if "can't start new thread" in str(error):  # the work is in the queue all the same
                return True
            self._ended = SandboxError(f"no box can start: {error}", cure=ENDS)
            return False
        return True

    def _start_one(self) -> None:
        try:
            box = self._start()
        except SandboxError as error:
            self._failed(error)
        except BaseException as error:  # noqa: BLE001  (the boundary of this thread: whoever waits for a box is told)
            problem = f"a box did not start ({type(error).__name__}: {error})"
            self._failed(SandboxError(problem, cure="see `rewardkit doctor`"))
        else:
            self._failure = None
            if self.closed:
                box.close()
            else:
                self._idle.put(box)

    def _failed(self, error: SandboxError) -> None:
        with self._lock:
            if self._failure is None:
                self._failing_since = time.monotonic()
            self._failure = error
            self._failures += 1

    def _start(self) -> Box:
        """A new box. It counts as starting until it is one of the boxes, or has failed; never as both, or one too few would be started."""
        try:
            box = self._make()
        except BaseException:
            with self._lock:
                self._starting -= 1
            raise
        with self._lock:
            self._starting -= 1
            self._boxes.add(box)
            self.counters.started += 1
        return box

    def _make(self) -> Box:
        failures: list[BoxLost] = []
        while not self.closed:
            try:
                return self.make()
            except BoxLost as lost:
                failures.append(lost)
                unexplained = sum(failure.cause != "outside" for failure in failures)
                if unexplained < START_ATTEMPTS and len(failures) < MAX_START_ATTEMPTS:
                    continue
                raise SandboxError(f"a box died at its start: {lost}", cure="see `rewardkit doctor`") from lost
        raise _closed()

    def close_boxes(self) -> bool:
        """Kill all boxes; False if that was done before."""
        with self._lock:
            if self.closed:
                return False
            self.closed = True
            boxes = list(self._boxes)
        for box in boxes:
            box.close()  # before the thread that started it ends, and so that what runs in it ends with it
        self._starters.shutdown(wait=True)
        for box in self._boxes.difference(boxes):
            box.close()
        return True


def _is_spent(box: Box) -> bool:
    return box.unclean is not None or box.oom_killed or box.runs >= MAX_RUNS


def _closed() -> SandboxError:
    return SandboxError("the sandbox is closed", cure="open a new one")
