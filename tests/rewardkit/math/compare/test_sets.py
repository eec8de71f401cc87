"""Sets of reals as lists of intervals, and the equations and inequalities that describe them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.math import compare
from rewardkit.math.compare.sets import complement, intersect, merged, real_set, solved
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.tree import Sym
from rewardkit.math.latex.walk import infinite
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.proof import order

QUICK = settings(max_examples=60, deadline=None)


def described(text):
    found = real_set(parse(text))
    assert found is not None
    return merged(found.pieces)


def alike(left, right):
    cuts = [[cut for piece in pieces for cut in piece] for pieces in (left, right)]
    return len(cuts[0]) == len(cuts[1]) and all(
        a.after == b.after and order(a.at, b.at) == 0 for a, b in zip(*cuts, strict=True)
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("[1,2)", r"1\le x<2"),
        (r"(0,2)\cup[1,3]", "(0,3]"),
        (r"(0,5)\cup(1,2)", "(0,5)"),
        (r"(0,2)\cup(1,2]", "(0,2]"),
        (r"(-\infty,1)\cup[1,\infty)", r"\mathbb{R}"),
        (r"x>1\text{ and }x\le5", "(1,5]"),
        (r"[0,5]\cap[3,9]", "[3,5]"),
        (r"\mathbb{R}\setminus\{0\}", r"x\ne0"),
    ],
)
def test_same_pieces(left, right):
    assert alike(described(left), described(right))


@pytest.mark.parametrize("text", ["x", "5", r"\{x\in\mathbb{Z}\mid x>0\}", "(1,2,3)", "a<b", "x>1, y<2"])
def test_what_is_no_set_of_reals_is_none(text):
    assert real_set(parse(text)) is None


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("3>x", [("-oo", "3")]),
        (r"1\ge x>0", [("0", "1")]),
        (r"x\ne1", [("-oo", "1"), ("1", "oo")]),
    ],
)
def test_an_inequality_in_one_letter_is_solved(text, ends):
    found = solved(parse(text))
    assert found is not None
    assert found.variable == Sym("x")
    assert [(shown(one.low.at), shown(one.high.at)) for one in found.pieces] == ends


def shown(end):
    value = rational(end)
    return str(value) if value is not None else ("oo" if infinite(end) > 0 else "-oo")


@pytest.mark.parametrize("text", ["x<2x", "x+y<3", "1<x>0", "x^3<8", "x^2<-1", "2<x<1", "|x|<-1"])
def test_what_is_not_solved_is_none(text):
    assert solved(parse(text)) is None


def interval(low, width, opened, closed):
    return f"{opened}{low},{low + width}{closed}"


INTERVALS = st.builds(interval, st.integers(-6, 6), st.integers(1, 6), st.sampled_from("(["), st.sampled_from(")]"))
UNIONS = st.lists(INTERVALS, min_size=1, max_size=3).map(r"\cup".join)


@QUICK
@given(UNIONS)
def test_the_complement_of_the_complement_is_the_set(text):
    pieces = described(text)
    assert alike(complement(complement(pieces)), pieces)
    assert intersect(pieces, complement(pieces)) == ()


@QUICK
@given(UNIONS, UNIONS)
def test_unions_and_intersections_are_the_same_from_either_side(left, right):
    one, other = described(left), described(right)
    assert alike(intersect(one, other), intersect(other, one))
    assert alike(complement(one + other), intersect(complement(one), complement(other)))
    assert compare(rf"{left}\cup{right}", rf"{right}\cup{left}").equal


@QUICK
@given(
    st.integers(-9, 9), st.integers(-9, 9).filter(bool), st.integers(-9, 9), st.sampled_from(["<", ">", r"\le", r"\ge"])
)
def test_an_inequality_of_first_degree_is_its_ray(end, slope, moved, sign):
    turned = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}[sign] if slope < 0 else sign
    text = f"{slope}x+{moved}{sign}{slope * end + moved}".replace("+-", "-")
    assert compare(text, f"x{turned}{end}").equal
    assert not compare(text, f"x{turned}{end + 1}").equal
    assert not compare(text, f"x{turned.translate({60: 62, 62: 60})}={end}").equal


@QUICK
@given(INTERVALS)
def test_open_and_closed_ends_differ(text):
    other = text[:-1] + (")" if text[-1] == "]" else "]")
    assert compare(text, text).equal
    assert not compare(text, other).equal
