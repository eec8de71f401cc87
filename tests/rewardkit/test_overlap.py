"""What counts as the same problem in two data sets, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.overlap import MAX_SHARED, MAX_TEXTS, MIN_WORDS, NGRAM, References, words_of

PROBLEM = (
    "Cities $A$ and $B$ are $45$ miles apart. Alicia lives in $A$ and Beth lives in $B$. Alicia bikes towards $B$ at 18 "
    "miles per hour. How many miles from City $A$ will they be when they meet?"
)


def found(text, *references):
    return [match.reference for match in References({"set": references}).overlaps([text])]


def test_the_same_problem_is_found_in_another_spelling():
    assert found(r"CITIES \(A\) and \(B\) are \(45\) miles apart!  Alicia lives in A, and Beth", PROBLEM) == [0]
    assert found(r"Compute $\dfrac{1}{2}$.", r"compute \(\tfrac12\)") == []  # another expression as far as words go
    assert found(r"Compute $\dfrac{1}{2}$.", r"compute \(\tfrac{1}{2}\)") == [0]


def test_the_same_problem_is_found_inside_a_prompt():
    assert found(f"Solve this.\n{PROBLEM}\nPut the answer in \\boxed{{}}.", "Another one.", PROBLEM) == [1]
    short = "Find all primes p with p plus two prime"
    assert len(words_of(short)) >= MIN_WORDS
    assert found(f"Solve: {short}. Think step by step.", short) == [0]


UNSPACED = {
    "zh": "小明有三袋苹果，每袋有四个，他又买了五个苹果，他现在一共有多少个苹果？",
    "ja": "太郎は三つの袋を持っていて、それぞれに四つのりんごが入っています。全部でいくつありますか。",
    "th": "สมชายมีถุงแอปเปิลสามถุงแต่ละถุงมีสี่ลูกเขาซื้อเพิ่มอีกห้าลูกเขามีแอปเปิลทั้งหมดกี่ลูก",
}


@pytest.mark.parametrize("problem", UNSPACED.values(), ids=UNSPACED)
def test_a_problem_is_found_in_a_script_without_blanks(problem):
    others = [each for each in UNSPACED.values() if each != problem]
    assert found(f"次の問題。{problem[3:-3]}答え", *others, problem) == [2]
    assert found(problem[: NGRAM - 2], problem) == []
    assert found(f"{problem}{PROBLEM}", *others, problem, PROBLEM) == [2, 3]


def test_a_customary_beginning_in_a_script_without_blanks_is_no_evidence():
    one = "在平面直角坐标系xOy中，已知椭圆C过点(1,2)，且离心率为二分之一，求椭圆C的标准方程。"
    other = "在平面直角坐标系xOy中，已知椭圆C的左焦点为F，直线l与C交于A、B两点，求三角形面积的最大值。"
    assert not References({"quiz": [one]}).overlaps([other])
    assert References({"quiz": [one]}).overlaps([f"例题一。{one}"])


def test_other_problems_and_other_numbers_are_not():
    assert found("What is 2 + 3?", "What is 2 + 2?") == []
    assert found("", PROBLEM) == []
    twelve = " ".join(words_of(PROBLEM)[: NGRAM - 1])
    assert found(f"{twelve} nothing else", PROBLEM) == []


def test_a_phrase_of_many_references_is_no_evidence():
    phrase = "the answer can be written as m over n where m and n are coprime integers"
    references = [f"Problem {number}: {phrase}" for number in "abcd"]
    assert found(f"Quite another one, {phrase}", *references) == []
    assert found(f"Quite another one, {phrase}", *references[:MAX_SHARED]) == list(range(MAX_SHARED))
    assert found(references[3], *references) == [3]


def test_each_reference_that_holds_a_text_is_named_once():
    sets = References({"a": ["Another.", PROBLEM], "b": [PROBLEM, PROBLEM], "c": ["Quite another."]})
    assert [(match.index, match.name, match.reference) for match in sets.overlaps(["x", PROBLEM])] == [
        (1, "a", 1),
        (1, "b", 0),
        (1, "b", 1),
    ]


def test_what_many_texts_say_is_a_phrase_but_a_whole_problem_is_still_found():
    phrase = "the answer can be written as m over n where m and n are coprime integers"
    references = References({"set": [f"Problem a: {phrase}", PROBLEM]})
    texts = [*(f"Row {number} {phrase}" for number in range(MAX_TEXTS + 1)), f"Problem a: {phrase}", PROBLEM]
    assert len(references.overlaps(texts)) == len(texts)
    references.without_phrases([*texts, *[PROBLEM] * 50])
    found = [(match.index, match.reference) for match in references.overlaps(texts)]
    assert found == [(MAX_TEXTS + 1, 0), (MAX_TEXTS + 2, 1)]


words = st.lists(
    st.sampled_from(["if", "a", "train", "leaves", "the", "city", "at", "noon", "3", "7", "x"]),
    min_size=NGRAM,
    max_size=30,
)


@given(words, words, words)
def test_any_run_of_thirteen_words_is_found_wherever_it_stands(before, shared, after):
    text = " ".join([*before, *shared[:NGRAM], *after])
    assert found(text, " ".join(shared[:NGRAM])) == [0]
