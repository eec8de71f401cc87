"""Options: a ground truth of several lettered parts is none."""

from __future__ import annotations

import itertools

import pytest

from rewardkit.math import judge

LABELS = ("({})", "{})", "{}.", "{}:", r"\text{{({})}}", "{}] ")
VALUES = ("12", r"\frac{1}{2}", "x+1")


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("letters", ["ab", "AB", "abc", "ABC"])
def test_a_letter_is_not_an_answer_in_lettered_parts(label, letters):
    for values in itertools.permutations(VALUES, len(letters)):
        parts = [f"{label.format(letter)} {value}" for letter, value in zip(letters, values, strict=True)]
        for gold in (" ".join(parts), "; ".join(parts), ", ".join(parts)):
            assert judge(rf"\boxed{{{gold}}}", gold).equal
            letter = letters[0]
            answers = (letter, label.format(letter), letter.upper(), parts[0], rf"\text{{({letter})}}")
            assert not [one for one in answers if judge(rf"\boxed{{{one}}}", gold).equal], gold
            swapped = [f"{label.format(letter)} {value}" for letter, value in zip(letters, values[::-1], strict=True)]
            assert not judge(rf"\boxed{{{', '.join(swapped)}}}", gold).equal, gold
