"""Hermes tool calls in plain text: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, on any server."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardkit.rewards._calls import Call, read_call
from rewardkit.rewards._json import check_depth, mapping

MAX_CALLS_PER_TURN = 8
"""More calls in one message are answered with an error."""
MAX_CALL_CHARS = 100_000
"""A longer call is malformed."""
_BLOCK = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)


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
    return [read_call(call, strict=False) for call in calls]


def _read(body: str, *, closed: bool) -> Call:
    if not closed:
        return Call("", {}, "the call has no closing </tool_call>")
    if len(body) > MAX_CALL_CHARS:
        return Call("", {}, f"the call is longer than {MAX_CALL_CHARS} characters")
    try:
        check_depth(body)
        value = json.loads(body.strip(), strict=False)
    except (ValueError, RecursionError) as error:
        return Call("", {}, f'the call is not valid JSON ({error}); write {{"name": ..., "arguments": {{...}}}}')
    if not isinstance(value, Mapping):
        return Call("", {}, "the call is not a JSON object with name and arguments")
    return replace(read_call(mapping(value), strict=False), identity=None)  # the server knows of no call in a text
