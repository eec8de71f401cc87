"""Signs that are no arithmetic: where the order counts, and which way a relation points."""

from __future__ import annotations

import pytest

from rewardkit.math import Status, compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"Q^{-1}DQ", r"QDQ^{-1}", False),
        (r"Q^{-1}DQ", r"D", False),
        (r"Q^{-1}QD", r"D", True),
        (r"ghg^{-1}", r"h", False),
        (r"(XY)^{-1}", r"Y^{-1}X^{-1}", True),
        (r"(XY)^{-1}", r"X^{-1}Y^{-1}", False),
        (r"X^TY", r"X^\top Y", True),
        (r"X^TY", r"YX^T", False),
        (r"(XY)^T", r"Y^TX^T", True),
        (r"MLT^{-2}", r"LMT^{-2}", True),
        (r"PVT^{-1}", r"\frac{PV}{T}", True),
        (r"xy^{-1}", r"\frac{x}{y}", True),
        (r"g\circ h", r"h\circ g", False),
        (r"g\circ h", r"gh", False),
        (r"\vec{u}\times\vec{v}", r"\vec{v}\times\vec{u}", False),
        (r"\vec{u}\times\vec{v}", r"-\mathbf{v}\times\mathbf{u}", True),
        (r"\vec{u}\times\vec{v}", r"\vec{u}\cdot\vec{v}", False),
        (r"\vec{u}\cdot\vec{v}", r"\vec{v}\cdot\vec{u}", True),
        (r"2\times\vec{v}", r"2\vec{v}", True),
        (r"\mathbb{Q}\times\mathbb{N}", r"\mathbb{N}\times\mathbb{Q}", False),
        (r"\mathbb{Q}\times\mathbb{Q}", r"\mathbb{Q}^2", True),
        (r"U\otimes V", r"V\otimes U", False),
        (r"5\oplus3", "15", False),
    ],
)
def test_order_counts_where_factors_do_not_commute(gold, answer, equal):
    assert compare(gold, answer).equal is equal
    assert compare(answer, gold).equal is equal


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"S\subseteq T", r"T\subseteq S", False),
        (r"S\subseteq T", r"T\supseteq S", True),
        (r"S\subseteq T", r"S\subsetneq T", False),
        (r"7\mid m", r"m\mid 7", False),
        (r"7\mid m", "7|m", True),
        (r"KL\parallel MN", r"MN\parallel KL", True),
        (r"g:\mathbb{R}\to\mathbb{N}", r"g:\mathbb{N}\to\mathbb{R}", False),
        (r"g(-x)=-g(x)", r"-g(x)", False),
        (r"g(x+4)=g(x)", r"g(x)=g(x+4)", True),
        (r"g(x)=3x", r"3x", True),
        (r"P(A\cap B)=P(A)P(B)", r"P(A)P(B)", True),
        ("mq", "q(m)", False),
        ("O(n)", "nO", False),
        ("z_{00}", "z_0", False),
        ("z_{12}", "z_{1 2}", True),
        ("(2,345)", "2345", False),
        ("2,345", "2345", True),
        ("t_1=3, t_2=8", "t_1=3, t_1=8", False),
        ("t_1=3, t_2=8", "t=3, t=8", True),
        (r"\text{at least }7", r"\ge7", True),
        (r"\text{at least }7", "7", False),
        (r"\text{at least }7", r"\text{at most }7", False),
        (r"\text{fewer than 7}", "<7", True),
        (r"\frac{\partial w}{\partial t}=3t", "w_t=3t", True),
        (r"\frac{\partial w}{\partial t}=3t", r"\frac{\partial w}{\partial x}=3t", False),
        (r"{m+1\choose 2}", r"\binom{m+1}{2}", True),
        (r"{m+1\over 2}", r"\frac{m+1}{2}", True),
        (r"{m+1\over 2}", r"m+\frac12", False),
        (r"\text{W}\,\text{E}\,\text{B}", "B", False),
    ],
)
def test_what_a_sign_says(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("③①②", "①②③", False),
        ("③①②", "③①②", True),
        (r"\overrightarrow{KL}", r"\overrightarrow{LK}", False),
        (r"\overrightarrow{KL}=(3,4)", "(3,4)", True),
        (r"\overrightarrow{KL}=\vec{u}+2\vec{v}", r"\overrightarrow{LK}=\vec{u}+2\vec{v}", False),
        (r"\overrightarrow{KL}+\overrightarrow{LM}", r"\overrightarrow{LM}+\overrightarrow{KL}", True),
        ("E[Y^2]", "E[Y]^2", False),
        ("E[Y^2]", r"\mathbb{E}[Y^2]", True),
        (r"4\text{--}2", r"2\text{--}4", False),
        (r"4\text{--}2", "6", False),
        (r"4\text{--}2", r"4\text{–}2", True),
        (r"U\to V\to W", r"W\to V\to U", False),
        (r"U\oplus V", r"U\otimes V", False),
        (r"\nabla\cdot\mathbf{G}", r"\nabla\times\mathbf{G}", False),
        (r"\operatorname{Re}(w)", "w", False),
        (r"\operatorname{Re}(2+5i)", "2", True),
        (r"C^1(\mathbb{R})", r"C(\mathbb{R})", False),
        (r"\mathbb{Q}[t]", r"\mathbb{Q}(t)", False),
        (r"\mathbb{Q}(\sqrt3)", r"\mathbf{Q}[\sqrt{3}]", True),
        (r"3\mathbb{Z}", r"3\mathbb{Z}", True),
        ("XY=YX", "XY=XY", False),
        ("XY=YX", "YX=XY", True),
        ("NL=L", "LN=L", False),
        ("KL=2MN", r"MN=\frac12KL", True),
        ("A square has four equal sides.", "A", False),
        ("-t cos t", "-t cos T", False),
        (r"\mathbb{R}_{>0}", r"\mathbb{R}", False),
    ],
)
def test_names_and_operators(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize("answer", [r"\vec{u}\times" * 250 + r"\vec{v}", "A^{-1}B" * 200, "AB" * 400 + "A^{-1}"])
def test_long_products_are_bounded(answer):
    assert not compare("V", answer).equal


def test_too_many_signs_are_a_limit():
    assert compare("V", r"u\star " * 250 + "v").status is Status.LIMIT
