"""Tool conversations: parsing, bounds, budget, turns, state."""

import asyncio
import json

import pytest

from harness.backends.base import ChatPrompt, Reply, Request
from harness.tools.hermes import parse_openai, parse_text, system_prompt
from harness.tools.interpreter import ConversationTool
from harness.tools.loop import Conversation, ToolBox, converse, converse_in_rounds
from rewardkit.interpreter import SCHEMA, CodeInterpreter
from sandboxes import Execution
from sandboxes.backends.fake import FakeSandbox


def call(code: str) -> str:
    return f"<tool_call>\n{json.dumps({'name': 'code_interpreter', 'arguments': {'code': code}})}\n</tool_call>"


def box(script=lambda job: Execution(exit_code=0, stdout=b"42\n"), **options) -> ToolBox:
    tool = ConversationTool(CodeInterpreter(box=FakeSandbox(script)), state=options.pop("state", "conversation"))
    return ToolBox(tool, **options)


def request(**options) -> Request:
    prompt = ChatPrompt.of([{"role": "user", "content": "6 * 7?"}])
    return Request("k", "t", 0, 0, 1, prompt, {"max_gen_toks": 1000, **options}, {})


def hold(replies, tools: ToolBox, asked: Request | None = None):
    sent = []
    left = iter(replies)

    async def ask(_request, messages, max_tokens, schemas):
        sent.append((list(messages), max_tokens, schemas))
        return next(left)

    return asyncio.run(converse(asked or request(), ask, tools)), sent


def test_a_tool_round_is_run_answered_and_counted_as_verl_counts():
    replies = [
        Reply(f"Let me see.\n{call('print(6 * 7)')}", tokens=10),
        Reply("So \\boxed{42}.", tokens=5, finish_reason="stop"),
    ]
    tools = box()
    generation, sent = hold(replies, tools)
    assert generation.text == "So \\boxed{42}."
    assert (generation.turns, generation.tool_calls, generation.tool_errors, generation.tokens) == (4, 1, 0, 15)
    assert tools.interpreter.interpreter.box.seen[0].program == "print(6 * 7)"
    assert sent[1][0][-1] == {"role": "user", "content": "<tool_response>\n42\n</tool_response>"}
    assert [message["role"] for message in generation.messages] == ["system", "user", "assistant", "tool", "assistant"]


def test_an_answer_without_tools_is_two_turns():
    generation, _ = hold([Reply("42", tokens=1)], box())
    assert (generation.turns, generation.tool_calls) == (2, 0)


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_k_rounds_are_2k_plus_2_turns(rounds):
    generation, _ = hold([*(Reply(call("1"), tokens=1) for _ in range(rounds)), Reply("42", tokens=1)], box())
    assert generation.turns == 2 * rounds + 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<tool_call>{not json}</tool_call>", "not valid JSON"),
        ('<tool_call>{"name": "code_interpreter"', "no closing"),
        ('<tool_call>{"arguments": {}}</tool_call>', "no name"),
        ('<tool_call>["x"]</tool_call>', "not a JSON object"),
        ('<tool_call>{"name": "google", "arguments": {}}</tool_call>', "there is code_interpreter"),
        ('<tool_call>{"name": "code_interpreter", "arguments": {}}</tool_call>', '{"code": "..."}'),
        ('<tool_call>{"name": "code_interpreter", "arguments": "{"}</tool_call>', "interpreter are not a JSON object"),
        ('<tool_call>{"name": "code_interpreter", "arguments": 3}</tool_call>', "not a JSON object"),
        ("<tool_call>" + "[" * 50_000 + "</tool_call>", "not valid JSON"),
    ],
)
def test_a_call_that_cannot_run_is_answered_with_what_to_do(text, told):
    generation, sent = hold([Reply(text, tokens=1), Reply("ok", tokens=1)], box())
    assert told in sent[1][0][-1]["content"]
    assert (generation.tool_calls, generation.tool_errors) == (1, 1)


def test_calls_inside_a_thought_are_not_calls():
    assert parse_text(f"<think>{call('1')}</think>done") == []
    assert len(parse_text(f"<think>x</think>{call('1')}{call('2')}")) == 2


def test_code_with_raw_newlines_in_json_is_understood():
    text = '<tool_call>{"name": "code_interpreter", "arguments": {"code": "a = 1\nprint(a)"}}</tool_call>'
    assert parse_text(text)[0].arguments == {"code": "a = 1\nprint(a)"}
    assert parse_text(text.replace('{"name"', '{"id": "1", "name"'))[0].identity is None
    raw = {"function": {"name": "code_interpreter", "arguments": '{"code": "a = 1\nprint(a)"}'}}
    assert parse_openai([raw])[0].arguments == {"code": "a = 1\nprint(a)"}


def test_openai_calls_are_answered_under_their_id():
    raw = {"id": "c1", "type": "function", "function": {"name": "code_interpreter", "arguments": '{"code": "1"}'}}
    generation, sent = hold([Reply("", tool_calls=(raw,), tokens=1), Reply("ok", tokens=1)], box(format="openai"))
    assert sent[0][2] == [SCHEMA]
    assert sent[1][0][-1] == {"role": "tool", "tool_call_id": "c1", "content": "42"}
    assert generation.tool_calls == 1
    assert parse_openai([raw])[0].arguments == {"code": "1"}


def test_hermes_tells_the_tools_in_the_system_message_and_keeps_the_users_own():
    prompt = ChatPrompt.of([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q"}])
    asked = Request("k", "t", 0, 0, 1, prompt, {}, {})
    _, sent = hold([Reply("ok")], box(), asked)
    assert sent[0][0][0] == {"role": "system", "content": "Be brief.\n\n" + system_prompt([SCHEMA])}
    assert sent[0][2] is None


def test_the_turn_limit_ends_a_conversation():
    generation, sent = hold([Reply(call("1"), tokens=1)] * 9, box(max_turns=3))
    assert (generation.stopped, len(sent)) == ("max_turns", 3)


def test_the_token_budget_is_shared_by_all_turns():
    generation, sent = hold([Reply(call("1"), tokens=400)] * 9, box(), request(max_gen_toks=1000))
    assert [left for _, left, _ in sent] == [1000, 600, 200]
    assert (generation.stopped, generation.truncated) == ("budget", True)


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_a_message_that_is_cut_off_behind_tool_calls_has_used_up_the_budget(turns):
    """Of one message alone, the reason why it ended says enough."""
    cut = Reply("so", tokens=1, finish_reason="length")
    generation, _ = hold([Reply(call("1"), tokens=1)] * turns + [cut], box())
    assert (generation.stopped, generation.truncated) == ("budget" if turns else None, True)


def test_a_cut_off_message_makes_no_call():
    generation, _ = hold([Reply(call("1"), tokens=1000, finish_reason="length")], box())
    assert generation.truncated
    assert generation.tool_calls == 0


def test_variables_live_on_in_a_conversation_and_not_between_calls():
    replies = [Reply(call("x = 5"), tokens=1), Reply(call("print(x)"), tokens=1), Reply("5", tokens=1)]
    keeping = box()
    hold(replies, keeping)
    assert "x = 5" in keeping.interpreter.interpreter.box.seen[1].prelude
    fresh = box(state="call")
    hold(replies, fresh)
    assert [job.prelude for job in fresh.interpreter.interpreter.box.seen] == ["", ""]


def test_a_cell_that_failed_is_not_run_again():
    failing = box(lambda job: Execution(exit_code=1, error="NameError: x", stderr=b"NameError: x"))
    _, sent = hold([Reply(call("x"), tokens=1), Reply(call("1"), tokens=1), Reply("no", tokens=1)], failing)
    assert failing.interpreter.interpreter.box.seen[1].prelude == ""
    assert "NameError: x" in sent[1][0][-1]["content"]


def test_a_lost_sandbox_is_an_infrastructure_error():
    generation, _ = hold([Reply(call("1"), tokens=1), Reply("?", tokens=1)], box(lambda job: Execution(lost="gone")))
    assert "sandbox" in generation.error


def test_a_batch_model_goes_in_rounds_and_each_ends_in_its_own_time():
    done = []
    rounds = []

    def ask(asked):
        rounds.append([request.key for request, _, _ in asked])
        return [
            Reply(call("1"), tokens=1) if request.key == "long" and len(rounds) < 3 else Reply("42", tokens=1)
            for request, _, _ in asked
        ]

    asked = [
        Request(key, "t", 0, 0, 1, ChatPrompt.of([{"role": "user", "content": key}]), {}, {})
        for key in ("short", "long")
    ]
    converse_in_rounds(asked, ask, box(), lambda request, generation: done.append((request.key, generation.turns)))
    assert rounds == [["short", "long"], ["long"], ["long"]]
    assert done == [("short", 2), ("long", 6)]


def test_a_batch_error_ends_only_its_own_conversation():
    done = {}
    asked = [
        Request(key, "t", 0, 0, 1, ChatPrompt.of([{"role": "user", "content": key}]), {}, {}) for key in ("bad", "good")
    ]
    converse_in_rounds(
        asked,
        lambda live: ["out of memory" if request.key == "bad" else Reply("42", tokens=1) for request, _, _ in live],
        box(),
        lambda request, generation: done.setdefault(request.key, generation),
    )
    assert done["bad"].error == "out of memory"
    assert done["good"].error is None


def test_conversation_without_counts_estimates_tokens():
    talk = Conversation(request(), box())
    talk.accept(Reply("x" * 400))
    assert talk.tokens == 100


@pytest.mark.docker
def test_the_real_interpreter_keeps_variables():
    interpreter = ConversationTool(CodeInterpreter(sandbox="docker"))
    try:
        first, cell = asyncio.run(interpreter.run_async({"code": "x = 20\nprint('noise')"}, []))
        assert first.text == "noise"
        second, _ = asyncio.run(interpreter.run_async({"code": "```python\nx + 1\n```"}, [cell]))
        assert second.text == "21"
        third, kept = asyncio.run(interpreter.run_async({"code": "1 / 0"}, [cell]))
        assert "ZeroDivisionError" in third.text
        assert kept is None
    finally:
        interpreter.close()
