"""Arguments that an instruction cannot use make its row unjudged, never wrong."""

import json
from pathlib import Path

import pytest

from rewardkit import Sample, Verdict, load
from rewardkit.rewards._instructions import INSTRUCTIONS
from rewardkit.rewards.ifeval import MAX_CHARS

ROWS = [
    json.loads(line)["sample"]
    for line in (Path(__file__).parents[2] / "cases/rewards/ifeval.jsonl").read_text(encoding="utf-8").splitlines()
]
KEPT = {
    item["id"]: (row["completion"], item["kwargs"])
    for row in ROWS
    for item in (row.get("ground_truth") if isinstance(row.get("ground_truth"), list) else [])
    if isinstance(item, dict) and item.get("id") in INSTRUCTIONS and item.get("kwargs")
}


def scored(name, text, arguments):
    (score,) = load("ifeval").score([Sample(completion=text, ground_truth=[{"id": name, "kwargs": arguments}])])
    return score


def test_every_instruction_has_a_row():
    listed = {
        item["id"] for row in ROWS for item in row.get("ground_truth") or [] if isinstance(item, dict) and "id" in item
    }
    assert listed >= set(INSTRUCTIONS)


def test_a_completion_that_is_too_long_pays_nothing():
    (name, (_, arguments)) = next(iter(KEPT.items()))
    score = scored(name, "a " * MAX_CHARS, arguments)
    assert (score.value, score.verdict) == (0.0, Verdict.MALFORMED)


@pytest.mark.parametrize("name", sorted(KEPT))
def test_a_missing_argument_or_one_of_the_wrong_kind_is_our_failure(name):
    text, arguments = KEPT[name]
    for key, value in arguments.items():
        assert scored(name, text, {**arguments, key: None}).value is None, key
        if isinstance(value, int):
            assert scored(name, text, {**arguments, key: float(value)}).value == scored(name, text, arguments).value
            for wrong in (True, str(value), [value]):
                assert scored(name, text, {**arguments, key: wrong}).value is None, (key, wrong)
        if "relation" in key:
            assert scored(name, text, {**arguments, key: "about"}).value is None
