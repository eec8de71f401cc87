"""A fresh fork waits here for its job, takes it from the host by itself, and tells the agent its limits before any of it runs.

The fork is made before the job is there, so that nobody waits for it, and the agent never touches what a job brings. All of
this is the agent's code in a process that has seen no program yet: the report can be believed.
"""

import contextlib
import gc
import importlib
import os
import resource
import struct
import types
from os import write
from time import monotonic, process_time

from .clean import read
from .heads import MOST
from .wire import memfd, pour, read_exactly, read_frame_header

__all__ = [
    "CALLS",
    "DRIVER",
    "LIMITS",
    "MODES",
    "ON_DEMAND",
    "REPORT",
    "SCRIPT",
    "SESSION",
    "Gate",
    "Heads",
    "Order",
    "Texts",
    "address_mb",
    "load",
    "receive",
    "report",
]

MIB = 1 << 20
REPORT = struct.Struct("=BBB10d")
"""Mode, texts taken, modules wanted, the limits, clock at the start, CPU seconds used before it."""
pack_report = REPORT.pack
SCRIPT, CALLS, SESSION, DRIVER = range(4)
MODES = ("script", "calls", "session", "driver")
LIMITS = ("cpu_s", "wall_s", "total_cpu_s", "output_bytes", "memory_mb", "processes", "file_bytes", "lines")
"""The order of a job's limits. No `total_cpu_s` is a negative one. `lines`: so many lines of results are due, and start the
clocks anew; a call of a session makes one more."""
ON_DEMAND = (*("numpy", "sortedcontainers", "dataclasses", "decimal", "fractions", "hashlib", "inspect", "statistics"),)
"""Loaded into the agent after the first program that names them, so that later ones don't pay for the import."""
SMALL_CALLS = 1 << 20
"""Calls up to this many bytes are read at once; more wait in a file."""


Texts = dict[str, tuple[int, int]]
"""Program and prelude: a file for the source and one for the marshalled code."""
Heads = dict[str, types.ModuleType]
"""Modules that hold what the beginning of a prelude imports, by its text."""
Gate = tuple[int, int, int, int, int, int, int, int, Texts, Texts, int, int, int, Heads]
"""What the agent made for a fork before it knew the job, as a plain tuple: a class of its own would be a page more to copy.

`source`: the host's stream, of which exactly one frame is read. `sink`: to the host, closed at once, so that an agent that
died is seen to be dead. `stdout`, `stderr`. `talk`: to the agent, the report, then what the program says of itself. `feed`:
from the agent, calls of a session. `result`: a file for the results of calls. `folder`: the working directory, clean and empty.
The `texts` of the latest job and `blank` ones for new texts. `loaded`: bit n, `ON_DEMAND[n]` is there. `address_mb`: address
space of the agent. `handlers`: exit handlers that the agent has. `heads`: what preludes begin with.
"""
Order = tuple[int, str, list[str], int, bool, int, tuple[float, ...], tuple[int, ...], list[tuple[str, int]], bool, str]
"""A job's header: mode, entry point, argv, calls to skip, whether a prelude is used, modules it names (as bits), limits, sizes
of what follows (program, prelude, stdin, calls; negative where it is the latest one), names and sizes of files, whether the
next job will be a while in coming, since another box has its turn, the imports that the prelude begins with."""


def receive(gate: Gate) -> tuple[Order, int, bytes | int, int, int, int]:
    """Wait for a job and take it; `Closed` when the host hangs up.

    Its header, stdin, calls (lines, or a descriptor to read them from), what was taken (bit 0: a program, bit 1: a prelude, bit 2:
    the next job will be a while, bit 3: a head), modules that the agent should load, address space in MB. New texts are in `gate`'s
    `texts` afterwards, a new head in its blank.
    """
    source, _, _, _, _, feed, _, folder, texts, blank, loaded, address, _, heads = gate
    order: Order = read_frame_header(source)[0]
    mode, _, _, _, _, named, _, sizes, files, leisure, head = order
    new_program, new_prelude, stdin_size, calls_size = sizes
    taken = 4 if leisure else 0
    if new_program >= 0:
        texts["program"] = blank["program"]
        pour(source, new_program, texts["program"][0])
        taken |= 1
    if new_prelude >= 0:
        texts["prelude"] = blank["prelude"]
        pour(source, new_prelude, texts["prelude"][0])
        taken |= 2
    if head and head not in heads and len(heads) < MOST:
        os.pwrite(blank["head"][0], head.encode(), 0)
        taken |= 8
    stdin = memfd("stdin", source, stdin_size)
    calls: bytes | int = feed
    if mode == CALLS:
        calls = read_exactly(source, calls_size) if calls_size <= SMALL_CALLS else memfd("calls", source, calls_size)
    for name, length in files:
        _write_file(source, folder, name, length)
    wanted = named & ~loaded
    if wanted:
        load(wanted)
        gc.freeze()
        address = address_mb()
    return order, stdin, calls, taken, wanted, address


def report(order: Order, taken: int, wanted: int, talk: int) -> None:
    """Tell the agent what it is to watch; from here on the clocks run."""
    write(talk, pack_report(order[0], taken, wanted, *order[6], monotonic(), process_time()))


def load(wanted: int) -> None:
    """Import what a job named."""
    for bit, name in enumerate(ON_DEMAND):
        if wanted >> bit & 1:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def address_mb() -> int:
    """Address space of this process."""
    pages = int(read("/proc/self/statm").split()[0])
    return pages * resource.getpagesize() // MIB


def _write_file(source: int, folder: int, name: str, size: int) -> None:
    """A job's file, below the (empty) working directory."""
    *parents, last = name.split("/")
    where = os.dup(folder)
    try:
        for parent in parents:
            with contextlib.suppress(FileExistsError):
                os.mkdir(parent, 0o700, dir_fd=where)
            inner = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=where)
            os.close(where)
            where = inner
        target = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=where)
        try:
            pour(source, size, target)
        finally:
            os.close(target)
    finally:
        os.close(where)
