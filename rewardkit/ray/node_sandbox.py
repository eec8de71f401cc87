"""One sandbox pool a node: the actors of a node share it, whichever of them holds it."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import stat
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

from rewardkit.errors import IncompleteError
from rewardkit.sandbox_pool.client import use_pool
from rewardkit.sandbox_pool.host import HostSupervisor

log = logging.getLogger("rewardkit")
RETRY_S = 1.0
"""Seconds until the pool is started again where that failed."""


class NodeSandbox:
    """A share in the pool behind `path`. The process that gets the lock of the folder holds the pool; when it ends, the next one does.

    What waits for facts while the holder changes is handed in again by the client. The holder removes the folder when it ends.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.path = _private(folder) / "socket"
        self.size = size
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._hold, name="node-sandbox", daemon=True)
        self._thread.start()

    @classmethod
    def of_actor(cls, ray: Any) -> NodeSandbox:
        """The share of this actor: as many programs run at once as its node has CPUs."""
        context = ray.get_runtime_context()
        node = context.get_node_id()
        cpus = next((entry["Resources"].get("CPU", 0) for entry in ray.nodes() if entry["NodeID"] == node), 0)
        own = f"rewardkit-ray-{os.getuid()}"
        folder = Path(tempfile.gettempdir(), f"{own}-{context.get_job_id()}-{node[:16]}")
        for other in folder.parent.glob(f"{own}-*"):  # of actors that were killed
            _remove_unheld(other)
        return cls(folder, max(1, int(cpus)))

    @property
    def setup(self) -> partial[None]:
        """What a judging process calls before its first row."""
        return partial(use_pool, str(self.path))

    def close(self) -> None:
        """Let another process hold the pool."""
        self._closed.set()

    def _hold(self) -> None:
        """In a thread that stays: the pool ends with the thread that started it."""
        lock = self._locked()
        try:
            while not self._closed.is_set():
                try:
                    self._hold_pool()
                except OSError as error:
                    log.warning("this node's sandboxes could not be started (%s); another attempt follows", error)
                    self._closed.wait(RETRY_S)
        finally:
            _remove(self.path.parent)
            os.close(lock)

    def _locked(self) -> int:
        """The lock of the folder, which is made again if the last holder has removed it."""
        while True:
            lock = os.open(_private(self.path.parent), os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock), self.path.parent.stat()):
                    return lock
            os.close(lock)

    def _hold_pool(self) -> None:
        with HostSupervisor(self.size) as host:
            link = self.path.with_name(f"socket.{os.getpid()}")
            with contextlib.suppress(FileNotFoundError):
                link.unlink()
            link.symlink_to(host.path)
            link.replace(self.path)
            self._closed.wait()


def _private(folder: Path) -> Path:
    """The folder, made if it is not there.

    Raises:
        IncompleteError: another user could reach into it.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise IncompleteError(f"{folder} belongs to another user; remove it")
    return folder


def _remove_unheld(folder: Path) -> None:
    """Remove the folder of a pool that no process holds or waits for."""
    with contextlib.suppress(OSError, IncompleteError):
        lock = os.open(_private(folder), os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(folder)
        finally:
            os.close(lock)


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for link in folder.glob("socket*"):
            link.unlink()
        folder.rmdir()
