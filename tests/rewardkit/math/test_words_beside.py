from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("x^2+1", r"x^2+1\text{ inverse}"),
        ("3+2i", r"3+2i\text{ conjugate}"),
        ("y=2x+1", r"\text{perpendicular to }y=2x+1"),
        ("x=3", r"x=3\text{ is extraneous}"),
        ("x=3", r"\text{excluding }x=3"),
        ("12", r"\text{upper bound: }12"),
        ("12", r"\text{guess: }12"),
        ("x>2", r"x>2, x\in\mathbb{Z}"),
        ("[0,3)", r"[0,3)\text{ over the integers}"),
        (r"\$1.5\text{ million}", "1.5"),
        ("5", r"5\text{万}"),
        ("3", "x(y+1)=3"),
        (r"(-\infty,3)\cup(5,\infty)", "(x < 3) & (x > 5)"),
        (r"(-\infty,3)\cup(5,\infty)", r"\begin{cases}x<3\\x>5\end{cases}"),
    ],
)
def test_words_beside_a_value_that_make_another(gold, answer):
    assert not compare(gold, answer).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"\$1.5\text{ million}", "1500000"),
        (r"\$1.5\text{ million}", r"1.5\text{ million dollars}"),
        ("x(x-1)=0", "x^2-x=0"),
        ("24", r"S=\frac12 ab=24"),
        ("24", r"V=lwh=2\cdot3\cdot4=24"),
        (r"5\text{ cm}", r"5\,{\rm cm}"),
        (r"n\ge2", r"\text{all integers }n\ge2"),
        ("17", r"{\bf 17}"),
    ],
)
def test_spellings_that_leave_it(gold, answer):
    assert compare(gold, answer).equal
