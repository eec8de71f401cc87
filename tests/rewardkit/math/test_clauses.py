from __future__ import annotations

import pytest

from rewardkit.math.clauses import described, stating_clause


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        ("Therefore the angle is 26 degrees, because the other is 64 degrees.", "Therefore the angle is 26 degrees"),
        ("Therefore, since a is 3, the area is 64.", "the area is 64."),
        ("Hence the side is $8$, since the area is $64$.", "Hence the side is $8$"),
        ("Since the other angle is $26^\\circ$, the angle must be $64^\\circ$.", "the angle must be $64^\\circ$."),
        ("Therefore $\\angle A = 42^\\circ$, since it is isosceles.", "Therefore $\\angle A = 42^\\circ$"),
        ("So the ratio is 150/200, which simplifies to 3/4.", "So the ratio is 150/200, which simplifies to 3/4."),
        ("So the exponent is 6, which means that the power is 64.", "So the exponent is 6"),
        ("So the minimum value is $42$ when $x = 2$.", "So the minimum value is $42$"),
        ("The result is x = 1 or x = 3.", "x = 1 or x = 3"),
        ("So m = 25 and n = 169, and m + n = 194.", "So m = 25 and n = 169, and m + n = 194."),
        ("So the time to run the 400-meter hurdles, after that, is 36.", "So the time to run the 400-meter hurdles, after that, is 36."),
    ],
)  # fmt: skip
def test_the_clause_that_states_a_value(sentence, clause):
    assert stating_clause(sentence) == clause


@pytest.mark.parametrize(
    "sentence",
    [
        "So the smaller root is $-3$, while the larger root is $64$.",
        "Therefore the first term is 4, and the third term is 64.",
        "Therefore the mean is 16, where the sum is 64.",
        "So if $x$ were $1$, the value would be $30$.",
        "Hence the exponent is 6 if the power is 64.",
        "So far the sum is $30$.",
        "So the height is $8$, whereas the area is $64$.",
        "So the bound is $30$, but it is not reached.",
        "Therefore the sum could be 540.",
        "So we have to show that the sum is 540.",
        "So in the first case the value is $30$.",
        "So half of the answer is $30$.",
    ],
)
def test_several_values_suppositions_and_parts_state_none(sentence):
    assert stating_clause(sentence) is None


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
