"""Run reference solutions against the tests of their own rows, to find rows whose tests are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, Literal

from rewardkit.code.compare import TextRule, difference
from rewardkit.code.formats import read_problem
from rewardkit.code.judge import outputs
from rewardkit.code.references import programs
from rewardkit.code.shared import shared_sandbox
from rewardkit.code.syntax import parses
from rewardkit.data.column_aliases import lookup
from rewardkit.data.rows import Columns, Record, row_of
from rewardkit.errors import GroundTruthError
from rewardkit.executor import executor_for
from rewardkit.grading import run_coroutine
from rewardkit.rewards.code import Code, row_context
from rewardkit.types import Sample, Score, Verdict
from sandboxes.errors import SandboxError

Finding = Literal["sound", "rejected", "disagree", "unjudged"]
"""`sound`: every reference passes. `rejected`: one does not. `disagree`: references print different things, so that probably
several answers are right. `unjudged`: the row has no reference, or no verdict."""

CHUNK_ROWS = 64


@dataclass(frozen=True)
class RowCheck:
    """The result of running the references of one row."""

    where: str
    kind: str
    finding: Finding
    references: int
    accepted: int
    reason: str = ""


def check_rows(
    records: Iterable[Record],
    column: str,
    *,
    reward: Code | None = None,
    columns: Columns | None = None,
    most: int = 3,
    workers: int = 0,
) -> Iterator[tuple[RowCheck, dict[str, Any]]]:
    """Each record with the result of its references, in order. At most `most` references of a row are run."""
    reward = reward or Code()
    columns = Columns(column, columns.ground_truth if columns else None)
    stream = iter(records)
    with executor_for(reward, workers=workers) as executor:
        while chunk := list(islice(stream, CHUNK_ROWS)):
            groups = [_samples(record, column, columns, most) for record in chunk]
            scores = iter(executor.score([sample for group in groups for sample in group]))
            for record, group in zip(chunk, groups, strict=True):
                value = record.value
                if isinstance(value, str):
                    yield RowCheck(record.where, "not read", "unjudged", 0, 0, str(value)), {}
                else:
                    yield _conclude(record.where, reward, group, [next(scores) for _ in group]), value


def totals(checks: Iterable[RowCheck]) -> dict[str, Counter[str]]:
    """How many rows of each kind had each finding; `rows` counts them all."""
    counts: dict[str, Counter[str]] = {}
    for check in checks:
        counts.setdefault(check.kind, Counter())["rows"] += 1
        counts[check.kind][check.finding] += 1
    return counts


def _samples(record: Record, column: str, columns: Columns, most: int) -> list[Sample]:
    value = record.value if isinstance(record.value, dict) else {}
    samples: list[Sample] = []
    readable = [program for program in programs(lookup(value, column)) if "```" in program or parses(program)]
    for program in readable[:most]:
        text = program if "```" in program else f"````python\n{program}\n````"
        row = row_of(record._replace(value={**value, column: text}, text=None), columns)
        if row.sample is not None:
            samples.append(row.sample)
    return samples


def _conclude(where: str, reward: Code, group: Sequence[Sample], scores: Sequence[Score]) -> RowCheck:
    if not group:
        return RowCheck(where, "-", "unjudged", 0, 0, "the row has no Python reference solution")
    accepted = sum(score.verdict is Verdict.CORRECT for score in scores)
    kind = _kind(group[0])
    failed = next((score for score in scores if score.verdict is not Verdict.CORRECT), None)
    if failed is None:
        return RowCheck(where, kind, "sound", len(group), accepted)
    if any(score.value is None for score in scores):
        reason = next(score.reason for score in scores if score.value is None)
        return RowCheck(where, kind, "unjudged", len(group), accepted, reason)
    said = f"{len(group) - accepted} of {len(group)} references rejected: {failed.verdict.value}: {failed.reason}"
    if len(group) > 1 and all(score.verdict in (Verdict.CORRECT, Verdict.WRONG) for score in scores):
        clash = _disagreement(reward, group)
        if clash is not None:
            return RowCheck(where, kind, "disagree", len(group), accepted, f"{clash}; {said}")
    return RowCheck(where, kind, "rejected", len(group), accepted, said)


def _kind(sample: Sample) -> str:
    try:
        problem = read_problem(sample.ground_truth, row_context(sample))
    except GroundTruthError:
        return "not read"
    return f"{problem.source}, {'stdin' if problem.stdin_tests else 'calls' if problem.call_tests else 'test program'}"


def _disagreement(reward: Code, group: Sequence[Sample]) -> str | None:
    """One line where two references print or return different things on the same test."""
    problem = read_problem(group[0].ground_truth, row_context(group[0]))
    rule = TextRule.parse(problem.compare) if problem.compare else TextRule()
    try:
        sandbox = shared_sandbox(reward.sandbox, workers=reward.workers)
        found = [run_coroutine(outputs(problem, str(reward.program_of(one)), sandbox, reward.policy)) for one in group]
    except SandboxError:
        return None
    for one, other in combinations(found, 2):
        for index, (left, right) in enumerate(zip(one, other, strict=False), start=1):
            same = (
                difference(rule, left, right) is None
                if isinstance(left, str) and problem.stdin_tests
                else left == right
            )
            if not same:
                return f"references disagree on test {index}, so probably several answers are right"
    return None
