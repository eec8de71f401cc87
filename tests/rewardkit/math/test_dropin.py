"""The functions in the shape that other verifiers and trainers call."""

from __future__ import annotations

import math

import pytest

from rewardkit.math import accuracy_reward, explain, judge, parse, process_results, verify


def test_parse_and_verify_take_math_verifys_call_shape():
    gold = parse("$\\frac{1}{2}$", None, parsing_timeout=5)
    assert verify(gold, parse("so we find $0.5$"), timeout_seconds=5)
    assert not verify(gold, parse("so we find $0.6$"))
    assert verify("3", "3.0")
    assert not parse("")


def test_verify_refuses_an_unusable_gold():
    assert verify("", "") is False


def test_accuracy_reward_takes_texts_and_chats():
    chat = [{"role": "assistant", "content": r"\boxed{4}"}]
    assert accuracy_reward([chat, r"\boxed{5}", "4?"], ["$4$", "4", "4"], prompts=["", "", ""], trainer_state=None) == [
        1.0,
        0.0,
        0.0,
    ]


@pytest.mark.parametrize(
    "last", [{"content": [{"type": "text", "text": r"\boxed{4}"}]}, {"content": r"\boxed{4}"}, r"\boxed{4}"]
)
def test_accuracy_reward_reads_the_text_of_the_last_message(last):
    assert accuracy_reward([[{"content": r"\boxed{5}"}, last], []], ["4", "4"]) == [1.0, 0.0]


def test_accuracy_reward_is_none_where_the_solution_is_unusable():
    assert accuracy_reward([r"\boxed{4}"], [""]) == [None]


def test_accuracy_reward_wants_one_solution_each():
    with pytest.raises(ValueError, match="zip"):
        accuracy_reward(["1", "2"], ["1"])


def test_process_results_reads_the_document():
    assert process_results({"answer": "4"}, [r"\boxed{4}"]) == {"exact_match": 1.0, "answered": 1.0}
    assert process_results({"target": "4"}, ["I do not know"]) == {"exact_match": 0.0, "answered": 0.0}
    assert math.isnan(process_results({}, ["4"])["exact_match"])


def test_explain_tells_each_step():
    steps = explain(r"<think>hm</think>It is \boxed{\frac{2}{4}}.", "0.5").steps
    assert [step.split(":")[0] for step in steps] == ["gold", "thoughts", "extract", "number"]
    assert explain("x", "").steps[0].startswith("gold: empty")
    assert judge(r"\boxed{1}", "1").steps == ()
