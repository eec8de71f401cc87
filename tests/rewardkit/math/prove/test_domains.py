"""A condition that only names the natural domain of a formula may be left out of the ground truth; no other one may."""

from __future__ import annotations

import pytest
from flint import fmpq

from rewardkit.math import compare
from rewardkit.math.latex.parser import parse
from rewardkit.math.prove.proof import is_natural


@pytest.mark.parametrize(
    ("formula", "relation", "bound", "natural"),
    [
        (r"\frac1x", "!=", 0, True),
        (r"\frac1{x-2}", "!=", 2, True),
        (r"\frac1x", "!=", 1, False),
        (r"\sqrt{x}", ">=", 0, True),
        (r"\sqrt{x}", ">=", 1, False),
        (r"\ln x", ">", 0, True),
        (r"\ln x", ">", 1, False),
        ("x^2", ">", 0, False),
        (r"\ln(1-x)", "<", 1, True),
    ],
)
def test_natural_domains(formula, relation, bound, natural):
    assert is_natural(parse(formula), "x", relation, fmpq(bound)) == natural


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"\ln x", r"\ln x\ (x>0)", True),
        (r"\ln x", r"\ln x\ (x>1)", False),
        (r"\frac1x", r"\frac1x,\ x\ne0", True),
        ("x^2", r"x^2 \text{ for all } x>0", False),
        (r"x^2 \text{ for } x\ge0", "x^2", False),
        (r"x^2 \text{ for } x\ge0", r"x^2,\ x\ge 0", True),
        (r"x^2 \text{ for } x\ge0", r"x^2 \text{ for } x\le0", False),
    ],
)
def test_a_condition_on_one_side(gold, answer, equal):
    assert compare(gold, answer).equal == equal
