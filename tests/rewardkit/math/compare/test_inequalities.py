"""Inequalities in one letter."""

from __future__ import annotations

import pytest

from rewardkit.math.compare.inequalities import solved
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.walk import infinite
from rewardkit.math.prove.exact import rational


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("3>x", [("-oo", "3")]),
        (r"-3<2x+1\le5", [("-2", "2")]),
        ("|x-1|>2", [("-oo", "-1"), ("3", "oo")]),
        ("-2x>6", [("-oo", "-3")]),
        ("x^2<4", [("-2", "2")]),
    ],
)
def test_an_inequality_in_one_letter_is_solved(text, ends):
    found = solved(parse(text))
    assert found is not None
    assert found.variable == "x"
    assert [(shown(one.low), shown(one.high)) for one in found.pieces] == ends


def shown(end):
    value = rational(end)
    return str(value) if value is not None else ("oo" if infinite(end) > 0 else "-oo")


@pytest.mark.parametrize("text", ["x<2x", "x+y<3", "1<x>0", "x^3<8", "x^2<-1"])
def test_what_is_not_solved_is_none(text):
    assert solved(parse(text)) is None
