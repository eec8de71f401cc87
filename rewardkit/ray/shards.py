"""Shards: runs of rows that are read, judged and written as one. They travel as lines in an Arrow column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from rewardkit.base import Reward
from rewardkit.data.reader import RowReader, Selection
from rewardkit.data.rows import Columns
from rewardkit.judging import JudgeRecords, chunks

SHARD_ROWS = 512
"""Rows of a shard at most, but for a group or a record that is longer."""
SHARD_BYTES = 8 * 2**20
"""A shard ends once it has so many."""
FIRST_SHARD_ROWS = 64
"""Rows of an input's first shard; each has twice as many as the one before, so that the first rows come soon and all actors get some."""


class Part(NamedTuple):
    """Inputs that one task reads."""

    place: int
    paths: tuple[str, ...]
    columns: Columns
    selection: Selection
    skip: int = 0
    """Rows at the beginning that are done."""
    reward: Reward | None = None
    """What judges the rows; if it compares groups, shards hold whole ones."""
    stems: tuple[str, ...] = ()
    """As the reader of all inputs calls these."""


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
    """A line for each row: its record, and its result once it is judged."""

    @property
    def lines(self) -> list[bytes]:
        """The lines of its rows."""
        return self.rows.split(b"\n") if self.rows else []

    @property
    def name(self) -> str:
        """Name of the file that this shard is written to."""
        return f"part-{self.part:05}-{self.place:06}.jsonl"


def read_shards(part: Part) -> Iterator[Shard]:
    """The shards of a part, the same each time that they are read."""
    reader = RowReader(part.paths, part.columns, part.selection, stems=part.stems)
    size, limit, place = 0, FIRST_SHARD_ROWS, 0
    lines: list[bytes] = []
    records = islice(reader.records(), part.skip, None)
    for chunk in chunks(records, JudgeRecords(part.columns), part.reward):
        new = [record.to_line() for record in chunk]
        lines, size = lines + new, size + sum(map(len, new))
        if len(lines) >= limit or size >= SHARD_BYTES:
            yield Shard(part.place, place, False, reader.fraction or 0.0, "", b"\n".join(lines))
            lines, size, limit, place = [], 0, min(2 * limit, SHARD_ROWS), place + 1
    yield Shard(part.place, place, True, 1.0, "\n".join(reader.truncated), b"\n".join(lines))
