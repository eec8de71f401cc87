"""How many processes and threads a run may have. The kernel counts them by user, so those of others may count, too."""

from resource import RLIM_INFINITY, RLIMIT_NPROC, getrlimit, setrlimit

__all__ = ["limit_processes", "share_user"]

OURS = 2
"""Forker and supervisor."""
SPARE = 1_000
"""Room for what others start later, where the user is shared."""
_others: list[int] = []


def share_user() -> None:
    """The user of this box has other processes: it has neither a user nor a namespace of its own. Called once, so that all runs see one limit."""
    with open("/proc/loadavg", "rb") as file:  # noqa: PTH123  (pathlib is heavy)
        _others.append(int(file.read().split()[3].split(b"/")[1]) + SPARE)


def limit_processes(processes: int) -> None:
    """Limit this process and what it starts; with a shared user only so far that a program cannot fill the machine."""
    most = processes + OURS + sum(_others)
    hard = getrlimit(RLIMIT_NPROC)[1] if _others else RLIM_INFINITY
    most = most if hard == RLIM_INFINITY else min(most, hard)
    setrlimit(RLIMIT_NPROC, (most, most))
