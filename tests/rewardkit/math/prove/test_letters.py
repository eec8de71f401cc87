"""Pi and i tried as letters: the exact verdict is that of the balls."""

from __future__ import annotations

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


@given(_FORMULAS, _FORMULAS, _FORMULAS)
def test_the_exact_verdict_is_that_of_the_balls(one, other, factor):
    spread = Op("add", (Op("mul", (one, factor)), Op("mul", (other, factor))))
    for left, right in ((Op("mul", (Op("add", (one, other)), factor)), spread), (one, other), (spread, factor)):
        exact = proof.same_value(left, right)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(proof, "_RATIONAL", frozenset())
            balls = proof.same_value(left, right)
        assert exact is None or balls is None or exact == balls


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
