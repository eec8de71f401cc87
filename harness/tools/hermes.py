"""Hermes tool calls in plain text: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, on any server."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rewardkit.rewards._json import check_depth

MAX_CALLS_PER_TURN = 8
"""More calls in one message are answered with an error."""
MAX_CALL_CHARS = 100_000
"""A longer call is malformed."""
_BLOCK = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Call:
    """One tool call as the model wrote it."""

    name: str
    arguments: Mapping[str, Any]
    problem: str | None = None
    """Why it cannot be run, in words that the model can act on."""
    id: str | None = None


def system_prompt(tools: Sequence[Mapping[str, Any]]) -> str:
    """The system prompt that lists the tools, in the words of the Hermes and Qwen chat templates."""
    signatures = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return (
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        f"You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{signatures}\n</tools>\n\n"
        "For each function call, return a json object with function name and arguments within <tool_call></tool_call> "
        'XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
    )


def parse_text(text: str) -> list[Call]:
    """The calls in a message, after its last thought. A call that cannot be read is there with its problem.

    >>> parse_text('<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>')[0].arguments
    {'x': 1}
    """
    spoken = text.rpartition("</think>")[2]
    return [_read(match[1], closed=match[0].endswith("</tool_call>")) for match in _BLOCK.finditer(spoken)]


def parse_openai(calls: Sequence[Mapping[str, Any]]) -> list[Call]:
    """Calls that the server parsed, in OpenAI's shape."""
    return [_check(call["function"], call.get("id")) for call in calls]


def _read(body: str, *, closed: bool) -> Call:
    if not closed:
        return Call("", {}, "the call has no closing </tool_call>")
    if len(body) > MAX_CALL_CHARS:
        return Call("", {}, f"the call is longer than {MAX_CALL_CHARS} characters")
    try:
        value = _parsed(body.strip())
    except (ValueError, RecursionError) as error:
        return Call("", {}, f'the call is not valid JSON ({error}); write {{"name": ..., "arguments": {{...}}}}')
    if not isinstance(value, Mapping):
        return Call("", {}, "the call is not a JSON object with name and arguments")
    return _check(cast("Mapping[str, Any]", value), None)


def _parsed(text: str) -> Any:
    check_depth(text)
    return json.loads(text, strict=False)


def _check(value: Mapping[str, Any], identity: str | None) -> Call:
    name = value.get("name")
    arguments = value.get("arguments", value.get("parameters", {}))
    if not isinstance(name, str) or not name:
        return Call("", {}, "the call has no name", identity)
    if isinstance(arguments, str):
        try:
            arguments = cast("Any", _parsed(arguments) if arguments.strip() else {})
        except (ValueError, RecursionError) as error:
            return Call(name, {}, f"the arguments are not valid JSON ({error})", identity)
    if not isinstance(arguments, Mapping):
        return Call(name, {}, "the arguments are not a JSON object", identity)
    return Call(name, dict(cast("Mapping[str, Any]", arguments)), None, identity)
