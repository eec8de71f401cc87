"""The server of the tutorial and of tests: how often it is right, and what it says of given texts."""

import json
import threading

import pytest

from harness import fake_server
from harness.fake_server import _echoed, answering, completion, question_of, read_golds

GOLDS = {f"What is {n} + {n}?": str(2 * n) for n in range(1500)}


def said(rule, question, seed):
    return rule({"messages": [{"role": "user", "content": question}], "seed": seed}, 1)["text"]


@pytest.mark.parametrize("accuracy", [0.0, 0.1, 0.5, 0.8, 1.0])
def test_it_is_right_as_often_as_it_is_told_to(accuracy):
    rule = answering(GOLDS, accuracy)
    right = sum(f"\\boxed{{{gold}}}" in said(rule, question, 7) for question, gold in GOLDS.items())
    assert right / len(GOLDS) == pytest.approx(accuracy, abs=0.04)


def test_a_server_that_does_not_start_in_time_is_an_error(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(fake_server, "START_S", 0.0)
    monkeypatch.setattr(fake_server.Stub, "_serve", lambda _: ended.wait(20))
    starting = fake_server.Stub(answering(GOLDS, 1.0))
    with pytest.raises(RuntimeError, match="did not start"):
        starting.__enter__()
    assert starting._thread.is_alive()
    ended.set()


def test_problems_differ_and_samples_of_one_problem_too():
    rule = answering(GOLDS, 0.5)
    shares = [
        sum(f"{{{gold}}}" in said(rule, question, seed) for seed in range(20)) / 20
        for question, gold in list(GOLDS.items())[:200]
    ]
    assert min(shares) < 0.2
    assert max(shares) > 0.8
    assert any(0.3 < share < 0.7 for share in shares)


def test_the_same_request_gets_the_same_answer_and_another_skill_another():
    question = "What is 7 + 7?"
    rule = answering(GOLDS, 0.5, wait_s=0.5)
    assert [said(rule, question, seed) for seed in range(30)] == [
        said(answering(GOLDS, 0.5), question, seed) for seed in range(30)
    ]
    assert [said(rule, question, seed) for seed in range(30)] != [
        said(answering(GOLDS, 0.5, skill="b"), question, seed) for seed in range(30)
    ]
    assert rule({"prompt": question}, 1)["wait_s"] == 0.5


def test_a_question_it_does_not_know_is_answered_wrongly_and_instructions_behind_one_do_not_matter():
    sure = answering(GOLDS, 1.0)
    assert "\\boxed{14}" in said(sure, "What is 7 + 7?\n\nPut the answer in a box.", 1)
    assert "\\boxed{14}" not in said(sure, "How much is 7 + 7?", 1)


def test_the_question_is_the_last_message_of_the_user_or_the_prompt():
    chat = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
        {"role": "tool", "content": "d"},
    ]
    assert question_of({"messages": chat}) == "c"
    assert question_of({"prompt": "p"}) == question_of({"prompt": ["p", "q"]}) == "p"


@pytest.mark.parametrize(
    ("prompt", "lengths"), [("abc", [3]), ([5, 6], [2]), (["abc", "de"], [3, 2]), ([[5, 6], [7]], [2, 1])]
)
def test_given_texts_get_a_likelihood_for_each_token_but_the_first_and_for_one_more(prompt, lengths):
    choices = _echoed(prompt)
    assert [len(each["logprobs"]["tokens"]) for each in choices] == [length + 1 for length in lengths]
    assert [each["index"] for each in choices] == list(range(len(lengths)))
    for each in choices:
        first, *others = each["logprobs"]["token_logprobs"]
        assert first is None
        assert all(-5 <= value <= 0 for value in others)
        assert each["logprobs"]["top_logprobs"][1:] == [
            {token: value} for token, value in zip(each["logprobs"]["tokens"][1:], others, strict=True)
        ]
    assert _echoed("abc") == _echoed("abc")
    assert _echoed("xbc")[0]["logprobs"]["token_logprobs"] != _echoed("abc")[0]["logprobs"]["token_logprobs"]


@pytest.mark.parametrize(
    ("body", "reply", "choice"),
    [
        (
            {"messages": [], "model": "m"},
            {"text": "hi"},
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}},
        ),
        (
            {"prompt": "p"},
            {"text": "hi", "finish_reason": "length"},
            {"index": 0, "finish_reason": "length", "text": "hi"},
        ),
        (
            {"messages": []},
            {"reasoning_content": "r"},
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "", "reasoning_content": "r"},
            },
        ),
    ],
)
def test_replies_have_openais_shape(body, reply, choice):
    found = completion(body, {**reply, "choices": 2})
    assert found["choices"] == [choice, {**choice, "index": 1}]
    assert found["usage"] == {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
    assert found["model"] == body.get("model")
    assert completion(body, {"text": "x" * 40, "model": "n"})["usage"]["completion_tokens"] == 10


def test_golds_are_read_from_gsm8k_rows_and_from_rows_with_a_bare_answer(tmp_path):
    gsm8k, plain = tmp_path / "gsm8k.jsonl", tmp_path / "plain.jsonl"
    gsm8k.write_text(json.dumps({"question": "2+2?", "answer": "2+2=4\n#### 4"}) + "\n")
    rows = [{"problem": "3+3?", "answer": "6"}, {"problem": "What is missing?", "answer": None}]
    plain.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_golds([gsm8k, plain]) == {"2+2?": "4", "3+3?": "6"}


def test_a_file_that_is_not_there_is_an_error_in_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.argv", ["fake_server", "--golds", str(tmp_path / "none.jsonl")])
    with pytest.raises(SystemExit) as ended:
        fake_server.main()
    assert ended.value.code == 2
    assert "none.jsonl" in capsys.readouterr().err.splitlines()[-1]
