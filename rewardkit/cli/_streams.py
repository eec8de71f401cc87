"""The standard streams of a command. One that is closed, full or broken changes no result, and no exit code that says what a run found."""

from __future__ import annotations

import io
import os
import select
import sys
from typing import Any

from rewardkit.errors import IncompleteError

NOBODY_READS = 141
"""Exit code where the reader of the output has gone (`| head -1`), as a shell reports a program that SIGPIPE ended."""


class Messages(io.FileIO):
    """A file that drops what cannot be written."""

    def write(self, data: Any) -> int:
        """The number of bytes, written or not."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare() -> None:
    """Let stderr be a stream that never fails, and put the null device where a stream is closed: the next file that is opened would
    take its place, and get what is printed.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)
            os.set_inheritable(descriptor, True)  # workers print, too
            setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r", encoding="utf-8", closefd=False))
    before: Any = sys.stderr
    if before is sys.__stderr__:
        file = io.BufferedWriter(Messages(2, "wb", closefd=False))
        sys.stderr = io.TextIOWrapper(file, before.encoding, before.errors, line_buffering=True)


def nobody_reads() -> bool:
    """Whether stdout is a pipe whose reader has gone."""
    output = select.poll()
    output.register(1, 0)
    return any(event & select.POLLERR for _, event in output.poll(0))


def finish(code: int) -> int:
    """Write what is left for stdout: the exit code, another one if that fails and the command itself did not."""
    try:
        sys.stdout.flush()
    except OSError as error:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)  # else it fails again when the interpreter ends, whose exit code is 120
        os.close(null)
        return code or (NOBODY_READS if isinstance(error, BrokenPipeError) else IncompleteError.exit_code)
    return code
