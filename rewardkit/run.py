"""A scoring run: rows in, one JSON object a row out, in order, streamed and resumable."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import IO, Any, Self, cast

from rewardkit.compose import Weighted
from rewardkit.data.rows import Row
from rewardkit.errors import UsageError
from rewardkit.grading import score_batch
from rewardkit.reward import Reward, walk
from rewardkit.summary import Summary
from rewardkit.types import Sample, Score

CHUNK_ROWS = 64
"""Rows judged in one batch. Rows of one group that stand together are never parted."""
MAX_GROUP_ROWS = 4096
"""A longer run of rows with one group is cut."""
_EDGE_BYTES = 2**20
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

ScoreChunks = Callable[[Iterable[list[Sample]]], Iterator[list[Score]]]
"""Scores chunks in order; the local loop, the process pool and Ray are each one of these."""


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


def score_here(reward: Reward) -> ScoreChunks:
    """Score in this process."""

    def score(batches: Iterable[list[Sample]]) -> Iterator[list[Score]]:
        for batch in batches:
            yield score_batch(reward.score, batch)

    return score


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


@dataclass
class Output:
    """The rows file of a run with its `*.meta.json`. Rows are appended; what is there is never written twice."""

    path: Path
    meta: dict[str, Any]
    rows_before: int = 0
    _file: IO[bytes] | None = field(default=None, repr=False)

    @classmethod
    def open(cls, path: Path, meta: dict[str, Any], *, resume: bool, summary: Summary) -> Self:
        """Start or continue a run. Complete rows already there are counted into `summary`; half a row is cut off.

        Raises:
            UsageError: an unfinished run is there and `resume` is off, or it was made from other input or reward.
        """
        output = cls(path, meta)
        old = output.read_meta()
        if resume and path.exists():
            output.rows_before = output._recover(old, summary)
        elif old is not None and old.get("status") == "running" and path.exists():
            raise UsageError(f"{path} is an unfinished run; continue it with --resume, or remove it")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            output._file = path.open("ab" if output.rows_before else "wb")
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
        output.write_meta(status="running", totals=None)
        return output

    @property
    def meta_path(self) -> Path:
        """Where the facts about the run stand."""
        return self.path.with_name(self.path.name.removesuffix(".jsonl") + ".meta.json")

    def read_meta(self) -> dict[str, Any] | None:
        """The facts of the run that is there, None where there is none that can be read."""
        try:
            return cast("dict[str, Any]", json.loads(self.meta_path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def write_meta(self, *, status: str, totals: dict[str, Any] | None) -> None:
        """Write the facts beside the rows, whole or not at all."""
        text = json.dumps({**self.meta, "status": status, "totals": totals}, indent=2, ensure_ascii=False)
        temporary = self.meta_path.with_name(self.meta_path.name + ".part")
        temporary.write_text(text + "\n", encoding="utf-8")
        temporary.replace(self.meta_path)

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        """Append rows and hand them to the operating system, so that a kill loses none of them."""
        if self._file is not None:
            self._file.write(b"".join(encode(row) for row in rows))
            self._file.flush()

    def close(self) -> None:
        """Close the rows file."""
        if self._file is not None:
            self._file.close()

    def _recover(self, old: dict[str, Any] | None, summary: Summary) -> int:
        for name in ("reward", "versions", "inputs"):
            if old is not None and old.get(name) != json.loads(json.dumps(self.meta[name])):
                raise UsageError(f"{self.path} was made with another {name}; write to another file")
        count = good_bytes = 0
        with self.path.open("rb+") as file:
            for line in file:
                try:
                    row = json.loads(line)
                    if not line.endswith(b"\n"):
                        break
                    summary.add(row)
                except (ValueError, TypeError, KeyError):
                    break
                count += 1
                good_bytes += len(line)
            file.truncate(good_bytes)
        return count


def encode(row: dict[str, Any]) -> bytes:
    """One line of JSONL."""
    return _ENCODE(row).encode("utf-8", "replace") + b"\n"


def skip(rows: Iterable[Row], count: int) -> Iterator[Row]:
    """The rows after the first `count`, which are read but not judged."""
    return islice(rows, count, None)


def run_facts(reward: Reward, paths: Sequence[str]) -> dict[str, Any]:
    """What made a run: reward text and versions, package versions, input fingerprints, date."""
    return {
        "reward": reward.text,
        "versions": dict(sorted(reward_versions(reward).items())),
        "packages": {name: found for name in ("rewardkit", "python-flint", "sympy") if (found := _version(name))},
        "python": platform.python_version(),
        "inputs": [fingerprint(path) for path in paths],
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def reward_versions(reward: Reward) -> dict[str, int]:
    """The version of each reward class inside a reward, by name."""
    return {inner.name: inner.version for inner in walk(reward) if inner.name != Weighted.name}


def fingerprint(path: str) -> dict[str, Any]:
    """Size and SHA-256 of the first and last MiB of a file: enough to notice another input, cheap on a large one."""
    if path == "-":
        return {"path": "-"}
    file = Path(path)
    size = file.stat().st_size
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        digest.update(stream.read(_EDGE_BYTES))
        stream.seek(max(_EDGE_BYTES, size - _EDGE_BYTES))
        digest.update(stream.read(_EDGE_BYTES))
    return {"path": path, "bytes": size, "sha256_edges": digest.hexdigest()}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
