"""Exact arithmetic agrees with Python's own fractions and integers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rewardkit.math.latex.tree import LimitError, Num, Op, Sym
from rewardkit.math.prove.exact import exact_value, rational

QUICK = settings(max_examples=60, deadline=None)
FRACTIONS = st.fractions(min_value=-50, max_value=50, max_denominator=30)
COUNTS = st.integers(0, 12)


def num(value):
    value = Fraction(value)
    return Num(fmpq(value.numerator, value.denominator))


def worked_out(name, *args):
    found = rational(Op(name, tuple(map(num, args))))
    return None if found is None else Fraction(int(found.p), int(found.q))


@QUICK
@given(FRACTIONS, FRACTIONS)
def test_arithmetic(a, b):
    assert worked_out("add", a, b) == a + b
    assert worked_out("mul", a, b) == a * b
    assert worked_out("neg", a) == -a
    assert worked_out("abs", a) == abs(a)
    assert worked_out("pct", a) == a / 100
    assert worked_out("max", a, b) == max(a, b)
    assert worked_out("min", a, b) == min(a, b)
    assert worked_out("floor", a) == math.floor(a)
    assert worked_out("ceil", a) == math.ceil(a)
    assume(b != 0)
    assert worked_out("div", a, b) == a / b
    assert worked_out("mod", a, b) == a % b


@QUICK
@given(FRACTIONS.filter(bool), st.integers(-6, 6))
def test_whole_powers(base, power):
    assert worked_out("pow", base, power) == base**power


@QUICK
@given(st.fractions(min_value=0, max_value=20, max_denominator=9), st.integers(1, 6), st.integers(1, 5))
def test_roots_are_taken_where_they_are_rational(base, degree, power):
    assert worked_out("root", base**degree, degree) == base
    assert worked_out("pow", base**degree, Fraction(power, degree)) == base**power
    if degree == 2:
        assert worked_out("sqrt", base**2) == base
    if degree % 2:
        assert worked_out("root", -(base**degree), degree) == -base


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("sqrt", (2,)),
        ("sqrt", (-4,)),
        ("root", (-16, 4)),
        ("root", (8, Fraction(3, 2))),
        ("root", (8, 0)),
        ("root", (8, -3)),
        ("root", (1, 64)),
        ("pow", (-4, Fraction(1, 2))),
        ("pow", (2, 100_001)),
        ("fact", (-1,)),
        ("fact", (Fraction(1, 2),)),
        ("fact", (8_001,)),
        ("binom", (3, 4)),
        ("binom", (3, -1)),
        ("binom", (Fraction(7, 2), 2)),
        ("gcd", (4, Fraction(1, 2))),
    ],
)
def test_what_has_no_rational_value_is_none(name, args):
    assert worked_out(name, *args) is None


@QUICK
@given(COUNTS, COUNTS)
def test_counting(n, k):
    assert worked_out("fact", n) == math.factorial(n)
    assert worked_out("gcd", n, k) == math.gcd(n, k)
    assert worked_out("lcm", n, k) == math.lcm(n, k)
    assert worked_out("binom", max(n, k), min(n, k)) == math.comb(max(n, k), min(n, k))


def test_bounds_and_undefined_values():
    with pytest.raises(ZeroDivisionError):
        worked_out("div", 1, 0)
    with pytest.raises(ZeroDivisionError):
        worked_out("pow", 0, -1)
    assert worked_out("pow", 0, 0) == 1
    assert worked_out("pow", -1, 10**9 + 1) == -1
    assert worked_out("pow", 1, 10**9) == 1
    big = Op("pow", (num(2), num(30_000)))
    with pytest.raises(LimitError):
        rational(Op("mul", (Op("mul", (big, big)), Op("mul", (big, big)))))
    assert exact_value(Op("div", (num(1), num(0)))) is None
    assert exact_value(Op("mul", (Op("mul", (big, big)), Op("mul", (big, big))))) is None
    assert exact_value(Op("mul", (num(6), num(7)))) == 42
    assert rational(Op("add", (Sym("x"), num(1))), {"x": fmpq(2)}) == 3
    assert rational(Op("add", (Sym("x"), num(1)))) is None
    assert rational(Op("sin", (num(0),))) is None
