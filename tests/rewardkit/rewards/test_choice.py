"""Two letters that are joined are no choice; a letter that begins the next sentence is no second one."""

import itertools

import pytest

from rewardkit import Sample, Verdict, load

JOINED = (", ", " or ", " and ", "/", " & ", ", or ", ", and ", " and/or ", "; ", " | ", " + ", r",\ ", r",\,", r",\quad ", " (or ", ". or ", ".\nOr ", " or option ")  # fmt: skip
FRAMES = (
    "The answer is {}",
    "Answer: {}",
    "**Answer: {}**",
    "<answer>{}</answer>",
    r"so \boxed{{{}}}",
    "Final answer: ({}",
)
WRAPPED = ("{}", "({})", "{})", "{}.", r"\text{{{}}}")
RIGHT = r"""
A. Or so it seems.
A, because B is wrong.
A. B is wrong.
A. And B is too small.
A, and B is too small.
A; B is too small.
A; E = mc^2 is no help.
A. But I am not sure.
A; I used the first formula.
A, e.g. by symmetry.
A, a common one.
A.\n\n| A | B |\n|---|---|
A.\n\n- B is wrong
A\n\nB, C and D are wrong.
A (not B).
A: 4, as B would be 5.
"""


def graded(text, **options):
    (score,) = load("choice").score([Sample(completion=text, ground_truth="A", **options)])
    return score


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("joined", JOINED)
def test_letters_that_are_joined_are_no_choice(frame, joined):
    for first, second in itertools.product(WRAPPED[:-1], repeat=2):
        for text in (
            f"{first.format('A')}{joined}{second.format('B')}",
            f"{first.format('B')}{joined}{second.format('A')}",
        ):
            assert graded(frame.format(text)).value == 0, text
    assert graded(frame.format(f"A{joined}b")).value == 0
    if not frame.startswith(("so", "<")):
        assert graded(frame.format(f"A{joined}B")).verdict is Verdict.MALFORMED


@pytest.mark.parametrize("joined", [" or ", ", or ", " and "])
def test_nor_are_they_alone_on_the_only_line(joined):
    assert graded(f"A){joined}B)").value == 0
    assert graded(f"A) 4{joined}5").value == 1


@pytest.mark.parametrize("text", RIGHT.split("\n")[1:-1])
def test_a_letter_of_the_next_sentence_is_no_second_choice(text):
    text = text.replace("\\n", "\n")
    for frame in FRAMES[:2]:
        assert graded(frame.format(text)).value == 1, frame
