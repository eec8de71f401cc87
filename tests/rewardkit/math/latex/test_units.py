"""Names of units: one for all spellings of a unit, another for each other one. Pairs of answers with units stand in
tests/cases/math/units_money_percent.txt.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from rewardkit.math import judge
from rewardkit.math.latex.units import (
    BASES,
    CURRENCIES,
    NUMBERED,
    PREFIXES,
    SCALES,
    SIZES,
    SPELLINGS,
    canonical_unit,
    conversion,
    is_known_unit,
    is_unit_symbol,
    is_unit_word,
    same_unit,
    scaled,
)

SPELLED = {
    name: others.split()
    for name, _, others in (entry.strip().partition(":") for entry in SPELLINGS.replace("\n", ";").split(";"))
    if name not in {"", "kms", "cms", "K|k"}
}
PREFIXED = {
    short + symbol: long + name for symbol, name in BASES.items() for short, long in (("", ""), *PREFIXES.items())
}
NAMES = sorted({*SPELLED, *map(canonical_unit, PREFIXED)})


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("square centimetres", "cm^2"),
        ("centimetres squared", "cm^2"),
        ("cm ^2", "cm^2"),
        ("cubic feet", "ft^3"),
        ("square units", "unit^2"),
        ("square", "unit^2"),
        ("km / h", "kmh"),
        ("m s^{-1}", "m /s"),
        ("m s^{-2}", "m /s^2"),
        ("dollars a day", "$ /day"),
        ("miles per gallon", "mpg"),
        ("Dollars", "$"),
        ("apples", "apple"),
        ("boxes", "box"),
        ("classes", "class"),
        ("dishes", "dish"),
        ("berries", "berry"),
        ("bus", "bus"),
        ("glass", "glass"),
        ("axis", "axis"),
        ("in", "in"),
        ("long", ""),
        ("per cent", "percent"),
        ("percent of the pupils", "percent"),
        ("percentage points", "percentage point"),
        ("metric tons", "t"),
        ("kilowatt-hours", "kWh"),
        ("more apples", "apple"),
        ("times", "time"),
        ("th day", "day"),
        ("th person", "person"),
        ("th wonder", None),
        ("in total", ""),
        ("or 5", None),
        ("base two", None),
        ("per", None),
        ("doubled", None),
        ("reversed", None),
        ("more", None),
        ("to one", None),
        ("in the second case", None),
        ("one two three four five six seven eight", None),
    ],
)
def test_canonical_unit(text, unit):
    assert canonical_unit(text) == unit


@pytest.mark.parametrize("name", SPELLED)
def test_all_spellings_of_a_unit_have_one_name(name):
    for one in (name, *SPELLED[name]):
        assert canonical_unit(one) == name
        assert is_known_unit(one)
        if len(one) > 2 and one[-1] not in "s²" and "^" not in one:
            assert canonical_unit(one + "s") == name


@pytest.mark.parametrize(("symbol", "name"), PREFIXED.items())
def test_a_symbol_its_name_and_its_plural_are_one_unit(symbol, name):
    assert canonical_unit(symbol) == canonical_unit(name) == canonical_unit(name + "s")


def test_no_two_units_have_one_name():
    assert len({canonical_unit(symbol) for symbol in PREFIXED}) == len(PREFIXED)


def test_a_unit_is_itself_or_a_name_that_says_less_and_no_other():
    """Of all pairs: only `unit`, an ordinal's ending, a pound and a degree name others, too."""
    less = {("unit", one) for one in NAMES if "^" not in one} | {("th", one) for one in NUMBERED}
    less |= {("pound", "£"), ("pound", "lb"), ("degree", "degC"), ("degree", "degF")}
    for one, other in itertools.product(NAMES, repeat=2):
        assert same_unit(one, other) == (one == other or (one, other) in less or (other, one) in less), (one, other)


def test_a_square_is_no_length():
    assert same_unit("unit^2", "cm^2")
    assert not same_unit("unit^2", "cm^3")
    assert not same_unit("unit", "cm^2")
    assert not same_unit("unit^2", "red cm^2")
    assert same_unit("apple", "apple pie")
    assert not same_unit("apple", "apple /day")
    assert not same_unit("cm", "cm long")
    assert same_unit("$", "$ /day")
    assert not same_unit("apple", "pear")


def test_conversions_agree_with_each_other_and_with_a_ruler():
    for a, b, c in itertools.product(SIZES, repeat=3):
        there, on = conversion(a, b), conversion(b, c)
        assert (there is None) == (SIZES[a][0] != SIZES[b][0])
        if there is not None:
            assert there * conversion(b, a) == 1
            assert on is None or there * on == conversion(a, c)
    known = {("km", "m"): 1000, ("ft", "in"): 12, ("yd", "ft"): 3, ("mi", "ft"): 5280, ("h", "min"): 60, ("week", "day"): 7, ("day", "h"): 24,
             ("min", "s"): 60, ("lb", "oz"): 16, ("$", "cent"): 100, ("l", "ml"): 1000, ("t", "kg"): 1000, ("kg", "g"): 1000, ("g", "mg"): 1000,
             ("m", "cm"): 100, ("cm", "mm"): 10, ("m", "dm"): 10, ("s", "ms"): 1000, ("kJ", "J"): 1000, ("kW", "W"): 1000, ("kPa", "Pa"): 1000}  # fmt: skip
    assert {pair: conversion(*pair) for pair in known} == known
    assert conversion("cm", "apple") is conversion("apple", "cm") is None


@pytest.mark.parametrize("word", SCALES)
def test_a_scale_word_is_part_of_the_number(word):
    assert scaled(word) == (SCALES[word], "")
    assert scaled(f"{word} million $") == (SCALES[word] * 10**6, "$")
    assert scaled(f"$ {word}") == (Fraction(1), f"$ {word}")


def test_words_and_symbols_of_units():
    assert all(map(is_unit_word, ("km", "Hours", "dollars", "GeV", "cm")))
    assert not any(map(is_unit_word, ("m", "g", "in", "st", "ha", "apple", "x")))
    assert all(map(is_unit_symbol, ("m", "g", "Pa", "L")))
    assert not any(map(is_unit_symbol, ("x", "n", "meters!")))


@pytest.mark.parametrize("sign", CURRENCIES)
def test_a_currency_has_the_name_of_its_unit(sign):
    assert CURRENCIES[sign] in NAMES


TWO_UNITS = [
    (("hours", "hour", "h"), ("minutes", "minute", "min")),
    (("feet", "foot", "ft"), ("inches", "inch", "in")),
    (("kg",), ("grams", "g")),
]


@pytest.mark.long
@pytest.mark.parametrize(("large", "small"), TWO_UNITS)
def test_a_quantity_in_two_units_is_the_same_in_all_its_spellings(large, small):
    plain = ("{} {} {} {}", "{} {} and {} {}")
    typed = (r"{}\text{{ {} }}{}\text{{ {}}}", r"{}\text{{ {} and }}{}\text{{ {}}}", r"{}\text{{ {}, }}{}\text{{ {}}}")
    ways = [*itertools.product(typed, large, small), *((way, large[0], small[0]) for way in plain)]
    golds = [way.format(9, one, 6, other) for way, one, other in ways]
    assert not [(gold, one) for gold in golds for one in golds if not judge(rf"\boxed{{{one}}}", gold).equal]
    for changed in ((9, 5), (8, 6), (6, 9)):
        others = [way.format(changed[0], one, changed[1], other) for way, one, other in ways]
        assert not [(gold, one) for gold in golds for one in others if judge(rf"\boxed{{{one}}}", gold).equal]
    parts = [rf"9\text{{ {one}}}" for one in large] + [rf"6\text{{ {one}}}" for one in small]
    assert not [(gold, one) for gold in golds for one in parts if judge(rf"\boxed{{{one}}}", gold).equal]
