"""Which paths a job may name in its working directory."""

import os
from collections.abc import Iterable
from pathlib import PurePosixPath

MAX_NAME_BYTES = 255
"""No file system of Linux takes a longer name of a file."""


def path_problem(name: str) -> str:
    """What is wrong with a path, in words; nothing if a file can be there."""
    path = PurePosixPath(name)
    if not name or "\0" in name or path.is_absolute() or ".." in path.parts or not path.parts:
        return "must be relative and stay inside the working directory"
    try:
        longest = max(len(os.fsencode(part)) for part in path.parts)
    except UnicodeEncodeError:
        return "is no text that a file system takes"
    return f"has a name of {longest} bytes, more than {MAX_NAME_BYTES}" if longest > MAX_NAME_BYTES else ""


def are_apart(names: Iterable[str]) -> bool:
    """Whether all can be files at once: none is another one, spelled differently, or its folder."""
    paths = [PurePosixPath(name) for name in names]
    known = set(paths)
    return len(known) == len(paths) and all(known.isdisjoint(path.parents) for path in paths)
