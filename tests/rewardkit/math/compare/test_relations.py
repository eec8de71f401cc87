"""Laws of equations and inequalities: sides, factors, names, roundings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.math import Status, compare

QUICK = settings(max_examples=40, deadline=None)
SMALL = st.integers(-9, 9).filter(bool)
FACTORS = st.integers(2, 9)
SIGNS = st.sampled_from(["<", ">", r"\le", r"\ge"])
TURNED = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}


def line(a, b, c, sign="="):
    return f"{a}x+{b}y{sign}{c}".replace("+-", "-")


@QUICK
@given(SMALL, SMALL, SMALL, SMALL)
def test_an_equation_may_be_scaled_and_turned(a, b, c, factor):
    gold = line(a, b, c)
    assert compare(gold, line(factor * a, factor * b, factor * c)).equal
    assert compare(gold, "=".join(reversed(gold.split("=")))).equal
    assert not compare(gold, line(a, b, c + 1)).equal
    assert not compare(gold, line(a, b + 1, c)).equal


@QUICK
@given(SMALL, SMALL, SMALL, FACTORS, SIGNS)
def test_an_inequality_may_be_scaled_by_a_positive_number_and_turned(a, b, c, factor, sign):
    gold = line(a, b, c, sign)
    assert compare(gold, line(factor * a, factor * b, factor * c, sign)).equal
    assert compare(gold, line(-a, -b, -c, TURNED[sign])).equal
    left, right = gold.split(sign)
    assert compare(gold, right + TURNED[sign] + " " + left).equal
    assert not compare(gold, line(a, b, c, TURNED[sign])).equal
    assert not compare(gold, line(-a, -b, -c, sign)).equal
    strict = {"<": r"\le", ">": r"\ge", r"\le": "<", r"\ge": ">"}[sign]
    assert not compare(gold, line(a, b, c, strict)).equal


@QUICK
@given(SMALL, FACTORS, st.sampled_from("fgh"), st.sampled_from("xtu"), st.sampled_from("xtu"))
def test_the_parameter_of_a_function_has_no_name(start, factor, name, one, other):
    gold = f"{name}({one})={factor}{one}+{start}".replace("+-", "-")
    assert compare(gold, f"{name}({other})={start}+{factor}{other}").equal
    assert compare(gold, f"y={gold.split('=')[1]}").equal
    assert not compare(gold, f"{name}({other})={start}+{factor + 1}{other}").equal
    assert not compare(gold, f"{'k'}({other})={start}+{factor}{other}").equal


@QUICK
@given(st.integers(2, 99).filter(lambda n: math.isqrt(n) ** 2 != n), st.integers(1, 6))
def test_a_rounding_behind_a_value_must_round_it(number, places):
    root = rf"\sqrt{{{number}}}"
    printed = round(math.sqrt(number), places)
    unit = 10**-places
    assert compare(root, rf"{root}\approx{printed:.{places}f}").equal
    assert compare(root, rf"x={root}\approx{printed:.{places}f}").equal
    assert compare(root, rf"{root}\approx{math.floor(math.sqrt(number) / unit) * unit:.{places}f}").equal
    assert not compare(root, rf"{root}\approx{printed + 2 * unit:.{places}f}").equal
    assert not compare(root, rf"{root}\approx{printed - 2 * unit:.{places}f}").equal


@QUICK
@given(st.integers(1, 99), st.integers(2, 9))
def test_a_chain_is_its_value_where_it_holds(number, factor):
    value = number * factor
    for chain in (
        rf"{number}\cdot{factor}={value}",
        rf"x={number}\cdot{factor}={value}",
        rf"{value}=x",
        rf"a+b={value - 1}+1={value}",
    ):
        assert compare(str(value), chain).equal, chain
    assert not compare(str(value), rf"{number}\cdot{factor}={value + 1}").equal
    assert not compare(str(value + 1), rf"{number}\cdot{factor}={value + 1}").equal
    assert not compare(str(value), rf"x^2={number}\cdot{factor}={value}").equal


@QUICK
@given(st.integers(2, 30), st.integers(-60, 60), st.integers(-3, 3))
def test_residues_are_compared_by_their_modulus(modulus, residue, times):
    gold = rf"x\equiv{residue}\pmod{{{modulus}}}"
    moved = residue + times * modulus
    assert compare(gold, rf"x\equiv{moved}\pmod{{{modulus}}}").equal
    assert compare(gold, rf"{moved}\pmod{{{modulus}}}").equal
    assert not compare(gold, rf"x\equiv{moved + 1}\pmod{{{modulus}}}").equal
    assert not compare(gold, rf"x\equiv{moved}\pmod{{{modulus + 1}}}").equal
    assert not compare(gold, rf"y\equiv{moved}\pmod{{{modulus}}}").equal


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("x=y=2", "x=2,y=2", True),
        ("x=y=2", "(2,2)", True),
        ("x=y=2", "(2,2,2)", False),
        ("x=y=2", "2,2", True),
        ("a=b=c", "c=a=b", True),
        ("e=2", "2", True),
        ("AB=5", "5", True),
        ("|AB|=5", "AB=5", False),
        ("y=2x", "2x", True),
        ("2x", "y=2x", True),
        ("y=2x+1", r"y\approx2x+1", False),
        (r"A\subset B", r"B\supset A", True),
        (r"A\subset B", r"A\supset B", False),
        ("a<b<c", "c>b>a", True),
        ("a<b<c", "c<b<a", False),
        ("2<3", "3>2", True),
        (r"x\in[1,2]", r"1\le x\le2", True),
        (r"x\in[1,2]", r"y\in[1,2]", False),
        (r"x\in A", r"x\in A", True),
        (r"x\in A", r"x\in B", False),
    ],
)
def test_statements(gold, answer, equal):
    assert compare(gold, answer).equal == equal


@QUICK
@given(st.sampled_from(["x", "AB", "|AB|", "|z|^2", r"\frac{a}{b}", r"\tan x", r"\angle ABC", "P(2)"]), SMALL)
def test_the_name_in_front_of_a_value_may_be_left_out(name, value):
    gold = f"{name}={value}"
    assert compare(gold, gold).equal
    assert compare(gold, str(value)).equal
    assert not compare(gold, str(value + 1)).equal
    assert not compare(gold, f"{name}={value + 1}").equal


@QUICK
@given(st.sampled_from(["r^2", "ab", "2r", "AB^2", r"\frac{a}{b}"]), SMALL, SMALL)
def test_a_quantity_that_is_worked_out_is_its_value(name, one, other):
    worked = f"{name}={one}+{other}={one + other}".replace("+-", "-")
    assert compare(str(one + other), worked).equal
    assert not compare(str(one + other + 1), worked).equal


@QUICK
@given(SMALL, SMALL, st.sampled_from(["{0}={1}", "x={0}={1}", "{0}+0={1}", "{0}={0}={1}"]))
def test_a_false_chain_is_a_bad_ground_truth_and_a_wrong_answer(value, step, chain):
    false = chain.format(value, value + step)
    for answer in (str(value), str(value + step), str(value + step + 1)):
        found = compare(false, answer)
        assert (found.status, found.reason) == (Status.BAD_GOLD, "the ground truth contradicts itself")
    found = compare(str(value), false)
    assert (found.status, found.reason) == (
        Status.DIFFERENT,
        "an equation in the answer does not hold, or is not proven",
    )


@QUICK
@given(SMALL, SMALL, st.sampled_from(["x={0}={1}, y=2", "y=2, x={0}={1}", r"x={0}={1} \text{{ or }} x=3"]))
def test_a_false_chain_in_a_list_is_as_bad(value, step, chain):
    false, true = chain.format(value, value + step), chain.format(value, value)
    assert compare(false, true).status is Status.BAD_GOLD
    assert compare(true, false).status is Status.DIFFERENT
