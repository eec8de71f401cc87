"""Words, options, times, dates and names as answers."""

from __future__ import annotations

import pytest

from rewardkit.math.text import choices, dates, number_words, words


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


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("4:30 p.m.", "16:30", True),
        ("4:30", "4:30 PM", True),
        ("4:30 am", "4:30 pm", False),
        ("12:00 am", "0:00", True),
        ("9 a.m.", "9:00 AM", True),
        ("12:30 a.m.", "00:30", True),
        ("12:30 p.m.", "00:30", False),
        ("12:00 p.m.", "\\text{noon}", True),
        ("Midnight", "12 a.m.", True),
        ("12:00 a.m.", "noon", False),
    ],
)
def test_times_of_day(left, right, same):
    a, b = dates.clock(left), dates.clock(right)
    assert a is not None
    assert b is not None
    assert dates.same_clock(a, b) is same


def test_dates_and_numbers_in_words():
    assert dates.date("July 4, 1776") == dates.date("4th of July 1776") == dates.date("1776-07-04") == (1776, 7, 4)
    assert number_words.spelled_number("twenty-one") == 21
    assert number_words.spelled_number("many") is None


def test_a_name_at_the_head_of_a_sentence():
    assert words.same_said("Petya", "Petya wins the game")
    assert not words.same_said("Hence", "Hence the apple is in the box")
    assert not words.same_said("Petya", "Petya does not win the game")
    assert not words.same_said("Vasya", "Petya wins the game")
