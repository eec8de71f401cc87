"""Respelled texts stay as they are, and long ones end."""

from __future__ import annotations

import pytest

from rewardkit.math import compare
from rewardkit.math.latex.normalise import normalise
from rewardkit.math.latex.respell import respell


@pytest.mark.parametrize(
    "text",
    [
        "<1, 2>",
        "C_{5}^{2}",
        "7C3",
        "x=+-3",
        r"\frac{\text{km}}{\text{h}}",
    ],
)
def test_a_text_in_the_one_spelling_stays_as_it_is(text):
    once = normalise(text).strip()
    assert normalise(once) == once


@pytest.mark.parametrize("needle", ["(about", r"\approx", "hint:", r"\text{K}", "factor", "form", "rounded"])
@pytest.mark.parametrize("piece", ["(", "{", "1 ", "\\text{", "a_", "|", "^{2", "\\ "])
def test_respelling_ends_on_long_texts(needle, piece):
    respell(piece * 1_000 + needle)


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        (r"\frac{189}{10}", r"\frac{189}{10} \text{ (about }18.9\text{ cards)}", True),
        (r"\frac{189}{10}", r"\frac{198}{10} \text{ (about }18.9\text{ cards)}", False),
        (r"\sqrt2", r"\sqrt2 \approx 1.41", True),
        (r"\sqrt2", r"\sqrt2 \approx 1.73", False),
        (r"\sqrt2", r"\sqrt2 \text{ (approximately } 1.414)", True),
        ("17", r"17 \text{ (exact)}", True),
        ("10", r"10\text{K}", False),
        ("300", r"300\text{ K}", True),
        ("10", r"10\text{ basis points}", False),
        ("10", r"10\text{ per } x", False),
        ("18", r"18\text{ integers}\cdot x", False),
        (r"\pi n", r"\pi(n)", False),
    ],
)
def test_remarks_and_scale_words(gold, answer, equal):
    assert compare(gold, answer).equal == equal
