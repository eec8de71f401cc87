"""The pair generator itself: seeded, wide, and with labels that its own values prove."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

sympy = pytest.importorskip("sympy")

from tools import math_pairs  # noqa: E402
from tools.math_cases import CATEGORIES, HOSTILE, Case, boxed, prove, same, tex  # noqa: E402


@pytest.fixture(scope="module")
def pairs():
    return math_pairs.generate(seed=5, per_label=4)


def test_there_are_at_least_fifty_categories_with_both_labels(pairs):
    labels = {(pair.category, pair.label) for pair in pairs}
    both = [name for name in CATEGORIES if {(name, True), (name, False)} <= labels]
    assert len(both) >= 50
    assert {name for name, _ in labels} == set(CATEGORIES)


def test_hostile_categories_are_marked(pairs):
    assert {pair.category for pair in pairs if pair.hostile} == HOSTILE
    assert len(HOSTILE) >= 8


def test_the_same_seed_gives_the_same_pairs():
    few = {"integer", "interval", "hedge"}
    assert math_pairs.generate(3, 5, few) == math_pairs.generate(3, 5, few)
    assert math_pairs.generate(3, 5, few) != math_pairs.generate(4, 5, few)


def test_no_pair_stands_under_both_labels(pairs):
    seen = {}
    for pair in pairs:
        key = (pair.category, json.dumps(pair.gold), pair.answer)
        assert seen.setdefault(key, pair.label) is pair.label, key


def test_a_right_form_with_another_value_is_refused():
    case = Case("1/2", Fraction(1, 2))
    case.yes("1/3", "a slip", Fraction(1, 3))
    with pytest.raises(AssertionError):
        prove(case)


def test_a_change_that_keeps_the_value_is_dropped():
    case = Case("2\\ln 2", 2 * sympy.log(2))
    case.no("\\ln 4", sympy.log(4), "equal by accident")
    case.no("\\ln 5", sympy.log(5), "different")
    prove(case)
    assert [form.text for form in case.wrong] == ["\\ln 5"]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (Fraction(1, 2), Fraction(2, 4), True),
        (1, sympy.Integer(1), True),
        ((1, 2), (2, 1), False),
        (frozenset([1, 2]), frozenset([2, 1]), True),
        (sympy.sin(sympy.Symbol("x")) ** 2, 1 - sympy.cos(sympy.Symbol("x")) ** 2, True),
        (sympy.Symbol("x"), sympy.Symbol("y"), False),
        ("name", sympy.Integer(3), False),
    ],
)
def test_values_compare_by_what_they_are(left, right, equal):
    assert same(left, right) is equal


def test_a_boxed_completion_ends_with_its_answer():
    for seed in range(20):
        text = boxed(Random(seed), "\\frac{1}{2}")
        assert text.count("\\boxed{\\frac{1}{2}}") == 1


def test_fractions_are_written_with_the_sign_in_front():
    assert tex(Fraction(-3, 4)) == "-\\frac{3}{4}"
    assert tex(Fraction(6, 3)) == "2"
    assert tex(Fraction(-1, 2), "slash") == "-1/2"
