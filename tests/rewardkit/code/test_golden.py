"""The golden rows of `code` and `grpo_tcr` (tests/cases/rewards/), in Docker."""

import json
from pathlib import Path

import pytest

from rewardkit import Sample, load

pytestmark = pytest.mark.docker

ROWS = [
    json.loads(line)
    for name in ("code", "grpo_tcr")
    for line in (Path(__file__).parents[2] / "cases" / "rewards" / f"{name}.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['reward']}: {row['why']}" for row in ROWS])
def test_row_has_its_golden_value(docker_sandbox, row):
    sample = Sample(**row["sample"])
    score = load(row["reward"]).score([sample])[0]
    assert score.verdict.value == row["verdict"], score.reason
    assert score.value == (None if row["value"] is None else pytest.approx(row["value"], abs=1e-12)), score.reason
    assert score.reason
    assert "\n" not in score.reason
    explained = load(row["reward"]).explain(sample).score
    assert (explained.value, explained.verdict) == (score.value, score.verdict)
