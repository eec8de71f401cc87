"""Every labelled answer in tests/cases/math is judged as its label says, and every status is reached as its row says."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from rewardkit.math import Policy, Status, compare, judge

sys.path.insert(0, str(Path(__file__).parent))

from corpus import CASES, TOPICS

_KINDS = {
    f"{topic}: {kind}": [row for row in rows if row.kind == kind]
    for topic, rows in TOPICS.items()
    for kind in dict.fromkeys(row.kind for row in rows)
}
_STATUSES = [json.loads(line) for line in (CASES / "statuses.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", _KINDS)
def test_rows_of_each_kind_are_judged_as_labelled(name):
    missed = [
        ("+" if row.equal else "-", row.gold, row.completion, judge(row.completion, row.gold).reason)
        for row in _KINDS[name]
        if not row.open and judge(row.completion, row.gold).equal != row.equal
    ]
    assert not missed


def test_no_wrong_answer_is_left_open():
    assert not [row for rows in TOPICS.values() for row in rows if row.open and not row.equal]


def test_each_row_stands_once():
    asked = Counter((row.gold, row.completion) for rows in TOPICS.values() for row in rows)
    assert not [pair for pair, count in asked.items() if count > 1]


@pytest.mark.parametrize("row", _STATUSES, ids=lambda row: f"{row['verdict']}: {row['why'][:60]}")
def test_status_of_each_row(row):
    policy, gold = Policy(**row.get("policy", {})), row["ground_truth"]
    judgement = judge(row["completion"], gold, policy) if "completion" in row else compare(gold, row["answer"], policy)
    assert judgement.status.value == row["verdict"], row["why"]


def test_the_rows_reach_all_statuses():
    reached = {row["verdict"] for row in _STATUSES} | {Status.EQUAL.value, Status.DIFFERENT.value}
    assert reached == {status.value for status in Status}
