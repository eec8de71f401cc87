"""The journal of a run: one line an answer, appended as it lands, so that kill -9 loses nothing that came back.

Each line ends with a hash of itself. A torn last line (the process died while writing) is cut off on resume; any other
line that does not match its hash was edited, and the run refuses to go on from it. a lock on the folder keeps two runs apart.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pydantic import ValidationError

from harness.generation import Generation
from rewardkit.errors import IncompleteError, UsageError

NAME = "journal.jsonl"


class JournalError(UsageError):
    """The journal cannot be continued: edited, or from another program."""


class Journal:
    """Answers by key, on disk. Failed requests are kept in the file but asked again on resume."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / NAME
        self.answers: dict[str, Generation] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._file = self.path.open("r+b" if self.path.exists() else "w+b")
        except OSError as error:
            raise UsageError(f"cannot write {self.path}: {error.strerror}") from None
        self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self) -> None:
        assert self._file is not None
        good = 0
        self._file.seek(0)
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break  # torn: the process died while writing it
            generation = parse_line(line, number, self.path)
            good += len(line)
            if generation.error is None:
                self.answers.setdefault(generation.key, generation)
        self._file.seek(good)
        self._file.truncate(good)

    def append(self, generation: Generation) -> None:
        """Write one answer down. It survives the death of this process once this returns.

        Raises:
            IncompleteError: the disk is full, or the file cannot be written any more.
        """
        if self._file is None:
            raise RuntimeError("the journal is closed")
        start = self._file.tell()
        try:
            self._file.write(format_line(generation))
            self._file.flush()
        except OSError as error:
            self._undo(start)
            what = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
            raise IncompleteError(
                f"cannot write {self.path}: {what}; {len(self.answers)} answers are safe. "
                "Make room, then go on with --resume"
            ) from None
        if generation.error is None:
            self.answers.setdefault(generation.key, generation)

    def _undo(self, start: int) -> None:
        if self._file is None:
            return
        try:
            os.ftruncate(self._file.fileno(), start)
        except OSError:
            return  # a torn line is cut off on resume


def format_line(generation: Generation) -> bytes:
    """One journal line: the generation's JSON with a hash of it as last field."""
    body = generation.model_dump(mode="json", exclude_defaults=True)
    return (json.dumps({**body, "hash": _hash(body)}, ensure_ascii=True) + "\n").encode()


def parse_line(line: bytes, number: int, path: Path) -> Generation:
    """Read one line back.

    Raises:
        JournalError: it was changed after it was written.
    """
    try:
        row: dict[str, Any] = json.loads(line)
        written = row.pop("hash")
        generation = Generation(**row)
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError):
        raise JournalError(f"{path}, line {number} is not a journal line; restore the file or start a new -o") from None
    if written != _hash(row):
        raise JournalError(
            f"{path}, line {number} was changed after it was written (its hash does not match); "
            "restore the file or start a new -o"
        )
    return generation


def _hash(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:16]


def read_journal(directory: Path) -> list[Generation]:
    """All answers of a finished or broken run, in the order they landed; a torn last line is left out."""
    path = directory / NAME
    found: list[Generation] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                found.append(parse_line(line, number, path))
    return found
