"""Read rows from files: JSONL, gzipped JSONL, Parquet, standard input. A row that cannot be read is kept, with its place."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, cast

from pydantic import ValidationError

from rewardkit.chat import is_chat
from rewardkit.errors import MissingExtraError, UsageError
from rewardkit.fields import (
    COMPLETION,
    DATA_SOURCE,
    FACTS,
    GROUND_TRUTH,
    GROUP,
    IDENTITY,
    PROMPT,
    first_present,
    lookup,
)
from rewardkit.types import Sample

MAX_LINE_BYTES = 32 * 2**20
"""Longer lines are unjudged rows; they are skipped without being held in memory."""
PARQUET_BATCH_ROWS = 256
_PIECE = 2**20
_LM_EVAL_SAMPLES = re.compile(r"^samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d\-.:]+)?$")


class Row(NamedTuple):
    """One line of output to be: a sample, or the reason why there is none."""

    where: str
    id: str
    data_source: str | None
    sample: Sample | None
    error: str | None


@dataclass(frozen=True)
class Columns:
    """Names of columns set by the user; None means: found by their usual names."""

    completion: str | None = None
    ground_truth: str | None = None
    group: str | None = None

    @property
    def completions(self) -> tuple[str, ...]:
        """Where the completion may be, in order."""
        return (self.completion,) if self.completion else COMPLETION

    @property
    def ground_truths(self) -> tuple[str, ...]:
        """Where the ground truth may be, in order."""
        return (self.ground_truth,) if self.ground_truth else GROUND_TRUTH

    @property
    def groups(self) -> tuple[str, ...]:
        """Where the group may be, in order."""
        return (self.group,) if self.group else GROUP


@dataclass
class RowReader:
    """Streams the rows of several files. `fraction` tells how far it has come, in bytes of input."""

    paths: Sequence[str]
    columns: Columns = field(default_factory=Columns)
    truncated: list[str] = field(default_factory=list[str])
    """One line for each input that ended before it should have."""
    _sizes: list[int] = field(default_factory=list[int])
    _done: int = 0
    _raw: IO[bytes] | None = None

    def __post_init__(self) -> None:
        for path in self.paths:
            self._sizes.append(_size(path))

    @property
    def fraction(self) -> float | None:
        """Share of the input that is read; None where it cannot be known (standard input)."""
        total = sum(self._sizes)
        if not total or "-" in self.paths:
            return None
        position = self._raw.tell() if self._raw is not None and not self._raw.closed else 0
        return min(1.0, (self._done + position) / total)

    def check(self) -> None:
        """Look at the first row of each file, so that a wrong one is refused before any is judged.

        Raises:
            UsageError: a file cannot be read, is of another kind, or lacks a column.
        """
        for path in self.paths:
            if path != "-":
                next(self._read(path))
                self._raw = None
        self.truncated.clear()

    def __iter__(self) -> Iterator[Row]:
        for path, size in zip(self.paths, self._sizes, strict=True):
            yield from self._read(path)
            self._raw = None
            self._done += size

    def _read(self, path: str) -> Iterator[Row]:
        name = "stdin" if path == "-" else path
        stem = _stem(name)
        count = 0
        records = self._records(path, name)
        for line, record in records:
            where = f"{name}:{line}"
            if isinstance(record, str):
                yield Row(where, f"{stem}:{line}", _source_name(stem), None, record)
                count += 1
                continue
            if count == 0:
                self._check_first(record, name)
            for row in make_rows(record, where, stem, line, self.columns):
                yield row
                count += 1
        if count == 0:
            raise UsageError(f"{name} has no rows")

    def _check_first(self, record: Mapping[str, Any], name: str) -> None:
        present = ", ".join(list(record)[:12]) or "none"
        if not any(_has(record, column) for column in self.columns.completions):
            wanted = self.columns.completion or " ".join(COMPLETION)
            raise UsageError(
                f"{name} has no completion column ({wanted}); its columns: {present}. Name it with --completion-column"
            )
        wanted = self.columns.ground_truth
        if wanted is not None and not _has(record, wanted):
            raise UsageError(f"{name} has no column {wanted!r}; its columns: {present}")

    def _records(self, path: str, name: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
        if path == "-":
            yield from self._lines(cast("io.BufferedReader", sys.stdin.buffer), name)
            return
        try:
            with Path(path).open("rb") as file:
                self._raw = file
                if file.peek(4)[:4] == b"PAR1":
                    yield from _parquet(path)
                else:
                    yield from self._lines(file, name)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror or error}") from None

    def _lines(self, file: io.BufferedReader, name: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
        head = file.peek(4)[:4]
        if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
            raise UsageError(f"{name} is UTF-16; save it as UTF-8")
        stream = cast("BinaryIO", gzip.GzipFile(fileobj=file)) if head[:2] == b"\x1f\x8b" else file
        number = 0
        try:
            while line := stream.readline(MAX_LINE_BYTES):
                number += 1
                if number == 1:
                    line = _first_line(line, name)
                if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                    _skip_line(stream)
                    yield number, f"line is longer than {MAX_LINE_BYTES // 2**20} MiB"
                elif line.strip():
                    yield number, parse_line(line)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            message = f"compressed file is damaged or cut short after line {number} ({error})"
            self.truncated.append(f"{name}: {message}")
            yield number + 1, message


def _first_line(line: bytes, name: str) -> bytes:
    line = line.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in line[:4096]:
        raise UsageError(f"{name} is binary, not JSONL, gzip or Parquet")
    if line.lstrip()[:1] == b"[":
        raise UsageError(f"{name} holds a JSON array; one object a line is needed: jq -c '.[]' FILE > FILE.jsonl")
    return line


def _skip_line(stream: BinaryIO) -> None:
    while (piece := stream.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass


def parse_line(line: bytes) -> dict[str, Any] | str:
    """The object on one line of JSONL, or one line that says what is wrong with it."""
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {error.start + 1})"
    except json.JSONDecodeError as error:
        return f"broken JSON: {error.msg} at character {error.pos + 1}"
    except (RecursionError, ValueError) as error:
        return f"broken JSON: {error}"
    return cast("dict[str, Any]", value) if isinstance(value, dict) else f"not an object but {type(value).__name__}"


def _parquet(path: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    try:
        from importlib import import_module

        pa: Any = import_module("pyarrow")
        pq: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError.of("reading Parquet", "parquet") from None
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=PARQUET_BATCH_ROWS):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except pa.ArrowException as error:
        message = str(error).splitlines()[0]
        raise UsageError(f"cannot read {path} as Parquet after row {number}: {message}") from None


def make_rows(
    record: Mapping[str, Any], where: str, stem: str, line: int, columns: Columns | None = None
) -> Iterator[Row]:
    """The rows of one record: one, or one a completion where the column holds a list of them (k samples)."""
    columns = columns or Columns()
    base = _base(record, stem, line, columns)
    column = first_present(record, columns.completions)
    value = None if column is None else lookup(record, column)
    if column is None:
        yield Row(where, base.id or "", base.data_source, None, "no completion")
        return
    completions = _several(value)
    if completions is None:
        yield _row(where, base, value)
        return
    group = base.group or base.id
    for index, completion in enumerate(completions):
        identity = base.id if len(completions) == 1 else f"{base.id}#{index}"
        yield _row(where, replace(base, id=identity, group=group), completion)


@dataclass(frozen=True)
class _Base:
    """What all samples of one record share."""

    id: str
    data_source: str | None
    group: str | None
    fields: Mapping[str, Any]


def _base(record: Mapping[str, Any], stem: str, line: int, columns: Columns) -> _Base:
    truth = first_present(record, columns.ground_truths)
    source = first_present(record, DATA_SOURCE)
    identity = first_present(record, IDENTITY)
    group = first_present(record, columns.groups)
    prompt = first_present(record, PROMPT)
    extra = record.get("extra_info")
    used = {truth, source, prompt, *columns.completions, "extra_info", "messages", "ground_truth", *FACTS}
    fields: dict[str, Any] = {name: record[name] for name in FACTS if record.get(name) is not None}
    fields["ground_truth"] = None if truth is None else lookup(record, truth)
    fields["prompt"] = None if prompt is None else _prompt(record[prompt])
    fields["extra_info"] = {
        **{name: value for name, value in record.items() if name not in used},
        **(cast("Mapping[str, Any]", extra) if isinstance(extra, Mapping) else {}),
    }
    return _Base(
        id=f"{stem}:{line}" if identity is None else str(record[identity]),
        data_source=_source_name(stem) if source is None else str(record[source]),
        group=None if group is None else str(lookup(record, group)),
        fields=fields,
    )


def _row(where: str, base: _Base, completion: Any) -> Row:
    try:
        if not isinstance(completion, str) and not is_chat(completion):
            raise UsageError(f"completion is {type(completion).__name__}, not text or a chat")
        sample = Sample(
            completion=cast("Any", completion),
            id=base.id,
            data_source=base.data_source,
            group=base.group,
            **base.fields,
        )
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        return Row(where, base.id, base.data_source, None, message)
    except UsageError as error:
        return Row(where, base.id, base.data_source, None, str(error))
    return Row(where, base.id, base.data_source, sample, None)


def _several(value: Any) -> list[Any] | None:
    """The completions in a list of them (texts, chats, or lm-eval's list of lists); None for a single completion."""
    if not isinstance(value, (list, tuple)) or is_chat(value):
        return None
    items = cast("Sequence[Any]", value)
    if len(items) == 1 and isinstance(items[0], list) and not is_chat(items[0]):
        return list(cast("list[Any]", items[0]))
    return [item[0] if isinstance(item, list) and len(cast("list[Any]", item)) == 1 else item for item in items]


def _prompt(value: Any) -> Any:
    return value if isinstance(value, str) or is_chat(value) else None


def _has(record: Mapping[str, Any], column: str) -> bool:
    if column in record:
        return True
    head, dot, rest = column.partition(".")
    inner = record.get(head)
    return bool(dot) and isinstance(inner, Mapping) and _has(cast("Mapping[str, Any]", inner), rest)


def _size(path: str) -> int:
    if path == "-":
        return 0
    file = Path(path)
    if file.is_dir():
        raise UsageError(f"{path} is a folder; name the files in it")
    try:
        return file.stat().st_size
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None


def _stem(name: str) -> str:
    stem = Path(name).name
    for suffix in (".gz", ".jsonl", ".ndjson", ".json", ".parquet"):
        stem = stem.removesuffix(suffix)
    return stem


def _source_name(stem: str) -> str:
    match = _LM_EVAL_SAMPLES.match(stem)
    return match[1] if match else stem
