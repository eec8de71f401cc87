"""A batch of jobs: the boxes that it holds, and its cancellation."""

import threading
from concurrent.futures import CancelledError

from sandboxes.connection import Box
from sandboxes.warm_boxes import WarmBoxes
from sandboxes.worker_threads import Rest

__all__ = ["Batch", "BoxLease"]


class Batch:
    """The boxes that its jobs are in now. `cancel` ends what runs and drops what waits."""

    def __init__(self) -> None:
        self.cancelled = False
        self._boxes: set[Box] = set()
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """From any thread. Whoever uses a box of this batch finds it lost."""
        with self._lock:
            self.cancelled = True
            for box in self._boxes:
                box.interrupt()

    def check(self) -> None:
        """Raise `CancelledError` if nobody waits for the results any more."""
        if self.cancelled:
            raise CancelledError

    def add(self, box: Box) -> None:
        """A box works for this batch from now on."""
        with self._lock:
            if not self.cancelled:
                self._boxes.add(box)

    def discard(self, box: Box) -> bool:
        """It does no more. False if it was interrupted, or may have been."""
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
        """A box that is readier, or the same."""
        if not self.batch.discard(box):
            return box
        other = self.pool.swap(box)
        self.batch.add(other)
        return other

    def give(self, box: Box) -> None:
        """Hand it back, unless the batch was cancelled meanwhile."""
        if self.batch.discard(box):
            self.pool.give(box)
        else:
            self.pool.drop(box)

    def drop(self, box: Box, *, lost: bool = False) -> None:
        """It is of no more use."""
        wanted = self.batch.discard(box)
        self.pool.drop(box, lost=lost and wanted)
