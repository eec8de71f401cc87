"""Stream the rows of files, folders, globs, URLs and hub data sets, all of them or a selection."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from rewardkit.data.formats import COMPRESSED, SUFFIXES, Truncated
from rewardkit.data.rows import Columns, Row, check_columns, make_rows, source_name
from rewardkit.data.sources import STDIN, Source, expand
from rewardkit.errors import UsageError


@dataclass(frozen=True)
class Selection:
    """Which records of the input are read: the first `limit`, or `sample` of them drawn at random, in the order of the input."""

    limit: int | None = None
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.limit is not None and self.sample is not None:
            raise UsageError("--limit takes the first rows and --sample draws some at random; give one of them")
        for name, number in (("--limit", self.limit), ("--sample", self.sample)):
            if number is not None and number < 1:
                raise UsageError(f"{name} is {number}; give 1 or more")

    def of(self, places: Iterable[_Place]) -> Iterable[_Place]:
        """The chosen records. A sample is held in memory, the rest of the input is not (Vitter 1985, algorithm R)."""
        if self.limit is not None:
            return islice(places, self.limit)
        if self.sample is None:
            return places
        rng = random.Random(self.seed)
        kept: list[tuple[int, _Place]] = []
        for index, place in enumerate(places):
            if index < self.sample:
                kept.append((index, place))
            elif (slot := rng.randrange(index + 1)) < self.sample:
                kept[slot] = index, place
        return [place for _, place in sorted(kept, key=itemgetter(0))]


class _Place(NamedTuple):
    """A record and where it stands."""

    name: str
    stem: str
    line: int
    record: dict[str, Any] | str


@dataclass
class RowReader:
    """Streams the rows of files, folders, globs, URLs and hub data sets, in order."""

    paths: Sequence[str]
    columns: Columns = field(default_factory=Columns)
    selection: Selection = field(default_factory=Selection)
    truncated: list[str] = field(default_factory=list[str])
    """One line for each input that ended before it should have."""
    read_elsewhere: float | None = None
    """Share of the input that other processes have read for this one."""

    def __post_init__(self) -> None:
        self.sources = expand(self.paths)
        self._done = 0
        self._current: Source | None = None

    @property
    def fraction(self) -> float | None:
        """Share of the input that is read, in bytes; None if its size is not known (standard input, the hub)."""
        if self.read_elsewhere is not None:
            return self.read_elsewhere
        sizes = [source.size for source in self.sources]
        known = [size for size in sizes if size is not None]
        if not sum(known) or len(known) < len(sizes):
            return None
        position = 0 if self._current is None else self._current.position
        return min(1.0, (self._done + position) / sum(known))

    def check(self) -> None:
        """Check the first row of each file, so that wrong input is refused before any row is judged.

        Raises:
            UsageError: a file cannot be read, is of another kind, or lacks a column.
        """
        for source in self.sources:
            if source.name != STDIN:
                next(self._rows(self._records(source)))
        self.truncated.clear()

    def __iter__(self) -> Iterator[Row]:
        self._done = 0
        yield from self._rows(self.selection.of(self._all_records()))

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The chosen records as they were read, each with its place; what can't be read is left out."""
        for name, _, line, record in self.selection.of(self._all_records()):
            if isinstance(record, dict):
                yield f"{name}:{line}", record

    def _all_records(self) -> Iterator[_Place]:
        for source in self.sources:
            self._current = source
            yield from self._records(source)
            self._current = None
            self._done += source.size or 0

    def _records(self, source: Source) -> Iterator[_Place]:
        """The records of one source with their place, the first of them checked."""
        stem, empty, checked = _stem(source.shown), True, False
        for line, record in source.read():
            empty = False
            if isinstance(record, Truncated):
                self.truncated.append(f"{source.shown}: {record}")
            elif isinstance(record, dict) and not checked:
                check_columns(record, source.shown, self.columns)
                checked = True
            yield _Place(source.shown, stem, line, record)
        if empty:
            raise UsageError(f"{source.shown} has no rows")

    def _rows(self, places: Iterable[_Place]) -> Iterator[Row]:
        for name, stem, line, record in places:
            where = f"{name}:{line}"
            if isinstance(record, str):
                yield Row(where, f"{stem}:{line}", source_name(stem), None, str(record))
            else:
                yield from make_rows(record, where, stem, line, self.columns)


def _stem(name: str) -> str:
    stem = name.rstrip("/").rpartition("/")[2]
    for suffix in (*COMPRESSED, *SUFFIXES):
        stem = stem.removesuffix(suffix)
    return stem
