"""The table of cases: one row for each finding. A new finding is a new row of tests/cases/math.jsonl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewardkit.math import judge

_ROWS = [json.loads(line) for line in (Path(__file__).parents[2] / "cases" / "math.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{str(row['ground_truth'])[:24]}|{row['completion'][:32]}")
def test_verdict_of_each_case(row):
    judgement = judge(row["completion"], row["ground_truth"])
    assert judgement.status.value == row["verdict"], row["why"]


def test_the_table_holds_all_verdicts():
    assert {row["verdict"] for row in _ROWS} >= {
        "equal",
        "different",
        "no_answer",
        "malformed",
        "unparsed",
        "limit",
        "bad_gold",
    }
