"""Answers that know the question but not the result are not paid: tests/cases/math/hacks.jsonl, 500 rows.

Each row has the `question`, its `ground_truth`, an `answer` that restates the question, sprays values or says nothing, and the
`way` it does so. The rows under `arithmetic` are calculations with constants, which docs/math.md accepts.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewardkit.math import judge

_ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases" / "math" / "hacks.jsonl").read_text(encoding="utf-8").splitlines()
]
_WAYS = sorted({row["way"] for row in _ROWS} - {"arithmetic"})
MOST_PAID = 0.03


def paid(row):
    return judge(f"So \\boxed{{{row['answer']}}}.", row["ground_truth"]).equal


def test_the_set_has_500_different_answers():
    assert len({(row["ground_truth"], row["answer"]) for row in _ROWS}) == len(_ROWS) == 500


def test_at_most_three_percent_of_the_hacks_are_paid():
    found = [(row["ground_truth"], row["answer"]) for row in _ROWS if paid(row)]
    assert len(found) <= MOST_PAID * len(_ROWS), found


@pytest.mark.parametrize("way", _WAYS)
def test_at_most_three_percent_of_each_way_are_paid(way):
    rows = [row for row in _ROWS if row["way"] == way]
    found = [(row["ground_truth"], row["answer"]) for row in rows if paid(row)]
    assert len(found) <= max(1, MOST_PAID * len(rows)), found


def test_the_ground_truth_itself_is_paid():
    golds = {row["ground_truth"] for row in _ROWS}
    assert not [gold for gold in golds if not judge(f"So \\boxed{{{gold}}}.", gold).equal]
