"""The tables of cases: tests/cases/math.jsonl, and one for each topic in tests/cases/math_pairs/. A new finding is a new row.

A row holds a `completion`, which is judged, or an `answer`, which is compared alone; the `ground_truth`, the `verdict` and
the reason `why`. Where needed: `policy` (the options that are set), `both_ways` (ground truth and answer may change places,
with the same verdict) and `source`.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rewardkit.math import Policy, Status, compare, judge

_CASES = Path(__file__).parents[2] / "cases"
_ROWS: dict[str, dict[str, Any]] = {
    f"{table.stem}-{number} {str(row['ground_truth'])[:24]}|{(row.get('completion') or row.get('answer', ''))[:32]}": row
    for table in (_CASES / "math.jsonl", *sorted((_CASES / "math_pairs").glob("*.jsonl")))
    for number, row in enumerate(map(json.loads, table.read_text(encoding="utf-8").splitlines()), start=1)
}


@pytest.mark.parametrize("row", _ROWS.values(), ids=_ROWS)
def test_verdict_of_each_case(row: dict[str, Any]) -> None:
    policy, gold = Policy(**row.get("policy", {})), row["ground_truth"]
    if "completion" in row:
        judgements = [judge(row["completion"], gold, policy)]
    else:
        judgements = [compare(gold, row["answer"], policy)]
    if row.get("both_ways"):
        judgements.append(compare(row["answer"], gold, policy))
    assert {judgement.status.value for judgement in judgements} == {row["verdict"]}, row["why"]


def test_each_case_stands_once_and_says_why() -> None:
    asked = Counter(
        json.dumps([row.get("completion"), row.get("answer"), row["ground_truth"], row.get("policy")])
        for row in _ROWS.values()
    )
    assert [case for case, count in asked.items() if count > 1] == []
    assert [name for name, row in _ROWS.items() if not row["why"]] == []


def test_the_tables_hold_all_verdicts() -> None:
    assert {row["verdict"] for row in _ROWS.values()} == {status.value for status in Status}
