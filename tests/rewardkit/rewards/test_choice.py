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
PLACES = (r"\boxed{{{}}}", r"so $\boxed{{{}}}$.", "<answer>{}</answer>", "<answer>\n**{}**\n</answer>")
OPTIONS = (
    "A", "(A)", "A)", "A.", "A) 12", "(A) 12", "A. 12", "A) Paris", "(A) Vitamin C", "A) f(B) = 3", "Option A", "Option A: 12", r"\text{A) Paris}", r"\text{Option A}", "The answer is A",
    "A. Both (B) and (C)", r"A. \text{Both (B) and (C)}", "A - Group (C)", "A: the graph of (C)", "A. (B) and (C)",
    r"\textbf{(A)}\ 12", r"\textbf{(A) }12", r"\mathbf{(A)}~12", r"\textbf{(A)}\,\frac{1}{2}", r"\(A\)",
)  # fmt: skip
UNSETTLED = (
    "A) B", "(A)(B)", "(A) B, C", "A) 12 B) 13", "(A) 12 (B) 13", "(A) 12, (B) 13", "A) or B)", "A) and (B)", "A. (B)", "A: (B)", "A - (B)", "Option A or B", "Option A, option B",
    "either A or B", r"A\,B", r"A\ B", r"(A)\ (B)", r"\textbf{A}~\textbf{B}", "A B", "B + A = 12", "not A but B", "a) b", "The answer is A or B",
)  # fmt: skip
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


@pytest.mark.parametrize("label", ["(A)", "A)", "A.", "A:", "**A**)"])
@pytest.mark.parametrize(
    "option", ["B and C", "B or D only", "both B and C", "B and C are equal", "carbon dioxide", "the man who"]
)
def test_the_text_of_an_option_may_name_others(label, option):
    for frame in ("<answer>{}</answer>", "\\boxed{{{}}}", "The answer is {}", "Final answer: {}."):
        text = frame.format(f"{label} {option}")
        assert graded(text).value == 1, text


def test_an_option_that_is_called_wrong_is_not_the_choice():
    assert graded("Answer (A) is wrong, and so is C.\n\nB").value == 0


def test_an_option_on_the_last_line_may_be_called_one():
    for text in ("Option A", "**Option A**", "So B fails.\nChoice (A)."):
        assert graded(text).value == 1, text


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


@pytest.mark.parametrize("joined", JOINED)
@pytest.mark.parametrize("box", [r"\boxed{{{}}}", r"$\boxed{{\text{{{}}}}}$", r"**\boxed{{({})}}**"])
def test_nor_are_they_in_a_box_each(joined, box):
    one, other = box.format("A"), box.format("B")
    for text in (f"{one}{joined}{other}", f"{other}{joined}{one}", f"{other}, {other}{joined}{one}"):
        assert graded(f"So: {text}.").verdict is Verdict.MALFORMED, text
        assert graded(f"{text}\n\nTherefore {one}").value == 1
    assert graded(f"So: {one}{joined}{one}.").value == 1


@pytest.mark.parametrize("joined", [" or ", ", or ", " and "])
def test_nor_are_they_alone_on_the_only_line(joined):
    assert graded(f"A){joined}B)").value == 0
    assert graded(f"A) 4{joined}5").value == 1


@pytest.mark.parametrize("text", RIGHT.split("\n")[1:-1])
def test_a_letter_of_the_next_sentence_is_no_second_choice(text):
    text = text.replace("\\n", "\n")
    for frame in FRAMES[:2]:
        assert graded(frame.format(text)).value == 1, frame


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_read_however_it_is_written(place, option):
    text = place.format(option)
    assert graded(text).value == 1
    assert graded(text.replace("A", "D")).value == 0
    assert graded(f"{text}\n\nThe answer is B.").value == 1


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", UNSETTLED)
def test_a_place_that_names_two_letters_pays_none_of_them_nor_what_stands_elsewhere(place, text):
    text = place.format(text)
    for whole in (text, f"{text}\n\nThe answer is A.", f"{text}\n\nThe answer is B.", f"{text}\nA", f"{text}\nB"):
        for truth in "AB":
            (score,) = load("choice").score([Sample(completion=whole, ground_truth=truth)])
            assert score.value == 0, (whole, score)


@pytest.mark.parametrize(
    "passed",
    [r"\boxed{12}", r"\boxed{}", "<answer>12</answer>", r"\boxed{a man}", r"\boxed{12} <answer>x = 3</answer>"],
)
@pytest.mark.parametrize(
    "last", ["The answer is A.", "**Answer: A**", r"The answer is \(A\)", r"Answer: \(\text{A}\)", "A", "(A)"]
)
def test_a_place_that_names_no_letter_is_passed_over(passed, last):
    assert graded(f"{passed}\n\n{last}").value == 1


@pytest.mark.parametrize("text", ["I think A", "I would say that it is A"])
def test_the_pronoun_is_no_letter(text):
    assert graded(f"<answer>{text}</answer>").verdict is Verdict.NO_ANSWER
    assert graded(f"<answer>{text}</answer>\n\nThe answer is A").value == 1
    assert graded("<answer>either I or A</answer>").verdict is Verdict.MALFORMED


def test_the_last_answer_section_counts():
    assert graded("<answer>B</answer> No: <answer>A</answer>").value == 1
    assert graded("<answer>A</answer> No: <answer>B</answer>").value == 0


TEXTS_OF_OPTIONS = (
    ["I", "II", "III", "I and II"],
    ["C", "Fe", "O", "H"],
    ["1", "2", "3", "4"],
    ["a cat", "B", "D.", "(b)"],
    ["-1", "-2", "-3", "-4"],
)


@pytest.mark.parametrize("choices", TEXTS_OF_OPTIONS)
@pytest.mark.parametrize("index", range(4))
def test_a_ground_truth_that_could_be_two_options_is_not_judged_and_any_other_is_its_option(choices, index):
    """Whether it is the letter, the text or the index of the right option."""
    for truth, is_it in ((choices[index], "text"), ("ABCD"[index], "letter"), (index, "index"), (-1, "index")):
        readings = {
            "ABCD"[place]
            for place, text in enumerate(choices)
            if str(truth) == text or (is_it == "index" and place == truth and str(truth) in choices)
        }
        named = str(truth).strip("().").upper()
        readings |= {named} if len(named) == 1 and named in "ABCD" else set()
        for letter in "ABCD":
            sample = Sample(completion=f"Answer: {letter}", ground_truth=truth, extra_info={"choices": choices})
            (score,) = load("choice").score([sample])
            assert score.value == ((letter in readings) if len(readings) == 1 else None), (truth, score.reason)


@pytest.mark.parametrize(
    "why", ["is wrong.", "is incorrect because 2 > 1.", "does not fit.", "has the wrong sign; so it is not that."]
)
@pytest.mark.parametrize("stated", ["The correct answer is A.", "Answer: A", "**The answer is (A)**."])
def test_a_sentence_about_another_answer_does_not_replace_the_one_that_is_stated(stated, why):
    others = "\n".join(f"Answer {letter} {why}" for letter in "BCD")
    assert graded(f"{stated}\n{others}").value == 1
    assert graded("Answer B or C").verdict is Verdict.MALFORMED
    assert graded(f"{others}\nAnswer A.").value == 1
    (score,) = load("choice").score([Sample(completion=f"Answer C {why}\nSo answer B is correct.", ground_truth="B")])
    assert score.value == 1
