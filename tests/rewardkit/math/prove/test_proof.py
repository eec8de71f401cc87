"""Values that are proven equal, and order among them."""

from __future__ import annotations

import flint
import pytest

from rewardkit.math.latex.parser import parse
from rewardkit.math.prove.proof import constant_ratio, order, same_value


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("(x+1)^2", "x^2+2x+1"),
        (r"\sin 2x", r"2\sin x\cos x"),
        (r"\sqrt{8}", r"2\sqrt2"),
        (r"\frac{1}{\sqrt2-1}", r"\sqrt2+1"),
        (r"e^{i\pi}", "-1"),
        (r"\log_2 8", "3"),
        (r"\tan\frac{\pi}{4}", "1"),
        (r"\cos 60^\circ", r"\frac12"),
        (r"\arctan 1", r"\frac{\pi}{4}"),
        (r"n!", r"n\cdot(n-1)!"),
        (r"\frac{1}{2004!}\cdot 2005!", "2005"),
        (r"(-1)^{2n}", "1"),
        (r"F_{n+1}", r"F_{1+n}"),
        (r"\int_0^1 f(t) dt", r"\int_0^1 f(u) du"),
        (r"\sqrt{2}+\sqrt{3}", r"\sqrt{5+2\sqrt{6}}"),
    ],
)
def test_equal_values(left, right):
    assert same_value(parse(left), parse(right)) is True


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x", r"\sqrt{x^2}"),
        ("x", "|x|"),
        (r"\pi", "3.14159265358979323846264338327950288419716939937511"),
        (r"\frac{1}{2004!}", r"\frac{1}{2006!}"),
        ("2^{1000}", "2^{1000}+1"),
        (r"\sqrt2\cdot10^{50}", r"\sqrt2\cdot10^{50}+1"),
        (r"\lfloor x\rfloor", r"\lceil x\rceil"),
        (r"\min\{m,n\}", r"\min\{m,n,987\}"),
        (r"\frac{2}{r}", r"\binom{2}{r}"),
        ("(-1)^n", "(-1)^m"),
        ("f(x)", "g(x)"),
        ("x_1", "x_2"),
    ],
)
def test_values_that_are_not_proven_equal(left, right):
    assert same_value(parse(left), parse(right)) is not True


def test_working_precision_is_put_back():
    before = flint.ctx.prec
    same_value(parse(r"\sqrt2"), parse(r"\frac{2}{\sqrt2}"))
    assert flint.ctx.prec == before


def test_order_knows_infinity_and_surds():
    assert order(parse(r"-\infty"), parse("5")) == -1
    assert order(parse(r"\sqrt2"), parse("1.41")) == 1
    assert order(parse(r"\sqrt4"), parse("2")) == 0
    assert order(parse("x"), parse("2")) is None


def test_equations_are_equal_up_to_a_constant_factor_only():
    assert constant_ratio(parse("2x-2y"), parse("y-x"))
    assert not constant_ratio(parse("2x-2y"), parse("y-x"), positive=True)
    assert not constant_ratio(parse("x(x-y)"), parse("x-y"))
    assert not constant_ratio(parse("4^{2016}-1-3x"), parse("4^{2016}+1-3x"))
