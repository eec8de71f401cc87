"""Words around a value, and long sentences; whole answers stand in tests/cases/math/statements.txt."""

from __future__ import annotations

import pytest

from rewardkit.math.extract.clauses import described, stating_clause


@pytest.mark.parametrize(
    ("text", "only_said"),
    [
        ("17 ways to seat them", True),
        ("a total of 17 tickets", True),
        ("17 more apples than pears", False),
        ("17 and a half", False),
        ("17 times two", False),
        ("17 is too small", False),
        ("17 in the first case", False),
        ("the divisors of 17", False),
        ("the first 17", False),
        ("half of 17", False),
        ("impossible, else 17", False),
    ],
)
def test_words_around_a_value_only_say_what_it_is(text, only_said):
    start = text.index("17")
    assert described(text, start, start + 2) == only_said


def test_a_sentence_of_many_reasons_states_nothing():
    assert stating_clause("So x is 3" + " because y is x" * 3 + ".") == "So x is 3"
    assert stating_clause("So x" + " where y" * 40 + " is 3.") is None
