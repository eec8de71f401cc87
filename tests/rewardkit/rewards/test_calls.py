"""Which tool calls a chat holds, parsed or as text, and which of them can be read."""

import json

import pytest

from rewardkit import Sample, load
from rewardkit.rewards._json import MAX_DEPTH

RESULT = {"role": "tool", "content": "ok"}
NO_OBJECT = [0, False, [], "", " ", '""', "0", "[]", "null", None, "{x}", ["x"], '"{}"']
REWARDS = ("tool_call_format", "tool_match", "tool_match(partial=False)", "tool_efficiency")


def call(name="f", arguments="{}"):
    return {"function": {"name": name, "arguments": arguments}}


def turn(*parsed, text=""):
    return {"role": "assistant", "content": text, **({"tool_calls": list(parsed)} if parsed else {})}


def written(name="f", arguments=None):
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments or {}})}</tool_call>"


def value(reward, messages, truth=None):
    return load(reward).score([Sample(messages=messages, ground_truth=truth)])[0].value


@pytest.mark.parametrize(
    "bad", ["<tool_call>{bad</tool_call>", "<tool_call>{", "<tool_call>[]</tool_call>", written("g")]
)
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("parsed", [True, False])
def test_a_call_counts_in_each_turn_whether_others_are_parsed_or_not(bad, place, parsed):
    good = turn(call()) if parsed else turn(text=written())
    chat = [good, RESULT, turn(text="more"), RESULT, turn(text="done")]
    truth = [{"name": "f", "arguments": {}}]
    assert value("tool_call_format", chat) == value("tool_match", chat, truth) == 1
    chat[2 * place] = {**chat[2 * place], "content": chat[2 * place]["content"] + bad}
    assert value("tool_call_format", chat) == (1 if "g" in bad else 0.5)
    assert value("tool_match(partial=False)", chat, truth) == 0
    assert value("tool_match", chat, []) == 0


def test_a_call_that_is_parsed_and_left_in_the_text_counts_once():
    chat = [turn(call("f", '{"x": 1}'), text=written("f", {"x": 1})), RESULT, turn(text="done")]
    assert value("tool_match", chat, [{"name": "f", "arguments": {"x": 1}}]) == 1


def test_what_a_tool_or_a_user_writes_is_no_call():
    chat = [
        turn(call()),
        {**RESULT, "content": written("g")},
        {"role": "user", "content": written("g")},
        turn(text="done"),
    ]
    assert value("tool_match", chat, [{"name": "f", "arguments": {}}]) == 1


@pytest.mark.parametrize("arguments", NO_OBJECT)
def test_arguments_are_an_object_or_its_text(arguments):
    chat = [turn(call("f", arguments)), RESULT, turn(text="done")]
    raw = {"name": "f", "arguments": arguments}
    texts = [json.dumps(raw), json.dumps({"name": "f"})]
    for messages in (chat, *([turn(text=f"<tool_call>{text}</tool_call>")] for text in texts)):
        assert value("tool_call_format", messages) == 0
        assert value("tool_match", messages, [{"name": "f"}]) == 0
    assert value("tool_efficiency", chat) == -0.1
    if arguments is not None:
        assert value("tool_match", chat, [raw]) is None


@pytest.mark.parametrize("arguments", [{}, "{}", {"x": 1}, '{"x": 1}'])
def test_a_call_with_an_object_of_arguments_is_readable(arguments):
    chat = [turn(call("f", arguments)), RESULT, turn(text="done")]
    assert value("tool_call_format", chat) == 1
    assert value("tool_efficiency", chat) == 0
    assert value("tool_match", chat, [{"name": "f", "arguments": arguments}]) == 1
    assert value("tool_match", [turn(call("f", "{}"))], [{"name": "f"}]) == 1


@pytest.mark.parametrize("depth", [1, MAX_DEPTH - 1, MAX_DEPTH + 1, 1_500])
@pytest.mark.parametrize("as_text", [False, True])
def test_arguments_of_any_depth_get_a_number(depth, as_text):
    nested, text = {}, '{"a":' * depth + "{}" + "}" * depth
    for _ in range(depth):
        nested = {"a": nested}
    chat = [turn(call("f", text if as_text else nested)), RESULT, turn(text="done")]
    for reward in REWARDS:
        assert value(reward, chat, [{"name": "f", "arguments": {"a": 1}}]) is not None
    assert value("tool_call_format", chat) == (depth < MAX_DEPTH)


@pytest.mark.parametrize(
    "thought", ["within <tool_call></tool_call> tags", '<tool_call>{"name": "g"}</tool_call>', "<tool_call>{"]
)
@pytest.mark.parametrize("place", ["reasoning_content", "content"])
def test_thoughts_and_talk_about_calls_are_no_calls_beside_parsed_ones(thought, place):
    said = {"reasoning_content": thought} if place == "reasoning_content" else {"content": f"<think>{thought}</think>"}
    for last in ("done", "I used `<tool_call>` tags, as in <tool_call>name</tool_call>."):
        chat = [{**turn(call("f", "{}")), **said}, RESULT, turn(text=last)]
        assert value("tool_call_format", chat) == 1
        assert value("tool_match(partial=False)", chat, [{"name": "f", "arguments": {}}]) == 1


def test_a_completion_that_repeats_the_messages_counts_their_calls_once():
    made = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    chat = [turn(text=made), RESULT, turn(text="done")]
    (score,) = load("tool_match(partial=False)").score(
        [Sample(completion=f"{made} ok done", messages=chat, ground_truth=[{"name": "f", "arguments": {}}])]
    )
    assert score.value == 1
