"""Letters without a name of their own: counters of families, constants of integration; other letters keep theirs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.math import compare

QUICK = settings(max_examples=40, deadline=None)
COUNTERS = st.sampled_from("kmn")


@QUICK
@given(st.integers(-9, 9).filter(bool), st.integers(2, 9), COUNTERS, COUNTERS)
def test_the_counter_of_a_family_has_no_name(offset, step, one, other):
    gold = rf"\frac{{{offset}\pi}}{{12}}+\frac{{{step}\pi}}{{12}}{one}"
    assert compare(gold, gold.replace(f"}}{one}", f"}}{other}")).equal
    assert compare(f"x={gold}", rf"{gold.replace(f'}}{one}', f'}}{other}')},\ {other}\in\mathbb{{Z}}").equal
    assert not compare(gold, gold.replace(f"{offset}", f"{offset + 1}", 1)).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"(k\pi,k\pi+\frac{\pi}{3}),\ k\in\mathbb{Z}", r"(k\pi,n\pi+\frac{\pi}{3}),\ k\in\mathbb{Z}"),
        (r"\frac{\pi}{5}+k\pi,\ k\in\mathbb{N}", r"\frac{6\pi}{5}+k\pi,\ k\in\mathbb{N}"),
        (r"a_n=2n+1,\ n\in\mathbb{Z}", r"a_n=2n-1,\ n\in\mathbb{Z}"),
        (r"1+n^2\pi^2", r"1+m^2\pi^2"),
        (r"n\pi", r"m\pi"),
        (r"\pi n(a^2+d)", r"\pi m(a^2+d)"),
        (r"7ab^2(a+4c)", r"7ab^2(a+4C)"),
        (r"C=2\pi r", r"A=2\pi r"),
    ],
)
def test_other_letters_have_names(gold, answer):
    assert not compare(gold, answer).equal


@QUICK
@given(st.permutations(["A", "B"]), st.integers(1, 5))
def test_constants_of_a_solution_have_no_names(names, rate):
    gold = rf"y=C_1e^{{{rate}x}}+C_2e^{{-{rate}x}}"
    assert compare(gold, rf"y={names[0]}e^{{-{rate}x}}+{names[1]}e^{{{rate}x}}").equal
    assert not compare(gold, rf"y={names[0]}e^{{-{rate}x}}+{names[1]}e^{{{rate + 1}x}}").equal


@QUICK
@given(st.integers(-9, 9), st.integers(1, 9), st.sampled_from("CcK"))
def test_the_constant_of_integration_takes_up_any_other(number, factor, name):
    gold = rf"{factor}x^2+C"
    assert compare(gold, f"{factor}x^2+{name}").equal
    assert compare(gold, f"{factor}x^2+({number})+C").equal
    assert not compare(gold, f"{factor + 1}x^2+C").equal
    assert not compare(gold, f"{factor}x^2+({number})").equal
