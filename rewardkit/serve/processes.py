"""A process that ends with the one that started it."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(signum: int) -> None:
    """Get this signal when the parent ends, also if it has ended already. Call it once the signal's handler stands."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signum)
    parent = multiprocessing.parent_process()
    if parent is not None and os.getppid() != parent.pid:
        os.kill(os.getpid(), signum)
