from __future__ import annotations

import pytest

from rewardkit.math import Policy, compare
from rewardkit.math.units import canonical_unit, same_unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("square centimetres", "cm^2"),
        ("cm ^2", "cm^2"),
        ("km / h", "kmh"),
        ("Dollars", "$"),
        ("apples", "apple"),
        ("in", "in"),
        ("per cent", "percent"),
        ("or 5", None),
        ("base two", "base 2"),
    ],
)
def test_canonical_unit(text, unit):
    found = canonical_unit(text)
    assert found == unit


def test_plain_units_match_any_and_no_other_exchange_is_allowed():
    assert same_unit("unit^2", "cm^2")
    assert not same_unit("unit^2", "cm^3")
    assert not same_unit("cm", "m")
    assert same_unit("pound", "£")


@pytest.mark.parametrize(
    ("policy", "gold", "answer", "equal"),
    [
        (Policy(), r"5\text{ cm}", "5", True),
        (Policy(), r"5\text{ cm}", r"5\text{ m}", False),
        (Policy(), r"1\text{ km}", r"1000\text{ m}", False),
        (Policy(units="convert"), r"1\text{ km}", r"1000\text{ m}", True),
        (Policy(units="convert"), r"1\text{ km}", r"1000\text{ s}", False),
        (Policy(units="require"), r"5\text{ cm}", "5", False),
        (Policy(units="ignore"), r"5\text{ cm}", r"5\text{ m}", True),
    ],
)
def test_unit_policies(policy, gold, answer, equal):
    assert compare(gold, answer, policy).equal is equal
