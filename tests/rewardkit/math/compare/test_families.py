"""Families over the integers: other spellings are equal, other steps and offsets are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.math import compare

QUICK = settings(max_examples=40, deadline=None)


@QUICK
@given(st.integers(-9, 9), st.integers(2, 9), st.integers(-5, 5))
def test_an_offset_may_be_moved_by_whole_steps(offset, step, moved):
    gold = rf"\frac{{{offset}\pi}}{{12}}+\frac{{{step}\pi}}{{12}}k,\ k\in\mathbb{{Z}}"
    other = rf"\frac{{{offset + moved * step}\pi}}{{12}}+\frac{{{step}\pi}}{{12}}n,\ n\in\mathbb{{Z}}"
    assert compare(gold, other).equal


@QUICK
@given(st.integers(-9, 9), st.integers(3, 9), st.integers(1, 2))
def test_an_offset_between_two_members_is_another_family(offset, step, moved):
    gold = rf"\frac{{{offset}\pi}}{{12}}+\frac{{{step}\pi}}{{12}}k,\ k\in\mathbb{{Z}}"
    other = rf"\frac{{{offset + moved}\pi}}{{12}}+\frac{{{step}\pi}}{{12}}k,\ k\in\mathbb{{Z}}"
    assert not compare(gold, other).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"(k\pi,k\pi+\frac{\pi}{3}),\ k\in\mathbb{Z}", r"(k\pi,n\pi+\frac{\pi}{3}),\ k\in\mathbb{Z}"),
        (r"\frac{\pi}{5}+k\pi,\ k\in\mathbb{N}", r"\frac{6\pi}{5}+k\pi,\ k\in\mathbb{N}"),
        (r"a_n=2n+1,\ n\in\mathbb{Z}", r"a_n=2n-1,\ n\in\mathbb{Z}"),
        (r"1+n^2\pi^2", r"1+m^2\pi^2"),
    ],
)
def test_linked_letters_and_indices_are_not_moved(gold, answer):
    assert not compare(gold, answer).equal


@QUICK
@given(st.integers(2, 12), st.integers(0, 11))
def test_a_family_is_its_congruence(modulus, residue):
    gold = rf"x\equiv {residue % modulus}\pmod{{{modulus}}}"
    assert compare(gold, f"x={modulus}k+{residue % modulus}").equal
    assert not compare(gold, f"x={modulus}k+{residue % modulus + 1}").equal
