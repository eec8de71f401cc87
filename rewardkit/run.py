"""What a scoring run is: its identity, the facts about it, and how it is continued."""

from __future__ import annotations

import dataclasses
import datetime as dt
import platform
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rewardkit.base import Reward, Weighted, walk
from rewardkit.data.reader import RowReader, plain_stem
from rewardkit.data.rows import Columns, Record, Row, row_of
from rewardkit.data.sources import file_hash
from rewardkit.errors import UsageError
from rewardkit.judging import WRITTEN_KEYS
from rewardkit.text import files_of


def row_behind(written: Mapping[str, Any], records: Iterator[Record], columns: Columns) -> Row:
    """The row of the next input record, from which a row of the run that is continued was made.

    Raises:
        UsageError: it was made from another one.
    """
    record = next(records, None)
    row = None if record is None else row_of(record, columns)
    if row is None or written.get("id") != row.id or not written.keys() >= WRITTEN_KEYS:
        place = "there are more rows than in the input" if row is None else f"{row.where} is not {written.get('id')!r}"
        raise UsageError(f"the output does not fit the input: {place}; start again with --overwrite")
    return row


def run_identity(reward: Reward, reward_text: str, reader: RowReader, *, timing: bool) -> dict[str, Any]:
    """What must be equal for one run to continue another: reward and versions, columns, input and which rows of it."""
    files = {path: file_hash(path)["sha256"] for path in files_of(reward_text)}
    return {
        "reward": reward.text,
        "versions": dict(sorted(reward_versions(reward).items())),
        **({"reward_files": files} if files else {}),
        "columns": reader.columns._asdict(),
        "selection": dataclasses.asdict(reader.selection),
        "timing": timing,
        "inputs": [
            {**source.fingerprint, **({} if stem == plain_stem(source.shown) else {"stem": stem})}
            for source, stem in zip(reader.sources, reader.stems, strict=True)
        ],
    }


def run_facts(*, resumable: bool = True) -> dict[str, Any]:
    """Further facts about a run: package versions, the date, and whether --resume can continue it."""
    return {
        "resumable": resumable,
        "packages": package_versions("rewardkit", "python-flint", "sympy"),
        "python": platform.python_version(),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def reward_versions(reward: Reward) -> dict[str, int]:
    """The version of each reward class inside a reward, by name."""
    return {inner.name: inner.version for inner in walk(reward) if inner.name != Weighted.name}


def package_versions(*names: str) -> dict[str, str]:
    """The versions of those packages that are installed."""
    found: dict[str, str] = {}
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
