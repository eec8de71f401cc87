"""The golden file of floors names every registered reward that judges text; a new reward states its floor."""

import json
import re
from fnmatch import fnmatch

import pytest

from benchmarks._common import ROOT
from benchmarks.attack_floors import GOLDEN, higher, measure, targets

GOLDEN_ROWS = json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_every_reward_that_judges_text_has_a_floor():
    assert sorted(targets()) == sorted(GOLDEN_ROWS), "run python -m benchmarks.attack_floors --write"


def test_a_higher_floor_or_leak_is_named():
    row = {"floor": 0.2, "leak": 0.0}
    assert higher({"a": {"floor": 0.2, "leak": 0.1}}, {"a": row}) == []
    assert len(higher({"a": {"floor": 0.1, "leak": 0.0}}, {"a": row})) == 1
    assert len(higher({}, {"a": row})) == 2
    assert higher({"a": row}, {"a": {"floor": None, "leak": 0.0}}) == []


def test_the_docs_have_each_reward_that_pays_without_an_answer_and_its_floor():
    page = (ROOT / "docs" / "attack.md").read_text(encoding="utf-8")
    table = re.findall(
        r"^\| (`.*`) \| ([^|]+) \| [^|]+ \|$", page.partition("| rewards | floor | reason |")[2], re.MULTILINE
    )
    told = {
        name: floor
        for names, floor in table
        for pattern in re.findall(r"`(\w[\w*]*)", names)
        for name in GOLDEN_ROWS
        if fnmatch(name, pattern)
    }
    for name, row in GOLDEN_ROWS.items():
        assert name in told or (row["leak"] == 0 and (row["floor"] or 0) <= 0), name
        if number := re.match(r"-?[\d.]+(?= against|$)", told.get(name, "")):
            assert float(number[0]) == round(row["floor"], 2), name


@pytest.mark.parametrize(
    "name", ["math", "dapo_math", "boxed_accuracy", "gsm8k", "exact", "answer_only", "unsloth_answer"]
)
def test_an_outcome_reward_pays_nothing_to_those_who_do_not_know(name):
    assert GOLDEN_ROWS[name]["leak"] == 0
    assert GOLDEN_ROWS[name]["floor"] < GOLDEN_ROWS[name]["gold"] * 0.1 if GOLDEN_ROWS[name]["floor"] > 0 else True


@pytest.mark.slow
def test_no_floor_is_higher_than_stated():
    assert higher(GOLDEN_ROWS, measure()) == []
