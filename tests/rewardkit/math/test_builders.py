"""Sets that are described against sets that are listed, and what stands for a family."""

from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"\{2,5,8\}", r"\{3k+2\mid k=0,1,2\}", True),
        (r"\{2,5,8\}", r"\{3k+2\mid k=0,1\}", False),
        (r"\{2,5,8,11,14\}", r"\{3k+2\mid k=0,1,\ldots,4\}", True),
        (r"\{2,5,8\}", r"\{3k+2: 0\le k\le2,k\in\mathbb{Z}\}", True),
        (r"\{2,5,8\}", r"\{3k+2: 0\le k\le2\}", False),
        (r"\{1,8,27\}", r"\{k^3: k\in\{1,2,3\}\}", True),
        (r"\{1,8,27\}", r"\{k^3: 1\le k<4,k\in\mathbb{N}\}", True),
        (r"\{7k\mid k\in\mathbb{Z}\}", r"7\mathbb{Z}", True),
        (r"7\mathbb{Z}+2", r"\{7k-5\mid k\in\mathbb{Z}\}", True),
        (r"7\mathbb{Z}", r"\mathbb{Z}", False),
        (r"\mathbb{Z}/8\mathbb{Z}", r"\mathbb{Z}_8", True),
        (r"\mathbb{Z}/8\mathbb{Z}", r"\mathbb{Z}/(9)", False),
        (r"\mathbb{Q}(i,\sqrt7)", r"\mathbb{Q}(\sqrt7,i)", True),
        (r"s\ne\pm5", r"s\ne5,-5", True),
        (r"s\ne\pm5", r"s\ne5", False),
        (r"E=[2,3)", r"2\le x<3", True),
        (r"E=[2,3)", r"2\le x\le3", False),
        (r"x=\frac{\pi}{5}+2k\pi, y=n\pi, k,n\in\mathbb{Z}", r"x=\frac{\pi}{5}+2k\pi, y=n\pi", True),
        (r"s=5k\text{ or }s=5k+1\text{ where }k\in\mathbb{N}_0", r"s=5m+1\text{ or }s=5m\ (m\in\mathbb{N}_0)", True),
        (r"s=5k\text{ or }s=5k+1\text{ where }k\in\mathbb{N}_0", r"s=5m+2\text{ or }s=5m\ (m\in\mathbb{N}_0)", False),
        (r"0.6999\ldots", "0.7", True),
        ("0.7", r"0.6999\ldots", False),
        (r"2.718281828\ldots", "2.718281828", False),
        (r"\max(u+v)=9", "9", True),
        ("-23", r"\text{minus }23", True),
        ("23", r"\text{minus }23", False),
    ],
)
def test_a_described_set_is_the_list_of_its_members(gold, answer, equal):
    assert compare(gold, answer).equal is equal


@pytest.mark.parametrize("condition", [r"k=0,1,\ldots,10^{9}", r"0\le k\le 10^{30},k\in\mathbb{Z}", r"k=0,\ldots"])
def test_long_lists_are_not_written_out(condition):
    assert not compare(r"\{0,1\}", rf"\{{k\mid {condition}\}}").equal
    assert not compare(r"\{0,1\}", rf"\{{k^2\mid {condition}\}}").equal
