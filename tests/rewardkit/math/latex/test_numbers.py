"""Texts and expressions that are rational numbers, exactly."""

from __future__ import annotations

import contextlib

import pytest
from flint import fmpq

from rewardkit.math.latex.numbers import plain_number
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.tree import LimitError
from rewardkit.math.prove.exact import rational


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", fmpq(5)),
        ("-5", fmpq(-5)),
        ("+5.", fmpq(5)),
        ("0.25", fmpq(1, 4)),
        (".5", fmpq(1, 2)),
        ("1,234,567", fmpq(1234567)),
        ("1{,}234.5", fmpq(2469, 2)),
        (r"1\,234", fmpq(1234)),
        ("1.5e-3", fmpq(3, 2000)),
        (r"1.2\times10^{3}", fmpq(1200)),
        (r"\frac{-3}{6}", fmpq(-1, 2)),
        (r"-\dfrac{3}{6}", fmpq(-1, 2)),
        ("3/4", fmpq(3, 4)),
        (r"\frac12", fmpq(1, 2)),
    ],
)
def test_plain_numbers_are_exact(text, value):
    assert plain_number(text) == value


@pytest.mark.parametrize(
    "text", ["", ".", "-", "x", "1,23", "12,3456", "2e-1", "1/0", "1 2", "٣", "0x10", "1_000", "9" * 5000, "1e999999"]
)
def test_other_texts_are_left_to_the_parser(text):
    assert plain_number(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^{10}", fmpq(1024)),
        ("2**-2", fmpq(1, 4)),
        ("5!", fmpq(120)),
        (r"\binom{5}{2}", fmpq(10)),
        (r"\sqrt{\frac{4}{9}}", fmpq(2, 3)),
        (r"\sqrt[3]{-8}", fmpq(-2)),
        (r"\lfloor -1.5\rfloor", fmpq(-2)),
        (r"\gcd(12,18)", fmpq(6)),
        (r"\max\{1,5,3\}", fmpq(5)),
        (r"7\bmod 4", fmpq(3)),
        (r"20\%", fmpq(1, 5)),
        (r"2\frac12", fmpq(5, 2)),
        (r"0.1\overline{6}", fmpq(1, 6)),
    ],
)
def test_rational_expressions_are_exact(text, value):
    assert rational(parse(text)) == value


@pytest.mark.parametrize("text", [r"\sqrt{2}", r"\pi", "x", r"(-1)^{1/3}", "9^{9^9}", "10000!"])
def test_what_is_not_rational_or_too_large_is_not_computed(text):
    with contextlib.suppress(LimitError):
        assert rational(parse(text)) is None


def test_division_by_zero_is_an_error_not_a_value():
    with pytest.raises(ZeroDivisionError):
        rational(parse("1/0"))
