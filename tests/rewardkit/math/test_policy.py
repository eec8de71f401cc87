"""What each option changes."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from rewardkit.math import Policy, compare, judge


@pytest.mark.parametrize(
    ("options", "gold", "answer"),
    [
        ({"rtol": 1e-2}, "3.14159", "3.14"),
        ({"gold_digits": True}, "0.33", r"\frac13"),
        ({"percent": "optional"}, r"25\%", "25"),
        ({"order": "ignore"}, "(1,2)", "(2,1)"),
        ({"lenient": True}, r"\frac13", "0.333333"),
        ({"lenient": True}, "2.74", "2,74"),
        ({"lenient": True}, "2,74", "2.74"),
    ],
)
def test_an_option_makes_two_answers_equal(options, gold, answer):
    strict = Policy(percent="number") if "percent" in options else Policy()
    assert not compare(gold, answer, strict).equal
    assert compare(gold, answer, Policy(**options)).equal


@pytest.mark.parametrize(
    ("options", "gold", "answer"),
    [
        ({"order": "strict"}, "1,2", "2,1"),
        ({"intervals_as_inequalities": False}, "(3,\\infty)", "x>3"),
        ({"degrees_as_radians": False}, "\\pi", "180^\\circ"),
    ],
)
def test_an_option_keeps_two_answers_apart(options, gold, answer):
    assert compare(gold, answer).equal
    assert not compare(gold, answer, Policy(**options)).equal


@pytest.mark.parametrize(
    ("completion", "gold", "equal"),
    [
        ("So \\boxed{25}.", "25\\%", False),
        ("So \\boxed{25\\%}.", "25", False),
        ("So the percentage is \\boxed{25}.", "25\\%", True),
        ("It rises by 5/20 = 25%, so \\boxed{25}.", "25\\%", True),
        ("So \\boxed{25}\\%.", "25\\%", True),
        ("As a share of 100 percent that is \\boxed{25\\%}.", "25", True),
        ("So the percentage is \\boxed{0.25\\%}.", "0.25", False),
        ("So the percentage is \\boxed{26}.", "25\\%", False),
    ],
)
def test_a_percent_sign_may_be_left_out_where_the_response_speaks_of_per_cent(completion, gold, equal):
    assert judge(completion, gold).equal == equal
    assert not judge(completion, gold, Policy(percent="number")).equal


def test_a_list_of_golds_may_ask_for_all_of_them():
    assert judge(r"\boxed{4}", ["4", "5"]).equal
    assert not judge(r"\boxed{4}", ["4", "5"], Policy(any_gold=False)).equal
    assert judge(r"\boxed{5,4}", ["4", "5"], Policy(any_gold=False)).equal


def test_policy_is_frozen_keyword_only_and_pickles():
    with pytest.raises(TypeError):
        Policy(True)  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Policy().rtol = 1.0  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(Policy(rtol=0.1))) == Policy(rtol=0.1)


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("0.33", "0.3333", True), ("0.33", "0.3", False), ("0.33", r"\frac12", False), ("0.50", r"\frac{101}{200}", True),
        ("0.50", r"\frac{102}{200}", False), ("1.41", r"\sqrt2", True), ("1.42", r"\sqrt2", False), ("3.15", r"\pi", False),
    ],
)  # fmt: skip
def test_digits_of_a_ground_truth_accept_what_rounds_to_them(gold, answer, equal):
    assert compare(gold, answer, Policy(gold_digits=True)).equal is equal
