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
from typing import Any, NoReturn

from .calls import NODES, serve_calls
from .driver import drive
from .intake import Gate, Intake, receive, report
from .wire import Closed

__all__ = ["BODY_CAP", "CLOSED", "prepare", "run"]

NAME = "main.py"
MIB = 1 << 20
THREAD_STACK = 16 * MIB
ADDRESS_SLACK = 1 << 30
"""RLIMIT_AS counts reserved thread stacks; real memory is bounded by the box."""
RESULT_FD = 200
MAX_FILES = 256
BODY_CAP = 64 * MIB
"""Most bytes of stdout, of stderr and of results that are kept of one run, whatever the job asks for."""
CLOSED = 75
"""Exit status of a fork that the host hung up on before it had a job."""


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


def run(gate: Gate, cwd: str) -> NoReturn:
    """Wait for a job, become its program. Never returns."""
    global _own_handlers  # noqa: PLW0603  (this process is a copy; what the agent registered is not the program's)
    code = 70
    try:
        os.setsid()
        os.close(gate.sink)
        _own_handlers = _handlers()
        job = receive(gate)
        report(job, gate.talk)
        _take_over(job, gate, cwd)
        code = _run(job)
    except Closed:
        code = CLOSED
    except BaseException:  # noqa: BLE001  (the boundary of the process: whatever comes ends it)
        traceback.print_exc()
    finally:
        os._exit(code)


def _take_over(job: Intake, gate: Gate, cwd: str) -> None:
    os.dup2(gate.result if job.mode == "calls" else gate.talk, RESULT_FD, inheritable=False)
    os.dup2(job.stdin, 0)
    os.dup2(gate.stdout, 1)
    os.dup2(gate.stderr, 2)
    low = 3
    for fd in sorted({*job.program, *job.prelude, job.calls if isinstance(job.calls, int) else -1, RESULT_FD}):
        if fd >= low:
            os.closerange(low, fd)
            low = fd + 1
    os.closerange(low, 4096)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    limits = job.limits
    address = (limits["memory_mb"] + job.address_mb) * MIB + ADDRESS_SLACK
    file_bytes = max(limits["file_bytes"], 2 * BODY_CAP) if job.mode == "calls" else limits["file_bytes"]
    resource.setrlimit(resource.RLIMIT_AS, (address, address))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_FILES, MAX_FILES))
    if job.mode == "script":
        seconds = int(limits["cpu_s"]) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if limits["processes"]:
        resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"] + 1, limits["processes"] + 1))
    os.chdir(cwd)


def _run(job: Intake) -> int:
    calls = job.mode in ("calls", "session")
    sys.modules["__main__"] = _main
    sys.argv = [NAME, *job.header["argv"]]
    names = _main.__dict__
    try:
        code = _compiled(*job.program, NAME)
        if calls:
            # not "__main__": what a program does when it is run as a script is not asked for here
            names.update(NODES, __name__="solution")
            sys.modules["solution"] = _main
        prelude = _compiled(*job.prelude, "prelude.py") if job.prelude[0] > 2 else None
        source = _read(job.program[0])
        for fd in (*job.program, *job.prelude):
            if fd > 2:
                os.close(fd)
        if prelude is not None:
            exec(prelude, names)  # noqa: S102  (running programs is what this file is for)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        _report({"c": _one_line(error)})
        return 1
    names["__loader__"] = _Loader(source)
    inherited = dict(names) if calls else {}
    entry_point: str = job.header["entry_point"]
    try:
        if job.mode == "driver":
            drive(code, names, entry_point, job.calls, RESULT_FD)
        else:
            exec(code, names)  # noqa: S102
            if calls:
                serve_calls(
                    names,
                    inherited,
                    entry_point,
                    job.calls,
                    RESULT_FD,
                    skip=job.header["skip"],
                    value_bytes=job.limits["output_bytes"],
                )
        status = 0
    except SystemExit as error:
        status = _exit_status(error)
        if job.mode != "script":
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
