"""Records of the input become lines of output: here, in workers and on Ray by the same task."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from rewardkit.base import Reward
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns, Record, Row, row_of
from rewardkit.errors import UsageError
from rewardkit.executor import Task, executor_for
from rewardkit.grading import score_batch
from rewardkit.groups import MAX_GROUP_ROWS, group_key, stable_json
from rewardkit.store import encode
from rewardkit.types import Score

CHUNK_ROWS = 64
"""Rows judged in one batch. Neighbouring rows of one group are never separated."""
WRITTEN_KEYS = {"id", "data_source", "verdict", "error", "accuracy", "score", "reward"}
"""What each row of output has."""
Item = TypeVar("Item", Record, bytes)


class Judged(NamedTuple):
    """A row that was judged."""

    problem: int
    """What the samples of one problem share."""
    output: dict[str, Any]
    line: bytes
    """The same as JSON."""


@dataclass(frozen=True)
class JudgeRecords(Task[Record, Judged]):
    """Records in, rows of output out."""

    columns: Columns
    timing: bool = True
    """False: `elapsed_ms` is null, so that outputs of two runs are equal."""
    groups: bool = False
    """Rows say which group they are of: the group, else the prompt. Those that cannot be read say it if they tell."""

    def judge(self, reward: Reward, items: Sequence[Record]) -> list[Judged]:
        """Rows without a sample are unjudged with the reason why."""
        rows = [row_of(record, self.columns) for record in items]
        judged = iter(score_batch(reward.score, [row.sample for row in rows if row.sample is not None]))
        return [
            self._judged(row, Score.unjudged(row.error or "") if row.sample is None else next(judged)) for row in rows
        ]

    def to_line(self, item: Record) -> bytes:
        """The record with its place."""
        return item.to_line()

    def from_line(self, line: bytes) -> Record:
        """The record with its place."""
        return Record.from_line(line)

    def result_line(self, result: Judged) -> bytes:
        """The number of the problem in front of the output."""
        return b"%016x%b" % (result.problem, result.line)

    def results(self, lines: Sequence[bytes]) -> list[Judged]:
        """The output of each line is read once more: what can be read was not written over."""
        outputs = json.loads((b"[%b]" % b",".join([line[16:] for line in lines])).decode())
        if not all(output.keys() >= WRITTEN_KEYS for output in outputs):
            raise ValueError("a row of output without all its columns")
        return [Judged(int(line[:16], 16), output, line[16:]) for line, output in zip(lines, outputs, strict=True)]

    def unjudged(self, line: bytes, reason: str) -> Judged:
        """A row without a value."""
        return self._judged(row_of(Record.from_line(line), self.columns), Score.unjudged(reason))

    def group(self, line: bytes) -> str | None:
        """As `group_key` has it."""
        return _group(row_of(Record.from_line(line), self.columns))

    def _judged(self, row: Row, score: Score) -> Judged:
        output = output_row(row, score)
        if not self.timing:
            output["elapsed_ms"] = None
        group = _group(row) if self.groups else None
        if group is not None or (self.groups and row.sample is not None):
            output["group"] = group
        return Judged(problem_of(row), output, encode(output))


def judge(
    records: Iterable[Record],
    reward: Reward,
    task: JudgeRecords,
    *,
    workers: int = 0,
    row_timeout_s: float | None = None,
) -> Iterator[list[Judged]]:
    """Judge records: one row for each, in order, some at a time as they come. Leaving it ends the work.

    Raises:
        UsageError: the reward needs all rows of a group at once, and those of one are too far apart.
    """
    with executor_for(reward, workers=workers, row_timeout_s=row_timeout_s, task=task) as executor:
        yield from executor.map(chunks(records, task, reward))


def chunks(
    records: Iterable[Item], task: JudgeRecords, reward: Reward | None = None, *, size: int | None = None
) -> Iterator[list[Item]]:
    """Records, or their lines, in lists of about `size`; neighbours of one group stay together. With a reward that compares groups, so do
    all rows of a group for which it does, and lists are as long as a group may be.

    Raises:
        UsageError: the rows of a group are too far apart for that.
    """
    whole_groups = reward is not None and reward.compares_groups()
    size = size or (MAX_GROUP_ROWS if whole_groups else CHUNK_ROWS)
    chunk: list[Item] = []
    here: set[int] = set()
    before: set[int] = set()
    for item in records:
        group, ends = None, len(chunk) >= size
        if reward is not None and whole_groups:
            record = Record.from_line(item) if isinstance(item, bytes) else item
            sample = row_of(record, task.columns).sample
            if sample is not None and reward.compares_groups(sample):
                group = group_key(sample)
            if hash(group) in before:
                raise UsageError(
                    f"{record.where}: other rows of its group are far above, and the reward scores a group at once; sort the rows by group"
                )
            ends = ends and sample is not None and hash(group) not in here
        elif ends:
            ends = len(chunk) >= MAX_GROUP_ROWS or not _same_group(task, chunk[-1], item)
        if ends:
            yield chunk
            before |= here
            chunk, here = [], set()
        if group is not None:
            here.add(hash(group))
        chunk.append(item)
    if chunk:
        yield chunk


def _same_group(task: JudgeRecords, *pair: Record | bytes) -> bool:
    records = (Record.from_line(item) if isinstance(item, bytes) else item for item in pair)
    one, other = (_group(row_of(each, task.columns)) for each in records)
    return one is not None and one == other


def _group(row: Row) -> str | None:
    return None if row.problem is None else group_key(row.problem)


def check_groups(reward: Reward, reader: RowReader) -> None:
    """Read files that are on disk once more than needed, so that groups which `judge` would refuse are refused before a row is judged.

    Raises:
        UsageError: the reward needs all rows of a group at once, and those of one are too far apart.
    """
    if reward.compares_groups() and all(source.is_on_disk for source in reader.sources):
        for _ in chunks(reader.records(), JudgeRecords(reader.columns), reward):
            pass
        reader.truncated.clear()


def check_resume(reward: Reward, *, resume: bool) -> None:
    """Refuse to `resume`, to go on where a run was interrupted, perhaps within a group, if the reward needs all rows of a group at once.

    Raises:
        UsageError: it does.
    """
    if resume and reward.compares_groups():
        raise UsageError(f"{reward.text} scores whole groups, so it cannot --resume; score again from the start")


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


def problem_of(row: Row) -> int:
    """What the samples of one problem share: 64 bits of the hash of the group, else of prompt and ground truth, else of the id, which is a
    name within a data source.
    """
    sample = row.problem
    if sample is None or not (sample.group or sample.prompt):
        text = f"{row.data_source}\0{row.id}"
    elif sample.group:
        text = str(group_key(sample))
    else:
        truth = sample.ground_truth
        text = f"{group_key(sample)}\0{truth if isinstance(truth, str) else stable_json(truth)}"
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
