"""Names of units; pairs of answers with units stand in tests/cases/math/units_money_percent.txt."""

from __future__ import annotations

import pytest

from rewardkit.math.latex.units import canonical_unit, same_unit


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
        ("base two", None),
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
