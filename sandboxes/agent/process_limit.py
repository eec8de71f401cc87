"""How many processes and threads a run may have. The kernel counts them by user, so those of others may count, too."""

from resource import RLIM_INFINITY, RLIMIT_NPROC, getrlimit, setrlimit

__all__ = ["limit_processes", "share_user"]

OURS = 2
"""Forker and supervisor."""
SPARE = 1_000
"""Room for what others start during a run, where the user is shared."""
_shared: list[bool] = []


def share_user() -> None:
    """The user of this box has other processes: it has neither a user nor a namespace of its own."""
    _shared.append(True)


def limit_processes(processes: int) -> None:
    """Limit this process and what it starts; with a shared user only so far that a program cannot fill the machine."""
    if not _shared:
        setrlimit(RLIMIT_NPROC, (processes + OURS, processes + OURS))
        return
    with open("/proc/loadavg", "rb") as file:  # noqa: PTH123  (pathlib is heavy, and each fork would pay)
        tasks = int(file.read().split()[3].split(b"/")[1])
    hard = getrlimit(RLIMIT_NPROC)[1]
    most = tasks + processes + OURS + SPARE
    most = most if hard == RLIM_INFINITY else min(most, hard)
    setrlimit(RLIMIT_NPROC, (most, most))
