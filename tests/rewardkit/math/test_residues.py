"""Remainders: a residue has its modulus; a number above its modulus is a calculation."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("23 mod 6", "5", True),
        ("23 mod 6", r"23\bmod 6", True),
        ("23 mod 6", r"23\%6", True),
        ("23 mod 6", "6 mod 23", False),
        ("5", "23 mod 6", True),
        ("4", "23 mod 6", False),
        (r"4\bmod 9", r"4\bmod 7", False),
        (r"4\bmod 9", r"4\pmod 9", True),
        (r"4\bmod 9", r"13\pmod 9", True),
        (r"4\pmod 9", "4", False),
        ("4", r"4\pmod 9", True),
        (r"n\bmod 9", r"n\bmod 7", False),
        (r"30\%", "0.3", True),
    ],
)
def test_a_remainder_is_a_class_or_a_calculation(gold, answer, equal):
    assert compare(gold, answer).equal is equal
