"""Rows of a run: each record of the input as one sample or several, with its place. A row that cannot be read is kept."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from rewardkit.chat import is_chat
from rewardkit.data.column_aliases import (
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
from rewardkit.data.formats import COMPRESSED, SUFFIXES, Truncated
from rewardkit.data.sources import STDIN, Source, expand
from rewardkit.errors import UsageError
from rewardkit.types import Sample

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

    def __post_init__(self) -> None:
        self.sources = expand(self.paths)
        self._done = 0
        self._current: Source | None = None

    @property
    def fraction(self) -> float | None:
        """Share of the input that is read, in bytes; None where its size is not known (standard input, the hub)."""
        sizes = [source.size for source in self.sources]
        known = [size for size in sizes if size is not None]
        if not sum(known) or len(known) < len(sizes):
            return None
        position = 0 if self._current is None else self._current.position
        return min(1.0, (self._done + position) / sum(known))

    def check(self) -> None:
        """Look at the first row of each file, so that a wrong one is refused before any is judged.

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
                self._check_first(record, source.shown)
                checked = True
            yield _Place(source.shown, stem, line, record)
        if empty:
            raise UsageError(f"{source.shown} has no rows")

    def _rows(self, places: Iterable[_Place]) -> Iterator[Row]:
        for name, stem, line, record in places:
            where = f"{name}:{line}"
            if isinstance(record, str):
                yield Row(where, f"{stem}:{line}", _source_name(stem), None, str(record))
            else:
                yield from make_rows(record, where, stem, line, self.columns)

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


def _stem(name: str) -> str:
    stem = name.rstrip("/").rpartition("/")[2]
    for suffix in (*COMPRESSED, *SUFFIXES):
        stem = stem.removesuffix(suffix)
    return stem


def _source_name(stem: str) -> str:
    match = _LM_EVAL_SAMPLES.match(stem)
    return match[1] if match else stem
