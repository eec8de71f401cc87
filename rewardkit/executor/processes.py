"""A process that ends with the one that started it."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(signum: int) -> None:
    """Get this signal when the parent ends. Of a fork server's child that is the fork server."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signum)


def die_with_parent(signum: int) -> None:
    """Get this signal when the parent ends, even if it has ended already. Call it after the signal's handler is set."""
    end_with_parent(signum)
    parent = multiprocessing.parent_process()
    if parent is not None and os.getppid() != parent.pid:
        os.kill(os.getpid(), signum)
