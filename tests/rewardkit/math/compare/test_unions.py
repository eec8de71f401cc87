"""Unions of intervals."""

from __future__ import annotations

from rewardkit.math.compare.inequalities import complement
from rewardkit.math.compare.sets import real_set
from rewardkit.math.latex.parser import parse


def test_complement_turns_ends():
    found = real_set(parse("[1,2)"))
    assert found is not None
    rest = complement(found)
    assert rest is not None
    assert [(one.low_closed, one.high_closed) for one in rest.pieces] == [(False, False), (True, False)]
