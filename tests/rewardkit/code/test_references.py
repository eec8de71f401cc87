"""Published data: every row converts, and the accepted solutions are accepted."""

import gzip
import json

import pytest

from rewardkit import Sample
from rewardkit.code.formats import read_problem
from rewardkit.rewards.code import Code


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def reference(row):
    truth = {name: row[name] for name in ("prompt", "entry_point", "test")}
    return Sample(completion=f"```python\n{row['completion']}\n```", ground_truth=truth, id=row["task_id"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leetcode_v0.2.0_train", "leetcode_v0.3.1_test"])
def test_every_leetcode_row_converts(data_dir, name):
    rows = rows_of(data_dir / "leetcode_dataset" / f"{name}.jsonl.gz")
    problems = [read_problem(row) for row in rows]
    assert all(problem.call_tests and not problem.drivers for problem in problems)
    assert [len(problem.call_tests) for problem in problems] == [row["test"].count("assert ") for row in rows]


@pytest.mark.parametrize(
    ("path", "drivers"), [("humaneval/HumanEval.jsonl.gz", 14), ("mbpp/mbpp.jsonl.gz", 6), ("code_contests/code_contests_test.jsonl.gz", 0),
                          ("code_contests/sandboxfusion_sample.jsonl.gz", 0), ("livecodebench/livecodebench_public_tests.jsonl.gz", 0)]
)  # fmt: skip
def test_every_row_is_read(data_dir, path, drivers):
    problems = [read_problem(row) for row in rows_of(data_dir / path)]
    assert all(problem.size for problem in problems)
    assert sum(bool(problem.drivers) for problem in problems) == drivers


AMPLE = {"cpu_s": 60.0, "total_cpu_s": 600.0, "total_wall_s": 600.0}
"""Limits that a right program does not reach on a slow machine, either."""


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", ["leetcode_v0.2.0_train", "leetcode_v0.3.1_test"])
def test_accepted_references_are_accepted(data_dir, docker_sandbox, name):
    samples = [reference(row) for row in rows_of(data_dir / "leetcode_dataset" / f"{name}.jsonl.gz")]
    scores = Code(**AMPLE).score(samples)
    refused = {sample.id: score.reason for sample, score in zip(samples, scores, strict=True) if score.value != 1.0}
    assert len(refused) <= 0.01 * len(samples) + 0.5, refused
    assert not [reason for reason in refused.values() if "unjudged" in reason]


@pytest.mark.docker
def test_humaneval_solutions_are_accepted(data_dir, docker_sandbox):
    rows = rows_of(data_dir / "humaneval" / "HumanEval.jsonl.gz")
    samples = [Sample(completion=row["canonical_solution"], ground_truth=row, id=row["task_id"]) for row in rows]
    scores = Code(**AMPLE).score(samples)
    assert {sample.id: score.reason for sample, score in zip(samples, scores, strict=True) if score.value != 1.0} == {}
