"""Rules for printed output: the table in tests/cases/code_compare.jsonl, and their laws."""

import decimal
import json
import tracemalloc
from collections import Counter
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


SIGNALS = [decimal.Inexact, decimal.Rounded, decimal.Subnormal, decimal.FloatOperation, decimal.InvalidOperation]


@given(
    prec=st.integers(1, 60),
    rounding=st.sampled_from([decimal.ROUND_UP, decimal.ROUND_FLOOR, decimal.ROUND_05UP]),
    most=st.integers(1, 50),
    traps=st.sets(st.sampled_from(SIGNALS)),
)
def test_the_callers_decimal_context_changes_nothing(prec, rounding, most, traps):
    with decimal.localcontext(decimal.Context(prec, rounding, Emin=-most, Emax=most, traps=list(traps))):
        for row in ROWS:
            found = difference(TextRule.parse(row["rule"]), row["actual"], row["expected"])
            assert (found is None) == row["same"], row


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


@given(st.text(st.sampled_from("ab \n\r\t")), st.text(st.sampled_from("ab \n\r\t")))
def test_rules_that_split_an_output_as_far_as_they_need_say_what_whole_lists_say(actual, expected):
    def lines(text):
        rows = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def unordered(text):
        return Counter(tuple(line.split()) for line in lines(text) if line.strip())

    for rule, whole in {"tokens": str.split, "floats": str.split, "lines": lines, "unordered": unordered}.items():
        assert (difference(TextRule.parse(rule), actual, expected) is None) == (whole(actual) == whole(expected)), rule


@pytest.mark.parametrize("rule", sorted(CHECKERS))
@pytest.mark.parametrize("flood", ["11 ", "11\n", "\n", " ", "1", "1e5 "])
def test_a_flood_of_output_takes_no_more_memory_than_its_text(rule, flood):
    text = flood * (1 << 20)
    tracemalloc.start()
    try:
        assert difference(TextRule.parse(rule), text, "11 11\n11")
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text) + (1 << 16)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("rule", "actual", "expected", "said"),
    [
        ("exact", "abc", "abd", "character 3 is 'c', expected 'd'"),
        ("exact", "abc", "abc\n", "3 characters, expected 4"),
        ("tokens", "a" * 60, "b", f"word 1 is '{'a' * 60}', expected 'b'"),
        ("tokens", "a" * 61, "b", f"word 1 is '{'a' * 59}…', expected 'b'"),
        ("lines", "a\nb\n", "a\nc", "line 2 is 'b', expected 'c'"),
        ("lines", "a\nb\n", "a", "more than 1 line"),
        ("tokens", "a b c", "a b", "more than 2 words"),
        ("tokens", "a", "a b", "1 word, expected 2"),
        ("unordered", "b\na\n" * 9, "a\nb", "line 'b' is not expected"),
    ],
)
def test_the_first_difference_is_told_by_its_place(rule, actual, expected, said):
    assert difference(TextRule.parse(rule), actual, expected) == said
