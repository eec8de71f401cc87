"""Numbers in words: each number is read from its spellings, and nothing else is read as a number."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.math.text.number_words import number_in_words, spelled_number

SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"), (10**2, "hundred"))
PARTS = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth",
         "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth")  # fmt: skip


def spelled(number, joint=""):
    """The words of a number below 10**15; `joint` is what stands behind hundreds and larger scales."""
    for size, word in SCALES:
        if number >= size:
            rest = spelled(number % size, joint) if number % size else []
            return [*spelled(number // size, joint), word, *([joint] if rest and joint else []), *rest]
    if number < 20:
        return [SMALL[number]]
    return [TENS[number // 10 - 2], *([SMALL[number % 10]] if number % 10 else [])]


@given(st.integers(0, 10**15 - 1) | st.integers(0, 3_000), st.sampled_from(["", "and"]))
def test_each_number_is_read_from_its_words(number, joint):
    words = spelled(number, joint)
    if len(words) > 20:
        return
    assert number_in_words(" ".join(words)) == str(number)
    assert number_in_words(f"minus {' '.join(words)}") == f"-{number}"
    assert number_in_words(f"exactly {' '.join(words)} hours") == rf"{number}\text{{ hours}}"


def test_hyphens_join_tens_and_ones():
    assert [spelled_number("-".join(spelled(number))) for number in range(21, 100)] == list(range(21, 100))


def in_hundreds(number):
    """Twenty hundred and one, which is said, too, below ten thousand."""
    if not 1_000 <= number < 10_000:
        return []
    return [*spelled(number // 100), "hundred", *(spelled(number % 100) if number % 100 else [])]


def test_no_other_row_of_words_is_a_number():
    """Of all rows of up to three words, those that are read are the words of the number that they are read as."""
    vocabulary = [*SMALL[:3], *SMALL[9:11], *TENS[:2], "million", "thousand", "hundred", "and", "a"]
    for length in (1, 2, 3):
        for words in itertools.product(vocabulary, repeat=length):
            found = number_in_words(" ".join(words))
            if found is not None and found.isdigit():
                said = ["one" if word == "a" else word for word in words]
                assert said in (spelled(int(found)), spelled(int(found), "and"), in_hundreds(int(found))), words


@pytest.mark.parametrize(("text", "number"), [("a dozen", 12), ("two dozen", 24), ("a hundred", 100), ("a thousand and one", 1001), ("a", None),
                                              ("dozen", None), ("zero hundred", None), ("thousand", None), ("and one", None)])  # fmt: skip
def test_scales_need_a_number_or_an_article(text, number):
    assert number_in_words(text) == (None if number is None else str(number))


@pytest.mark.parametrize("below", range(3, 21))
def test_parts(below):
    part = PARTS[below - 3]
    assert number_in_words(f"one {part}") == number_in_words(f"a {part}") == rf"\frac{{1}}{{{below}}}"
    assert number_in_words(f"two {part}s") == rf"\frac{{2}}{{{below}}}"
    assert number_in_words(f"five and two {part}s") == rf"5\frac{{2}}{{{below}}}"
    assert number_in_words(f"five and {' '.join(spelled(below))} {part}s") is None, "a whole is no part"


def test_halves_and_quarters():
    spellings = {"half": r"\frac{1}{2}", "one half": r"\frac{1}{2}", "three quarters": r"\frac{3}{4}", "two and a half": r"2\frac{1}{2}",
                 "three halves": r"\frac{3}{2}", "two thousandths": r"\frac{2}{1000}", "one hundredth": r"\frac{1}{100}",
                 "a half": r"\frac{1}{2}", "minus a quarter": r"-\frac{1}{4}"}  # fmt: skip
    assert {text: number_in_words(text) for text in spellings} == spellings


@pytest.mark.parametrize(
    "text",
    [
        "five of them",
        "five or six",
        "five hundredth",
        "a",
        "half and half",
        "one one",
        "and",
        "five minus two",
        "five thing",
    ],
)
def test_what_is_no_number_or_says_more(text):
    assert number_in_words(text) is None


def test_what_is_counted_may_follow():
    assert number_in_words("there are four solutions") == r"4\text{ solutions}"
    assert number_in_words("only three people") == r"3\text{ people}"
    assert number_in_words("three tens") is None
    assert spelled_number("many") is None
