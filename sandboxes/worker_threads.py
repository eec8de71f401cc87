"""Worker threads. Post-processing of one unit of work overlaps the run of the next one."""

import contextlib
import queue
import threading
from collections.abc import Callable

__all__ = ["Rest", "Unit", "WorkerThreads", "nothing"]

Rest = Callable[[], None]
"""Post-processing of a unit, which needs no box."""
Unit = Callable[[Rest], Rest]
"""Does the part of its work that needs a box and returns the rest. It calls its argument, the rest of the unit before, once: while
it waits for its box, or at its end. It never raises."""


def nothing() -> None:
    """No post-processing."""


class WorkerThreads:
    """A pool of threads that take units from a queue. The interpreter does not wait for them at its end: `close` does."""

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._line: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        self._wake: queue.SimpleQueue[bool] = queue.SimpleQueue()
        """A `True` for each unit in the line, a `False` for each thread that is to end."""
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._lock = threading.Lock()

    def submit(self, unit: Unit) -> None:
        """Queue a unit. It runs in this thread if the others have ended, or the system has none to start the first."""
        self._line.put(unit)
        with self._lock:
            if not self._closed:
                self._wake.put(True)
                if len(self._threads) >= self._most:
                    return
                thread = threading.Thread(target=self._serve, name=f"sandbox_{len(self._threads)}", daemon=True)
                with contextlib.suppress(RuntimeError):
                    thread.start()
                    self._threads.append(thread)
                if self._threads:
                    return
        self._work()

    def close(self) -> None:
        """Wait for running units, then run the queued ones in this thread."""
        with self._lock:
            self._closed = True
            for _ in self._threads:
                self._wake.put(False)
        for thread in self._threads:
            thread.join()
        self._work()

    def _serve(self) -> None:
        while self._wake.get():
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
