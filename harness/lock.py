"""One run at a time in an output directory: a lock file that says who holds it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

from rewardkit.errors import UsageError

NAME = "run.lock"


@contextlib.contextmanager
def locked(directory: Path) -> Generator[None]:
    """Hold the directory, which is made where it is missing; one that is still empty at the end is removed again.

    The kernel's lock on the file counts, also between hosts on NFS 4, and ends with the process, also after kill -9. The file's content
    names the host and process for the one who comes second.

    Raises:
        UsageError: another run holds it, or it cannot be written.
    """
    made = [each for each in (directory, *directory.parents) if not each.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = _hold(directory / NAME)
    except OSError as error:
        raise UsageError(f"cannot write to -o {directory}: {error.strerror}") from None
    try:
        yield
    finally:
        (directory / NAME).unlink(missing_ok=True)
        os.close(file)
        with contextlib.suppress(OSError):
            for each in made:
                each.rmdir()  # fails where something was written


def _hold(path: Path) -> int:
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise UsageError(f"{path.parent} is in use by {_holder(path)}; wait for it or choose another -o") from None
        with contextlib.suppress(FileNotFoundError):
            if os.fstat(file).st_ino == path.stat().st_ino:
                break
        os.close(file)  # its holder removed it in between
    who = {"host": socket.gethostname(), "pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
    os.ftruncate(file, 0)
    os.pwrite(file, json.dumps(who).encode(), 0)
    return file


def _holder(path: Path) -> str:
    try:
        who = json.loads(path.read_text(encoding="utf-8"))
        return f"process {who['pid']} on {who['host']} since {who['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
