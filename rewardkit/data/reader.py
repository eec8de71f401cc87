"""Stream the rows of files, folders, globs, URLs and hub data sets, all of them or a selection."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter

from rewardkit.data.formats import COMPRESSED, SUFFIXES, Found, Truncated
from rewardkit.data.rows import Columns, Record, Row, check_columns, missing_ground_truth, row_of, split_completions
from rewardkit.data.sources import STDIN, Source, expand
from rewardkit.errors import UsageError

GROUP_RECORDS = 100
"""One of so many first records must have the column of the group, if it is named; some records may have no group."""


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

    def of(self, records: Iterable[Record]) -> Iterable[Record]:
        """The chosen records. A sample is held in memory, the rest of the input is not (Vitter 1985, algorithm R)."""
        if self.limit is not None:
            return islice(records, min(self.limit, sys.maxsize))
        if self.sample is None:
            return records
        rng = random.Random(self.seed)
        kept: list[tuple[int, Record]] = []
        for index, record in enumerate(records):
            if index < self.sample:
                kept.append((index, record))
            elif (slot := rng.randrange(index + 1)) < self.sample:
                kept[slot] = index, record
        return [record for _, record in sorted(kept, key=itemgetter(0))]


@dataclass
class RowReader:
    """Streams the rows of files, folders, globs, URLs and hub data sets, in order."""

    paths: Sequence[str]
    columns: Columns = field(default_factory=Columns)
    selection: Selection = field(default_factory=Selection)
    truncated: list[str] = field(default_factory=list[str])
    """One line for each input that ended before it should have."""
    without_ground_truth: str = ""
    """What to say of the first input that has no column for the ground truth, where rows cannot be judged without."""
    read_elsewhere: float | None = None
    """Share of the input that other processes have read for this one."""
    stems: Sequence[str] = ()
    """What ids and data sources call each source. [default: `distinct_stems` of their names]"""

    def __post_init__(self) -> None:
        self.sources = expand(self.paths)
        self.stems = self.stems or distinct_stems([source.shown for source in self.sources])
        self._done = 0
        self._current: Source | None = None

    @property
    def fraction(self) -> float | None:
        """Share of the input that is read, in bytes; None if its size is not known (a stream, the hub)."""
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
        for source, stem in zip(self.sources, self.stems, strict=True):
            next(self._records(source, stem, source.peek(GROUP_RECORDS if self.columns.group else 1)))
        self.truncated.clear()

    def __iter__(self) -> Iterator[Row]:
        return (row_of(record, self.columns) for record in self.records())

    def records(self) -> Iterator[Record]:
        """The chosen records; one that holds several completions as several."""
        columns = self.columns
        for record in self.chosen():
            yield from split_completions(record, columns)

    def chosen(self) -> Iterable[Record]:
        """The chosen records as they were read."""
        self._done = 0
        return self.selection.of(self._all_records())

    def _all_records(self) -> Iterator[Record]:
        for source, stem in zip(self.sources, self.stems, strict=True):
            self._current = source
            yield from self._records(source, stem, source.read())
            self._current = None
            self._done += source.size or 0

    def _records(self, source: Source, stem: str, records: Iterable[Found]) -> Iterator[Record]:
        """The records found in one source, the first object of them checked."""
        name, empty, checked = source.shown, True, False
        found = iter(records)
        head = list(islice(found, GROUP_RECORDS if self.columns.group else 0))
        for line, value, text in chain(head, found):
            empty = False
            if isinstance(value, Truncated):
                self.truncated.append(f"{name}: {value}")
            elif not checked and isinstance(value, dict):
                check_columns(value, name, self.columns, [each for _, each, _ in head if isinstance(each, dict)])
                self.without_ground_truth = self.without_ground_truth or missing_ground_truth(value, name, self.columns)
                checked = True
            yield Record(name, stem, line, value, text)
        if empty:
            raise UsageError(f"{name} has no rows")


def distinct_stems(names: Sequence[str]) -> list[str]:
    """Each name without folder and suffix; where that is the same for several files, with as much of both as tells these apart."""
    files = [os.path.realpath(name) if os.path.exists(name) else name for name in names]  # noqa: PTH110
    namesakes: dict[str, dict[str, str]] = {}
    firsts = [
        namesakes.setdefault(plain_stem(name), {}).setdefault(file, name)
        for name, file in zip(names, files, strict=True)
    ]
    tails: dict[str, str] = {}
    for same in (set(each.values()) for each in namesakes.values()):
        parts = range(1, 2 + max(name.count("/") for name in same))
        ways = ({name: _tail(name, count, whole=whole) for name in same} for whole in (False, True) for count in parts)
        tails |= next((way for way in ways if len(set(way.values())) == len(same)), {name: name for name in same})
    return [tails[name] for name in firsts]


def plain_stem(name: str) -> str:
    """A name without folder and suffix; that of standard input is `stdin`."""
    return _tail("stdin" if name == STDIN else name, 1, whole=False)


def _tail(name: str, parts: int, *, whole: bool) -> str:
    stem = "/".join(name.rstrip("/").split("/")[-parts:])
    if whole:
        return stem
    for suffix in (*COMPRESSED, *SUFFIXES):
        stem = stem.removesuffix(suffix)
    return stem
