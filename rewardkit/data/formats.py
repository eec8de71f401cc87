"""Formats of rows: JSONL, JSON, CSV, TSV, Parquet and Arrow, plain or compressed with gzip or zstd, distinguished by content.

What cannot be read of a file becomes a message in the place of a record, so that nothing is lost in silence.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from typing import Any, BinaryIO, cast

from rewardkit import coerce
from rewardkit.data.column_aliases import FACTS
from rewardkit.errors import MissingExtraError, UsageError, counted, describe_error, quoted

Found = tuple[int, "dict[str, Any] | str | Truncated", "bytes | None"]
"""The line (of text) or row (of a table), counted from 1; what is there: an object, or what is wrong with it; its JSON, if it
was read from JSON on a line of its own."""
SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow", ".feather")
COMPRESSED = (".gz", ".zst")
NOT_READ = (".bz2", ".xz")
"""Compressed files that are refused by name and content, rather than left out of a folder."""
MAX_LINE_BYTES = 32 * 2**20
"""Longer lines are unjudged rows; they are skipped without being held in memory."""
TABLE_BATCH_ROWS = 256
_PIECE = 2**20
_BLANKS = " \t\r\n"
"""White space of JSON."""
_DECODE = json.JSONDecoder(parse_float=coerce.parse_float).raw_decode
_GZIP, _ZSTD, _PARQUET, _ARROW_FILE, _ARROW_STREAM = (
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
    b"ARRO",
    b"\xff\xff\xff\xff",
)


class Truncated(str):
    """A message that says that the input ended before its end."""

    __slots__ = ()


def records(stream: io.BufferedReader, name: str) -> Iterator[Found]:
    """The records of an open file; its `name` counts only for CSV of one column, and for JSON over several lines.

    Raises:
        UsageError: the format is none of those above.
    """
    head = stream.peek(4)[:4]
    if head[:2] == _GZIP:
        yield from _compressed(cast("io.RawIOBase", _Gzip(fileobj=stream)), name.removesuffix(".gz"))
    elif head == _ZSTD:
        raw = _pyarrow(name).input_stream(stream, compression="zstd")
        yield from _compressed(raw, name.removesuffix(".zst"))
    elif head == _PARQUET:
        yield from _parquet(stream, name)
    elif head in {_ARROW_FILE, _ARROW_STREAM}:
        yield from _arrow(stream, name, is_stream=head == _ARROW_STREAM)
    elif head[:3] in {b"BZh", b"\xfd7z"}:
        raise UsageError(f"{name} is compressed with bzip2 or xz; decompress it, or compress it with gzip or zstd")
    elif head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise UsageError(f"{name} is UTF-16; save it as UTF-8")
    elif name.lower().endswith((".csv", ".tsv")):
        yield from _csv(stream, name, "\t" if name.lower().endswith(".tsv") else ",")
    else:
        yield from _json(stream, name)


def parse_line(line: bytes) -> dict[str, Any] | str:
    """The object on one line of JSONL, or one line that says what is wrong with it."""
    try:
        text = line.decode("utf-8")
        value, end = _DECODE(text, len(text) - len(text.lstrip(_BLANKS)))
        if rest := text[end:].lstrip(_BLANKS):
            return f"broken JSON: Extra data at character {len(text) - len(rest) + 1}"
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {error.start + 1})"
    except json.JSONDecodeError as error:
        return f"broken JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}"
    except (RecursionError, ValueError) as error:
        return f"broken JSON: {error}"
    return _object(value)


def _object(value: Any) -> dict[str, Any] | str:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else f"not an object but {type(value).__name__}"


def _compressed(raw: io.RawIOBase, name: str) -> Iterator[Found]:
    """The records of a compressed file; one that is damaged ends with a message."""
    number = 0
    found = records(io.BufferedReader(raw), name)
    try:
        for number, value, text in found:
            yield number, value, text
    except (EOFError, zlib.error, OSError) as error:
        yield number + 1, Truncated(f"compressed file is damaged or cut short after line {number} ({error})"), None


def _json(stream: io.BufferedReader, name: str) -> Iterator[Found]:
    """JSONL, or JSON: one list, or objects that are written over several lines. CSV, if the first line is a heading of several columns."""
    number, line = 1, stream.readline(MAX_LINE_BYTES).removeprefix(b"\xef\xbb\xbf")
    while line.isspace():
        number, line = number + 1, stream.readline(MAX_LINE_BYTES)
    if b"\0" in line[:4096]:
        raise UsageError(f"{name} is binary, but not gzip, zstd, Parquet or Arrow")
    if line.lstrip()[:1] == b"[" or (line.lstrip()[:1] == b"{" and _is_open(line, name)):
        yield from _json_documents(stream, line)
        return
    delimiter = "\t" if b"\t" in line.strip() else ","
    if line.lstrip()[:1] != b"{" and delimiter.encode() in line and isinstance(parse_line(line), str):
        yield from _csv(stream, name, delimiter, line)
        return
    while line:
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            _skip_line(stream)
            yield number, f"line is longer than {MAX_LINE_BYTES // 2**20} MiB", None
        elif line.strip():
            yield number, parse_line(line), line
        line = stream.readline(MAX_LINE_BYTES)
        number += 1


def _is_open(line: bytes, name: str) -> bool:
    """Whether an object goes on behind its first line: in a `.json` file, or if the line is its bracket alone."""
    whole = line.strip() == b"{" or name.lower().endswith(".json")
    return whole and isinstance(parse_line(line), str)


def check_distinct(columns: Iterable[Any], name: str) -> None:
    """Refuse a table with a name twice among its columns: one of them would be left out.

    Raises:
        UsageError: with the name.
    """
    for column, count in Counter(columns).items():
        if count > 1:
            raise UsageError(f"{name} has {count} columns named {quoted(column, 60)}; rename all but one")


def _json_documents(stream: io.BufferedReader, start: bytes) -> Iterator[Found]:
    """The objects of a list, or one after the other, decoded as they come. Nothing behind broken JSON can be distinguished."""
    is_list = start.lstrip()[:1] == b"["
    data = start.lstrip()[1:] if is_list else start
    text, at, number, piece, ended, closed = "", 0, 0, _PIECE, False, False
    to_text = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def broken(why: object) -> Found:
        return number + 1, Truncated(f"broken JSON in row {number + 1}: {why}; nothing behind it is read"), None

    while True:
        text, at = text[at:] + to_text.decode(data, final=ended), 0
        while (at := _between(text, at)) < len(text):
            if closed:
                yield broken("the list has ended before it")
                return
            if is_list and text[at] == "]":
                at, closed = at + 1, True
                continue
            begin = at
            try:
                value, at = _DECODE(text, at)
            except json.JSONDecodeError as error:
                if ended or len(text) - at > MAX_LINE_BYTES:
                    yield broken(error.msg)
                    return
                break
            except (RecursionError, ValueError) as error:
                yield broken(error)
                return
            number += 1
            piece = _PIECE
            yield number, _object(value) if _is_utf8(text[begin:at]) else "not UTF-8", None
        if ended:
            if is_list and not closed:
                yield number + 1, Truncated(f"the list is cut short after row {number}"), None
            return
        data = stream.read(piece)
        piece *= 2  # a large object is tried again with twice as much
        ended = not data


def _between(text: str, at: int) -> int:
    """Where the next value, or the end of the list, begins: behind blanks and commas."""
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _skip_line(stream: BinaryIO) -> None:
    while (piece := stream.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass


def _csv(stream: io.BufferedReader, name: str, delimiter: str, heading: bytes = b"") -> Iterator[Found]:
    """CSV or TSV, the first line of which may be read already."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    first = heading.decode("utf-8", "surrogateescape") or text.readline()
    reader = csv.reader(chain([first], text), delimiter=delimiter, strict=True)
    line = 1
    try:
        names = _heading(next(reader), name, is_quoted=first.startswith('"'))
        line = reader.line_num + 1
        for cells in reader:
            if cells:
                yield line, _csv_record(names, cells), None
            line = reader.line_num + 1
    except csv.Error as error:
        yield line, Truncated(f"broken CSV: {error}; nothing behind it is read"), None
        return
    text.detach()


def _heading(cells: Sequence[str], name: str, *, is_quoted: bool) -> list[str]:
    """The names of the columns, without blanks around them where that leaves them distinct."""
    counts = Counter(cell.strip() for cell in cells)
    names = [cell if counts[cell.strip()] > 1 and cell.strip() else cell.strip() for cell in cells]
    if len(names) == 1 and ";" in names[0] and not is_quoted:
        raise UsageError(f"{name}: its columns seem to be separated by ';'; write commas or tabs")
    check_distinct(filter(None, names), name)
    return names


def _csv_record(names: Sequence[str], cells: Sequence[str]) -> dict[str, Any] | str:
    if len(cells) > len(names):
        return f"{counted(len(cells) - len(names), 'cell')} more than columns"
    record = {name: cell for name, cell in zip(names, cells, strict=False) if cell or name not in FACTS}
    return record if _is_utf8("".join(record.values())) else "not UTF-8"


def _is_utf8(text: str) -> bool:
    """Whether the bytes that `text` was decoded from, with surrogateescape, were UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _pyarrow(name: str) -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtraError.of(f"reading {name}", "parquet") from None


def _parquet(stream: io.BufferedReader, name: str) -> Iterator[Found]:
    pa = _pyarrow(name)
    with _as_usage_error(pa, name, "Parquet"), import_module("pyarrow.parquet").ParquetFile(_seekable(stream)) as file:
        yield from _table(file.iter_batches(batch_size=TABLE_BATCH_ROWS), name)


def _arrow(stream: io.BufferedReader, name: str, *, is_stream: bool) -> Iterator[Found]:
    pa = _pyarrow(name)
    with _as_usage_error(pa, name, "Arrow"):
        if is_stream:
            yield from _table(pa.ipc.open_stream(stream), name)
        else:
            file = pa.ipc.open_file(_seekable(stream))
            yield from _table((file.get_batch(index) for index in range(file.num_record_batches)), name)


class _Gzip(gzip.GzipFile):
    def seekable(self) -> bool:
        """False: what it reads may be a pipe."""
        return False


def _seekable(stream: io.BufferedReader) -> BinaryIO:
    """The stream, or all of it in memory if it is compressed once more."""
    return stream if stream.seekable() else io.BytesIO(stream.read())


def _table(batches: Any, name: str) -> Iterator[Found]:
    number = 0
    for batch in batches:
        check_distinct(batch.schema.names, name)
        batch.validate(full=True)  # of a damaged file, text may be no UTF-8 and lengths may point anywhere
        for start in range(0, batch.num_rows, TABLE_BATCH_ROWS):
            for record in batch.slice(start, TABLE_BATCH_ROWS).to_pylist():
                number += 1
                yield number, record, None


@contextmanager
def _as_usage_error(pa: Any, name: str, kind: str) -> Generator[None]:
    """Turn Arrow's own errors into one line."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the disk or the network, not of the contents
            raise
        raise UsageError(f"cannot read {name} as {kind}: {describe_error(error)}") from None
