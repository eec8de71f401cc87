"""The folder that a run is written to."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from harness.store import Run, holds_run
from rewardkit.errors import UsageError
from rewardkit.store import locked_folder

MIN_FREE_BYTES = 64 << 20
"""Least free disk space for a run."""


@contextmanager
def output_folder(folder: Path, *, option: str = "-o") -> Generator[None]:
    """Hold the folder that an option names, while something is written to it.

    Raises:
        LockedError: another process holds it.
        UsageError: it cannot be written, or the disk is all but full.
    """
    with locked_folder(folder):
        writable(folder, option=option)
        yield


@contextmanager
def new_run(folder: Path, *, made_from: Iterable[Run], overwrite: bool, option: str = "-o") -> Generator[None]:
    """Hold the folder of a run that is made from others.

    Raises:
        LockedError: another process holds it.
        UsageError: it cannot be written, is that of a run that is read, or holds a run and `overwrite` is off.
    """
    real = Path(os.path.realpath(folder))  # a folder that its path goes through may not be there yet
    if real.exists() and any(real.samefile(run.path) for run in made_from):
        raise UsageError(f"{option} {folder} is a run that is read; choose another {option}")
    with output_folder(folder, option=option):
        if holds_run(folder) and not overwrite:
            raise UsageError(f"{folder} holds a run already; replace it with --overwrite, or choose another {option}")
        yield


def writable(folder: Path, *, option: str = "-o") -> None:
    """Try to write into a folder.

    Raises:
        UsageError: it cannot be written, or the disk is all but full.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise UsageError(f"cannot write to {option} {folder}: {error.strerror}") from None
    if free < MIN_FREE_BYTES:
        raise UsageError(f"{option} {folder} has {free >> 20} MB free; a run needs at least {MIN_FREE_BYTES >> 20} MB")
