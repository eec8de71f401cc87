"""Formulas in pi, i and letters."""

from __future__ import annotations

import cmath
import contextlib
import math
import operator

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.math import compare
from rewardkit.math.latex.tree import Num, Op, Sym
from rewardkit.math.prove import proof

_LEAVES = st.one_of(st.integers(-3, 3).map(lambda value: Num(fmpq(value))), st.sampled_from(["pi", "i", "x"]).map(Sym))


def _joined(inner):
    pair = st.tuples(inner, inner)
    whole = st.integers(-2, 3).map(lambda value: Num(fmpq(value)))
    return st.one_of(
        pair.map(lambda args: Op("add", args)),
        pair.map(lambda args: Op("mul", args)),
        pair.map(lambda args: Op("div", args)),
        inner.map(lambda one: Op("neg", (one,))),
        st.tuples(inner, whole).map(lambda args: Op("pow", args)),
    )


_FORMULAS = st.recursive(_LEAVES, _joined, max_leaves=6)


def number(node):
    """The value at x = 0.7, by Python's complex numbers."""
    if isinstance(node, Num):
        return complex(float(node.value))
    if isinstance(node, Sym):
        return {"pi": math.pi, "i": 1j, "x": 0.7}[node.name]
    args = [number(one) for one in node.args]
    return _PYTHON[node.name](*args)


_PYTHON = {"add": operator.add, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg, "pow": operator.pow}


@given(_FORMULAS, _FORMULAS, _FORMULAS)
def test_products_may_be_spread_and_what_is_equal_has_equal_values(one, other, factor):
    together = Op("mul", (Op("add", (one, other)), factor))
    spread = Op("add", (Op("mul", (one, factor)), Op("mul", (other, factor))))
    assert proof.same_value(together, spread) is not False
    for left, right in ((one, other), (spread, factor), (together, one)):
        if proof.same_value(left, right):
            with contextlib.suppress(ZeroDivisionError, OverflowError):
                assert cmath.isclose(number(left), number(right), rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"\frac{\pi}{2}+2k\pi", r"\frac{(4k+1)\pi}{2}", True),
        (r"(2+\pi)^2", r"4+4\pi+\pi^2", True),
        (r"(\pi^2)^{1/2}", r"\pi", True),
        (r"2\pi", r"\frac{44}{7}", False),
        ("3+4i", "4i+3", True),
        ("(1+i)^2", "2i", True),
        (r"\frac{1}{1+i}", r"\frac{1-i}{2}", True),
        ("i^2", "-1", True),
        ("2+i", "2-i", False),
        (r"|\pi-4|", r"4-\pi", True),
    ],
)
def test_formulas_in_pi_and_i(gold, answer, equal):
    assert compare(gold, answer).equal == equal
