"""Shards: runs of rows that are read, judged and written as one. They travel as lines of JSON in an Arrow column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from rewardkit.data.reader import RowReader, Selection
from rewardkit.data.rows import Columns, Row
from rewardkit.errors import UsageError
from rewardkit.run import chunks
from rewardkit.types import Sample

SHARD_ROWS = 512
"""Rows of a shard at most, but for a group or a record that is longer."""
SHARD_BYTES = 8 * 2**20
"""A shard ends once it has so many."""
FIRST_SHARD_ROWS = 64
"""Rows of an input's first shard; each has twice as many as the one before, so that the first rows come soon and all actors get some."""
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


class Part(NamedTuple):
    """Inputs that one task reads."""

    place: int
    paths: tuple[str, ...]
    columns: Columns
    selection: Selection
    skip: int = 0
    """Rows at the beginning that are done."""


class Shard(NamedTuple):
    """A row of the pipeline's table. The last shard of a part may be empty."""

    part: int
    place: int
    last: bool
    """No further shard of this part comes."""
    fraction: float
    """How much of the part is read."""
    truncated: str
    """Inputs that could not be read to their end, one line each; kept by the last shard."""
    rows: bytes
    """A line for each row; once it is judged, followed by a tab and its output."""

    @property
    def name(self) -> str:
        """Name of the file that this shard is written to."""
        return f"part-{self.part:05}-{self.place:06}.jsonl"


def read_shards(part: Part) -> Iterator[Shard]:
    """The shards of a part, the same each time that they are read."""
    reader = RowReader(part.paths, part.columns, part.selection)
    rows, size, limit, place = 0, 0, FIRST_SHARD_ROWS, 0
    packed: list[bytes] = []
    for chunk in chunks(islice(reader, part.skip, None)):
        packed.append(b"\n".join(map(pack_row, chunk)))
        rows, size = rows + len(chunk), size + len(packed[-1])
        if rows >= limit or size >= SHARD_BYTES:
            yield Shard(part.place, place, False, reader.fraction or 0.0, "", b"\n".join(packed))
            rows, size, limit, place = 0, 0, min(2 * limit, SHARD_ROWS), place + 1
            packed = []
    yield Shard(part.place, place, True, 1.0, "\n".join(reader.truncated), b"\n".join(packed))


def pack_row(row: Row) -> bytes:
    """A row as one line. A sample that JSON has no form for becomes the reason why."""
    sample, error = "null", row.error
    if row.sample is not None:
        try:
            sample = row.sample.to_json()
        except UsageError as refused:
            error = str(refused)
    return f"[{_ENCODE((row.where, row.id, row.data_source, error))},{sample}]".encode("utf-8", "surrogatepass")


def unpack_row(line: bytes) -> Row:
    """The row of a line."""
    (where, identity, source, error), sample = json.loads(line)
    return Row(where, identity, source, None if sample is None else Sample.from_row(sample), error)


def unpack_rows(rows: bytes) -> Iterator[Row]:
    """The rows of a shard that is to be judged."""
    return map(unpack_row, rows.split(b"\n") if rows else ())


def pack_judged(rows: Iterable[tuple[Row, dict[str, Any]]]) -> bytes:
    """Rows with their output: without what only a judge needs."""
    return b"\n".join(
        pack_row(row._replace(sample=_what_groups(row.sample)))
        + b"\t"
        + _ENCODE(record).encode("utf-8", "surrogatepass")
        for row, record in rows
    )


def unpack_judged(rows: bytes) -> Iterator[tuple[Row, dict[str, Any]]]:
    """The rows of a judged shard with their output."""
    for line in rows.split(b"\n") if rows else ():
        row, _, record = line.partition(b"\t")
        yield unpack_row(row), json.loads(record)


def _what_groups(sample: Sample | None) -> Sample | None:
    """What tells the problem and the group of a row."""
    if sample is None:
        return None
    truth = sample.ground_truth if isinstance(sample.ground_truth, str) else None
    return Sample(completion="", prompt=sample.prompt, ground_truth=truth, group=sample.group)
