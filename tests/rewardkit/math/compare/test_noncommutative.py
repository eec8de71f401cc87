"""Where formulas show that their letters do not commute, the order of factors counts; elsewhere it does not."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("AB-BA", "BA-AB"),
        ("AB-BA", "0"),
        ("P^{-1}AP", "PAP^{-1}"),
        ("P^{-1}AP", "A"),
        ("e^{A}Be^{-A}", "B"),
        ("ghg^{-1}", "h"),
        ("(AB)^{-1}", "A^{-1}B^{-1}"),
        ("x^T x = 1", "x x^T=1"),
        ("NL=L", "LN=L"),
        ("ABA=A", "A=AAB"),
        ("P=QP", "P=PQ"),
        (r"\vec{a}\times\vec{b}", r"\vec{b}\times\vec{a}"),
        (r"\vec{a}\times\vec{b}", r"\vec{a}\cdot\vec{b}"),
    ],
)
def test_another_order_is_another_formula(gold, answer):
    assert not compare(gold, answer).equal
    assert compare(gold, gold).equal
    assert compare(answer, answer).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("AB+C", "C+BA"),
        ("xyz", "zyx"),
        ("X^TY", r"X^\top Y"),
        ("NL=L", "L=NL"),
        ("V=IR", "RI=V"),
        (r"3\times 4", r"4\times 3"),
    ],
)
def test_numbers_commute(gold, answer):
    assert compare(gold, answer).equal
