"""What all our processes share: they end with the one that started them, and read whole messages from each other."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import socket
import sys
import threading
import weakref
from collections.abc import Generator

_PR_SET_PDEATHSIG = 1


def die_with_parent(signum: int, *, parent_pid: int | None = None, is_fork_server: bool = False) -> None:
    """Get this signal when the parent ends, also where it has ended already. Call it once the signal's handler stands.

    `parent_pid` is needed where multiprocessing did not start the process. The parent of a process of a fork server `is_fork_server`: it is
    not the one that asked for the process.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signum)
    parent = multiprocessing.parent_process()
    parent_pid = parent_pid or (None if parent is None else parent.pid)
    if not is_fork_server and parent_pid is not None and os.getppid() != parent_pid:
        os.kill(os.getpid(), signum)


def fork_safe_lock() -> threading.Lock:
    """A lock that is free in a forked child, whoever held it in the parent."""
    lock = threading.Lock()
    _locks.add(lock)
    return lock


def _free_locks() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # type: ignore[attr-defined] # noqa: SLF001 - as Python does with its own


_locks: weakref.WeakSet[threading.Lock] = weakref.WeakSet()
os.register_at_fork(after_in_child=_free_locks)


def unblock_signals() -> None:
    """In a process of ours, unblock all signals: the thread that started it may have blocked the one that ends it."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@contextlib.contextmanager
def sigchld_unblocked() -> Generator[None]:
    """Unblock SIGCHLD in this thread. A fork server that is started without it never learns that its processes have ended."""
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def receive_exactly(sock: socket.socket, size: int) -> bytes:
    """Receive exactly `size` bytes.

    Raises:
        OSError, EOFError: the other side is gone.
    """
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = sock.recv_into(view)
        if not count:
            raise EOFError
        view = view[count:]
    return bytes(data)
