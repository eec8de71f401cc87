"""What a box inherits from the process that starts it, and its programs must not notice: no verdict may depend on that."""

import os
import signal
from resource import RLIM_INFINITY, RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_STACK, getrlimit, setrlimit

__all__ = ["shed"]

NEEDED = {"open files": (RLIMIT_NOFILE, 512), "stack": (RLIMIT_STACK, 8 << 20), "core file": (RLIMIT_CORE, 0)}
"""The soft limits of a box. Those of a program are its job's."""
OURS = {signal.SIGKILL, signal.SIGSTOP, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ}
"""Signals that cannot be handled, or that Python and the agent handle."""


def shed() -> None:
    """Start with the usual umask and limits, and with no signal blocked or ignored.

    Raises:
        OSError: a hard limit is too low for that.
    """
    os.umask(0o022)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - OURS:
        signal.signal(number, signal.SIG_DFL)
    for name, (kind, needed) in NEEDED.items():
        hard = getrlimit(kind)[1]
        if hard != RLIM_INFINITY and hard < needed:
            raise OSError(f"the hard limit ({name}) is {hard:,}; a box needs {needed:,}")
        setrlimit(kind, (needed, hard))
