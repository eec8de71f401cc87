"""The rows of a run on disk: appended line by line, locked, resumable, with the facts of the run and a hash beside them."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, Self, cast

from rewardkit.errors import IncompleteError, UsageError
from rewardkit.store.files import (
    check_output,
    is_regular_output,
    json_object,
    refuse_existing,
    target_of,
    unwritable,
    write_whole,
)
from rewardkit.store.lock import FileLock, LockedError, flock
from rewardkit.store.meta import check_same_run, files_beside, meta_path, read_meta

Status = Literal["running", "incomplete", "done"]
"""`running`: not at its end yet, or killed; `incomplete`: ended, with input missing; `done`."""
OnRow = Callable[[dict[str, Any]], None]
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
SEAL = "hash"
"""The last column of a sealed row."""


class RunStore:
    """A file of rows with its `*.meta.json`. What is in it is never written twice, and a kill loses no whole row.

    `identity` tells what a run is: two runs with equal identities write equal rows, so one may continue the other. Its
    entries and those of `facts`, which need not be equal, are in the meta file. At the end the meta file also tells
    number, bytes and SHA-256 of the rows, so that a later edit is noticed (`verify`).
    """

    def __init__(
        self, path: Path, identity: Mapping[str, Any], facts: Mapping[str, Any] | None = None, *, sealed: bool = False
    ) -> None:
        self.path = path
        self._sealed = sealed
        self.identity = cast("dict[str, Any]", json.loads(json.dumps(dict(identity))))
        self.facts = dict(facts or {})
        self.rows_before = 0
        """Rows that were there when the run was resumed."""
        self._rows = self._bytes = 0
        self._torn = False
        """True while the file may hold more than the rows that are counted."""
        self._digest = hashlib.sha256()
        self._file: io.FileIO | None = None
        self._lock: FileLock | None = None
        self._plain = is_regular_output(path)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        identity: Mapping[str, Any],
        facts: Mapping[str, Any] | None = None,
        reads: Iterable[str | Path] = (),
        resume: bool = False,
        overwrite: bool = False,
        sealed: bool = False,
        on_row: OnRow | None = None,
    ) -> Self:
        """Start a run, or continue one. `on_row` is called with each row that is there already, in order.

        With `sealed` each row ends with a hash of itself, so that an edit is noticed in an unfinished run, too.

        Raises:
            LockedError: another run writes this file.
            UsageError: the file is one of `reads`, exists while neither `resume` nor `overwrite` is given, was made by
                another run, or was changed since.
        """
        if resume and overwrite:
            raise UsageError("--resume continues a run and --overwrite starts it again; give one of them")
        named = Path(path)
        real = target_of(named)
        store = cls(real, identity, facts, sealed=sealed)
        reads = list(reads)
        check_output(named, reads)  # first: a folder such as `/` has no name to put another beside
        for written in files_beside(real):
            check_output(written, reads)
        try:
            store._start(resume=resume, overwrite=overwrite, on_row=on_row)
        except OSError as error:
            store.close()
            raise UsageError(f"cannot write {named}: {error.strerror or error}") from None
        except BaseException:
            store.close()
            raise
        return store

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write whole rows, as `write` does."""
        self.write([encode(_sealed(row) if self._sealed else row) for row in rows])

    def write(self, lines: Sequence[bytes]) -> None:
        """Write rows and hand them to the operating system, so that a kill of this process loses none of them.

        Raises:
            IncompleteError: the disk is full, or the file cannot be written any more.
        """
        if self._file is None:
            raise RuntimeError(f"{self.path} is closed")
        data = joined(lines)
        try:
            self._cut_torn_end()
            self._torn = True
            _write_all(self._file, data)
        except OSError as error:
            with suppress(OSError):  # a torn line is cut off before the next write, or when the run is resumed
                self._cut_torn_end()
            raise unwritable(self.path, error) from None
        self._count(data, len(lines))
        self._torn = False

    def finish(self, totals: Mapping[str, Any] | None = None, *, status: Status = "done") -> None:
        """End the run: rows on disk, then the meta file with their hash, then the lock is released.

        Raises:
            IncompleteError: the disk is full.
        """
        try:
            if self._file is not None and self._plain:
                self._cut_torn_end()
                os.fsync(self._file.fileno())
            self._write_meta(status, totals)
        except OSError as error:
            raise unwritable(self.path, error) from None
        finally:
            self.close()

    def close(self) -> None:
        """Close the file and release the lock. Without `finish` the run stays unfinished and can be resumed."""
        file, self._file = self._file, None
        lock, self._lock = self._lock, None
        if file is not None:
            file.close()
        if lock is not None:
            lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _start(self, *, resume: bool, overwrite: bool, on_row: OnRow | None) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self._plain:
            self._file = io.FileIO(self.path, "w")
            return
        self._lock = FileLock(self.path).acquire()
        if not (resume and self.path.exists()):
            _refuse_run(self.path, overwrite=overwrite)
        self._file = io.FileIO(self.path, "r+" if self.path.exists() else "x+")
        if flock(self._file.fileno()) is False:
            raise LockedError(f"{self.path} is being written by another run under another name, such as a hard link")
        if resume:
            self._recover(on_row)
        self._torn = True
        self._cut_torn_end()
        self._write_meta("running", None)

    def _recover(self, on_row: OnRow | None) -> None:
        """Take over the rows that are there; a torn line at the end, and what follows it, is cut off."""
        assert self._file is not None
        size = os.fstat(self._file.fileno()).st_size
        meta = read_meta(self.path)
        if size:
            self._check_identity(meta)
        with self.path.open("rb") as lines:
            for line in lines:
                row = json_object(line) if line.endswith(b"\n") else None
                if self._sealed and line.endswith(b"\n"):
                    row = self._unsealed(row, line)
                if row is None:
                    break
                if on_row is not None:
                    on_row(row)
                self._count(line, 1)
        if size and self._was_changed((meta or {}).get("content"), size):
            raise UsageError(f"{self.path} was changed after it was written; start again with --overwrite")
        self.rows_before = self._rows

    def _was_changed(self, written: object, size: int) -> bool:
        """Whether a finished run is not as it was written. Sealed rows are checked one by one, so that those behind a cut may be missing."""
        if not isinstance(written, dict) or self._content() == written:
            return False
        return not self._sealed or size >= int(cast("dict[str, Any]", written).get("bytes", 0))

    def _unsealed(self, row: dict[str, Any] | None, line: bytes) -> dict[str, Any]:
        if row is not None:
            row.pop(SEAL, None)
        untouched = False
        with suppress(ValueError):  # NaN, which is never written
            untouched = row is not None and joined([encode(_sealed(row))]) == line
        if row is None or not untouched:
            raise UsageError(
                f"{self.path}, line {self._rows + 1} was changed after it was written; restore it, or start again elsewhere"
            )
        return row

    def _check_identity(self, meta: Mapping[str, Any] | None) -> None:
        if meta is None:
            raise UsageError(
                f"{self.path} has no readable {meta_path(self.path).name} beside it, so what made it is unknown; "
                "start again with --overwrite, or write to another file"
            )
        check_same_run(self.path, meta, self.identity)

    def _count(self, data: bytes, rows: int) -> None:
        self._digest.update(data)
        self._bytes += len(data)
        self._rows += rows

    def _content(self) -> dict[str, Any]:
        return {"rows": self._rows, "bytes": self._bytes, "sha256": self._digest.hexdigest()}

    def _cut_torn_end(self) -> None:
        """Cut off what a write that did not come to its end left, so that the next one begins where the rows end."""
        if self._torn and self._file is not None and self._plain:
            self._file.truncate(self._bytes)
            self._file.seek(self._bytes)
        self._torn = False

    def _write_meta(self, status: Status, totals: Mapping[str, Any] | None) -> None:
        if not self._plain:
            return
        content = None if status == "running" else self._content()
        meta = {**self.identity, **self.facts, "status": status, "content": content, "totals": totals}
        write_whole(meta_path(self.path), json.dumps(meta, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def resumable(done: Callable[[], int], what: str = "rows") -> Generator[None]:
    """An interrupt or an `IncompleteError` of what runs inside says how to continue it, and how much is done."""

    def how() -> str:
        return f"continue with the same command and --resume, {done():,} {what} are done"

    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(how()) from None
    except IncompleteError as error:
        raise IncompleteError(f"{error}; {how()}") from error


def encode(row: Mapping[str, Any]) -> bytes:
    """A row as JSON on one line."""
    return _ENCODE(row).encode("utf-8", "replace")


def joined(lines: Iterable[bytes]) -> bytes:
    """Lines of JSON as a file has them."""
    return b"".join([line + b"\n" for line in lines])


def _sealed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, SEAL: hashlib.sha256(joined([encode(row)])).hexdigest()[:16]}


def _write_all(file: io.FileIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) or 0 :]


def _refuse_run(path: Path, *, overwrite: bool) -> None:
    """Refuse rows that are there, or facts alone, which are those of another file (`x` and `x.jsonl`)."""
    meta = read_meta(path)
    if not overwrite and meta is not None and meta.get("status") == "running" and path.is_file():
        resume = "continue it with --resume, or " if meta.get("resumable", True) else ""
        raise UsageError(f"{path} is an unfinished run; {resume}start again with --overwrite")
    for file in (path, meta_path(path)):
        refuse_existing(file, overwrite=overwrite)
