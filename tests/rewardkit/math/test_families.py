"""Families of numbers over the integers: the same residue classes are the same answer, however they are spelled."""

from __future__ import annotations

import pytest

from rewardkit.math import compare

SAME = [
    (r"\frac{\pi}{5}+k\pi, k\in\mathbb{Z}", r"\frac{6\pi}{5}+k\pi, k\in\mathbb{Z}"),
    (r"\frac{\pi}{5}+k\pi", r"-\frac{4\pi}{5}+n\pi"),
    (r"x=\frac{\pi}{5}+k\pi, k\in\mathbb{Z}", r"x=\frac{\pi}{5}-k\pi, k\in\mathbb{Z}"),
    (r"\{5k+1\mid k\in\mathbb{Z}\}", r"\{5k-4\mid k\in\mathbb{Z}\}"),
    (r"\{5k+1\mid k\in\mathbb{Z}\}", r"\{x\mid x=5k+6, k\in\mathbb{Z}\}"),
    (r"\{3k+1\mid k\in\mathbb{Z}\}", r"\{6k+1\mid k\in\mathbb{Z}\}\cup\{6k+4\mid k\in\mathbb{Z}\}"),
    (r"n\equiv2,7\pmod9", r"n=9k\pm2"),
    (r"n\equiv4\pmod9", r"9k-5"),
    (r"20^\circ+120^\circ k", r"140^\circ+120^\circ n"),
    (r"\frac{\pi}{8}+\frac{k\pi}{2}", r"\frac{\pi}{8}+k\pi, \frac{5\pi}{8}+k\pi"),
    (r"\pm\frac{\pi}{5}+2k\pi", r"\frac{\pi}{5}+2k\pi, \frac{9\pi}{5}+2k\pi"),
    (r"(-1)^k\frac{\pi}{4}+k\pi", r"\frac{\pi}{4}+2n\pi \text{ or } \frac{3\pi}{4}+2n\pi"),
    (r"\arctan3+k\pi", r"\arctan3-\pi+n\pi, n\in\mathbb{Z}"),
    (r"x\ne\frac{\pi}{4}+k\pi, k\in\mathbb{Z}", r"\{x\in\mathbb{R}\mid x\ne\frac{5\pi}{4}+k\pi, k\in\mathbb{Z}\}"),
    (r"\frac{\pi}{5}+k\pi", r"\frac{\pi}{5}+k\pi,\ k=0,\pm1,\pm2,\ldots"),
    (r"\frac{\pi}{5}+k\pi", r"\frac{\pi}{5}+k\pi\text{ (k is an integer)}"),
    (r"\frac{\pi}{5}+k\pi", r"\frac{\pi}{5}+k\pi, k\text{ is an integer}"),
]
OTHER = [
    (r"\frac{\pi}{5}+k\pi", r"\frac{\pi}{5}+2k\pi"),
    (r"\frac{\pi}{5}+k\pi", r"\frac{2\pi}{5}+k\pi"),
    (r"\frac{\pi}{5}+k\pi, k\in\mathbb{N}", r"\frac{6\pi}{5}+k\pi, k\in\mathbb{N}"),
    (r"\frac{\pi}{5}+k\pi, k=0,1,2", r"\frac{6\pi}{5}+k\pi, k=0,1,2"),
    (r"\frac{\pi}{5}+k\pi", r"\frac{\pi}{5}+k\pi,\ k=0,\pm1,\pm2"),
    (r"\{5k+1\mid k\in\mathbb{Z}\}", r"\{5k-4\mid k\in\mathbb{N}\}"),
    (r"\{5k+1\mid k\in\mathbb{Z}\}", r"\{10k+1\mid k\in\mathbb{Z}\}"),
    (r"n\pi-2\pi", r"n\pi-\pi"),
    (r"180^\circ n-360^\circ", r"180^\circ n-180^\circ"),
    (r"2\pi r+\pi", r"2\pi r+3\pi"),
    (r"2k+1", r"2k-1"),
    (r"a_n=2n+1, n\in\mathbb{Z}", r"a_n=2n-1, n\in\mathbb{Z}"),
    (r"2n+1\text{ for all integers }n", r"2n-1\text{ for all integers }n"),
    (r"x=5k+1, k\in\mathbb{Z}", r"y=5k-4, k\in\mathbb{Z}"),
    (r"x\ne\frac{\pi}{4}+k\pi, k\in\mathbb{Z}", r"x=\frac{5\pi}{4}+k\pi, k\in\mathbb{Z}"),
    (r"n\equiv2,7\pmod9", r"n=9k+2"),
    (r"(-1)^k\frac{\pi}{4}+k\pi", r"\frac{\pi}{4}+k\pi, \frac{3\pi}{4}+2k\pi"),
]


@pytest.mark.parametrize(("gold", "answer"), SAME)
def test_the_same_numbers_are_the_same_family(gold, answer):
    assert compare(gold, answer).equal
    assert compare(answer, gold).equal or "mathbb" not in answer


@pytest.mark.parametrize(("gold", "answer"), OTHER)
def test_other_numbers_are_another_family(gold, answer):
    assert not compare(gold, answer).equal
    assert not compare(answer, gold).equal
