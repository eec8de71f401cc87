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
        ("metric tons", "t"),
        ("kilowatt-hours", "kWh"),
        ("miles per gallon", "mpg"),
        ("m s^{-1}", "m /s"),
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
        (Policy(), r"2\pi^\circ C", r"2\pi\text{ joules}", False),
        (Policy(), r"2\pi^\circ C", r"2\pi \text{ °C}", True),
        (Policy(), r"2\pi\text{ min}", r"2\pi\text{ minutes}", True),
        (Policy(), r"9 in^2", r"9\text{ square inches}", True),
        (Policy(), r"9 sq cm", r"9\text{ cm}^2", True),
        (Policy(), r"9 sq cm", r"9\text{ cm}", False),
        (Policy(), r"9.5 lb", r"9.5\text{ pounds}", True),
        (Policy(), r"\frac{7}{2}\Omega", r"\frac{7}{2}\text{ ohms}", True),
        (Policy(), r"9 m s^{-1}", r"9\text{ m/s}", True),
        (Policy(), r"3\pi m/s^2", r"3\pi\text{ m/s}^2", True),
        (Policy(), r"3\pi m/s^2", r"3\pi\text{ m/s}", False),
        (Policy(units="convert"), r"1\text{ km}", r"1000\text{ m}", True),
        (Policy(units="convert"), r"1\text{ km}", r"1000\text{ s}", False),
        (Policy(units="require"), r"5\text{ cm}", "5", False),
        (Policy(units="ignore"), r"5\text{ cm}", r"5\text{ m}", True),
    ],
)
def test_unit_policies(policy, gold, answer, equal):
    assert compare(gold, answer, policy).equal is equal
