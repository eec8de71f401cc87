"""What happens in a fresh fork: take the descriptors and limits, run the program, leave like an interpreter would.

Everything here runs in the program's own process. Whatever it reports about itself is the program's claim; clocks, exit
status and output are taken by the agent from outside.
"""

import atexit
import builtins
import contextlib
import gc
import json
import marshal
import os
import resource
import signal
import sys
import threading
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from .calls import NODES, serve_calls
from .driver import drive
from .lockdown import set_dumpable

__all__ = ["Fds", "Plan", "run"]

NAME = "main.py"
MIB = 1 << 20
THREAD_STACK = 16 * MIB
ADDRESS_SLACK = 1 << 30
"""RLIMIT_AS counts reserved thread stacks; real memory is bounded by the box."""
RESULT_FD = 200


@dataclass(frozen=True)
class Fds:
    """Descriptors the child takes over; -1 where there is none."""

    stdin: int
    stdout: int
    stderr: int
    result: int
    program: int
    prelude: int = -1
    calls: int = -1
    code: int = -1


@dataclass(frozen=True)
class Plan:
    """What to run and inside which limits."""

    mode: str
    """script, calls or driver."""
    entry_point: str = ""
    argv: tuple[str, ...] = ()
    cpu_s: float = 5.0
    memory_mb: int = 512
    processes: int = 0
    file_bytes: int = 32 * MIB
    compiled: bool = False
    """`Fds.code` already holds the marshalled program."""
    skip: int = 0
    cwd: str = "/tmp"  # noqa: S108  (a mount of the box)
    address_mb: int = field(default=0)
    """Address space of the agent itself."""


def run(plan: Plan, fds: Fds) -> NoReturn:
    """Become the program. Never returns."""
    code = 70
    try:
        result = _take_over(plan, fds)
        code = _run(plan, fds, result)
    except BaseException:  # noqa: BLE001  (the boundary of the process: whatever comes ends it)
        traceback.print_exc()
    finally:
        os._exit(code)


def _take_over(plan: Plan, fds: Fds) -> int:
    os.setsid()
    result = RESULT_FD
    os.dup2(fds.result, result, inheritable=False)
    os.dup2(fds.stdin, 0)
    os.dup2(fds.stdout, 1)
    os.dup2(fds.stderr, 2)
    keep = sorted({fd for fd in (fds.program, fds.prelude, fds.calls, fds.code) if fd > 2} | {result})
    low = 3
    for fd in keep:
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, 4096)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _limit(plan)
    set_dumpable(True)  # for /dev/stdin and /proc/self/fd; the agent itself stays closed
    with contextlib.suppress(OSError), Path("/proc/self/oom_score_adj").open("wb", buffering=0) as score:
        score.write(b"1000")  # when memory runs out, the program goes first, not the agent
    os.chdir(plan.cwd)
    gc.enable()
    return result


def _limit(plan: Plan) -> None:
    address = (plan.memory_mb + plan.address_mb) * MIB + ADDRESS_SLACK
    bounds = [(resource.RLIMIT_AS, address), (resource.RLIMIT_FSIZE, plan.file_bytes), (resource.RLIMIT_NOFILE, 256)]
    if plan.mode == "script":
        bounds.append((resource.RLIMIT_CPU, int(plan.cpu_s) + 2))
    if plan.processes:
        bounds.append((resource.RLIMIT_NPROC, plan.processes + 1))
    for kind, bound in bounds:
        resource.setrlimit(kind, (bound, bound))


def _run(plan: Plan, fds: Fds, result: int) -> int:
    _open_streams()
    main = _main_module(plan)
    try:
        source, prelude = _read(fds.program), _read(fds.prelude)
        code = _compile(plan, fds, source)
        if plan.mode == "calls":
            main.__dict__.update(NODES)
        if prelude:
            exec(compile(prelude, "prelude.py", "exec"), main.__dict__)  # noqa: S102  (running programs is what this file is for)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        _report(result, {"c": _one_line(error)})
        return 1
    main.__dict__["__loader__"] = _Loader(source)
    inherited = dict(main.__dict__)
    for fd in (fds.program, fds.prelude, fds.code):
        if fd > 2:
            os.close(fd)
    try:
        if plan.mode == "driver":
            drive(code, main.__dict__, plan.entry_point, fds.calls, result)
        else:
            exec(code, main.__dict__)  # noqa: S102
            if plan.mode == "calls":
                serve_calls(main.__dict__, inherited, plan.entry_point, fds.calls, result, plan.skip)
        status = 0
    except SystemExit as error:
        status = _exit_status(error)
        if plan.mode != "script":
            _report(result, {"e": _one_line(error)})
    except BaseException as error:  # noqa: BLE001  (as the interpreter does: print it and end with 1)
        _report(result, {"e": _one_line(error)})
        _print_exception(error)
        status = 1
    return _shut_down(status)


def _open_streams() -> None:
    threading.stack_size(THREAD_STACK)
    options: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "closefd": False}
    sys.stdin = sys.__stdin__ = open(0, **options)  # noqa: SIM115  (they live as long as the program)
    sys.stdout = sys.__stdout__ = open(1, "w", **options)  # noqa: SIM115
    options["errors"] = "backslashreplace"
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, **options)  # noqa: SIM115


def _main_module(plan: Plan) -> types.ModuleType:
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __file__=f"{plan.cwd}/{NAME}", __annotations__={})
    sys.modules["__main__"] = main
    sys.argv = [NAME, *plan.argv]
    sys.path[:] = [plan.cwd, *(entry for entry in sys.path if entry not in ("", os.environ.get("PYTHONPATH")))]
    return main


class _Loader:
    """Gives tracebacks and `inspect` the source."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    def get_source(self, _name: str) -> str:
        return self.source.decode("utf-8", "replace")


def _read(fd: int) -> bytes:
    if fd < 0:
        return b""
    size = os.fstat(fd).st_size
    return os.pread(fd, size, 0) if size else b""


def _compile(plan: Plan, fds: Fds, source: bytes) -> types.CodeType:
    """Compile once a program; the marshalled code waits in a memfd for the next fork, before any of it has run."""
    if plan.compiled:
        return marshal.loads(_read(fds.code))  # noqa: S302  (written by this function)
    code = compile(source, NAME, "exec", dont_inherit=True)
    if fds.code > 2:
        os.pwrite(fds.code, marshal.dumps(code), 0)
        os.lseek(fds.code, 1, os.SEEK_SET)  # shared with the agent: the mark that it is complete
    return code


def _report(result: int, line: dict[str, Any]) -> None:
    os.write(result, json.dumps(line).encode() + b"\n")


def _one_line(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001  (a hostile __str__)
        text = ""
    name = type(error).__name__
    return " ".join(f"{name}: {text}".split())[:500] if text else name


def _print_exception(error: BaseException) -> None:
    try:
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, trace, limit=20)
    except BaseException:  # noqa: BLE001  (hostile __str__ or a closed stderr)
        return


def _exit_status(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return int(error.code) & 0xFF
    print(error.code, file=sys.stderr)  # noqa: T201
    return 1


def _shut_down(status: int) -> int:
    """Join threads, run exit handlers, flush: in the interpreter's order, with its exit code 120 for a failed flush."""
    for step in _last_steps():
        try:
            step()
        except BaseException as error:  # noqa: BLE001  (the interpreter prints these and goes on)
            _print_exception(error)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError, AttributeError):
            status = status or 120
    return status


def _last_steps() -> Iterator[Any]:
    yield getattr(threading, "_shutdown", lambda: None)
    yield getattr(atexit, "_run_exitfuncs", lambda: None)
