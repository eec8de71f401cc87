"""Threads that work through units; what is left to do of one is done while the box works for the next."""

import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["Rest", "Unit", "WorkerThreads", "nothing"]

Rest = Callable[[], None]
"""What is left to do of a unit when its box is free again."""
Unit = Callable[[Rest], Rest]
"""Does its part that needs a box, and gives the rest. It calls what it is given, the rest of the unit before, once: while it
has to wait, or at its end. It never raises."""


def nothing() -> None:
    """Nothing is left."""


class WorkerThreads:
    """A pool of threads that take units from a queue."""

    def __init__(self, threads: int) -> None:
        self._line: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="sandbox")

    def submit(self, unit: Unit) -> None:
        """To be done after those that wait."""
        self._line.put(unit)
        self._threads.submit(self._work)

    def close(self) -> None:
        """Wait for what is under way, then do what waits, in this thread."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._work()

    def _work(self) -> None:
        """Go on until nobody waits. Another thread may have taken what this one was woken for."""
        rest = nothing
        while True:
            try:
                unit = self._line.get_nowait()
            except queue.Empty:
                break
            rest = unit(rest)
        rest()
