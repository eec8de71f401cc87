"""A fresh fork waits here for its job: an order, and descriptors that the supervisor made for this job alone.

All of this is the agent's code in a process that has seen no program yet: the report, with which the clocks begin to run, can be
believed.
"""

import _socket
import os
import struct
from array import array
from marshal import loads as load_order
from os import SEEK_CUR, SEEK_SET, lseek, write
from time import monotonic, process_time

from .wire import Closed

__all__ = [
    "CALLS",
    "COMMAND",
    "DRIVER",
    "LIMITS",
    "MODES",
    "REPORT",
    "SCRIPT",
    "SESSION",
    "SMALL_ORDER",
    "Command",
    "Order",
    "has_begun",
    "mark",
    "receive",
    "report",
]

REPORT = struct.Struct("=2d")
"""Clock at the start, CPU seconds used before it."""
pack_report = REPORT.pack
SCRIPT, CALLS, SESSION, DRIVER, COMMAND = range(5)
MODES = ("script", "calls", "session", "driver", "command")
LIMITS = (
    "cpu_s",
    "wall_s",
    "total_cpu_s",
    "output_bytes",
    "memory_mb",
    "processes",
    "file_bytes",
    "total_wall_s",
    "lines",
)
"""The order of a job's limits. No total is a negative one. `lines`: so many lines of results are due, and start the
clocks anew; a call of a session makes one more."""
SMALL_ORDER = 1 << 14
"""A longer order comes in a file."""
ANCILLARY = _socket.CMSG_SPACE(4 * 16)
Command = tuple[tuple[str, ...], dict[str, str], list[str]]
"""Command line (empty: the program itself, a binary), environment, names of programs that must be there."""
Order = tuple[
    int,
    str,
    list[str],
    bool,
    int,
    tuple[float, ...],
    tuple[int, ...],
    list[tuple[str, int]],
    int,
    list[str],
    Command | None,
]
"""A job's header: mode, entry point, argv, whether a prelude is used, modules it names (as bits), limits, sizes
of what follows (program, prelude, stdin, calls; negative where it is the latest one), names and sizes of files, the number of the
import block that the prelude begins with, files to read back afterwards, and in mode `command`, where the entry point is the name of
the program's file, what to run."""


def receive(jobs: int) -> tuple[Order, list[int]]:
    """Wait for a job and take it; `Closed` when the supervisor is gone.

    The descriptors: stdin, stdout, stderr, results, calls, source and code of the program, then of the prelude where one is used.
    """
    line = _socket.socket(fileno=jobs)
    data, ancillary, _, _ = line.recvmsg(SMALL_ORDER, ANCILLARY)
    line.detach()
    if not data:
        raise Closed
    found = array("i")
    found.frombytes(ancillary[0][2])
    descriptors = list(found)
    if len(data) == 1:
        file = descriptors.pop()
        data = os.pread(file, os.fstat(file).st_size, 0)
    return load_order(data), descriptors  # noqa: S302  (the host's own words)


def mark(source: int, offset: int) -> None:
    """Set the offset of the program's source to 0 before a fork gets the job, to 1 when the fork is about to run it.

    The offset is shared with the supervisor. The program cannot change it: the descriptor is closed before the program runs.
    """
    lseek(source, offset, SEEK_SET)


def has_begun(source: int) -> bool:
    """True if a fork came so far as to run the program. Until then, its end is not the program's doing."""
    return lseek(source, 0, SEEK_CUR) > 0


def report(descriptor: int) -> None:
    """Say that the program begins: the clocks run from here."""
    write(descriptor, pack_report(monotonic(), process_time()))
