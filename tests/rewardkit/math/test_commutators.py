"""Letters that do not commute where a formula shows it."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("PQ-QP", "QP-PQ", False),
        ("PQ-QP", "0", False),
        ("PQ-QP", "-(QP-PQ)", True),
        ("W=PQ-QP", "PQ-QP", True),
        ("W=PQ-QP", "QP-PQ", False),
        ("PQ-QP=W", "W=PQ-QP", True),
        (r"PQ-QP=i\hbar", r"QP-PQ=i\hbar", False),
        (r"PQ-QP=i\hbar", r"QP-PQ=-i\hbar", True),
        (r"PQ-QP=I", r"PQ=QP+I", True),
        ("P^2+PQ+QP+Q^2", "(P+Q)^2", True),
        ("P^2+PQ+QP+Q^2", "P^2+2PQ+Q^2", False),
        ("(P+Q)(P-Q)", "P^2-PQ+QP-Q^2", True),
        (r"e^{P}Qe^{-P}", "Q", False),
        (r"e^{P}Qe^{-P}", "e^{-P}Qe^{P}", False),
        ("PQP-QPQ", "0", False),
        (r"\frac12(PQ+QP)", r"\frac{PQ+QP}{2}", True),
        (r"\sin(PQ-QP)", r"\sin(QP-PQ)", False),
    ],
)
def test_terms_in_two_orders_show_that_letters_keep_their_places(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"KL\cdot MN+KN\cdot LM", r"LM\cdot KN+MN\cdot KL"),
        ("KL+LM+MK", "KM+LM+KL"),
        (r"2\pi R H+2\pi R^2", r"2\pi R(H+R)"),
        (r"\frac{PV}{T}", r"\frac{VP}{T}"),
    ],
)
def test_lengths_and_quantities_still_commute(gold, answer):
    assert compare(gold, answer).equal


def test_long_sums_of_products_are_bounded():
    assert not compare("P", "+".join(["PQ", "QP"] * 120)).equal
