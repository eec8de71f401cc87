"""Rows without completions are read; the ground truth stays with the judge."""

import math

import pytest

from rewardkit import Sample, UsageError
from rewardkit.attack.rows import TEXTS, common_answers, gold_text, golds, problem_of, read, same_answer
from rewardkit.data.column_aliases import PROMPT
from rewardkit.data.rows import Columns


def test_rows_need_no_completion_and_lose_the_one_they_have(write_jsonl):
    path = write_jsonl(
        {"question": "1+1?", "answer": "2"}, {"question": "2+2?", "answer": "4", "completion": "\\boxed{4}"}
    )
    (first, second), *_ = read([str(path)], Columns())
    assert (first.prompt, first.ground_truth, first.completion) == ("1+1?", "2", "")
    assert (second.completion, second.messages) == ("", None)


@pytest.mark.parametrize(
    ("column", "named"), [("prompt", None), ("prompt", "prompt"), ("turns", "turns"), ("messages", "messages")]
)
def test_a_chat_prompt_is_kept(write_jsonl, column, named):
    path = write_jsonl({column: [{"role": "user", "content": "1+1?"}], "reward_model": {"ground_truth": "2"}})
    (sample,), *_ = read([str(path)], Columns(), prompt_column=named)
    assert sample.ground_truth == "2"
    assert problem_of(sample, "{answer}", ()).prompt == "1+1?"


def test_a_prompt_column_can_be_named(write_jsonl):
    path = write_jsonl({"Aufgabe": "1+1?", "answer": "2"})
    with pytest.raises(UsageError, match="--prompt-column"):
        read([str(path)], Columns())
    assert read([str(path)], Columns(), prompt_column="Aufgabe")[0][0].prompt == "1+1?"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"prompt": None}, "no prompt"),
        ({"prompt": math.nan}, "no prompt"),
        ({}, "no prompt"),
        ({"prompt": None, "completion": "3"}, "no prompt"),
        ({"prompt": 5}, "the prompt is int, not text or a chat"),
    ],
)
def test_a_row_without_a_prompt_is_said_to_have_no_prompt(write_jsonl, row, why):
    path = write_jsonl({"prompt": "1+1?", "answer": "2"}, {"answer": "3", **row})
    samples, unread, _ = read([str(path)], Columns())
    assert ([sample.prompt for sample in samples], unread) == (["1+1?"], [f"{path}:2: {why}"])


@pytest.mark.parametrize("column", [*dict.fromkeys((*PROMPT, *TEXTS)), "Aufgabe"])
def test_a_prompt_column_of_any_known_name_or_a_named_one_gives_the_same_samples(write_jsonl, column):
    rows = [{column: f"Is {number} or 4711 the larger one?", "answer": "4711"} for number in range(9)]
    named, other = (column, {"text": "another"}) if column == "Aufgabe" else (None, {})
    samples, *_ = read([str(write_jsonl(*({**row, **other} for row in rows)))], Columns(), prompt_column=named)
    assert [(sample.prompt, sample.extra_info) for sample in samples] == [(row[column], other) for row in rows]


@pytest.mark.parametrize(
    ("truth", "text"),
    [
        ("so it is\n#### 18", "18"),
        ("thus $\\boxed{\\frac12}$.", "\\frac12"),
        (3.5, "3.5"),
        (27.0, "27"),
        (math.inf, None),
        (["a", "b"], "a"),
        (None, None),
        ({}, None),
    ],
)
def test_the_short_answer_of_a_ground_truth(truth, text):
    assert gold_text(Sample(ground_truth=truth)) == text


@pytest.mark.parametrize(("guess", "gold", "same"), [
    ("5", "5.0", True), ("\\frac{1}{2}", "0.5", True), ("1,000", "1000", True), ("B", "(B)", True), ("x", "y", False), ("5", None, False),
    ("1/0", "2", False),
])  # fmt: skip
def test_a_guess_is_right_by_text_or_number(guess, gold, same):
    assert same_answer(guess, gold) is same


def test_rows_with_tests_have_their_reference_program():
    row = Sample(prompt="p", extra_info={"test_list": ["assert f(1) == 2"], "code": "def f(x): return x + 1"})
    assert golds(row) == ["def f(x): return x + 1"]
    assert problem_of(row, "{answer}", ()).entry_point == "f"


def test_an_answer_that_occurs_once_is_not_common():
    assert common_answers([Sample(ground_truth=truth) for truth in ("1", "2", "2", "3")]) == ("2",)


@pytest.mark.parametrize(
    ("prompt", "samples"),
    [
        ("Examples\n\nInput\n\n\n8 4\n-3 1\n\n\nOutput\n\n\n3.16\n\n\nNote\nx", [("8 4\n-3 1", "3.16")]),
        ("Input: n = 5\nOutput: -1\nExplanation: none", [("n = 5", "-1")]),
        (">>> f([1, 2])\n3\n", [("f([1, 2])", "3")]),
        ("Input\n\nThe first line has a number that is n.\n\nOutput\n\nPrint the one number you found.", []),
    ],
)
def test_samples_are_read_from_the_prompt(prompt, samples):
    assert problem_of(Sample(prompt=prompt), "{answer}", ()).samples == samples
