"""Sets of reals as lists of intervals."""

from __future__ import annotations

import pytest

from rewardkit.math.compare.inequalities import canonical
from rewardkit.math.compare.sets import real_set
from rewardkit.math.latex.parser import parse
from rewardkit.math.prove.proof import order


def pieces(text):
    found = real_set(parse(text))
    return None if found is None else canonical(found)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("[1,2)", r"1\le x<2"),
        (r"(0,2)\cup[1,3]", "(0,3]"),
        (r"(-\infty,1)\cup[1,\infty)", r"\mathbb{R}"),
        (r"x>1\text{ and }x\le5", "(1,5]"),
        (r"\{x\in\mathbb{R}\mid |x|<2\}", "(-2,2)"),
        (r"[0,5]\cap[3,9]", "[3,5]"),
        (r"\mathbb{R}\setminus\{0\}", r"x\ne0"),
        ("|2x-1|\\ge 3", r"x\le-1\text{ or }x\ge2"),
    ],
)
def test_same_pieces(left, right):
    a, b = pieces(left), pieces(right)
    assert a is not None
    assert b is not None
    assert [(one.low_closed, one.high_closed) for one in a] == [(one.low_closed, one.high_closed) for one in b]
    assert {
        order(getattr(one, end), getattr(other, end))
        for one, other in zip(a, b, strict=True)
        for end in ("low", "high")
    } == {0}


@pytest.mark.parametrize("text", ["x", "5", r"\{x\in\mathbb{Z}\mid x>0\}", "(1,2,3)", "a<b", "x>1, y<2"])
def test_what_is_no_set_of_reals_is_none(text):
    assert real_set(parse(text)) is None
