"""Benchmark rows for a task: from a local file where there is one, else from the hub; the same YAML serves both.

`load` is what a task names as `custom_dataset`. Local files are looked for under `--data-dir` or `REWARDKIT_DATA`.
What was read (path or hub id, sha256, rows) is kept in `SOURCES`, so that a run can say it.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast, overload

from harness import dataset_formats
from rewardkit.errors import UsageError

DATA_DIR_VARIABLE = "REWARDKIT_DATA"
SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".json.gz", ".parquet", ".csv")


class DataError(UsageError):
    """A task's data is not at hand: which file was looked for, and how to get it."""


@dataclass(frozen=True)
class DataSource:
    """Where a task's rows came from."""

    task_data: str
    place: str
    """Path of the local file(s), or `hub:<id>`."""
    sha256: str | None
    """Of the local file (of all of them, in order, where there are several); None for the hub."""
    rows: int
    dropped: Mapping[str, str] = field(default_factory=dict[str, str])
    """Problems that are not asked, by id, each with the reason: no judge could judge any answer to them."""

    def to_json(self) -> dict[str, Any]:
        """Plain values for a results file."""
        return asdict(self)


SOURCES: dict[str, DataSource] = {}
"""What `load` read in this process, by data name."""


class Rows(Sequence[dict[str, Any]]):
    """A list of docs that lm-eval takes for a data set: columns may hold any shape, unlike in Arrow."""

    def __init__(self, docs: Iterable[dict[str, Any]]) -> None:
        self._docs = list(docs)

    @property
    def features(self) -> dict[str, None]:
        """Column names, as lm-eval asks for them."""
        return dict.fromkeys(self._docs[0]) if self._docs else {}

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | Rows:
        return Rows(self._docs[index]) if isinstance(index, slice) else self._docs[index]

    def __len__(self) -> int:
        return len(self._docs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._docs)


def load(
    *,
    data: str,
    shape: str,
    reward: str,
    hub: str,
    hub_config: str | None = None,
    hub_split: str = "test",
    files: Sequence[str] = (),
    data_source: str | None = None,
    sample: int | None = None,
    note: str = "",
    **_: Any,
) -> dict[str, Rows]:
    """The docs of a benchmark under the split name `test`.

    Args:
        data: short name; `<data>.jsonl` and `<data>/test.jsonl` (also .gz, .json, .parquet) are found by themselves.
        shape: name of the function in `harness.dataset_formats` that turns a row into a doc.
        reward: text form of the reward that judges the answers.
        hub: data set id on the hub.
        hub_config: its configuration there.
        hub_split: its split there.
        files: further local names, relative to the data directory; all that exist are read.
        data_source: what rewards and tables call it; `data` where not given.
        sample: keep this many docs, chosen by the hash of the question (independent of order and machine).
        note: how to get the data, for the error message.

    Raises:
        DataError: neither a local file nor the hub gave rows.
    """
    to_doc = cast("Callable[[dict[str, Any]], dict[str, Any] | None]", getattr(dataset_formats, shape))
    found = find_files(data, files)
    rows = read_local(data, found) if found else read_hub(data, hub, hub_config, hub_split, files, note)
    docs: list[dict[str, Any]] = []
    dropped: dict[str, str] = {}
    seen: set[str] = set()
    for index, row in enumerate(rows):
        try:
            doc = to_doc(row)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DataError(
                f"{data}: row {index + 1} of {SOURCES[data].place} does not fit: {type(error).__name__}: {error}"
            ) from None
        if doc is None:
            continue
        identity = dataset_formats.question_hash(doc["question"])
        if identity in seen:
            continue
        seen.add(identity)
        doc = {"id": f"{data}-{index}", **doc, "data_source": data_source or data, "reward": reward}
        why = doc.pop("unaskable", "") or unreadable(doc["ground_truth"], reward)
        if why:
            dropped[doc["id"]] = why
        else:
            docs.append(doc)
    SOURCES[data] = replace(SOURCES[data], dropped=dropped)
    if not docs:
        raise DataError(f"{data}: {SOURCES[data].place} holds no usable rows")
    if sample is not None and sample < len(docs):
        chosen = sorted(docs, key=lambda doc: dataset_formats.question_hash(doc["question"]))[:sample]
        keep = {doc["id"] for doc in chosen}
        docs = [doc for doc in docs if doc["id"] in keep]
    return {"test": Rows(docs)}


def unreadable(truth: Any, reward: str) -> str:
    """Why no answer could earn this ground truth's point; nothing where one can."""
    if reward not in {"math", "grpo_tcr"} or not isinstance(truth, str):
        return ""
    from rewardkit.math import Status, judge
    from rewardkit.rewards.dapo_math import boxed_text

    if judge("\\boxed{0}", truth).status is Status.BAD_GOLD:
        return "no judge can read the ground truth"
    if reward == "grpo_tcr" and boxed_text(f"\\boxed{{{truth}}}") != truth:
        return "the ground truth in a box is not what its reward reads"
    return ""


def data_dir() -> Path | None:
    """The directory with local data, or None."""
    value = os.environ.get(DATA_DIR_VARIABLE)
    return Path(value).expanduser() if value else None


def find_files(data: str, files: Sequence[str]) -> list[Path]:
    """The local files of a benchmark: the ones named in the task, else `<data>.*` or `<data>/test.*`."""
    root = data_dir()
    if root is None:
        return []
    named = [root / name for name in files if (root / name).is_file()]
    if named:
        return named
    stems = (root / data, root / data / "test", root / data / data)
    for stem in stems:
        for suffix in SUFFIXES:
            path = stem.with_name(stem.name + suffix)
            if path.is_file():
                return [path]
    return []


def read_local(data: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """All rows of these files, with what was read noted in `SOURCES`."""
    digest = hashlib.sha256()
    rows: list[dict[str, Any]] = []
    for path in paths:
        try:
            content = path.read_bytes()
            rows.extend(_parse(path, content))
        except (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise DataError(f"{data}: cannot read {path}: {error}") from None
        digest.update(content)
    SOURCES[data] = DataSource(data, ", ".join(map(str, paths)), digest.hexdigest(), len(rows))
    return rows


def _parse(path: Path, content: bytes) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        try:
            parquet: Any = importlib.import_module("pyarrow.parquet")
        except ImportError:
            raise UsageError(f"{path} is Parquet: pip install 'rewardkit[parquet]'") from None
        return cast("list[dict[str, Any]]", parquet.read_table(path).to_pylist())
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    text = content.decode()
    if path.suffix == ".csv":
        return list(csv.DictReader(io.StringIO(text)))
    if ".jsonl" in path.name:
        return [json.loads(line) for line in text.split("\n") if line.strip()]  # splitlines would cut at U+2028
    value = json.loads(text)
    return cast("list[dict[str, Any]]", value) if isinstance(value, list) else [value]


def read_hub(
    data: str, hub: str, config: str | None, split: str, files: Sequence[str], note: str
) -> list[dict[str, Any]]:
    """All rows of a split on the hub (or in the local hub cache)."""
    library: Any = importlib.import_module("datasets")
    try:
        table = library.load_dataset(hub, config, split=split)
    except Exception as error:  # noqa: BLE001 - the hub client raises many kinds; each means that the data is not here
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        root = data_dir()
        looked = (
            f"no {' or '.join(files) if files else data + '.jsonl'} under {root}" if root else "no --data-dir given"
        )
        raise DataError(
            f"no data for {data!r}: {looked}, and hub data set {hub!r} did not load ({reason}). "
            f"Download it where the hub can be reached, or put the file under a directory given with --data-dir or "
            f"{DATA_DIR_VARIABLE}.{' ' + note if note else ''}"
        ) from None
    SOURCES[data] = DataSource(data, f"hub:{hub}" + (f"/{config}" if config else ""), None, len(table))
    return [dict(row) for row in table]


def require_data_dir(path: str | None) -> None:
    """Make `path` the data directory of this process and its children.

    Raises:
        UsageError: there is no such directory.
    """
    if path is None:
        return
    if not Path(path).expanduser().is_dir():
        raise UsageError(f"--data-dir {path!r} is not a directory")
    os.environ[DATA_DIR_VARIABLE] = str(Path(path).expanduser().resolve())


def fingerprint(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What was read for these data names, for a run's record."""
    return {name: SOURCES[name].to_json() for name in names if name in SOURCES}


__all__ = ["SOURCES", "DataError", "DataSource", "Rows", "fingerprint", "load", "require_data_dir"]
