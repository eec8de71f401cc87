"""The sandbox that the code rewards of one process share: opened at first use, closed when the process ends."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
from collections.abc import Callable, Generator

from rewardkit.executor import SANDBOX_VARIABLE
from rewardkit.processes import fork_safe_lock
from sandboxes.base import Isolation, Sandbox
from sandboxes.errors import SandboxError

RETRY_S = 5.0
"""After a sandbox could not be opened, rows are unjudged this long without another try."""

Key = tuple[int, str, Isolation | None, int | None]
Opener = Callable[[str, Isolation | None, int | None], Sandbox]

_lock = fork_safe_lock()
_open: dict[Key, Sandbox] = {}
_failed: dict[Key, tuple[float, SandboxError]] = {}
_override: list[Sandbox] = []
_elsewhere: list[Opener] = []


def shared_sandbox(name: str = "auto", *, require: Isolation | None = None, workers: int | None = None) -> Sandbox:
    """The sandbox of that name, one a process. The first time, a line on stderr says which one it is.

    Raises:
        SandboxError: none works here; the message ends with the cure.
    """
    if _override:
        return _override[-1]
    if name == "auto":
        name = os.environ.get(SANDBOX_VARIABLE) or name
    key: Key = (os.getpid(), name, require, workers)  # a forked child opens its own
    with _lock:
        if key in _open:
            return _open[key]
        failure = _failed.get(key)
        if failure is not None and time.monotonic() - failure[0] < RETRY_S and not _elsewhere:
            raise failure[1]
        try:
            sandbox = _start(name, require, workers)
        except SandboxError as error:
            _failed[key] = (time.monotonic(), error)
            _say(f"no sandbox: {error}")
            raise
        if not _open:
            atexit.register(close_all)
        _open[key] = sandbox
    if not _elsewhere:
        _say(describe(sandbox))
    return sandbox


def describe(sandbox: Sandbox) -> str:
    """One line about a sandbox: its name and isolation."""
    meaning = {
        "strong": "strong isolation",
        "weak": "WEAK isolation: a hostile program could reach more than its own files",
        "none": "NO isolation: programs run as plain processes of this user",
    }
    return f"code runs in sandbox {sandbox.name!r}: {meaning[sandbox.isolation]}"


def close_all() -> None:
    """Close what this process opened. Called at exit; later use opens anew."""
    with _lock:
        mine = [key for key in _open if key[0] == os.getpid()]
        closing = [_open.pop(key) for key in mine]
        _failed.clear()
    for sandbox in closing:
        sandbox.close()


@contextlib.contextmanager
def use_sandbox(sandbox: Sandbox) -> Generator[Sandbox]:
    """Make every code reward of this process run in `sandbox`, whatever it asks for: for tests and benchmarks."""
    _override.append(sandbox)
    try:
        yield sandbox
    finally:
        _override.remove(sandbox)


def hold_elsewhere(opener: Opener) -> None:
    """Let another process hold the sandboxes of this one: `opener` (name, required isolation, workers) stands in for opening."""
    _elsewhere[:] = [opener]


def _start(name: str, require: Isolation | None, workers: int | None) -> Sandbox:
    from sandboxes.registry import open_sandbox

    if _elsewhere:
        return _elsewhere[0](name, require, workers)
    return open_sandbox(name, require_isolation=require, workers=workers)


def _say(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # a stream that is full, broken or closed costs no verdict
        print(f"rewardkit: {line}", file=sys.stderr, flush=True)  # noqa: T201 - stderr is where messages go
