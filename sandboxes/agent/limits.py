"""The kernel's limits of a run. Processes and threads are counted by user, so those of others may count, too."""

from resource import (
    RLIM_INFINITY,
    RLIMIT_AS,
    RLIMIT_CORE,
    RLIMIT_CPU,
    RLIMIT_FSIZE,
    RLIMIT_NOFILE,
    RLIMIT_NPROC,
    RLIMIT_STACK,
    getrlimit,
    setrlimit,
)

__all__ = ["limit", "limit_processes", "share_user"]

NAMES = {
    RLIMIT_AS: "memory",
    RLIMIT_CORE: "core file",
    RLIMIT_CPU: "CPU time",
    RLIMIT_FSIZE: "file size",
    RLIMIT_NOFILE: "open files",
    RLIMIT_STACK: "stack",
}

OURS = 2
"""Forker and supervisor."""
SPARE = 1_000
"""Room for what others start later, where the user is shared."""
_others: list[int] = []


def limit(kind: int, most: int, *, hard: int | None = None) -> None:
    """Limit this process and what it starts, which may raise the limit again up to `hard`.

    Raises:
        ValueError: the caller's hard limit is lower.
    """
    try:
        setrlimit(kind, (most, most if hard is None else hard))
    except ValueError:
        found = getrlimit(kind)[1]
        raise ValueError(f"the hard limit of {NAMES[kind]} is {found:,} here; {most:,} is needed") from None


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
