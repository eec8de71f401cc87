"""One sandbox pool a node: the actors of a node share it, whichever of them holds it."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

from rewardkit.errors import IncompleteError, UsageError
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
        os.close(_opened(folder))
        self.path = folder / "socket"
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
        lock = _locked(self.path.parent)
        try:
            while not self._closed.is_set():
                try:
                    self._hold_pool()
                except (OSError, UsageError) as error:
                    log.warning("this node's sandboxes could not be started (%s); another attempt follows", error)
                    self._closed.wait(RETRY_S)
        finally:
            _remove(self.path.parent)
            os.close(lock)

    def _hold_pool(self) -> None:
        with HostSupervisor(self.size) as host:
            link = self.path.with_name(f"socket.{os.getpid()}")
            with contextlib.suppress(FileNotFoundError):
                link.unlink()
            link.symlink_to(host.path)
            link.replace(self.path)
            self._closed.wait()


def _opened(folder: Path) -> int:
    """A descriptor of the folder, made if it is not there. Others may remove it at any moment.

    Raises:
        IncompleteError: another user could reach into it.
    """
    while True:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        try:
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _not_private(folder) from error
        found = os.fstat(opened)
        if found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return opened
        os.close(opened)
        raise _not_private(folder)


def _not_private(folder: Path) -> IncompleteError:
    return IncompleteError(f"{folder} belongs to another user; remove it")


def _locked(folder: Path, flags: int = 0) -> int:
    """The lock of the folder that has this name now; it is made again if the last holder has removed it.

    Raises:
        BlockingIOError: another process has the lock, and `flags` says not to wait.
    """
    while True:
        lock = _opened(folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | flags)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock), folder.lstat()):
                    return lock
        except OSError:
            os.close(lock)
            raise
        os.close(lock)


def _remove_unheld(folder: Path) -> None:
    """Remove the folder of a pool that no process holds or waits for."""
    with contextlib.suppress(OSError, IncompleteError):
        lock = _locked(folder, fcntl.LOCK_NB)
        try:
            _remove(folder)
        finally:
            os.close(lock)


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for link in folder.glob("socket*"):
            link.unlink()
        folder.rmdir()
