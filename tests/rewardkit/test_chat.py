from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, UsageError, load
from rewardkit.base import Function
from rewardkit.chat import completion_turns, content_text, count_turns, final_text, is_chat, tool_calls, unreadable

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


@pytest.mark.parametrize(
    "thought",
    [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "thinking", "text": "hm"},
        {"type": "reasoning", "text": "hm"},
        {"type": "reasoning_text", "text": "hm"},
    ],
)
def test_blocks_of_thoughts_are_thoughts(thought: dict[str, Any]) -> None:
    text = {"type": "text", "text": "a"}
    for content, wanted in (([thought, text], "<think>\nhm\n</think>\n\na"), ([thought], "<think>\nhm")):
        message = {"role": "assistant", "content": content}
        assert final_text([message]) == wanted
        assert content_text(message) == wanted.partition("</think>\n\n")[2]
        assert final_text([message]) == final_text([{**message, "content": content[1:], "reasoning_content": "hm"}])
        assert not unreadable([message])


def test_typed_content_blocks_are_joined() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    assert final_text([{"role": "assistant", "content": blocks}]) == "ab"


def test_reasoning_is_not_doubled() -> None:
    message = {"role": "assistant", "content": "<think>a</think>b", "reasoning_content": "a"}
    assert final_text([message]) == "<think>a</think>b"


def test_a_thought_that_nothing_follows_is_not_closed() -> None:
    for content in (None, "", "\n"):
        cut = {"role": "assistant", "content": content, "reasoning_content": "so 4, or"}
        (score,) = load("think_format").score([Sample(messages=[ASK, cut])])
        assert (final_text([cut]), score.value) == ("<think>\nso 4, or", 0)
        assert final_text([{**cut, **CALL, "content": content}]) == "<think>\nso 4, or\n</think>\n\n" + (content or "")
    assert final_text([{**ANSWER, "reasoning": "6*7"}]) == "<think>\n6*7\n</think>\n\nIt is 42."


PARTS = [
    None, "", "b", [], ["b"], [{"type": "text", "text": "b"}], [{"type": "output_text", "text": "b"}], [{"text": "b"}], [{"type": "image_url", "image_url": {"url": "x"}}],
    [{"type": "tool_use", "name": "f", "input": {}}], [{"type": "thinking", "thinking": "b"}, {"type": "text", "text": "b", "image_url": None}],
]  # fmt: skip
UNREADABLE = [
    4, True, {"type": "text", "text": "b"}, [4], [None], [["b"]], [{"type": "text", "value": "b"}], [{"type": "text", "text": None}], [{"value": "b"}], [{"type": "text", "text": ["b"]}],
    [{"type": "text", "text": "a"}, {"type": "text", "content": "b"}],
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "readable"), [*((each, True) for each in PARTS), *((each, False) for each in UNREADABLE)]
)
@pytest.mark.parametrize("field", ["messages", "completion"])
def test_a_message_in_a_form_that_is_not_known_is_no_empty_one(content: object, readable: bool, field: str) -> None:
    said = {"role": "assistant", "content": content}
    for chat in ([said], [ASK, said], [ASK, said, RESULT, ANSWER]):
        if readable:
            assert Sample(**{field: chat}).completion == final_text(chat)
        else:
            with pytest.raises(UsageError, match="content of a message"):
                Sample(**{field: chat})
        assert Sample(completion="42", messages=chat).completion == "42"  # the text of the model is known


@pytest.mark.parametrize("role", ["model", "ai", "gpt", "Assistant", "user", "tool"])
def test_a_chat_without_a_message_of_the_model_has_no_completion(role: str) -> None:
    for chat in ([{"role": role, "content": "b"}], [ASK, {"role": role, "content": "b"}]):
        with pytest.raises(UsageError, match="no message with the role 'assistant'"):
            Sample(messages=chat)
        assert load("exact")(completions=["b", chat], ground_truth=["b", "b"]) == [1.0, None]
    with pytest.raises(UsageError, match="behind its prompt"):
        Sample(prompt=[ASK, ANSWER, ASK], messages=[ASK, ANSWER, ASK])


def test_prompt_turns_are_no_completion() -> None:
    assert list(completion_turns([ASK, ANSWER])) == [ANSWER]


CHATS = st.lists(st.sampled_from([ASK, CALL, RESULT, ANSWER]), max_size=6)


@given(CHATS, CHATS)
def test_turns_of_a_prompt_are_no_completion_where_it_says_where_it_ends(
    prompt: list[dict[str, object]], turns: list[dict[str, object]]
) -> None:
    if not turns:
        assert list(completion_turns([*prompt], prompt)) == []
        return
    turns = [ANSWER, *turns]
    sample = Sample(prompt=prompt, messages=[*prompt, *turns])
    assert list(sample.turns) == turns
    assert sample.completion == final_text(turns)
    assert Sample.from_row(sample.to_row()) == sample
    assert (
        list(Sample(prompt=[ASK, *prompt], completion=turns).turns) == turns
    )  # as trainers give it, without the prompt
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
        {"id": None, "name": "f", "arguments": {}},
        {"id": None, "name": None, "arguments": None},  # "junk", which is a malformed call
    ]
    assert tool_calls([{"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "parameters": {"x": 1}}]}]) == [
        {"id": "1", "name": "f", "arguments": {"x": 1}}
    ]


@pytest.mark.parametrize(
    "field",
    [
        {"tool_calls": '[{"name": "f", "arguments": {}'},
        {"tool_calls": {"name": "f", "arguments": {}}},
        {"function_call": '["f"]'},
    ],
)
def test_calls_in_a_form_that_is_not_known_are_not_no_calls(field: dict[str, object]) -> None:
    for reward in ("tool_match", "tool_call_format", "tool_efficiency", "turn_protocol"):
        for said in ({}, {"completion": "It is 42."}):
            (score,) = load(reward).score([Sample(**said, messages=[ASK, {**ANSWER, **field}], ground_truth=[])])
            assert score.verdict == "unjudged"
            assert f"{next(iter(field))} of a message is" in score.reason


@pytest.mark.parametrize("value", [None, "text", [], ["a"], [{"content": "x"}], {"role": "user"}])
def test_what_is_no_chat(value: object) -> None:
    assert not is_chat(value)
