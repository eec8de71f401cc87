from __future__ import annotations

import pytest

from rewardkit.math import compare


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"\text{center }(1,-2), \text{ radius } 3", r"\text{center } (1,-2) \text{ and radius } 3"),
        (r"\text{mean}=7, \text{median}=6", r"\text{mean} = 7 \text{ and median} = 6"),
        (r"\text{amplitude } 4, \text{ period } \pi", r"\text{period } \pi, \text{ amplitude } 4"),
        (r"\text{Anna } 12, \text{ Ben } 9", r"\text{Ben } 9, \text{ Anna } 12"),
        ("4,1,9", r"\text{Day 1: }4, \text{Day 2: }1, \text{Day 3: }9"),
        ("12", r"\text{Number of pairs: }12"),
        ("y=2x+1", r"\text{Line: }y=2x+1"),
        ("(a,b,c)=(1,4,9)", "(a,c,b)=(1,9,4)"),
    ],
)
def test_values_under_labels_in_words(gold, answer):
    assert compare(gold, answer).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"\text{mean}=7, \text{median}=6", r"\text{mean} = 6 \text{ and median} = 7"),
        (r"\text{Anna } 12, \text{ Ben } 9", r"\text{Ben } 12, \text{ Anna } 9"),
        ("4,1,9", r"\text{Day 1: }1, \text{Day 2: }4, \text{Day 3: }9"),
        ("5", r"\text{twice the value: }5"),
        ("(a,b,c)=(1,4,9)", "(a,c,b)=(1,4,9)"),
    ],
)
def test_values_under_other_labels_differ(gold, answer):
    assert not compare(gold, answer).equal
