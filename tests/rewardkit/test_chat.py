import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.base import Function
from rewardkit.chat import completion_turns, count_turns, final_text, is_chat, tool_calls

ASK = {"role": "user", "content": "6*7?"}
CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": "run", "arguments": '{"code": "6*7"}'}}],
}
RESULT = {"role": "tool", "content": "42"}
ANSWER = {"role": "assistant", "content": "It is 42."}


@pytest.mark.parametrize(
    ("messages", "turns"),
    [
        ([ANSWER], 2),
        ([ASK, ANSWER], 2),
        ([ASK, CALL, RESULT, ANSWER], 4),
        ([ASK, CALL, RESULT, CALL, RESULT, ANSWER], 6),
        ([ASK, CALL, RESULT, RESULT, ANSWER], 4),
        ([ASK, CALL], 2),
        ([], 1),
    ],
)
def test_turns_are_counted_as_verl_counts_them(messages: list[dict[str, object]], turns: int) -> None:
    assert count_turns(messages) == turns


def test_final_text_is_the_last_assistant_message() -> None:
    assert final_text([ASK, CALL, RESULT, ANSWER]) == "It is 42."
    assert final_text([ASK]) == ""


def test_typed_content_blocks_are_joined() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    assert final_text([{"role": "assistant", "content": blocks}]) == "ab"


def test_reasoning_is_not_doubled() -> None:
    message = {"role": "assistant", "content": "<think>a</think>b", "reasoning_content": "a"}
    assert final_text([message]) == "<think>a</think>b"


def test_prompt_turns_are_no_completion() -> None:
    assert list(completion_turns([ASK, ANSWER])) == [ANSWER]


CHATS = st.lists(st.sampled_from([ASK, CALL, RESULT, ANSWER]), max_size=6)


@given(CHATS, CHATS)
def test_turns_of_a_prompt_are_no_completion_where_it_says_where_it_ends(
    prompt: list[dict[str, object]], turns: list[dict[str, object]]
) -> None:
    if turns:
        turns = [ANSWER, *turns]
    sample = Sample(prompt=prompt, messages=[*prompt, *turns])
    assert list(sample.turns) == turns
    assert sample.completion == final_text(turns)
    assert Sample.from_row(sample.to_row()) == sample
    if turns:  # as trainers give it, without the prompt
        assert list(Sample(prompt=[ASK, *prompt], completion=turns).turns) == turns
    seen: list[object] = []
    Function(lambda completions: seen.extend(completions) or [0.0]).score([sample])
    assert seen == [turns]


def test_examples_in_a_prompt_are_not_judged() -> None:
    prompt = [ASK, ANSWER, ASK]
    answer = {"role": "assistant", "content": "<think>a</think><answer>b</answer>"}
    (score,) = load("format(whole_chat=True)").score([Sample(prompt=prompt, messages=[*prompt, answer])])
    assert score.value == 1.0


@pytest.mark.parametrize(
    "text", ["tool_call(dapo_math)", "tool_efficiency", "turn_protocol", "tool_match", "grounded_numbers"]
)
@given(CHATS, CHATS)
def test_a_score_does_not_depend_on_whether_messages_repeat_the_prompt(
    text: str, prompt: list[dict[str, object]], turns: list[dict[str, object]]
) -> None:
    prompt, truth = [ASK, *prompt], [{"name": "run", "arguments": {"code": "6*7"}}]
    alone, whole = (
        Sample(prompt=prompt, messages=messages, ground_truth="43" if "tool_call" in text else truth)
        for messages in ([ANSWER, *turns], [*prompt, ANSWER, *turns])
    )
    first, second = (score.timed(None) for score in load(text).score([alone, whole]))
    assert first == second


def test_tool_calls_come_in_order() -> None:
    assert tool_calls([ASK, CALL, RESULT]) == [{"id": None, "name": "run", "arguments": '{"code": "6*7"}'}]
    assert tool_calls([{"role": "assistant", "tool_calls": [{"name": "f", "arguments": {}}, "junk"]}]) == [
        {"id": None, "name": "f", "arguments": {}}
    ]
    assert tool_calls([{"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "parameters": {"x": 1}}]}]) == [
        {"id": "1", "name": "f", "arguments": {"x": 1}}
    ]


@pytest.mark.parametrize("value", [None, "text", [], ["a"], [{"content": "x"}], {"role": "user"}])
def test_what_is_no_chat(value: object) -> None:
    assert not is_chat(value)
