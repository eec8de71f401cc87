"""Derivatives and integrals in their spellings."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("z''=4z", r"\frac{d^2z}{dx^2}=4z", True),
        ("z''=4z", r"\frac{d^{2}z}{dx^{2}}-4z=0", True),
        ("z''=4z", r"\frac{dz}{dx}=4z", False),
        ("g'(t)", r"\frac{dg}{dt}", True),
        ("g'(t)", r"\frac{dg}{ds}", False),
        ("g''(t)", r"\frac{d^2g}{dt^2}", True),
        ("g''(t)", r"\frac{dg}{dt}", False),
        (r"\frac{dg}{dt}=5t", "5t", True),
        ("g'=5t", r"\frac{dg}{dt}=5t", True),
        (r"\frac{\partial^2w}{\partial x^2}=w", "w_{xx}=w", True),
        (r"\frac{\partial^2w}{\partial x\partial y}=w", "w_{xy}=w", True),
        (r"\frac{\partial^2w}{\partial x\partial y}=w", "w_{yy}=w", False),
        (r"\int_2^5g(x)\,dx", r"-\int_5^2g(x)\,dx", True),
        (r"\int_2^5g(x)\,dx", r"\int_5^2g(x)\,dx", False),
        (r"\zeta(4)", r"\frac{\pi^4}{90}", True),
        (r"\zeta(4)", r"\zeta(6)", False),
        (r"\zeta(3)", r"3\zeta", False),
    ],
)
def test_one_derivative_has_many_spellings(gold, answer, equal):
    assert compare(gold, answer).equal is equal
