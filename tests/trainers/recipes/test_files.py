"""The problem and the answer of a row in the recipes' data sets."""

import pytest

from trainers.recipes import files

ASKED = {"role": "user", "content": "1+1?"}


@pytest.mark.parametrize(
    ("row", "question", "answer"),
    [
        ({"problem": "1+1?", "answer": 2.0}, "1+1?", "2"),
        ({"problem": "1+1?", "answer": ["2"]}, "1+1?", "2"),
        ({"prompt": [ASKED], "reward_model": {"ground_truth": ["2"]}}, "1+1?", "2"),
        ({"prompt": [{"role": "system", "content": "Be brief."}, ASKED], "answer": "2"}, "1+1?", "2"),
        ({"problem": "1+1?", "answer": ["2", "two"]}, "1+1?", ""),
        ({"problem": "1+1?", "answer": {"a": 2}}, "1+1?", ""),
        ({"problem": "1+1?", "answer": None}, "1+1?", ""),
        ({"problem": "1+1?", "answer": float("inf")}, "1+1?", ""),
        ({"problem": None, "answer": "2"}, "", "2"),
    ],
)
def test_only_rows_with_one_question_and_one_answer_are_trained_on(row, question, answer):
    assert (files.question_of(row), files.answer_of(row)) == (question, answer)
    assert files.usable([row]) == ([row] if question and answer else [])


def test_a_chat_of_several_turns_is_compared_as_a_whole_and_not_trained_on():
    row = {"prompt": [ASKED, {"role": "assistant", "content": "2"}, {"role": "user", "content": "2+2?"}], "answer": "4"}
    assert files.question_of(row) == "1+1?\n\n2\n\n2+2?"
    assert files.usable([row]) == []
