"""Programs in other languages than Python: a fresh fork sets its limits and becomes the program, or its compiler."""

import json
import os
import signal
from resource import (
    RLIMIT_AS,
    RLIMIT_CPU,
    RLIMIT_FSIZE,
    RLIMIT_NOFILE,
    RLIMIT_STACK,
    getrlimit,
)
from typing import NoReturn

from .limits import limit, limit_processes
from .receive import Order, mark, report

__all__ = ["execute"]

MIB = 1 << 20
PROGRAM_FD = 202
STACK = 512 * MIB
MAX_FILES = 256


def execute(order: Order, program: int, result: int) -> NoReturn:
    """Run the order's command. `program` is the file of its text, or of a binary, which is run from memory: the scratch mounts allow
    no execution. What `result` gets is the agent's own word, since the program does not inherit it.
    """
    _, name, argv, _, _, limits, *_, command = order
    line, environment, needs = command or ((), {}, [])
    cwd = os.getcwd()  # noqa: PTH109
    path = os.environ.get("PATH", os.defpath)
    missing = [tool for tool in needs if not any(os.access(f"{folder}/{tool}", os.X_OK) for folder in path.split(":"))]
    if missing:
        mark(program, 1)
        os.write(result, json.dumps({"missing": missing}).encode() + b"\n")
        os._exit(127)
    if name:
        _write(name, program)
    else:
        os.dup2(program, PROGRAM_FD, inheritable=False)
    _limit(limits)
    mark(program, 1)
    os.closerange(3, result)
    os.closerange(PROGRAM_FD + 1, 4096)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them
    report(1)
    variables = {"PATH": path, "HOME": cwd, "TMPDIR": cwd, "LANG": "C.UTF-8", **environment}
    if line:
        os.execvpe(line[0], [*line, *argv], variables)  # noqa: S606  (that is what it is for)
    os.execve(f"/proc/self/fd/{PROGRAM_FD}", ["./main", *argv], variables)  # noqa: S606


def _write(name: str, program: int) -> None:
    with open(name, "xb") as file:  # noqa: PTH123
        file.write(os.pread(program, os.fstat(program).st_size, 0))


def _limit(limits: tuple[float, ...]) -> None:
    cpu_s, _, _, _, memory_mb, processes, file_bytes, *_ = limits
    limit(RLIMIT_STACK, STACK, hard=getrlimit(RLIMIT_STACK)[1])
    limit(RLIMIT_FSIZE, int(file_bytes))
    limit(RLIMIT_NOFILE, MAX_FILES)
    limit(RLIMIT_CPU, int(cpu_s) + 2)
    if memory_mb:
        limit(RLIMIT_AS, (int(memory_mb) + STACK // MIB) * MIB)
    if processes:
        limit_processes(int(processes))
