"""Things with a number."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("12th day", r"\text{Day 12}", True),
        ("12th day", r"\text{Day 13}", False),
        (r"\text{third quadrant}", r"\text{Quadrant III}", True),
        (r"\text{third quadrant}", r"\text{Quadrant II}", False),
        (r"\text{third quadrant}", r"\text{third day}", False),
        (r"\text{Friday}", r"\text{on Friday}", True),
        (r"\text{Friday}", r"\text{not on Friday}", False),
        (r"\text{odd}", r"\text{it is odd}", True),
        (r"\text{odd}", r"\text{it is not odd}", False),
        ("12", r"12\text{ (ish)}", False),
        ("12", r"12\text{ (presumably)}", False),
    ],
)
def test_a_number_may_stand_before_or_behind_its_thing(gold, answer, equal):
    assert compare(gold, answer).equal is equal
