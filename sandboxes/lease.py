"""A batch of jobs: the boxes that it holds, and its cancellation."""

import threading
from concurrent.futures import CancelledError
from typing import Protocol

from sandboxes.connection import Box
from sandboxes.warm_boxes import WarmBoxes
from sandboxes.worker_threads import Rest

__all__ = ["Batch", "BoxLease"]


class Interruptible(Protocol):
    """What jobs run in: a box, or a connection to those who hold it."""

    def interrupt(self) -> None:
        """End the work from another thread."""


class Batch:
    """What its jobs run in now. `cancel` ends what runs and drops what waits."""

    def __init__(self) -> None:
        self.cancelled = False
        self._boxes: set[Interruptible] = set()
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """Interrupt the boxes, from any thread. Threads that use them get `BoxLost`."""
        with self._lock:
            self.cancelled = True
            for box in self._boxes:
                box.interrupt()

    def check(self) -> None:
        """Raise `CancelledError` if the batch was cancelled."""
        if self.cancelled:
            raise CancelledError

    def add(self, box: Interruptible) -> None:
        """Add a box that runs jobs of the batch."""
        with self._lock:
            if not self.cancelled:
                self._boxes.add(box)

    def discard(self, box: Interruptible) -> bool:
        """Remove a box that runs no more jobs of the batch. False if it was interrupted, or may have been."""
        with self._lock:
            self._boxes.discard(box)
            return not self.cancelled


class BoxLease:
    """A pool's boxes as one batch takes and gives them."""

    def __init__(self, pool: WarmBoxes, batch: Batch, meanwhile: Rest) -> None:
        self.pool = pool
        self.batch = batch
        self.meanwhile = meanwhile

    def take(self) -> Box:
        """A warm box."""
        box = self.pool.take(self.batch.check, self.meanwhile)
        self.batch.add(box)
        return box

    def swap(self, box: Box) -> Box:
        """A box that can start at once, or the same one."""
        if not self.batch.discard(box):
            return box
        other = self.pool.swap(box)
        self.batch.add(other)
        return other

    def give(self, box: Box) -> None:
        """Return it to the pool, unless the batch was cancelled."""
        if self.batch.discard(box):
            self.pool.give(box)
        else:
            self.pool.drop(box)

    def drop(self, box: Box, *, lost: bool = False) -> None:
        """Kill it."""
        wanted = self.batch.discard(box)
        self.pool.drop(box, lost=lost and wanted)
