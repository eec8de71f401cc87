"""Files that a command writes: never one that it reads, and none that is there already unless the user says so."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rewardkit.errors import UsageError


def check_output(path: str | Path, *, reads: Iterable[str | Path], overwrite: bool, option: str = "-o") -> None:
    """Refuse an output that is one of the inputs (also by a link), or that exists.

    Raises:
        UsageError: it is read, it exists and `overwrite` is not set, or it is a directory.
    """
    place = Path(path)
    if not place.exists():
        return
    if place.is_dir():
        raise UsageError(f"{option} {path} is a directory; name a file")
    if any(place.samefile(source) for source in map(Path, reads) if source.exists()):
        raise UsageError(f"{option} {path} is read by this command; choose another file")
    if not overwrite:
        raise UsageError(f"{option} {path} exists; choose another file, or replace it with --overwrite")
