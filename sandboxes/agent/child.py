"""What happens in a fresh fork: take the descriptors and limits, run the program, leave like an interpreter would.

Everything here runs in the program's own process. Whatever it reports about itself is the program's claim; clocks, exit
status and output are taken by the agent from outside. Each memory page that is touched here is copied once a run, and that is
most of what a run costs: hence `prepare`, once in the agent, and few and low-level calls afterwards.
"""

import _thread
import atexit
import builtins
import importlib
import json
import marshal
import os
import resource
import sys
import threading
import traceback
import types
from dataclasses import dataclass
from typing import Any, NoReturn

from .calls import NODES, serve_calls
from .driver import drive

__all__ = ["Fds", "Plan", "prepare", "run"]

NAME = "main.py"
MIB = 1 << 20
THREAD_STACK = 16 * MIB
ADDRESS_SLACK = 1 << 30
"""RLIMIT_AS counts reserved thread stacks; real memory is bounded by the box."""
RESULT_FD = 200
MAX_FILES = 256


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
    prelude_code: int = -1


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
    value_bytes: int = 16 * MIB
    skip: int = 0
    cwd: str = "/tmp"  # noqa: S108  (a mount of the box)
    address_mb: int = 0
    """Address space of the agent itself."""


def prepare(cwd: str) -> None:
    """In the agent, once: the streams and the `__main__` module that every fork will find ready.

    Streams look at their descriptor when they are made, so 0 is a regular file then and 1 and 2 are pipes, as in a run.
    """
    threading.stack_size(THREAD_STACK)
    regular = os.memfd_create("stdin", os.MFD_CLOEXEC)
    read, write = os.pipe2(os.O_CLOEXEC)
    for fd, stand_in in ((0, regular), (1, write), (2, write)):
        os.dup2(stand_in, fd)
    options: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "closefd": False}
    sys.stdin = sys.__stdin__ = open(0, **options)  # noqa: SIM115  (they live as long as the process)
    sys.stdout = sys.__stdout__ = open(1, "w", **options)  # noqa: SIM115
    options["errors"] = "backslashreplace"
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, **options)  # noqa: SIM115
    for fd in (regular, read, write):
        os.close(fd)
    _main.__dict__.update(__builtins__=builtins, __file__=f"{cwd}/{NAME}", __annotations__={})
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    sys.path[:] = [cwd, *(entry for entry in sys.path if entry not in ("", ours))]
    os.environ.pop("PYTHONPATH", None)


_signal: Any = importlib.import_module("_signal")  # without the enum conversions of `signal`
_main = types.ModuleType("__main__")
_handlers = getattr(atexit, "_ncallbacks", lambda: -1)
_own_handlers = 0


def run(plan: Plan, fds: Fds) -> NoReturn:
    """Become the program. Never returns."""
    global _own_handlers  # noqa: PLW0603  (this process is a copy; what the agent registered is not the program's)
    code = 70
    try:
        _own_handlers = _handlers()
        _take_over(plan, fds)
        code = _run(plan, fds)
    except BaseException:  # noqa: BLE001  (the boundary of the process: whatever comes ends it)
        traceback.print_exc()
    finally:
        os._exit(code)


def _take_over(plan: Plan, fds: Fds) -> None:
    os.setsid()
    os.dup2(fds.result, RESULT_FD, inheritable=False)
    os.dup2(fds.stdin, 0)
    os.dup2(fds.stdout, 1)
    os.dup2(fds.stderr, 2)
    low = 3
    for fd in sorted({fds.program, fds.prelude, fds.calls, fds.code, fds.prelude_code, RESULT_FD}):
        if fd >= low:
            os.closerange(low, fd)
            low = fd + 1
    os.closerange(low, 4096)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    address = (plan.memory_mb + plan.address_mb) * MIB + ADDRESS_SLACK
    resource.setrlimit(resource.RLIMIT_AS, (address, address))
    resource.setrlimit(resource.RLIMIT_FSIZE, (plan.file_bytes, plan.file_bytes))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_FILES, MAX_FILES))
    if plan.mode == "script":
        seconds = int(plan.cpu_s) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if plan.processes:
        resource.setrlimit(resource.RLIMIT_NPROC, (plan.processes + 1, plan.processes + 1))
    os.chdir(plan.cwd)


def _run(plan: Plan, fds: Fds) -> int:
    sys.modules["__main__"] = _main
    sys.argv = [NAME, *plan.argv]
    names = _main.__dict__
    try:
        code = _compiled(fds.program, fds.code, NAME)
        if plan.mode == "calls":
            # not "__main__": what a program does when it is run as a script is not asked for here
            names.update(NODES, __name__="solution")
            sys.modules["solution"] = _main
        prelude = _compiled(fds.prelude, fds.prelude_code, "prelude.py") if fds.prelude > 2 else None
        source = _read(fds.program)
        for fd in (fds.program, fds.prelude, fds.code, fds.prelude_code):
            if fd > 2:
                os.close(fd)
        if prelude is not None:
            exec(prelude, names)  # noqa: S102  (running programs is what this file is for)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        _report({"c": _one_line(error)})
        return 1
    names["__loader__"] = _Loader(source)
    inherited = dict(names) if plan.mode == "calls" else {}
    try:
        if plan.mode == "driver":
            drive(code, names, plan.entry_point, fds.calls, RESULT_FD)
        else:
            exec(code, names)  # noqa: S102
            if plan.mode == "calls":
                serve_calls(
                    names,
                    inherited,
                    plan.entry_point,
                    fds.calls,
                    RESULT_FD,
                    skip=plan.skip,
                    value_bytes=plan.value_bytes,
                )
        status = 0
    except SystemExit as error:
        status = _exit_status(error)
        if plan.mode != "script":
            _report({"e": _one_line(error)})
    except BaseException as error:  # noqa: BLE001  (as the interpreter does: print it and end with 1)
        _report({"e": _one_line(error)})
        _print_exception(error)
        status = 1
    return _shut_down(status)


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


def _compiled(source: int, code: int, name: str) -> types.CodeType:
    """Compile once a text; the marshalled code waits in a memfd for the next fork, written before any of it has run.

    The offset of that memfd, shared by all forks, is 1 once it is complete.
    """
    if os.lseek(code, 0, os.SEEK_CUR) == 1:
        return marshal.loads(_read(code))  # noqa: S302  (written by this function)
    found = compile(_read(source), name, "exec", dont_inherit=True)
    os.pwrite(code, marshal.dumps(found), 0)
    os.lseek(code, 1, os.SEEK_SET)
    return found


def _report(line: dict[str, Any]) -> None:
    os.write(RESULT_FD, json.dumps(line).encode() + b"\n")


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
    if getattr(_thread, "_count", lambda: 1)():
        _try(getattr(threading, "_shutdown", None))
    if _handlers() != _own_handlers:
        _try(getattr(atexit, "_run_exitfuncs", None))
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError, AttributeError):
            status = status or 120
    return status


def _try(step: Any) -> None:
    try:
        if step is not None:
            step()
    except BaseException as error:  # noqa: BLE001  (the interpreter prints these and goes on)
        _print_exception(error)
