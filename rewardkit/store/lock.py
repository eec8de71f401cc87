"""A lock file beside a file that is being written, with the host and process that hold it."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import fcntl
import json
import os
import socket
from collections.abc import Generator
from pathlib import Path
from typing import Any, Self

from rewardkit.errors import UsageError
from rewardkit.store.files import json_object, refuse_url

_ATTEMPTS = 100
"""How often a lock that is released at the same moment is asked for again."""


class LockedError(UsageError):
    """Another run writes the file."""


class FileLock:
    """An exclusive lock on an output: `NAME.lock` beside it, made with O_EXCL, which also works over NFS, and flock if it works.

    A lock that a dead process of this host left is taken over. One of another host is refused, since whether that process
    lives cannot be seen from here.
    """

    def __init__(self, target: Path, path: Path | None = None) -> None:
        self.target = target
        self.path = path or target.with_name(target.name + ".lock")
        self._descriptor: int | None = None

    def acquire(self) -> Self:
        """Take the lock, or say who holds it.

        Raises:
            LockedError: another process holds it.
            UsageError: the lock file cannot be written.
        """
        try:
            return self.take()
        except OSError as error:
            raise UsageError(f"cannot write {self.path}: {error.strerror or error}") from None

    def take(self) -> Self:
        """`acquire`, with the system's own errors where the lock file cannot be written."""
        for _ in range(_ATTEMPTS):
            if self._try():
                return self
        raise LockedError(f"{self.target} is being written by other runs")

    def release(self) -> None:
        """Release the lock."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            if _is_at(descriptor, self.path):
                self.path.unlink(missing_ok=True)
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self.acquire()

    def __exit__(self, *_error: object) -> None:
        self.release()

    def _try(self) -> bool:
        """True if the lock is ours now; False if it went away while we looked."""
        flags = os.O_RDWR | os.O_CLOEXEC
        try:
            descriptor, fresh = os.open(self.path, flags | os.O_CREAT | os.O_EXCL, 0o644), True
        except FileExistsError:
            try:
                descriptor, fresh = os.open(self.path, flags), False
            except FileNotFoundError:
                return False
        try:
            locked = flock(descriptor)
            if locked is not False and not _is_at(descriptor, self.path):
                return False
            holder = {} if fresh else json_object(os.pread(descriptor, 4096, 0)) or {}
            if locked is False or not (fresh or _is_stale(holder, flock_works=locked is True)):
                raise self._refusal(holder)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(_me()).encode(), 0)
            self._descriptor, descriptor = descriptor, -1
            return True
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _refusal(self, holder: dict[str, Any]) -> LockedError:
        who = f"process {holder.get('pid', '?')} on {holder.get('host', '?')}, since {holder.get('since', '?')}"
        cure = "wait for it, or write elsewhere"
        if holder.get("host") != socket.gethostname():
            cure += f". If that process is dead, remove {self.path}"
        return LockedError(f"{self.target} is being written by another run ({who}); {cure}")


@contextlib.contextmanager
def locked_folder(folder: Path) -> Generator[None]:
    """Hold a folder that a run writes. It is made where it is missing, and removed again where it is still empty at the end.

    Raises:
        LockedError: another process holds it.
        UsageError: it is a URL, or cannot be written.
    """
    refuse_url(folder)
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        lock = lock_in(folder)
        try:
            yield
        finally:
            lock.release()
    finally:
        with contextlib.suppress(OSError):
            for each in made:
                each.rmdir()  # fails where something was written


def lock_in(folder: Path) -> FileLock:
    """The lock of a folder, which is made where it is missing: other runs that end may remove it, or its parents, at any moment.

    Raises:
        LockedError: another process holds it.
        UsageError: it cannot be written.
    """
    lock = FileLock(folder, folder / "run.lock")
    for attempt in range(_ATTEMPTS):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return lock.take()
        except OSError as error:
            last = attempt == _ATTEMPTS - 1
            if last or not isinstance(error, (FileNotFoundError, FileExistsError)):
                raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    raise AssertionError


def flock(descriptor: int) -> bool | None:
    """Lock an open file for as long as it is open: True if it is ours, False if it is another's, None if the
    file system cannot lock.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in {errno.EAGAIN, errno.EACCES} else None
    return True


def _me() -> dict[str, Any]:
    since = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return {"host": socket.gethostname(), "pid": os.getpid(), "since": since}


def _is_stale(holder: dict[str, Any], *, flock_works: bool) -> bool:
    """Whether the process that made a lock is dead. With flock it is, once we could lock the file that it kept locked."""
    if not holder:  # it died before it could say its name
        return flock_works
    if holder.get("host") != socket.gethostname():
        return False
    return flock_works or not _is_alive(holder.get("pid"))


def _is_alive(pid: object) -> bool:
    try:
        os.kill(pid if isinstance(pid, int) else 0, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        pass
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is still the one that its path names."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
