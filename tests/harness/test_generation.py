import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.generation import CLASSES, Generation, Response, classify, is_loop, opened, sample_of, split_thinking
from rewardkit import Score, Verdict


def generation(**fields) -> Generation:
    return Generation(**{"key": "k", "task": "t", "doc_id": 0, "rep": 0, "seed": 0, "text": "x", **fields})


DOC = {"id": "d", "ground_truth": "1", "data_source": "s", "extra_info": {"unit": "cm"}}


@pytest.mark.parametrize(
    ("text", "reasoning", "expected"),
    [
        ("42", None, (None, "42")),
        ("<think>a</think>42", None, ("a", "42")),
        ("a</think>\n\n42", None, ("a", "42")),
        ("42", "thoughts", ("thoughts", "42")),
        ("<think>a</think>b<think>c</think>42", None, ("a</think>b<think>c", "42")),
        ("<think>never closed", None, (None, "<think>never closed")),
        ("", "only thoughts", ("only thoughts", "")),
    ],
)
def test_thoughts_are_shown_apart(text, reasoning, expected):
    assert split_thinking(text, reasoning) == expected


@given(text=st.lists(st.sampled_from(["<think>", "</think>", "\n", " ", "a", "<answer>"])).map("".join))
def test_the_judge_sees_what_the_model_wrote_with_the_tag_that_its_prompt_ended_with(text):
    assert Response.of(generation(text=opened(text, "Why?"))) == text
    written = Response.of(generation(text=opened(text, "Why? <think>\n")))
    assert written == (text if "<think>" in text else f"<think>{text}")


def test_the_judge_sees_thoughts_rejoined():
    found = generation(text="so \\boxed{1}", reasoning="maybe \\boxed{2}")
    assert found.full_text == "<think>\nmaybe \\boxed{2}\n</think>\n\nso \\boxed{1}"
    sample = sample_of(DOC, Response.of(found))
    assert sample.completion == found.full_text


def test_a_response_is_a_string_that_carries_its_generation():
    response = Response.of(generation(text="hi", turns=6, tokens=9, finish_reason="length"))
    assert response == "hi"
    assert f"{response}" == "hi"
    sample = sample_of(DOC, response)
    assert (sample.extra_info["num_turns"], sample.tokens, sample.finish_reason) == (6, 9, "length")
    assert sample.extra_info["unit"] == "cm"


def test_a_plain_string_is_one_question_and_one_answer():
    sample = sample_of({**DOC, "question": "1 + 1?"}, "hi")
    assert (sample.extra_info["num_turns"], sample.prompt) == (2, "1 + 1?")  # some rewards read the question


@pytest.mark.parametrize(
    ("fields", "score", "kind"),
    [
        ({}, Score.of(True), "correct"),
        ({"finish_reason": "length"}, Score.of(True), "correct"),
        ({}, Score.of(False), "wrong"),
        ({}, Score.of(0.4), "wrong"),
        ({}, Score.of(False, verdict=Verdict.NO_ANSWER), "no_answer"),
        ({}, Score.of(False, verdict=Verdict.MALFORMED), "malformed"),
        ({}, Score.of(False, verdict=Verdict.COMPILE_ERROR), "malformed"),
        ({}, Score.of(False, verdict=Verdict.TIME_LIMIT), "time_limit"),
        ({"finish_reason": "length"}, Score.of(False, verdict=Verdict.NO_ANSWER), "truncated"),
        ({"stopped": "budget"}, Score.of(False, verdict=Verdict.NO_ANSWER), "truncated"),
        (
            {"finish_reason": "length", "text": "Wait, once more, let me see if that can be right. " * 30},
            Score.of(False),
            "loop",
        ),
        ({"stopped": "max_turns"}, Score.of(False, verdict=Verdict.NO_ANSWER), "max_turns"),
        ({"tool_calls": 2, "tool_errors": 2}, Score.of(False), "tool_error"),
        ({"tool_calls": 2, "tool_errors": 1}, Score.of(False), "wrong"),
        ({"error": "HTTP 500"}, None, "infra_error"),
        ({}, Score.unjudged("bad gold"), "unjudged"),
    ],
)
def test_each_answer_has_one_class(fields, score, kind):
    assert kind in CLASSES
    assert classify(generation(**fields), score) == kind


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("", False),
        ("short", False),
        ("abc " * 500, True),
        ("The sum is 12. Let me check that again, because it may be wrong.\n" * 8, True),
        ("".join(f"step {n}: {n * n % 97} and so on. " for n in range(200)), False),
        ("a proof " * 3, False),
    ],
)
def test_a_loop_is_one_block_over_and_over(text, loop):
    assert is_loop(text) is loop


@pytest.mark.parametrize("text", ["", "so \\boxed{1}", "no idea"])
def test_a_filtered_reply_is_no_judgement_of_the_model(text):
    from harness.judging import Judge
    from harness.store import Problem, to_answer

    found = generation(text=text, finish_reason="content_filter")
    doc = {**DOC, "question": "q", "reward": "math"}
    score = Judge().score(doc, Response.of(found))
    facts = {"task": "t", "doc_id": 0, "hash": "h", "data_source": "s", "question": "q", "prompt": "q", "target": "1"}
    answer = to_answer(Problem(**facts), found, score)
    assert (answer.kind, answer.accuracy, answer.reward) == ("content_filter", None, None)
    assert "content filter" in answer.reason
