"""Worker threads. Post-processing of one unit of work overlaps the run of the next one."""

import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["Rest", "Unit", "WorkerThreads", "nothing"]

Rest = Callable[[], None]
"""Post-processing of a unit, which needs no box."""
Unit = Callable[[Rest], Rest]
"""Does the part of its work that needs a box and returns the rest. It calls its argument, the rest of the unit before, once: while
it waits for its box, or at its end. It never raises."""


def nothing() -> None:
    """No post-processing."""


class WorkerThreads:
    """A pool of threads that take units from a queue."""

    def __init__(self, threads: int) -> None:
        self._line: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="sandbox")

    def submit(self, unit: Unit) -> None:
        """Queue a unit. It runs in this thread if the others have ended, or the system has none left."""
        self._line.put(unit)
        try:
            self._threads.submit(self._work)
        except RuntimeError:
            self._work()

    def close(self) -> None:
        """Wait for running units, then run the queued ones in this thread."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._work()

    def _work(self) -> None:
        """Run units until the queue is empty. Another thread may have taken the one that this thread was woken for."""
        rest = nothing
        while True:
            try:
                unit = self._line.get_nowait()
            except queue.Empty:
                break
            rest = unit(rest)
        rest()
