import pytest

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


def test_tool_calls_come_in_order() -> None:
    assert tool_calls([ASK, CALL, RESULT]) == [{"name": "run", "arguments": '{"code": "6*7"}'}]
    assert tool_calls([{"role": "assistant", "tool_calls": [{"name": "f", "arguments": {}}, "junk"]}]) == [
        {"name": "f", "arguments": {}}
    ]


@pytest.mark.parametrize("value", [None, "text", [], ["a"], [{"content": "x"}], {"role": "user"}])
def test_what_is_no_chat(value: object) -> None:
    assert not is_chat(value)
