"""What a box inherits from the process that starts it. Its programs must not notice, since no verdict may depend on that."""

import os
import signal
from resource import RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_STACK, getrlimit

from .limits import limit

__all__ = ["reset"]

SOFT_LIMITS = {RLIMIT_NOFILE: 512, RLIMIT_STACK: 8 << 20, RLIMIT_CORE: 0}
"""Those of a box, before a job sets its own."""
OURS = {signal.SIGKILL, signal.SIGSTOP, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ}
"""Signals that cannot be handled, or that Python and the agent handle."""


def reset() -> None:
    """Set the usual umask and limits; block and ignore no signal.

    Raises:
        ValueError: a hard limit of the caller is too low for that.
    """
    os.umask(0o022)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - OURS:
        signal.signal(number, signal.SIG_DFL)
    for kind, soft in SOFT_LIMITS.items():
        limit(kind, soft, hard=getrlimit(kind)[1])
