"""Ground truths: which are refused, and what is made of numbers, lists, boxes and worked solutions."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import GroundTruthError
from rewardkit.math import Policy, judge
from rewardkit.math.ground_truth import MAX_GOLD_CHARS, gold_texts, prepare
from rewardkit.math.results import Status

UNUSABLE = {
    "nothing": (None, "no ground truth"),
    "NaN": (math.nan, "ground truth is NaN"),
    "an object": ({"answer": 4}, "a ground truth is a text, a number or a list of them, not dict"),
    "an empty list": ([], "the list of ground truths is empty"),
    "a list with a bad one": (["4", None], "no ground truth"),
    "blanks": (" \n", "empty ground truth"),
    "a power without an exponent": ("60^\n", "ground truth that breaks off"),
    "punctuation": ("$.$", "empty ground truth"),
    "a long number": (10**1000, "is too long"),
    "a long negative number": (-(10**1000), "is too long"),
    "a long text": ("1" * (MAX_GOLD_CHARS + 1), "is too long"),
    "a truncated box": (r"so \boxed{4", "truncated box"),
    "an open brace": (r"\frac{1}{2", "unbalanced braces"),
    "a brace too much": (r"\frac{1}{2}}", "unbalanced braces"),
    "braces in the wrong order": ("}4{", "unbalanced braces"),
    "an open bracket": ("(1, 2", "unbalanced braces"),
    **{word: (word, "placeholder") for word in ("nan", "NaN", "null", "N/A", "TBD", "unknown", r"\text{nan}")},
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_an_unusable_ground_truth_is_refused_and_says_nothing_of_the_answer(kind):
    gold, reason = UNUSABLE[kind]
    with pytest.raises(GroundTruthError, match=reason):
        prepare(gold)
    judgement = judge(r"\boxed{4}", gold)
    assert (judgement.status, judgement.equal, judgement.stage) == (Status.BAD_GOLD, False, "gold")
    assert reason in judgement.reason
    assert judge(r"\boxed{4}", gold, explain=True).steps == (f"gold: {judgement.reason}",)


@pytest.mark.parametrize(
    ("gold", "texts"),
    [
        (4, ("4",)),
        (-0.5, ("-0.5",)),
        (math.inf, (r"\infty",)),
        (-math.inf, (r"-\infty",)),
        (True, ("True",)),
        (10**1000 - 1, ("9" * 1000,)),
        (" 4 ", ("4",)),
        ("<", ("<",)),
        ("the work #### 72", ("72",)),
        ("#### 5 of 7 #### 6", ("6",)),
        ("the work ####", ("the work ####",)),
        (r"so \boxed{ 4 }.", ("4",)),
        (r"\boxed{4}, \boxed{5} and \boxed{4}", ("4 , 5",)),
        (r"\{x\}", (r"\{x\}",)),
        (r"\{", (r"\{",)),
        ("[1, 2)", ("[1, 2)",)),
        ("]1, 2[", ("]1, 2[",)),
        (["4", 5], ("4", "5")),
        (("4", ["5", 6]), ("4", "5", "6")),
        ({"4"}, ("4",)),
        ("1" * MAX_GOLD_CHARS, ("1" * MAX_GOLD_CHARS,)),
    ],
)
def test_the_texts_of_a_ground_truth(gold, texts):
    assert gold_texts(gold) == prepare(gold).texts == texts
    assert prepare(prepare(gold)) == prepare(gold)


@given(
    st.lists(
        st.sampled_from(["4", r"\frac{1}{2}", "[1, 2)", 'a "b"', "Zürich", "nan", "", "[", '["5"]']),
        min_size=1,
        max_size=3,
    )
)
def test_several_answers_as_json_are_the_same_as_in_a_list(answers):
    """A table without lists, such as a CSV file, holds JSON."""
    for text in (json.dumps(answers), f" {json.dumps(answers, ensure_ascii=False)}\n"):
        assert _texts_or_problem(text) == _texts_or_problem(answers)


def _texts_or_problem(gold):
    try:
        return gold_texts(gold)
    except GroundTruthError as error:
        return str(error)


@pytest.mark.parametrize("text", ['["a", 1]', "[1, 2]", '["a"', '[["a"]]', '["a"] or ["b"]', '{"a": "b"}'])
def test_other_text_is_one_answer(text):
    assert _texts_or_problem(text) in {(text,), f"ground truth with unbalanced braces: {text!r}"}


@pytest.mark.parametrize("gold", [["3", "4"], ("4", "3"), {"3", "4"}, '["3", "4"]'])
def test_one_of_several_is_enough_or_all_are_asked_for(gold):
    both = Policy(any_gold=False)
    assert judge(r"\boxed{4}", gold).equal
    assert not judge(r"\boxed{5}", gold).equal
    assert not judge(r"\boxed{4}", gold, both).equal
    assert judge(r"\boxed{3, 4}", gold, both).equal


def test_a_worked_solution_is_its_answer_in_the_lenient_mode():
    solution = "We add the three numbers of the first row and then the four of the other, so the answer is 12, which is even and not too large."
    assert judge(r"\boxed{12}", solution, Policy(lenient=True)).equal
    assert not judge(r"\boxed{12}", solution).equal
    assert prepare(solution).texts_for(Policy()) == (solution,)
    assert prepare("the answer is 12").texts_for(Policy(lenient=True)) == ("the answer is 12",)
