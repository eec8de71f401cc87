"""A temporary directory that is removed with its process. If the process is killed, the next one finds the directory by its mark and removes it."""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import threading
import time
from pathlib import Path

__all__ = ["TempDir", "remove_abandoned", "socket_folder"]

PREFIX = "rewardkit-"
MARK = "owner"
EMPTY_S = 3600.0
MAX_SOCKET_PATH = 107
"""Bytes that a socket's path may have: Linux has room for one more, with which it ends."""
SOCKET_ROOM = 48
"""Of these, what may be needed below the folder for temporary files."""
OURS = (
    b"Made by rewardkit. Whoever made this directory holds a lock on this file, and it is removed once nobody does.\n"
)


class TempDir:
    """A new directory that only this user may enter. The kernel lets go of the lock on its mark when its owner ends, however it ends.

    A copy of the process that was forked while it was there holds the lock too.
    """

    def __init__(self, kind: str, *, for_socket: bool = False) -> None:
        place = socket_folder() if for_socket else None
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-", dir=place))  # 0700
        self._gone = threading.Lock()
        self._lock = -1
        try:
            self._lock = _mark(self.path)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Remove it with all that is in it. Idempotent, from any thread."""
        if self._gone.acquire(blocking=False):
            _remove(self.path)
            if self._lock >= 0:
                os.close(self._lock)


def socket_folder() -> str:
    """The folder for temporary files, or /tmp where its path leaves no room for that of a socket."""
    given = tempfile.gettempdir()
    return given if len(os.fsencode(given)) <= MAX_SOCKET_PATH - SOCKET_ROOM else "/tmp"  # noqa: S108 - what is made in it is this user's alone


def remove_abandoned() -> int:
    """Remove this user's directories of this kind whose owner was killed, and return their number. Others with such a name stay."""
    gone = 0
    places = map(Path, {tempfile.gettempdir(), socket_folder()})
    for folder in (found for place in places for found in place.glob(f"{PREFIX}*")):
        lock = _take_over(folder)
        if lock is not None:
            _remove(folder)
            os.close(lock)
        gone += lock is not None or _removed_empty(folder)
    return gone


def _remove(folder: Path) -> None:
    """Remove a directory, its mark last: whoever is killed here leaves one that is still known by it."""
    with contextlib.suppress(OSError):
        for inner in folder.iterdir():
            if inner.is_dir() and not inner.is_symlink():
                shutil.rmtree(inner, ignore_errors=True)
            elif inner.name != MARK:
                inner.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _removed_empty(folder: Path) -> bool:
    """Remove a directory that has lost its mark, or has had none for an hour, if nothing is in it."""
    with contextlib.suppress(OSError):
        found = folder.lstat()
        if (found.st_uid, found.st_mode) == (
            os.getuid(),
            stat.S_IFDIR | 0o700,
        ) and time.time() - found.st_mtime > EMPTY_S:
            folder.rmdir()
            return True
    return False


def _mark(folder: Path) -> int:
    """The mark, locked before it has its name: there is no moment at which it looks abandoned."""
    new = folder / f"{MARK}.new"
    lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(lock, OURS)
        new.rename(folder / MARK)
    except OSError:
        os.close(lock)
        raise
    return lock


def _take_over(folder: Path) -> int | None:
    """The lock of a directory that bears our mark and has no owner; None for any other."""
    options = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with contextlib.ExitStack() as stack:
        try:
            where = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            stack.callback(os.close, where)
            lock = os.open(MARK, options, dir_fd=where)
            release = stack.enter_context(contextlib.ExitStack())
            release.callback(os.close, lock)
            made_here = os.fstat(where).st_uid == os.fstat(lock).st_uid == os.getuid()
            if not (made_here and stat.S_ISREG(os.fstat(lock).st_mode) and os.read(lock, len(OURS) + 1) == OURS):
                return None
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return None
        release.pop_all()
        return lock
