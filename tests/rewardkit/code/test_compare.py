"""Rules for printed output: the table in tests/cases/code_compare.jsonl, and their laws."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.code.compare import CHECKERS, TextRule, difference
from rewardkit.errors import GroundTruthError

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases" / "code_compare.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['rule']}: {row['why']}" for row in ROWS])
def test_output_is_right_or_its_first_difference_is_named(row):
    found = difference(TextRule.parse(row["rule"]), row["actual"], row["expected"])
    assert (found is None) == row["same"], found
    assert found is None or (found and "\n" not in found and len(found) < 300)


@pytest.mark.parametrize("text", ["", "token", "floats:x", "floats:-1", "floats:nan", "floats:2", "tokens:inf"])
def test_unknown_rule_is_a_ground_truth_error(text):
    with pytest.raises(GroundTruthError):
        TextRule.parse(text)


@pytest.mark.parametrize("rule", sorted(CHECKERS))
@given(text=st.text())
def test_text_without_nan_equals_itself(rule, text):
    if "nan" not in text.lower():
        assert difference(TextRule.parse(rule), text, text) is None


@given(
    actual=st.text(st.sampled_from("0123456789.e+-naif \n")), expected=st.text(st.sampled_from("0123456789.e+-naif \n"))
)
def test_no_rule_raises(actual, expected):
    for name in CHECKERS:
        difference(TextRule.parse(name), actual, expected)


@given(st.integers(), st.integers())
def test_integers_are_equal_or_wrong_however_near(one, other):
    for name in ("tokens", "floats", "floats:0.5"):
        assert (difference(TextRule.parse(name), str(one), str(other)) is None) == (one == other)


def test_far_too_many_lines_are_only_counted():
    assert difference(TextRule("unordered"), "1\n" * 5_000, "1\n2\n") == "5,000 lines, expected 2"


@pytest.mark.parametrize(
    ("rule", "actual", "expected", "said"),
    [
        ("exact", "abc", "abd", "character 3 is 'c', expected 'd'"),
        ("exact", "abc", "abc\n", "3 characters, expected 4"),
        ("lines", "a\nb\n", "a\nc", "line 2 is 'b', expected 'c'"),
    ],
)
def test_the_first_difference_is_told_by_its_place(rule, actual, expected, said):
    assert difference(TextRule.parse(rule), actual, expected) == said
