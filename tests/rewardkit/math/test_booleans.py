"""Formulas of logic and of sets in letters."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"r\to s", r"r\Rightarrow s", True),
        (r"r\to s", r"\neg r\lor s", True),
        (r"r\to s", r"s\to r", False),
        (r"r\to s", r"\neg s\to\neg r", False),
        (r"r\to s", r"r\leftrightarrow s", False),
        (r"\lnot(r\lor s)", r"\neg r\wedge\neg s", True),
        (r"\lnot(r\lor s)", r"\neg r\vee\neg s", False),
        (r"r\land(s\lor t)", r"(r\land s)\lor(r\land t)", True),
        (r"r\land(s\lor t)", r"(r\lor s)\land(r\lor t)", False),
        (r"¬r ∨ s", r"\lnot r\lor s", True),
        (r"\forall z\,S(z)", r"\forall z: S(z)", True),
        (r"\forall z\,S(z)", r"\neg\exists w\,\neg S(w)", True),
        (r"\forall z\,S(z)", r"\exists z\,S(z)", False),
        (r"\forall z\,(S(z)\to T(z))", r"\forall z\,(\neg S(z)\lor T(z))", True),
        (r"\exists z\forall w\,S(z,w)", r"\forall w\exists z\,S(z,w)", False),
        (r"\exists z\forall w\,S(z,w)", r"\exists w\forall z\,S(w,z)", True),
        (r"K\setminus L", r"K\cap\overline{L}", True),
        (r"K\setminus L", r"L\setminus K", False),
        (r"\overline{K\cup L}", r"\overline{K}\cap\overline{L}", True),
        (r"\overline{K\cup L}", r"\overline{K}\cup\overline{L}", False),
        (r"K\triangle L", r"(K\cup L)\setminus(K\cap L)", True),
        (r"K\cup L", r"K\lor L", False),
        (r"K\cap L", "K", False),
        (r"\lnot r", "r", False),
    ],
)
def test_formulas_are_equal_where_no_values_tell_them_apart(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize(
    "answer", [r"\neg" * 90 + " r", "(" * 90 + "r", r"r\land " * 60 + "s", r"\forall x" * 20 + "P(x)"]
)
def test_long_formulas_are_bounded(answer):
    assert not compare(r"\neg s\lor t", answer).equal
