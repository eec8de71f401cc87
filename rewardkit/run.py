"""A scoring run: reads rows and writes one JSON object per row, in order, streamed and resumable."""

from __future__ import annotations

import dataclasses
import datetime as dt
import platform
from collections.abc import Hashable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rewardkit.base import Reward, Weighted, walk
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Row
from rewardkit.data.sources import file_hash
from rewardkit.errors import UsageError
from rewardkit.executor import ScoreChunks
from rewardkit.groups import group_key
from rewardkit.text import files_of
from rewardkit.types import Sample, Score

WRITTEN_KEYS = {"data_source", "verdict", "error", "accuracy", "score", "reward"}
WRITE_ROWS = 64
CHUNK_ROWS = 64
"""Rows judged in one batch. Neighbouring rows of one group are never separated."""
MAX_GROUP_ROWS = 4096
"""More neighbouring rows of one group than this are split."""


def chunks(rows: Iterable[Row], size: int = CHUNK_ROWS) -> Iterator[list[Row]]:
    """Rows in lists of about `size`; neighbours of one group stay together."""
    chunk: list[Row] = []
    for row in rows:
        full = len(chunk) >= size and (not _same_group(chunk[-1], row) or len(chunk) >= MAX_GROUP_ROWS)
        if full:
            yield chunk
            chunk = []
        chunk.append(row)
    if chunk:
        yield chunk


def _same_group(a: Row, b: Row) -> bool:
    return (
        a.sample is not None
        and b.sample is not None
        and a.sample.group is not None
        and a.sample.group == b.sample.group
    )


def score_rows(rows: Iterable[Row], score: ScoreChunks) -> Iterator[tuple[Row, Score]]:
    """Each row with its score, in order. Rows without a sample are unjudged with the reason why."""
    pending: list[list[Row]] = []

    def batches() -> Iterator[list[Sample]]:
        for chunk in chunks(rows):
            pending.append(chunk)
            yield [row.sample for row in chunk if row.sample is not None]

    for scores in score(batches()):
        chunk = pending.pop(0)
        judged = iter(scores)
        for row in chunk:
            yield row, Score.unjudged(row.error or "") if row.sample is None else next(judged)


def output_row(row: Row, score: Score) -> dict[str, Any]:
    """The JSON object that stands for one row in the output."""
    judged = score.value is not None
    return {
        "id": row.id,
        "data_source": row.data_source,
        "accuracy": score.accuracy,
        "score": score.outcome_value,
        "reward": score.value,
        "verdict": score.verdict.value,
        "answer": score.answer,
        "reason": score.reason,
        "parts": score.parts,
        "elapsed_ms": score.elapsed_ms,
        "error": None if judged else f"{row.where}: {score.reason}",
    }


def row_behind(written: Mapping[str, Any], rows: Iterator[Row]) -> Row:
    """The next input row, from which a row of the run that is continued was made.

    Raises:
        UsageError: it was made from another one.
    """
    row = next(rows, None)
    if row is None or written.get("id") != row.id or not written.keys() >= WRITTEN_KEYS:
        place = "there are more rows than in the input" if row is None else f"{row.where} is not {written.get('id')!r}"
        raise UsageError(f"the output does not fit the input: {place}; start again with --overwrite")
    return row


def problem_of(row: Row) -> Hashable:
    """What the samples of one problem share: the group, else prompt and ground truth, else the id."""
    sample = row.sample
    if sample is None or (sample.group is None and sample.prompt is None):
        return row.id
    truth = sample.ground_truth
    return sample.group or (group_key(sample), truth if isinstance(truth, str) else None)


def run_identity(reward: Reward, reward_text: str, reader: RowReader, *, timing: bool) -> dict[str, Any]:
    """What must be equal for one run to continue another: reward and versions, columns, input and which rows of it."""
    files = {path: file_hash(path)["sha256"] for path in files_of(reward_text)}
    return {
        "reward": reward.text,
        "versions": dict(sorted(reward_versions(reward).items())),
        **({"reward_files": files} if files else {}),
        "columns": dataclasses.asdict(reader.columns),
        "selection": dataclasses.asdict(reader.selection),
        "timing": timing,
        "inputs": [source.fingerprint for source in reader.sources],
    }


def run_facts() -> dict[str, Any]:
    """Further facts about a run: package versions and the date."""
    return {
        "packages": {name: found for name in ("rewardkit", "python-flint", "sympy") if (found := _version(name))},
        "python": platform.python_version(),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def reward_versions(reward: Reward) -> dict[str, int]:
    """The version of each reward class inside a reward, by name."""
    return {inner.name: inner.version for inner in walk(reward) if inner.name != Weighted.name}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
