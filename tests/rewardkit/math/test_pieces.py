"""Unions of intervals."""

from __future__ import annotations

from rewardkit.math.parser import parse
from rewardkit.math.pieces import complement
from rewardkit.math.sets import real_set


def test_complement_turns_ends():
    found = real_set(parse("[1,2)"))
    assert found is not None
    rest = complement(found)
    assert rest is not None
    assert [(one.low_closed, one.high_closed) for one in rest.pieces] == [(False, False), (True, False)]
