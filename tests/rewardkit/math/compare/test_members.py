"""Lists: dots in a row stand for the numbers between, where the ground truth has dots and all its numbers are in steps; labels."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rewardkit.math import compare


@settings(max_examples=40, deadline=None)
@given(st.integers(-9, 9), st.integers(1, 7), st.integers(4, 12))
def test_a_row_with_dots_is_all_its_terms(first, step, count):
    terms = [first + step * k for k in range(count)]
    gold = rf"{terms[0]},{terms[1]},\ldots,{terms[-1]}"
    assert compare(gold, ",".join(map(str, terms))).equal
    assert not compare(gold, ",".join(map(str, terms[:-1]))).equal
    assert not compare(gold, rf"{terms[0]},{terms[1]},\ldots,{terms[-1] + step}").equal


@pytest.mark.parametrize(
    ("gold", "answer"), [("1,2,3", r"1,\ldots,3"), ("1,2,3", "1,..."), (r"1,2,4,\ldots,64", "1,2,4,64")]
)
def test_dots_are_not_filled_in_where_nothing_fixes_them(gold, answer):
    assert not compare(gold, answer).equal


@pytest.mark.parametrize(
    ("words", "name", "other"),
    [
        (r"\text{all integers}", r"\mathbb{Z}", r"\mathbb{N}"),
        (r"\text{no solution}", r"\emptyset", r"\{0\}"),
        (r"\text{all real numbers}", r"\mathbb{R}", r"\mathbb{Q}"),
    ],
)
def test_words_for_a_set_are_the_set_or_a_membership_of_it(words, name, other):
    for gold, answer in ((words, name), (name, words), (words, rf"x\in {name}"), (rf"x\in {name}", words)):
        assert compare(gold, answer).equal, (gold, answer)
    for gold, answer in ((words, other), (other, words), (words, rf"x\in {other}")):
        assert not compare(gold, answer).equal, (gold, answer)


@pytest.mark.parametrize("first", ["x>3", r"x\ge x^2", "a<b", r"x\ne 1"])
@pytest.mark.parametrize("second", ["y<5", "x<x^3", "x<5"])
def test_conditions_that_all_hold_are_not_conditions_of_which_one_is_enough(first, second):
    both, either = (rf"{first} \text{{ {word} }} {second}" for word in ("and", "or"))
    assert compare(both, both).equal
    assert compare(either, either).equal
    assert not compare(both, either).equal
    assert not compare(either, both).equal


@given(st.sampled_from(["Day", "Case", "Team A"]), st.integers(0, 130), st.integers(0, 130))
@example("Day", 1, 12)
def test_labels_with_other_figures_name_other_things(name, one, other):
    gold, answer = (rf"\text{{{name} {number}}}: 5, \text{{Rest}}: 7" for number in (one, other))
    assert compare(gold, answer).equal == (one == other)


@pytest.mark.parametrize("names", ["xy", "xz", "yz", "xyz", ("x_1", "x_2", "x_3"), ("a_1", "a_2", "a_3", "a_4")])
@pytest.mark.parametrize("join", [",", r"\text{ and }"])
@pytest.mark.parametrize("form", ["({})", "{}"])
def test_coordinates_stand_in_the_order_of_their_names(names, join, form):
    values = dict(zip(names, ("3", "-1", r"\frac12", "7"), strict=False))
    for order in permutations(names):
        answer = join.join(f"{name}={values[name]}" for name in order)
        for wanted in permutations(values.values()):
            same = wanted == tuple(values.values())
            assert compare(form.format(",".join(wanted)), answer).equal in ({same} if form != "{}" else {same, True})


def test_other_names_are_read_in_the_order_given():
    assert compare("(1,2)", "b=1,a=2").equal
    assert not compare("(1,2)", "b=2,a=1").equal
