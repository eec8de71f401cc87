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
import time
from typing import Any, NamedTuple

from .clean import read
from .wire import memfd, pour, read_exactly, read_frame_header

__all__ = ["MODES", "ON_DEMAND", "REPORT", "Gate", "Intake", "address_mb", "receive", "report"]

MIB = 1 << 20
REPORT = struct.Struct("=BBBdddddq")
"""Mode, texts taken, modules wanted, cpu_s, wall_s, total_cpu_s (negative: none), clock at the start, CPU seconds used
before it, output_bytes."""
MODES = ("script", "calls", "session", "driver")
TEXTS = ("program", "prelude")
ON_DEMAND = (*("numpy", "sortedcontainers", "dataclasses", "decimal", "fractions", "hashlib", "inspect", "statistics"),)
"""Loaded into the agent after the first program that names them, so that later ones don't pay for the import."""
SMALL_CALLS = 1 << 20
"""Calls up to this many bytes are read at once; more wait in a file."""


class Gate(NamedTuple):
    """Descriptors that the agent made for a fork before it knew the job."""

    source: int
    """The host's stream: exactly one frame is read from it, then it is closed."""
    sink: int
    """To the host: closed at once, so that an agent that died is seen to be dead."""
    stdout: int
    stderr: int
    talk: int
    """To the agent: the report, then what the program says of itself."""
    feed: int
    """From the agent: calls of a session."""
    result: int
    """A file for the results of calls."""
    folder: int
    """The working directory, clean and empty."""
    texts: dict[str, tuple[int, int]]
    """Program and prelude of the latest job: source and marshalled code."""
    blank: dict[str, tuple[int, int]]
    """Empty files for new ones."""
    loaded: frozenset[str]
    address_mb: int


class Intake(NamedTuple):
    """A job, as the fork has it."""

    mode: str
    header: dict[str, Any]
    limits: dict[str, Any]
    stdin: int
    calls: bytes | int
    """Lines, or a descriptor to read them from."""
    program: tuple[int, int]
    prelude: tuple[int, int]
    taken: int
    """Bit 0: a new program was taken; bit 1: a new prelude."""
    wanted: int
    """Bit n: the job names `ON_DEMAND[n]`, which the agent has not loaded."""
    address_mb: int


def receive(gate: Gate) -> Intake:
    """Wait for a job and take it; `Closed` when the host hangs up."""
    source = gate.source
    header, _ = read_frame_header(source)
    if header["op"] != "run":
        raise ValueError(f"unknown op {header['op']!r}")
    sizes: dict[str, int] = header["sizes"]
    texts = dict(gate.texts)
    taken = 0
    for bit, name in enumerate(TEXTS):
        if name in sizes:
            texts[name] = gate.blank[name]
            pour(source, sizes[name], texts[name][0])
            taken |= 1 << bit
    stdin = memfd("stdin", source, sizes.get("stdin", 0))
    size = sizes.get("calls", 0)
    mode: str = header["mode"]
    calls: bytes | int = gate.feed if mode in ("session", "driver") else -1
    if mode == "calls":
        calls = read_exactly(source, size) if size <= SMALL_CALLS else memfd("calls", source, size)
    for name, length in header["files"]:
        _write_file(source, gate.folder, name, length)
    address, wanted = gate.address_mb, 0
    for bit, name in enumerate(ON_DEMAND):
        if name in header["preload"] and name not in gate.loaded:
            wanted |= 1 << bit
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    if wanted:
        gc.freeze()
        address = address_mb()
    prelude = texts["prelude"] if header["prelude"] else (-1, -1)
    limits: dict[str, Any] = header["limits"]
    return Intake(mode, header, limits, stdin, calls, texts["program"], prelude, taken, wanted, address)


def report(job: Intake, talk: int) -> None:
    """Tell the agent what it is to watch; from here on the clocks run."""
    limits = job.limits
    total: float | None = limits["total_cpu_s"]
    os.write(
        talk,
        REPORT.pack(
            MODES.index(job.mode),
            job.taken,
            job.wanted,
            limits["cpu_s"],
            limits["wall_s"],
            -1.0 if total is None else total,
            time.monotonic(),
            time.process_time(),
            limits["output_bytes"],
        ),
    )


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
