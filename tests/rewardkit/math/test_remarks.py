"""Words, remarks and tails that change what an answer says."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"\text{(i) } 6 \text{ (ii) } 7", r"\text{(i) } 7 \text{ (ii) } 6", False),
        (r"\text{(i) } 6 \text{ (ii) } 7", r"\text{(i) } 6, \text{ (ii) } 7", True),
        (r"\text{False, True, True}", r"\text{True, False, True}", False),
        (r"\text{False, True, True}", r"\text{false, true, true}", True),
        (r"\text{ellipse, line}", r"\text{line and ellipse}", True),
        (r"7, 2 \text{ (in this order)}", "2, 7", False),
        (r"7, 2 \text{ (in this order)}", "7, 2", True),
        (r"t=4 \text{ (double root)}, t=9", r"t=4, t=9 \text{ (double root)}", False),
        (r"t=4 \text{ (double root)}, t=9", r"t=9, t=4 \text{ (a double root)}", True),
        (r"p>1, q<3", r"p>1 \text{ or } q<3", False),
        (r"p>1, q<3", r"p>1 \text{ and } q<3", True),
        (r"t^2+3", r"t^2+3 \text{ over } t", False),
        (r"t^2+3", r"t^2+3 \text{ over the reals}", True),
        ("31", r"31\text{-ish}", False),
        ("(2,5)", r"(2,5) \text{ rotated}", False),
        ("(2,5)", r"(2,5) \text{ cm}", True),
        ("y=4x", r"\text{not } y=4x", False),
        ("y=4x", r"y\approx4x", False),
        ("g(t)=2t", r"g(t)=2t \text{ for } t>0,\ g(t)=1 \text{ otherwise}", False),
        ("g(t)=2t", r"g(t)=2t \text{ for all } t\in\mathbb{R}", True),
        ("4, 15", r"\text{min } 15, \text{max } 4", False),
        ("4, 15", r"\text{min } 4, \text{max } 15", True),
        (r"\angle KLM", r"\angle MLK", True),
        (r"\angle KLM", r"\angle LKM", False),
        (r"\angle KLM=40^\circ", r"\angle PQR=40^\circ", False),
        (r"\triangle KLM\cong\triangle PQR", r"\triangle KLM\cong\triangle PRQ", False),
    ],
)
def test_what_is_said_beside_a_value_counts(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"\exists t>0, g(t)\le1", r"\exists\, t > 0 \text{ such that } g(t) \leq 1", True),
        (r"\exists t>0, g(t)\le1", r"\forall t>0, g(t)\le1", False),
        (r"\exists t>0, g(t)\le1", r"\exists t>0, g(t)<1", False),
        (r"r\land\lnot s", r"\neg s \wedge r", True),
        (r"r\land\lnot s", r"\lnot r\land s", False),
        (r"r\land s\lor t", r"r\lor s\land t", False),
        (r"r\land s\lor t", r"r \wedge s \vee t", True),
        (r"\{q\mid q\text{ is odd}\}", r"\{q : q \text{ is odd}\}", True),
        ("54321", "543 21", False),
        (r"m\text{ is odd}", r"\text{odd}", True),
        (r"m\text{ is odd}", r"\text{even}", False),
        (r"m\text{ is odd}", r"\text{not odd}", False),
        (r"\text{The first player wins}", r"\text{First player}", True),
        (r"\text{The first player wins}", r"\text{The first player loses}", False),
        (r"\text{II and IV only}", r"\text{II and IV}", True),
        (r"\text{II and IV only}", r"\text{II}", False),
        (r"\text{True}", r"\text{The claim is true}", True),
        (r"\text{True}", r"\text{The claim is not true}", False),
        (r"\text{scalene}", r"\text{a scalene triangle}", True),
        (r"\text{all odd integers}", r"2n+1, n\in\mathbb{Z}", True),
        (r"\text{all odd integers}", r"\text{all even integers}", False),
        ("6", r"\text{There are exactly six}", True),
        ("6", r"\text{There are six or seven}", False),
        ("80", "80 (eighty)", True),
        ("80", "80 (eighteen)", False),
        (r"\frac27", r"2 \text{ out of } 7", True),
        ("4, 6", r"4\text{ red, }6\text{ blue}", True),
    ],
)
def test_words_around_an_answer_that_change_nothing_are_read_so(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("uv=3", r"v=\frac3u", True),
        ("uv=3", r"u^2v=3u", False),
        (r"v=\frac{u+2}{u-5}", "uv-5v=u+2", True),
        (r"v=\frac{u+2}{u-5}", "uv-5v=u-2", False),
        (r"v=\frac{u^2-4}{u-2}", "v(u-2)=u^2-4", False),
        (r"\frac1u+\frac1v=1", "u+v=uv", False),
        (r"y=\pm\frac25x", r"2x\pm5y=0", True),
        (r"y=\pm\frac25x", r"5x\pm2y=0", False),
        (r"(1,1), \pm(2,3)", "(1,1),(2,3),(-2,-3)", True),
        (r"(1,1), \pm(2,3)", "(1,1),(2,-3),(-2,3)", False),
        ("(4,5)(6,7)", "(6,7),(4,5)", True),
        ("(4,5)(6,7)", "(4,5)", False),
        (r"(p,q)=(2+3u,5-u)", r"(p,q)=(2+3w,5-w), w\in\mathbb{Z}", True),
        (r"(p,q)=(2+3u,5-u)", r"(p,q)=(2+3p,5-p)", False),
        (r"\sqrt{6gh}", r"\sqrt{6g}\sqrt{h}", True),
        (r"\sqrt{6gh}", r"-\sqrt{6g}\sqrt{h}", False),
        (r"(0,\infty)", r"\mathbb{R}^+", True),
        (r"[0,\infty)", r"\mathbb{R}_{\ge0}", True),
        (r"[0,\infty)", r"\mathbb{R}^+", False),
        ("7", r"\log_a b=7", True),
        ("k^2", r"\dim V_k=k^2", True),
        (r"\frac29", "P(K|L)=2/9", True),
        (r"\infty", r"\lim=\infty", True),
        (r"\sin1<\sin2", r"\sin2>\sin1", True),
        (r"\sin1<\sin2", r"\sin2<\sin1", False),
        (r"c\equiv d\pmod m", r"d\equiv c\pmod m", True),
        (r"-\\frac{2}{3} \\leqslant t", r"t\ge-\frac23", True),
        (r"\left\{t\left|t>4\right.\right\}", "t>4", True),
    ],
)
def test_other_spellings_of_equations_points_and_names(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"7\sin(80\pi t)", r"7\sin(40\pi t)"),
        (r"\lfloor t\rfloor", "t"),
        ("y=3x+2", r"\text{twice } y=3x+2"),
        ("y=3x+2", r"\text{the derivative of } y=3x+2"),
        ("x=9", r"\text{anything but } x=9"),
        ("9", "-x=9"),
        ("x+5", r"x+5 \text{ for even } n"),
        ("19", r"19 \text{ transposed}"),
        (r"\text{Yes}", r"\text{Yes if n is odd}"),
        (r"\text{Yes}", r"\text{Yes}, \text{No}"),
        (r"\text{Yes}", "Yes is wrong"),
        ("[2,5)", r"[2,5) \text{ or none}"),
        ("19", "19 mod 4"),
        (r"\text{square}", "square ?"),
        ("-6", r"\text{0, } -6"),
    ],
)
def test_words_that_change_an_answer_are_heeded(gold, answer):
    assert not compare(gold, answer).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("(-1)^n", r"\cos(n\pi)"),
        ("y=3x+2", r"\text{the line } y=3x+2"),
        ("19", r"\text{sum} = 19"),
        ("19", r"19\text{ shaded squares}"),
        (r"\text{Yes}", r"\text{Yes, because 3 divides 9}"),
        (r"\text{Yes}", r"\text{Yes it is}"),
        ("3", "3 mod 4"),
    ],
)
def test_words_that_change_nothing_are_not(gold, answer):
    assert compare(gold, answer).equal
