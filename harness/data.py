"""Benchmark rows for a task: from local files if there are some, else from the hub; the same YAML serves both.

`load` is what a task names as `custom_dataset`. Local files are looked for beside the task's YAML, then under `--data-dir` or
`REWARDKIT_DATA`. What was read (path or hub id, sha256, rows) is in `Rows.source`, so that a run can say it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast, overload

from harness.dataset_formats import NO_QUESTION, SHAPES, Shape, question_hash
from harness.identity import digest
from harness.process_state import environment
from rewardkit import python_file
from rewardkit.data.column_aliases import lookup
from rewardkit.data.sources import expand
from rewardkit.data.urls import is_url
from rewardkit.errors import UsageError, describe_error
from rewardkit.paths import expanded

DATA_DIR_VARIABLE = "REWARDKIT_DATA"
SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".json.gz", ".parquet", ".csv")
MAX_NAMED = 5
"""Rows named for each reason why rows are not asked."""
LEFT_OUT = "its shape leaves it out"
REPEATED = "the same problem as an earlier row"


class DataError(UsageError):
    """A task's data was not found. The message names the files that were tried and how to get them."""


@dataclass(frozen=True)
class Dropped:
    """Rows that are not asked for one reason."""

    count: int
    first: Sequence[int]
    """The numbers of the first of them, from 1."""


@dataclass(frozen=True)
class DataSource:
    """The source of a task's rows."""

    task_data: str
    place: str
    """Path of the local file(s), or `hub:<id>`."""
    sha256: str | None
    """Of the local file (of all of them, in order, if there are several); None for the hub and for URLs."""
    rows: int
    """All that were read, asked or not."""
    dropped: Mapping[str, Dropped] = field(default_factory=dict[str, Dropped])
    """Rows that are not asked, by the reason."""

    @property
    def left_out(self) -> str:
        """The rows that are not asked, in words: `, 2 left out (no answer: rows 3, 9)`. Empty if all are."""
        found = ""
        for why, rows in self.dropped.items():
            more = ", ..." if rows.count > len(rows.first) else ""
            found += f", {rows.count} left out ({why}: rows {', '.join(map(str, rows.first))}{more})"
        return found


class Rows(Sequence[dict[str, Any]]):
    """A list of docs that lm-eval takes for a data set: columns may hold any shape, unlike in Arrow."""

    def __init__(self, docs: Iterable[dict[str, Any]], source: DataSource | None = None) -> None:
        self._docs = list(docs)
        self.source = source

    @property
    def features(self) -> dict[str, None]:
        """Column names, as lm-eval asks for them."""
        return dict.fromkeys(self._docs[0]) if self._docs else {}

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | Rows:
        return Rows(self._docs[index], self.source) if isinstance(index, slice) else self._docs[index]

    def __len__(self) -> int:
        return len(self._docs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._docs)


def load(
    *,
    data: str | None = None,
    shape: str = "math",
    reward: str = "math",
    columns: Mapping[str, str] | None = None,
    hub: str | None = None,
    hub_config: str | None = None,
    hub_split: str = "test",
    files: Sequence[str | Sequence[str]] | str = (),
    data_source: str | None = None,
    sample: int | None = None,
    note: str = "",
    config_source: str | None = None,
    **_: Any,
) -> dict[str, Rows]:
    """The docs of a benchmark under the split name `test`.

    Args:
        data: short name; `<data>.jsonl` and `<data>/test.jsonl` (also .gz, .json, .parquet) are found by themselves. If not given,
            the name of the task's YAML.
        shape: what turns a row into a doc: a function of `harness.dataset_formats`, or `./file.py:function` beside the YAML.
        reward: text form of the reward that judges the answers.
        columns: for each column that the shape reads the name that it has in the rows; `a.b` reaches into a mapping.
        hub: data set id on the hub.
        hub_config: its configuration there.
        hub_split: its split there.
        files: local names, relative to the YAML or to the data directory, or URLs; all or none must be there. Those in a list of their
            own stand for each other: the ones that are there are read.
        data_source: what rewards and tables call it; `data` if not given.
        sample: keep this many docs, chosen by the hash of the question (independent of order and machine).
        note: how to get the data, for the error message.
        config_source: the task's YAML, as lm-eval gives it.

    Raises:
        DataError: neither a local file nor the hub gave rows, or the rows do not fit.
    """
    yaml = Path(config_source) if config_source and config_source != "inline" else None
    entries = [[each] if isinstance(each, str) else each for each in ([files] if isinstance(files, str) else files)]
    entries = [entry for entry in entries if entry != []]
    names = [name for entry in entries for name in entry]
    data = data or (yaml.stem if yaml else (names or [hub or "data"])[0])
    to_doc = _shape(data, shape, yaml)
    found = find_files(data, entries, yaml.parent if yaml else None)
    rows, source = read_local(data, found) if found else read_hub(data, hub, hub_config, hub_split, names, note)
    rows = _renamed(data, rows, columns or {}, source.place)
    docs, left_out = _docs(data, rows, to_doc, reward, f"{source.place} does not fit shape {shape!r}")
    if sample is not None and sample < len(docs):
        left_out[f"not in the sample of {sample}"] = [docs.pop(problem)[0] for problem in sorted(docs)[sample:]]
    dropped = {why: Dropped(len(numbers), sorted(numbers)[:MAX_NAMED]) for why, numbers in left_out.items()}
    source = replace(source, dropped=dropped)
    if not docs:
        raise DataError(f"{data}: {source.place} holds no usable rows{source.left_out}")
    common = {"data_source": data_source or data, "reward": reward}
    asked = ({"id": f"{data}-{number - 1}", **made, **common} for number, made in docs.values())
    return {"test": Rows(asked, source)}


def _docs(
    data: str, rows: Iterable[dict[str, Any]], to_doc: Shape, reward: str, misfit: str
) -> tuple[dict[tuple[str, str], tuple[int, dict[str, Any]]], dict[str, list[int]]]:
    """Each problem with its row's number and its doc, and the numbers of all other rows by the reason why they are not asked.

    Two problems are the same if all of them is equal, white space in the question aside. `misfit` is said of a row that cannot be read.
    """
    docs: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    left_out: defaultdict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        try:
            made = to_doc(row) or LEFT_OUT
            if isinstance(made, str):
                left_out[made].append(number)
                continue
            question = "" if made["question"] is None else str(made["question"])
            problem = question_hash(question), digest(repr({**made, "question": ""}))
            truth = made["ground_truth"]
        except Exception as error:  # noqa: BLE001 - a shape may be a function of the user's
            raise DataError(f"{data}: row {number} of {misfit}: {describe_error(error)}") from None
        if (
            why := ("" if question.strip() else NO_QUESTION)
            or unreadable(truth, reward)
            or (REPEATED if problem in docs else "")
        ):
            left_out[why].append(number)
        else:
            docs[problem] = number, made
    return docs, left_out


def _shape(data: str, shape: str, yaml: Path | None) -> Shape:
    file, colon, function = shape.rpartition(":")
    if colon:
        return python_file.attribute(str((yaml.parent if yaml else Path()) / file), function)
    if shape not in SHAPES:
        raise DataError(f"{data}: no shape {shape!r}; there are {', '.join(sorted(SHAPES))} and ./file.py:function")
    return SHAPES[shape]


def _renamed(
    data: str, rows: Sequence[dict[str, Any]], columns: Mapping[str, str], place: str
) -> Iterator[dict[str, Any]]:
    """The rows with the columns that the shape reads."""
    for column in columns.values():
        if rows and not any(lookup(row, column) is not None for row in rows):
            raise DataError(f"{data}: {place} has no column {column!r}; its columns: {', '.join(rows[0])}")
    for row in rows:
        yield {**row, **{name: lookup(row, column) for name, column in columns.items()}}


def unreadable(truth: Any, reward: str) -> str:
    """Why no answer to this ground truth could be judged right; empty if one can."""
    if reward not in {"math", "grpo_tcr"} or not isinstance(truth, (str, list)):
        return ""
    from rewardkit.math import Status, judge
    from rewardkit.rewards.dapo_math import boxed_text

    if judge("\\boxed{0}", cast("str | list[Any]", truth)).status is Status.BAD_GOLD:
        return "no judge can read the ground truth"
    if reward == "grpo_tcr" and boxed_text(f"\\boxed{{{truth}}}") != truth:
        return "the ground truth in a box is not what its reward reads"
    return ""


def data_dir() -> Path | None:
    """The directory with local data, or None."""
    value = os.environ.get(DATA_DIR_VARIABLE)
    return expanded(value) if value else None


def find_files(data: str, files: Sequence[Sequence[str]], beside: Path | None) -> list[str]:
    """The local files and URLs of a benchmark: the ones named in the task (`load`), else `<data>.*` or `<data>/test.*`.

    Raises:
        DataError: some of the named ones are there, and others are not.
    """
    root = data_dir()
    folders = [folder for folder in (beside, root) if folder is not None]
    named: list[str] = []
    missing: list[str] = []
    for entry in files:
        there = [place for name in entry for place in _places(name, folders)]
        named += there
        missing += [] if there else [" or ".join(entry)]
    if named and missing:
        raise DataError(
            f"{data}: found {', '.join(named)}, but not {', '.join(missing)}; add what is missing, or take it out of `files`"
        )
    if named or root is None:
        return named
    stems = (root / data, root / data / "test", root / data / data)
    found = (stem.with_name(stem.name + suffix) for stem in stems for suffix in SUFFIXES)
    return [str(path) for path in found if path.is_file()][:1]


def _places(name: str, folders: Sequence[Path]) -> list[str]:
    """A URL as it is, else the first file of this name in the folders, if there is one."""
    if is_url(name):
        return [name]
    return [str(path) for path in [folder / name for folder in folders] or [Path(name)] if path.is_file()][:1]


def read_local(data: str, paths: Sequence[str | Path]) -> tuple[list[dict[str, Any]], DataSource]:
    """All rows of these files and URLs, and where they came from.

    Raises:
        DataError: a file or a row of it cannot be read.
    """
    names = [str(path) for path in paths]
    rows: list[dict[str, Any]] = []
    try:
        for source in expand(names):
            for line, record, _ in source.read():
                if not isinstance(record, dict):
                    raise DataError(f"{data}: cannot read {source.shown}, line {line}: {record}")
                rows.append(record)
    except DataError:
        raise
    except UsageError as error:
        raise DataError(f"{data}: {error}") from None
    sha256 = None if any(map(is_url, names)) else _sha256(names)
    return rows, DataSource(data, ", ".join(names), sha256, len(rows))


def _sha256(names: Sequence[str]) -> str:
    """SHA-256 of the concatenated files."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(Path(name).read_bytes())
    return digest.hexdigest()


def read_hub(
    data: str, hub: str | None, config: str | None, split: str, files: Sequence[str], note: str
) -> tuple[list[dict[str, Any]], DataSource]:
    """All rows of a split on the hub (or in the local hub cache)."""
    root = data_dir()
    places = ["beside the task"] * bool(files) + [f"under {root}"] * bool(root)
    looked = f"no {' or '.join(files) or data + '.jsonl'} {' or '.join(places)}" if places else "no --data-dir given"
    if hub is None:
        raise DataError(f"no data for {data!r}: {looked}, and the task names no `hub` data set")
    library: Any = importlib.import_module("datasets")
    try:
        table = library.load_dataset(hub, config, split=split)
    except Exception as error:  # noqa: BLE001 - the hub client raises many kinds; each means that the data is not here
        raise DataError(
            f"no data for {data!r}: {looked}, and hub data set {hub!r} did not load ({describe_error(error)}). "
            f"Download it where the hub can be reached, or put the file under a directory given with --data-dir or "
            f"{DATA_DIR_VARIABLE}.{' ' + note if note else ''}"
        ) from None
    place = f"hub:{hub}" + (f"/{config}" if config else "")
    return [dict(row) for row in table], DataSource(data, place, None, len(table))


def used_data_dir(path: str | None) -> contextlib.AbstractContextManager[None]:
    """Within it, `path` is the data directory, if there is one.

    Raises:
        UsageError: there is no such directory.
    """
    if path is None:
        return contextlib.nullcontext()
    if not expanded(path).is_dir():
        raise UsageError(f"--data-dir {path!r} is not a directory")
    return environment(DATA_DIR_VARIABLE, str(expanded(path).resolve()))


def source_of(task: Any) -> DataSource | None:
    """What was read for a loaded task; None for tasks that do not use `load`."""
    sets = getattr(task, "dataset", None)
    rows = cast("Mapping[str, Any]", sets).get("test") if isinstance(sets, Mapping) else None
    return rows.source if isinstance(rows, Rows) else None


__all__ = ["DataError", "DataSource", "Rows", "load", "source_of", "used_data_dir"]
