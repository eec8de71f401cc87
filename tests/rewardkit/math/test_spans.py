from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"\ln|x|+C", r"\ln|2x|+C"),
        (r"x^2+2x+C", r"(x+1)^2+C"),
        (r"\frac{\sin^2 x}{2}+C", r"-\frac{\cos 2x}{4}+c"),
        (r"y=C_1e^x+C_2e^{-x}", r"y=C_1e^{-x}+C_2e^{x}"),
        (r"y=C_1e^{2x}+C_2e^{3x}+x", r"y=Ae^{3x}+Be^{2x}+x"),
        (r"y=(c_1+c_2x)e^x", r"y=c_1xe^x+c_2e^x"),
        (r"y=Ae^{2x}", r"y=Ce^{2x}"),
        (r"x^2+y^2=C", r"\frac{x^2}{2}+\frac{y^2}{2}=C"),
    ],
)
def test_arbitrary_constants_take_up_others(gold, answer):
    assert compare(gold, answer).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("x^2+C", "x^3+C"),
        ("x^2+C", "x^2+1"),
        ("A+B+C", "A+B-C"),
        ("ax^2+bx+c", "ax^2+bx-c"),
        ("y=mx+c", "y=mx-c"),
        ("xC", "2xC"),
        ("x^2+y^2=C", "x^2-y^2=C"),
        (r"y=C_1e^{2x}+C_2e^{3x}", r"y=C_1(e^{2x}+e^{3x})"),
        (r"y=C_1e^{2x}+C_2e^{3x}+x", r"y=C_1e^{2x}+C_2e^{3x}"),
        (r"y=A\cos x+B\sin x", r"y=B\cos x+A\sin x"),
    ],
)
def test_other_functions_and_given_coefficients_differ(gold, answer):
    assert not compare(gold, answer).equal
