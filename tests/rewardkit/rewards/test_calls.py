"""Which tool calls a chat holds, parsed or as text, and which of them can be read."""

import json
from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.rewards._json import MAX_DEPTH
from rewardkit.rewards.tool_efficiency import call_outcomes

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


@given(st.lists(st.sampled_from([{}, {"x": "\u2028"}, {"y": {"z": [2]}}]), min_size=1, max_size=4), st.data())
def test_calls_are_the_same_one_a_line_in_one_pair_of_tags_and_each_in_its_own(arguments, data):
    """ToolRL's prompt asks for the former, Hermes' for the latter."""
    lines = [
        json.dumps({"name": f"f{index}", "arguments": given}, ensure_ascii=False)
        for index, given in enumerate(arguments)
    ]
    truth = [json.loads(line) for line in lines]
    bad = data.draw(st.sampled_from(["", "{", "[]", "done"]))
    for text in ("<tool_call>\n" + "\n\n".join([*lines, bad]) + "\n</tool_call>", "".join(f"<tool_call>{line}</tool_call>" for line in [*lines, *([bad] if bad else [])])):  # fmt: skip
        assert value("tool_match(partial=False)", [turn(text=text)], truth) == (not bad)
        assert (value("tool_call_format", [turn(text=text)]) == 1) == (not bad)


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


THOUGHTS = [
    f"a call is written {written('g')}",
    "calls stand in <tool_call> tags",
    "<tool_call>{",
    written(),
    f"{written()} <tool_call>",
]
SAID = {
    "text": lambda thought, said: [f"<think>{thought}</think>{said}"],
    "chat": lambda thought, said: [[turn(text=f"<think>{thought}</think>{said}")]],
    "cut out": lambda thought, said: [[{**turn(text=said), "reasoning_content": thought}]],
    "all of a chat": lambda thought, said: [
        [turn(text=f"<think>{thought}</think>more"), {"role": "user", "content": "go on"}, turn(text=said)],
        [{**turn(text="more"), "reasoning": thought}, {"role": "user", "content": "go on"}, turn(text=said)],
    ],
    "after a prompt": lambda thought, said: [[{"role": "user", "content": written("g")}, turn(text=f"<think>{thought}</think>{said}")]],
}  # fmt: skip


@pytest.mark.parametrize("thought", THOUGHTS)
@pytest.mark.parametrize("form", SAID)
def test_a_call_in_thoughts_is_no_call(thought, form):
    truth = [{"name": "f", "arguments": {}}]
    for said, calls in ((written(), 1), ("I cannot.", 0)):
        for completion in SAID[form](thought, said):
            for reward in ("tool_call_format", "tool_match", "tool_match(partial=False)"):
                (score,) = load(reward).score([Sample(completion=completion, ground_truth=truth)])
                assert score.value == calls, (completion, score)
            (score,) = load("tool_match").score([Sample(completion=completion, ground_truth=[])])
            assert score.value == 1 - calls


@pytest.mark.parametrize("thought", THOUGHTS)
def test_a_thought_that_never_ends_neither_calls_nor_decides_against_it(thought):
    for completion in (f"<think>{thought}", f"Well. <think>{thought}", f"<think>a</think><think>{thought}"):
        for messages in (completion, [turn(text=completion)]):
            for truth in ([{"name": "f", "arguments": {}}], []):
                (score,) = load("tool_match").score([Sample(completion=messages, ground_truth=truth)])
                assert score.value == 0


SHAPES = {
    "OpenAI": lambda name, arguments: turn({"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}),
    "an object": lambda name, arguments: turn({"function": {"name": name, "arguments": arguments}}),
    "flat": lambda name, arguments: turn({"name": name, "arguments": arguments}),
    "parameters": lambda name, arguments: turn({"name": name, "parameters": arguments}),
    "padded": lambda name, arguments: turn({"function": None, "name": name, "arguments": None, "parameters": arguments}),
    "function with parameters": lambda name, arguments: turn({"function": {"name": name, "parameters": arguments}}),
    "OpenAI's older one": lambda name, arguments: {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": json.dumps(arguments)}},
    "Anthropic": lambda name, arguments: {"role": "assistant", "content": [{"type": "text", "text": "hm"}, {"type": "tool_use", "id": "1", "name": name, "input": arguments}]},
    "two forms": lambda name, arguments: {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": name, "input": arguments}], "tool_calls": [{"id": "1", "name": name, "arguments": arguments}], "function_call": {"name": "", "arguments": None}},
    "JSON text": lambda name, arguments: {"role": "assistant", "content": "", "tool_calls": json.dumps([{"id": "1", "name": name, "arguments": arguments}])},
    "text": lambda name, arguments: turn(text=written(name, arguments)),
    "text with parameters": lambda name, arguments: turn(text=f"<tool_call>{json.dumps({'name': name, 'parameters': arguments})}</tool_call>"),
    "both": lambda name, arguments: turn(call(name, json.dumps(arguments)), text=written(name, arguments)),
}  # fmt: skip
ANSWERED = {
    "a tool's message": lambda text: {"role": "tool", "content": text},
    "a function's": lambda text: {"role": "function", "content": text},
    "Anthropic": lambda text: {"role": "user", "content": [{"type": "tool_result", "content": text}]},
    "tags": lambda text: {"role": "user", "content": f"<tool_response>\n{text}\n</tool_response>"},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("answered", ANSWERED)
def test_all_rewards_read_a_call_in_each_of_its_shapes(shape, answered):
    made, result = SHAPES[shape]("f", {"x": 1}), ANSWERED[answered]
    truth = [{"name": "f", "arguments": {"x": 1}}]
    asked, done = {"role": "user", "content": "q"}, turn(text="done")
    for chat, efficiency, protocol in (
        ([made, result("ok"), done], 0, 1),
        ([made, result("Error: no"), done], -0.1, 1),
        ([made, done], -0.1, 0),
        ([made], -0.1, 0),
    ):
        assert value("tool_match(partial=False)", [asked, *chat], truth) == 1
        assert value("tool_call_format", chat) == 1
        assert value("tool_efficiency", [asked, *chat]) == efficiency
        assert value("turn_protocol", [asked, *chat]) == protocol
    twice = [made, result("ok"), made, result("ok"), done]
    assert value("tool_efficiency", twice) == -0.1
    assert value("turn_protocol", twice) == 1
    assert value("turn_protocol(max_rounds=1)", twice) == 0
    if answered == "tags":
        pair = turn(text=written("f") + written("g"))
        both = {"role": "user", "content": "".join(result(text)["content"] for text in ("1", "2"))}
        assert value("turn_protocol", [pair, both, done]) == 1
        assert value("tool_efficiency", [pair, both, done]) == 0
    assert value("turn_protocol", [turn(text="hi"), result("ok"), done]) == (answered in ("tags", "Anthropic"))


@pytest.mark.parametrize("content", [42, 0, False, 1.5, {"x": 1}, [{"type": "text", "text": "1"}], "0", "false"])
def test_a_result_of_any_type_is_one(content):
    chat = [turn(call("f")), {"role": "tool", "content": content}, turn(text="done")]
    assert value("tool_efficiency", chat) == 0


def test_a_result_in_a_block_answers_the_call_that_it_names():
    calls = [{"type": "tool_use", "id": name, "name": "f", "input": {"x": name}} for name in "ab"]
    answers = [
        {"type": "tool_result", "tool_use_id": "b", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True},
    ]
    chat = [{"role": "assistant", "content": calls}, {"role": "user", "content": answers}]
    assert call_outcomes(chat) == ["failed", "useful"]


@pytest.mark.parametrize(
    "nulls", [{"unit": None}, {"unit": None, "deep": {"a": None}}, {"rows": [{"a": 1, "b": None}]}]
)
def test_an_argument_that_is_null_counts_as_left_out(nulls):
    plain = {
        "city": "Oslo",
        **({"deep": {}} if "deep" in nulls else {}),
        **({"rows": [{"a": 1}]} if "rows" in nulls else {}),
    }
    for made in (plain, {**plain, **nulls}):
        for wanted in (plain, {**plain, **nulls}):
            for truth in ([{"name": "f", "arguments": wanted}], json.dumps({"name": "f", "arguments": wanted})):
                assert value("tool_match(partial=False)", [turn(call("f", made))], truth) == 1
    assert (
        value("tool_match(partial=False)", [turn(call("f", {"unit": "C"}))], [{"name": "f", "arguments": nulls}]) == 0
    )


SCHEMA = {"type": "function", "function": {"name": "f", "parameters": {}}}


@pytest.mark.parametrize("tools", [
    ["f"], [SCHEMA], [SCHEMA["function"]], SCHEMA, SCHEMA["function"], {"f": {}}, {"f": "what it does"}, {"f": {}, "padded": None},
])  # fmt: skip
def test_a_call_must_name_a_tool_however_the_tools_are_written(tools):
    texts = [json.dumps(tools), *([[json.dumps(tool) for tool in tools]] if isinstance(tools, list) else [])]
    for form in (tools, *texts):
        for name, right in (("f", 1), ("made_up", 0)):
            assert named_by(form, name) == right, form


@pytest.mark.parametrize(
    "tools",
    [
        "f",
        "see the docs",
        "[",
        3,
        True,
        [{}],
        [{"type": "web_search"}],
        [3],
        ['{"a": 1}'],
        {"tools": ["f"]},
    ],
)
def test_tools_without_names_leave_the_row_unjudged(tools):
    assert named_by(tools, "f") is None
    assert value("tool_call_format", [turn(text="no call")]) == 0


@pytest.mark.parametrize("tools", [None, "", " ", "null", {}, "{}"])
def test_any_name_will_do_where_no_tools_are_given(tools):
    assert named_by(tools, "f") == 1


def test_tools_without_a_name_are_passed_over():
    assert named_by(["f", {"type": "web_search"}], "f") == 1
    assert named_by(["f", {"type": "web_search"}], "g") == 0


def test_a_call_names_none_of_no_tools():
    assert named_by([], "f") == named_by("[]", "f") == 0


def named_by(tools, name):
    (score,) = load("tool_call_format").score([Sample(messages=[turn(call(name))], extra_info={"tools": tools})])
    return score.value


FAILED = [
    str({"error": "Tool g not found."}), json.dumps({"error": "x"}), json.dumps({"result": None, "error": {"code": 3}}), '{"status": "error"}', "Error: x", "[ERROR] x",
    "Tool call failed: x", "tool error: x", "Execution failed", "Execution timed out", "Invalid argument", "urllib.error.HTTPError: 404", "x = 1\nValueError: bad",
    "output\nTraceback (most recent call last):\n  ...",
]  # fmt: skip
USEFUL = [
    "Search results:\n1. foo\nError handling in Python", "Docs\nException hierarchy", "0 rows\nTimeout: 30", "Title\nUnknown tool marks", "Log\nerror: 5 of them",
    json.dumps({"error": None, "result": 4}), str({"error": None, "result": 4}), '{"error": "", "result": 4}', '{"error": false}', '{"status": "ok"}', '["error"]', "No errors. All tests passed",
]  # fmt: skip


@pytest.mark.parametrize(("text", "failed"), [*((text, True) for text in FAILED), *((text, False) for text in USEFUL)])
def test_a_result_says_at_its_start_or_in_its_fields_that_the_call_failed(text, failed):
    for content in (text, [{"type": "text", "text": text}], f"\n {text}"):
        chat = [turn(call()), {"role": "tool", "content": content}, turn(text="done")]
        assert value("tool_efficiency", chat) == (-0.1 if failed else 0), content


@pytest.mark.parametrize(
    ("content", "wasted"),
    [
        ([{"type": "image_url", "image_url": {"url": "x"}}], 0),
        ([{"type": "text", "text": ""}, {"type": "image"}], 0),
        ({"rows": 1}, 0),
        ({"error": "no"}, 1),
        ({"status": "error"}, 1),
        ([{"type": "text", "text": " "}], 1),
        ({}, 1),
        ([], 1),
        (None, 1),
    ],
)
def test_a_result_that_is_no_text_is_one(content, wasted):
    chat = [turn(call()), {"role": "tool", "content": content}, turn(text="done")]
    assert value("tool_efficiency", chat) == -0.1 * wasted


@pytest.mark.parametrize("last", ["", " ", "<think>a</think>", "<think>a", "[THINK]a[/THINK]\n"])
def test_a_thought_is_no_answer_at_the_end_of_a_protocol(last):
    chat = [turn(call()), {"role": "tool", "content": "4"}]
    assert value("turn_protocol", [*chat, turn(text=last)]) == 0
    assert value("turn_protocol", [*chat, turn(text=f"{last}</think>done")]) == 1


THOUGHTS = ["{}", "<think>a</think>{}", "a</think>{}", "<think>a</think>{}<tool_response>1</tool_response><think>b</think>done", "{}<think>b", "a</think>{}<think>b</think>"]  # fmt: skip


@pytest.mark.parametrize("text", THOUGHTS)
def test_calls_of_a_rollout_that_is_text_count_but_for_those_in_its_thoughts(text):
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    right = Sample(completion=text.format(call), ground_truth=[{"name": "f", "arguments": {}}])
    thought = Sample(
        completion=f"<think>{call}</think>{text.format('')}\n<think>{call}", ground_truth=right.ground_truth
    )
    assert [score.value for score in load("tool_match").score([right, thought])] == [1, 0]


THREE = st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys("xyz", st.integers(0, 2))), min_size=3, max_size=3)


@settings(max_examples=200)
@given(THREE, THREE)
@example(
    [{"z": 2, "x": 1}, {"z": 0, "y": 1, "x": 2}, {"y": 0, "x": 1}],
    [{"x": 0}, {"x": 0, "y": 2, "z": 0}, {"x": 0, "z": 2, "y": 1}],
)
def test_the_order_of_calls_changes_nothing_where_any_will_do(wanted, made):
    """Neither that of the ground truth nor that of the calls; ties between pairs are decided by what the calls say."""
    values = {
        value(
            "tool_match(order='any')",
            [turn(*(call("f", json.dumps(arguments)) for arguments in calls))],
            [{"name": "f", "arguments": arguments} for arguments in truth],
        )
        for truth, calls in [
            *((each, made) for each in permutations(wanted)),
            *((wanted, each) for each in permutations(made)),
        ]
    }
    assert len(values) == 1
