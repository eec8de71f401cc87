"""The rounds of pairs written by hand: each is judged as its label says, those known to be open apart."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rewardkit.math import judge

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks import math_rounds

_KINDS = {
    f"{path.stem}: {kind}": [one for one in pairs if one.kind == kind]
    for path in math_rounds.rounds()
    for pairs in [math_rounds.pairs(path)]
    for kind in dict.fromkeys(one.kind for one in pairs)
}


@pytest.mark.parametrize("name", _KINDS)
def test_pairs_of_each_kind_are_judged_as_labelled(name):
    missed = [
        one
        for one in _KINDS[name]
        if judge(one.completion, one.gold).equal != one.equal and not (one.open and one.equal)
    ]
    assert not missed


def test_no_false_pair_is_left_open():
    assert not [one for pairs in _KINDS.values() for one in pairs if one.open and not one.equal]


def test_rounds_hold_true_and_false_pairs_of_many_kinds():
    pairs = [one for kind in _KINDS.values() for one in kind]
    assert len(_KINDS) >= 50
    assert 0.35 < sum(one.equal for one in pairs) / len(pairs) < 0.65
