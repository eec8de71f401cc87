"""Recorded answers as a model."""

import json

import pytest

from harness import models
from harness.backends.base import Request
from harness.backends.replay import ReplayBackend
from rewardkit.errors import UsageError

ROWS = [
    {"question": "q1", "completions": ["a", "<think>hm</think>b"], "completion_tokens": 3, "finish_reason": "length"},
    {"prompt": "q2", "output": 7, "completion_tokens": "many"},
    {"prompt": "q5", "output": "a", "completion_tokens": -1},
    {"prompt": "q6", "output": float("nan")},
    {"prompt": "q7", "resps": 0, "output": [["a", "b"]]},
    {"problem": "q1", "response": "c", "completion": None},
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def played(backend, *asked):
    found = []
    requests = [Request("k", "t", 0, rep, 0, "p", {}, {"question": question}) for question, rep in asked]
    backend.generate(requests, lambda _, generation: found.append(generation))
    return found


def test_the_nth_repeat_gets_the_nth_recorded_answer(file):
    first, second, third, other = played(ReplayBackend([file]), ("q1", 0), ("q1", 1), ("q1", 2), ("q2", 0))
    assert (first.text, first.tokens, first.finish_reason, first.error) == ("a", 3, "length", None)
    assert (second.text, second.reasoning) == ("<think>hm</think>b", None)
    assert (third.text, third.tokens, third.finish_reason) == ("c", None, None)
    assert (other.text, other.tokens) == ("7", None)


def test_counts_that_are_none_are_unknown_and_what_is_missing_is_an_error(file):
    below, missing, one, two = played(ReplayBackend([file]), ("q5", 0), ("q6", 0), ("q7", 0), ("q7", 1))
    assert (below.text, below.tokens, below.error) == ("a", None, None)
    assert (missing.text, missing.error) == ("", "the recorded answer is null")
    assert [one.text, two.text] == ["a", "b"]


def test_what_is_not_recorded_is_an_error_that_says_which(file):
    missing, unknown = played(ReplayBackend([file]), ("q1", 3), ("q3", 0))
    assert missing.error == "no recorded answer 4 for this question"
    assert unknown.error == "no recorded answer 1 for this question"


def test_a_null_answer_is_an_error_and_the_others_are_read(file):
    rows = [{"prompt": "q1", "completion": None, "error": "HTTP 500"}, {"prompt": "q1", "completions": ["a", None]}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = played(ReplayBackend([file]), ("q1", 0), ("q1", 1), ("q1", 2))
    assert [(each.text, each.error) for each in found] == [
        ("", "HTTP 500"),
        ("a", None),
        ("", "the recorded answer is null"),
    ]


def test_a_chat_gives_the_text_that_the_same_text_gives(file):
    said, thought = {"role": "assistant", "content": r"\boxed{\frac12}"}, {"reasoning_content": "hm"}
    chats = [[said], [{"role": "user", "content": "q"}, said], [{**said, **thought}]]
    rows = [{"prompt": "q1", "completions": chats}, *({"prompt": f"q{n}", "completion": chats[n]} for n in (1, 2))]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = played(ReplayBackend([file]), ("q1", 0), ("q1", 1), ("q1", 2), ("q1", 3), ("q2", 0))
    assert [(each.text, each.error) for each in found] == [
        (f"{thought}{said['content']}", None)
        for thought in ("", "", "<think>\nhm\n</think>\n\n", "", "<think>\nhm\n</think>\n\n")
    ]


@pytest.mark.parametrize("answer", [{"a": 1}, ["a", "b"], [{"role": "user", "content": "q"}]])
def test_an_answer_that_is_neither_text_nor_chat_is_an_error(file, answer):
    file.write_text(json.dumps({"prompt": "q1", "completions": [answer, "a"]}) + "\n")
    odd, text = played(ReplayBackend([file]), ("q1", 0), ("q1", 1))
    assert (odd.text, bool(odd.error), text.text) == ("", True, "a")


def test_a_question_without_answers_is_held_and_has_none(file):
    file.write_text(json.dumps({"prompt": "q1", "completions": []}) + "\n")
    backend = ReplayBackend([file])
    [missing] = played(backend, ("q1", 0))
    assert (backend.holds("q1"), missing.error) == (True, "no recorded answer 1 for this question")


def test_the_answers_of_a_run_are_played_back_as_they_were(run_of, tmp_path):
    from harness.store import read_run

    run = run_of(tmp_path / "run", {"q1": [True, None], "q2": [False, True]})
    asked = [(problem.question, rep) for problem in read_run(run).problems.values() for rep in (0, 1)]
    found = played(ReplayBackend([run / "answers.jsonl"]), *asked)
    assert [(each.text, each.error) for each in found] == [(each.text, each.error) for each in read_run(run).answers]


def test_a_question_with_other_options_gets_no_answer_that_may_be_of_another_problem(file):
    prompts = {0: "q1 A) x", 1: "q1 A) y", 2: "q2 A) x", 3: "q2 A) x"}
    asked = [Request("k", "t", doc, 0, 0, prompt, {}, {"question": prompt[:2]}) for doc, prompt in prompts.items()]
    found = []
    ReplayBackend([file]).generate(asked, lambda _, generation: found.append(generation.error))
    assert found == ["several problems have this question"] * 2 + [None] * 2


def test_several_files_are_one_model_known_by_their_content(file, tmp_path):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(file.read_bytes())
    choice = models.ModelChoice("replay", {"file": f"{file};{copy}"})
    backend = models.open_backend(choice)
    assert isinstance(backend, ReplayBackend)
    assert len(played(backend, *[("q1", rep) for rep in range(6)])) == 6
    assert played(backend, ("q1", 5))[0].text == "c"
    assert backend.holds("q2")
    assert not backend.holds("q3")
    assert backend.facts() == {"replay": [str(file), str(copy)]}
    one, same = ReplayBackend([file]).identity(), ReplayBackend([copy]).identity()
    assert one == same != backend.identity()


@pytest.mark.parametrize("row", [{"question": "q"}, {"completion": "a"}, {"question": 5, "completion": "a"}])
def test_a_row_without_question_or_answer_is_named(tmp_path, row):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(ROWS[0]) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(UsageError, match="line 2: needs one of"):
        ReplayBackend([path])


def test_replay_without_a_file_says_how():
    with pytest.raises(UsageError, match=r"--model_args file=answers.jsonl"):
        models.open_backend(models.ModelChoice("replay", {}))
