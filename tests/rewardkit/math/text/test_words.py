"""Words, options, times, dates and names as answers."""

from __future__ import annotations

import pytest

from rewardkit.math.text import choices, words


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Yes", "true"),
        ("No.", "False"),
        (r"\text{The Red Car}", "red car"),
        ("no solutions", "none"),
        ("right-angled", "right angled"),
    ],
)
def test_same_words(left, right):
    assert words.canonical_words(left) == words.canonical_words(right)


@pytest.mark.parametrize(
    ("left", "right"), [("yes", "no"), ("-(even)", "even"), ("east", "seat"), ("positive", "non-positive")]
)
def test_other_words(left, right):
    assert words.canonical_words(left) != words.canonical_words(right)


@pytest.mark.parametrize("text", ["C", "(C)", "C.", r"\text{C}", r"\textbf{(C)}", "option C", "[C]"])
def test_option_letter(text):
    assert choices.choice(text) == "C"


def test_option_letter_with_its_text():
    assert choices.choice_with_text("(B) 12") == ("B", "12")
    assert choices.choice_with_text("D)-16.2") == ("D", "-16.2")
    assert choices.choice_with_text("(C) or 987") is None
    assert choices.choice_with_text("Because of this") is None


def test_a_name_at_the_head_of_a_sentence():
    assert words.same_said("Petya", "Petya wins the game")
    assert not words.same_said("Hence", "Hence the apple is in the box")
    assert not words.same_said("Petya", "Petya does not win the game")
    assert not words.same_said("Vasya", "Petya wins the game")
