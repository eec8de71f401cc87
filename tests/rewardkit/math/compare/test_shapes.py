"""One value in several shapes: plus-minus and its list, multiples of matrices, signs behind numbers, factors that do not commute."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.math import Policy, compare
from rewardkit.math.compare.shapes import degrees_of, percent_of, spread
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.tree import Seq
from rewardkit.math.prove.exact import rational

QUICK = settings(max_examples=40, deadline=None)
SMALL = st.integers(-9, 9)
SIZES = st.integers(1, 3)


def matrix(rows):
    return r"\begin{pmatrix}" + r"\\".join("&".join(map(str, row)) for row in rows) + r"\end{pmatrix}"


def matrices(height, width):
    return st.lists(st.lists(SMALL, min_size=width, max_size=width), min_size=height, max_size=height)


@QUICK
@given(st.data(), SIZES, SIZES, st.integers(2, 9))
def test_multiples_of_matrices_are_worked_out(data, height, width, factor):
    cells = data.draw(matrices(height, width))
    scaled = [[factor * cell for cell in row] for row in cells]
    assert compare(matrix(scaled), f"{factor}{matrix(cells)}").equal
    assert compare(matrix(cells), rf"\frac{{1}}{{{factor}}}{matrix(scaled)}").equal
    assert compare(matrix([[-cell for cell in row] for row in scaled]), f"-{factor}{matrix(cells)}").equal
    changed = [[cell + 1 for cell in row] for row in scaled]
    assert not compare(matrix(changed), f"{factor}{matrix(cells)}").equal
    if width != height:
        assert not compare(matrix(cells), matrix(list(zip(*cells, strict=True)))).equal or 1 in (width, height)


@QUICK
@given(SMALL, st.integers(1, 9))
def test_plus_minus_is_two_values(middle, step):
    both = f"{middle}\\pm{step}"
    assert compare(both, f"{middle - step},{middle + step}").equal
    assert compare(f"{middle + step},{middle - step}", f"x={both}").equal
    assert not compare(both, f"{middle + step}").equal
    assert not compare(both, f"{middle + step},{middle - step - 1}").equal
    assert compare(rf"({middle},\pm{step})", f"({middle},{step}),({middle},{-step})").equal
    assert compare(rf"(\pm{step},\mp{step})", f"({step},{-step}),({-step},{step})").equal
    joint = rf"({middle}\pm{step},{middle}\mp{step})"
    assert compare(joint, f"({middle + step},{middle - step}),({middle - step},{middle + step})").equal


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (r"\pm1", 2),
        (r"\pm1\pm\sqrt2", 4),
        (r"\pm1\mp\sqrt2", 2),
        (r"\pm1\pm2\pm3", 8),
        (r"\pm1\pm2\pm3\pm4", 2),
        (r"(\pm1,\pm2)", 4),
        (r"(1,\pm2)", 2),
        (r"\{1,\pm2\}", 3),
        (r"x\ne\pm2", 2),
        (r"x\equiv\pm2\pmod9", 2),
    ],
)
def test_signs_are_written_out(text, count):
    found = spread(parse(text))
    assert isinstance(found, Seq)
    assert len(found.items) == count
    assert found.both == (r"\ne" in text)


@pytest.mark.parametrize(
    ("text", "percent", "degrees"),
    [
        (r"5\%", 5, None),
        (r"-5\%", -5, None),
        (r"5\%+1", None, None),
        (r"5\%+1\%", None, None),
        (r"30^\circ", None, 30),
        (r"-30^\circ", None, -30),
        (r"30^\circ+15^\circ", None, 45),
        (r"30^\circ+15", None, None),
        (r"2\cdot30^\circ", None, 60),
        (r"2\cdot30\%", None, None),
        ("7", None, None),
    ],
)
def test_signs_are_taken_off(text, percent, degrees):
    for found, wanted in ((percent_of(parse(text)), percent), (degrees_of(parse(text)), degrees)):
        assert (None if found is None else rational(found)) == wanted


@pytest.mark.parametrize("percent", ["optional", "number"])
def test_a_percent_sign_may_be_left_out_on_request_of_whole_ones(percent):
    policy = Policy(percent=percent)
    assert compare(r"25\%", "25", policy).equal == (percent == "optional")
    assert compare("25", r"25\%", policy).equal == (percent == "optional")
    assert not compare(r"0.25\%", "0.25", policy).equal
    assert not compare(r"25\%", r"26\%", policy).equal


@pytest.mark.parametrize(("units", "equal"), [("ignore_missing", True), ("require", False)])
def test_a_degree_sign_may_be_left_out_unless_units_are_required(units, equal):
    assert compare(r"45^\circ", "45", Policy(units=units)).equal == equal
    assert compare("45", r"45^\circ", Policy(units=units)).equal == equal
    assert compare(r"45^\circ", r"\frac{\pi}{4}", Policy(units=units)).equal
    assert not compare(r"45^\circ", r"\frac{\pi}{4}", Policy(degrees_as_radians=False)).equal
    assert not compare(r"45^\circ", "46", Policy(units=units)).equal
