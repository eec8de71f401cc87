"""Threads that end by themselves, and whose owner can wait for that."""

import threading
from collections.abc import Callable


class Threads:
    """The threads of one owner."""

    def __init__(self) -> None:
        self._running: set[threading.Thread] = set()

    def start(self, function: Callable[[], None], *, or_here: bool = True) -> None:
        """Call it in a thread, or here if none can start: the system has none left, or the interpreter ends.

        Raises:
            RuntimeError: none can start, and it may not be called here.
        """

        def run() -> None:
            try:
                function()
            finally:
                self._running.discard(thread)

        thread = threading.Thread(target=run, name="judge", daemon=True)
        self._running.add(thread)
        try:
            thread.start()
        except RuntimeError:
            self._running.discard(thread)
            if not or_here:
                raise
            function()

    def join(self) -> None:
        """Wait until all have ended, those too that are started meanwhile."""
        while running := list(self._running):
            for thread in running:
                thread.join()
