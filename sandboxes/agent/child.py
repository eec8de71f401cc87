"""What happens in a fresh fork: take the descriptors and limits, run the program, leave like an interpreter would.

Everything here runs in the program's own process. Whatever it reports about itself is the program's claim; clocks, exit
status and output are taken by the supervisor from outside. Each memory page that is touched here is copied once a run, and that is
most of what a run costs: hence `prepare`, once in the forker, and few and low-level calls afterwards, by names of this module (to
look into another module is two pages more).
"""

import _thread
import atexit
import builtins
import contextlib
import gc
import importlib
import io
import json
import marshal
import os
import random
import sys
import threading
import traceback
import types
from collections.abc import Callable
from marshal import loads as load_code
from os import SEEK_CUR, _exit, chdir, closerange, dup2, lseek, pread, setsid
from resource import RLIMIT_AS, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_STACK, getrlimit
from typing import Any, NoReturn

from .calls import NODES, serve_calls
from .cleanup import own_address_mb
from .command import execute
from .driver import drive
from .limits import limit, limit_processes
from .preload import import_named
from .receive import CALLS, COMMAND, DRIVER, SCRIPT, SESSION, Order, mark, receive, report
from .wire import Closed

__all__ = ["BODY_CAP", "MAIN", "exit_handlers", "prepare", "run"]

NAME = "main.py"
MIB = 1 << 20
THREAD_STACK = 16 * MIB
STACK = 120 * MIB
"""The kernel leaves a gap of at least 128 MiB for it."""
RECURSION = 20_000
"""For functions that are called with data; a script sets its own. The stack holds so many calls through C, of 5 kB each (`sorted` with a key)."""
ADDRESS_SLACK = 1 << 30
"""RLIMIT_AS counts reserved thread stacks; real memory is bounded by the box."""
RESULT_FD, CALLS_FD = 200, 201
MAX_FILES = 256
BODY_CAP = 64 * MIB
"""Most bytes of stdout, of stderr and of results that are kept of one run, whatever the job asks for."""
ENDS_LATE = (b"__del__", b"FileIO", b"TextIOWrapper", b"Buffered", b"finally")
"""Words of a program that may do something when its names are dropped."""
SMALL_CALLS = 1 << 20
"""Calls up to this many bytes are read at once; more wait in a file."""


def prepare(cwd: str) -> None:
    """In the forker, once: the streams and the `__main__` module that every fork will find ready.

    Streams look at their descriptor when they are made, so 0 is a regular file then and 1 and 2 are pipes, as in a run.
    """
    threading.stack_size(THREAD_STACK)
    sys.set_int_max_str_digits(0)  # the time limit bounds what a program prints and reads
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
    for name in ("stdin", "stdout", "stderr"):
        stream: Any = getattr(sys, name)
        stream.buffer.raw.name = f"<{name}>"  # as the interpreter calls them
    _standard.append(sys.stdout)
    _names.update(__builtins__=builtins, __file__=f"{cwd}/{NAME}", __annotations__={}, __loader__=_Loader())
    _others.append(sys.modules["__main__"])
    sys.modules["__main__"] = MAIN
    sys.argv[:] = [NAME]
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    # not yet with the working directory, where what a program left may still lie when the forker imports something
    sys.path[:] = [entry for entry in sys.path if entry not in ("", ours)]
    os.environ.pop("PYTHONPATH", None)


_signal: Any = importlib.import_module("_signal")  # without the enum conversions of `signal`
set_handler, SIGINT, default_int_handler = _signal.signal, _signal.SIGINT, _signal.default_int_handler
MAIN = types.ModuleType("__main__")
_names = MAIN.__dict__
exit_handlers: Callable[[], int] = getattr(atexit, "_ncallbacks", lambda: -1)
_threads: Callable[[], int] = getattr(_thread, "_count", lambda: 1)


def run(jobs: int, modules: list[types.ModuleType], loaded: int, address_mb: int, handlers: int, cwd: str) -> NoReturn:
    """In a fork: wait for a job, become its program. Never returns. The rest is what the forker knows of itself."""
    code = 70
    try:
        setsid()
        set_handler(SIGINT, default_int_handler)
        order, (stdin, stdout, stderr, result, *others) = receive(jobs)
        chdir(cwd)  # not before the job is there: what the program before left is gone now
        sys.path.insert(0, cwd)
        dup2(stdin, 0)
        dup2(stdout, 1)
        dup2(stderr, 2)
        dup2(result, RESULT_FD, inheritable=False)
        mode, wanted = order[0], order[4] & ~loaded
        if wanted:
            import_named(wanted)
            gc.freeze()
            address_mb = own_address_mb()
        calls: bytes | int = b""
        if mode not in (SCRIPT, COMMAND):
            calls = _calls(mode, others.pop(0))
        if mode == COMMAND:
            execute(order, others[0], RESULT_FD)
        _limit(mode, order[5], address_mb)
        mark(others[0], 1)
        report(1)
        code = _run(order, others, calls, handlers, modules)
    except (Closed, ConnectionError):
        code = 0
    except BaseException:  # noqa: BLE001  (the boundary of the process: whatever comes ends it)
        traceback.print_exc()
    finally:
        _exit(code)


def _calls(mode: int, descriptor: int) -> bytes | int:
    """What the calls are read from: the lines themselves, or where they are many, or yet to come, a descriptor."""
    if mode == CALLS and (size := os.fstat(descriptor).st_size) <= SMALL_CALLS:
        return pread(descriptor, size, 0)
    return dup2(descriptor, CALLS_FD, inheritable=False)


def _limit(mode: int, limits: tuple[float, ...], address_mb: int) -> None:
    cpu_s, _, _, _, memory_mb, processes, file_bytes, *_ = limits
    address = (int(memory_mb) + address_mb) * MIB + ADDRESS_SLACK
    most = max(int(file_bytes), 2 * BODY_CAP) if mode == CALLS else int(file_bytes)
    limit(RLIMIT_AS, address)
    limit(RLIMIT_STACK, STACK, hard=getrlimit(RLIMIT_STACK)[1])
    limit(RLIMIT_FSIZE, most)
    limit(RLIMIT_NOFILE, MAX_FILES)
    if mode == SCRIPT:
        limit(RLIMIT_CPU, int(cpu_s) + 2)
    if processes:
        limit_processes(int(processes))


def _run(order: Order, texts: list[int], calls: bytes | int, handlers: int, modules: list[types.ModuleType]) -> int:
    mode, entry_point, argv, with_prelude, _, limits, _, _, block, _, _ = order
    serves = mode in (CALLS, SESSION)
    if argv:
        sys.argv += argv
    module = modules[block]
    names = module.__dict__
    try:
        source, code = _compiled(texts[0], texts[1], NAME, keep=mode == SCRIPT)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        _report({"c": _one_line(error)})
        return 1
    if serves:
        # not "__main__": what a program does when it is run as a script is not asked for here
        sys.modules["solution"] = sys.modules["__main__"] = module
        if module is MAIN:
            names.update(NODES, __name__="solution")
        else:
            names.update(__file__=_names["__file__"], __loader__=_names["__loader__"])
    # a prelude that fails ends the process without a word on the pipe of results: that is not the program's error
    if mode == CALLS:
        sys.setrecursionlimit(RECURSION)
    seed, prelude = _compiled(texts[2], texts[3], "prelude.py", keep=True) if with_prelude else (b"", None)
    # all that was open for the job's sake: no program runs before this
    closerange(3, RESULT_FD)
    closerange(RESULT_FD + 1 if mode == SCRIPT or type(calls) is bytes else CALLS_FD + 1, 4096)
    if mode == SCRIPT and (source.find(b"__file__") >= 0 or source.find(b"argv") >= 0 or source.find(b"spawn") >= 0):
        _write_down(source)
    if source.find(b"random") >= 0 or (with_prelude and seed.find(b"random") >= 0):
        random.seed()  # `bare_fork` does not
    if prelude is not None and mode != DRIVER:
        exec(prelude, names)  # noqa: S102  (running programs is what this file is for)
    _source[0] = source
    # a copy of all of them would write on the page of each
    asked = {*entry_point.replace("()", "").split("."), "Solution"} if serves else ()
    inherited = {name: names[name] for name in asked if name in names}
    try:
        if mode == DRIVER:
            drive(code, prelude, names, entry_point, calls, RESULT_FD)
        else:
            exec(code, names)  # noqa: S102
            if serves:
                serve_calls(names, inherited, entry_point, calls, RESULT_FD, value_bytes=int(limits[3]))
        status = 0
    except SystemExit as error:
        status = _exit_status(error)
        if mode != SCRIPT:
            _report({"e": _one_line(error)})
    except BaseException as error:  # noqa: BLE001  (as the interpreter does: print it and end with 1)
        _report({"e": _one_line(error)})
        _print_exception(error)
        status = 1
    if mode == DRIVER:
        return status  # it has said all: nobody waits for its threads
    return _shut_down(status, handlers, names)


class _Loader:
    """Gives tracebacks and `inspect` the source."""

    def get_source(self, _name: str) -> str:
        return _source[0].decode("utf-8", "replace")


_source = [b""]
_standard: list[Any] = []
"""Standard output as it was before the program could put something else in its place."""
_others: list[types.ModuleType] = []
"""The `__main__` module before ours, kept alive."""


def _compiled(source: int, ready: int, name: str, *, keep: bool) -> tuple[bytes, types.CodeType]:
    """A text and its code, compiled once where others will follow: both wait, marshalled, in a memfd for the next fork with the same
    text, written before any of it has run.

    The offset of that memfd, shared by these forks, is its size once it is complete.
    """
    size = lseek(ready, 0, SEEK_CUR)
    if size:
        return load_code(pread(ready, size, 0))  # noqa: S302  (written by this function)
    text = os.pread(source, os.fstat(source).st_size, 0)
    found = text, compile(text, name, "exec", dont_inherit=True)
    if keep:
        whole = marshal.dumps(found)
        with contextlib.suppress(OSError):  # the job's own limit of what it may write: the next one compiles it again
            if os.pwrite(ready, whole, 0) == len(whole):
                os.lseek(ready, len(whole), os.SEEK_SET)
    return found


def _write_down(source: bytes) -> None:
    """The program as a file, for one that reads or starts itself."""
    with contextlib.suppress(OSError), open(NAME, "xb") as file:  # noqa: PTH123
        file.write(source)


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


def _shut_down(status: int, handlers: int, names: dict[str, Any]) -> int:
    """Join threads, run exit handlers, flush: in the interpreter's order, with its exit code 120 for a failed flush."""
    if _threads():
        _try(getattr(threading, "_shutdown", None))
    if exit_handlers() != handlers:
        _try(getattr(atexit, "_run_exitfuncs", None))
    status = _flush(sys.stdout, _flush(sys.stderr, status))
    if sys.stdout is not _standard[0]:
        _flush(_standard[0], 0)
    source = _source[0]
    if source.count(b"open") > source.count(b"open(0") or any(source.find(word) >= 0 for word in ENDS_LATE):
        _let_go(names)
        status = _flush(sys.stdout, status)
    if source.find(b"ctypes") >= 0:
        _try(lambda: importlib.import_module("ctypes").CDLL(None).fflush(None))
    return status


def _flush(stream: Any, status: int) -> int:
    try:
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()
    except (OSError, ValueError, AttributeError):
        return status or 120
    return status


def _let_go(names: dict[str, Any]) -> None:
    """Drop what the program's names hold: a file that it opened and never closed is written out only then."""
    for name in tuple(names):
        if name != "__builtins__":
            names[name] = None
    for left in gc.get_objects():  # held by a cycle, whose parts would be closed in any order
        if type(left) is io.TextIOWrapper or type(left) is io.BufferedWriter:
            _flush(left, 0)
    gc.collect()


def _try(step: Any) -> None:
    try:
        if step is not None:
            step()
    except BaseException as error:  # noqa: BLE001  (the interpreter prints these and goes on)
        _print_exception(error)
