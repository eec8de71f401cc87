"""Checks before a file is opened for writing, writing a file whole or not at all, and reading JSON that may be damaged."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from rewardkit.errors import IncompleteError, UsageError

STDIN = "-"
_URL = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
"""As it reads once it is a path, which has no empty parts."""
_NOT_WRITTEN = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".xlsx", ".gz", ".zst", ".bz2", ".xz", ".zip")
"""Names of what is not text, or not JSON: nothing here writes them."""


def refuse_url(path: Path) -> None:
    """Refuse a URL if only a path can be written: it would become a folder called `s3:`.

    Raises:
        UsageError: it is one.
    """
    if _URL.match(str(path)):
        raise UsageError(f"{path} is a URL; write to a file on this machine, then copy it there")


def check_output(path: Path, reads: Iterable[str | Path]) -> None:
    """Refuse to write `path` if it is a file that the command reads, by whatever name: `./x`, a symbolic or a hard link.

    `-` among `reads` is standard input, which a shell may have opened from that very file.

    Raises:
        UsageError: the output is an input, a folder, or named like a file of another kind.
    """
    refuse_url(path)
    if str(path) == STDIN:
        raise UsageError("this cannot be written to standard output; name a file")
    target = target_of(path)
    if target.is_dir():
        raise UsageError(f"{path} is a folder; name a file to write")
    if path.suffix.lower() in _NOT_WRITTEN:
        raise UsageError(
            f"{path}: nothing is written as {path.suffix}; rows are JSON lines (.jsonl), pages HTML (.html)"
        )
    for read in reads:
        if _same_file(file_id(target), file_id(read)):
            raise UsageError(f"{path} is also an input ({read}); write to another file")


def check_stdout(reads: Iterable[str | Path]) -> None:
    """Refuse to write rows to a standard output that is closed, or that a shell has opened on an input file.

    Raises:
        UsageError: it is.
    """
    if sys.__stdout__ is None:
        raise UsageError("standard output is closed; name a file to write")
    for read in reads:
        if _same_file(_descriptor_id(1), file_id(read)):
            raise UsageError(f"standard output is also an input ({read}); write to another file")


def check_report(path: Path, reads: Iterable[str | Path], *, overwrite: bool) -> None:
    """Check before any work that a report can be written to `path`; an existing file stays as it is.

    Raises:
        UsageError: the output is an input, exists while `overwrite` is off, or cannot be written.
    """
    check_output(path, reads)
    refuse_existing(path, overwrite=overwrite)
    target = target_of(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_regular_output(target):
            with tempfile.TemporaryFile(dir=target.parent):
                pass
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def check_reports(paths: Sequence[Path], reads: Iterable[str | Path], *, overwrite: bool) -> None:
    """Check several reports that one command writes, as `check_report` checks one.

    Raises:
        UsageError: as there, or two of them are one file.
    """
    refuse_doubled(paths)
    reads = list(reads)
    for path in paths:
        check_report(path, reads, overwrite=overwrite)


def refuse_doubled(paths: Iterable[Path]) -> None:
    """Refuse outputs of one command of which a later one would replace an earlier one.

    Raises:
        UsageError: two are the same file, by whatever names.
    """
    seen: dict[object, Path] = {}
    for path in filter(is_regular_output, paths):
        other = seen.setdefault(file_id(target_of(path)) or target_of(path), path)
        if other is not path:
            raise UsageError(f"{path} would replace {other}, which the same command writes; write to another file")
    for path in seen.values():
        if inner := next((one for one in seen.values() if target_of(path) in target_of(one).parents), None):
            raise UsageError(f"{path} cannot be a file and the folder of {inner}; write to another file")


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Refuse a file that holds something already, unless it may be overwritten.

    Raises:
        UsageError: it exists and is not empty.
    """
    target = target_of(path)
    if not overwrite and target.is_file() and target.stat().st_size:
        raise UsageError(f"{path} exists; replace it with --overwrite, or write to another file")


def write_whole(path: Path, text: str) -> None:
    """Write a file that changes only when all of it is on disk: written beside, synced, renamed. Links keep pointing to it.

    Raises:
        IncompleteError: the disk is full, or the place cannot be written.
    """
    data = text.encode("utf-8", "replace")
    target = target_of(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        if not is_regular_output(path):
            path.write_bytes(data)
            return
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> IncompleteError:
    """The error for a file that was opened, and cannot be written to its end."""
    why = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or error
    return IncompleteError(f"cannot write {path}: {why}")


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object that a text holds; None if it holds none."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def is_regular_output(path: Path) -> bool:
    """True for a file, existing or to be made; False for a device, a pipe or a socket."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def target_of(path: Path) -> Path:
    """The file that a path or a symbolic link stands for; a device or a pipe stays as it is named."""
    return Path(os.path.realpath(path)) if is_regular_output(path) else path


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every file system lets a folder be opened or synced
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def file_id(path: str | Path) -> tuple[int, int] | None:
    """Device and inode of a regular file; None for everything else, and if there is nothing."""
    if str(path) == STDIN:
        return _descriptor_id(0)
    try:
        return _id(os.stat(path))  # noqa: PTH116 - takes names that are not local paths, too
    except (OSError, ValueError):
        return None


def _descriptor_id(descriptor: int) -> tuple[int, int] | None:
    try:
        return _id(os.fstat(descriptor))
    except OSError:
        return None


def _id(status: os.stat_result) -> tuple[int, int] | None:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _same_file(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    return one is not None and one == other
