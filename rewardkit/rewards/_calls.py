"""Tool calls of a sample, from the messages of a chat or from `<tool_call>` tags in text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewardkit.chat import completion_turns, tool_calls
from rewardkit.errors import GroundTruthError
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.rewards._text import sections
from rewardkit.types import Sample


@dataclass(frozen=True)
class Call:
    """One tool call. `problem` says why it cannot be read; then name and arguments are empty."""

    name: str
    arguments: Mapping[str, Any]
    problem: str = ""

    @property
    def key(self) -> str:
        """Equal for equal calls."""
        return json.dumps([self.name, self.arguments], sort_keys=True, ensure_ascii=False, default=str)


def calls_of(sample: Sample) -> list[Call]:
    """All tool calls in order: those of the messages, else those in the completion's `<tool_call>` tags."""
    turns = completion_turns(sample.messages or ())
    made = [read_call(raw) for raw in tool_calls(turns)]
    if made:
        return made
    text = sample.completion
    found = [read_text(section) for section in sections(text, "tool_call")]
    if text.count("<tool_call>") > len(found):
        found.append(Call("", {}, "<tool_call> is never closed"))
    return found


def read_text(text: str) -> Call:
    """A call written as JSON: `{"name": ..., "arguments": {...}}`."""
    value = parse_json(text)
    if not isinstance(value, Mapping):
        return Call("", {}, "the call is not a JSON object")
    return read_call(mapping(value))


def read_call(raw: Mapping[str, Any]) -> Call:
    """A call with arguments as an object or as its JSON text, as OpenAI's API sends them."""
    name = raw.get("name")
    arguments = raw.get("arguments", raw.get("parameters"))
    if not isinstance(name, str) or not name.strip():
        return Call("", {}, "the call has no name")
    if isinstance(arguments, str) and arguments.strip():
        arguments = parse_json(arguments)
        arguments = "unreadable" if arguments is None else arguments
    if arguments and not isinstance(arguments, Mapping):
        return Call("", {}, f"the arguments of {name} are not a JSON object")
    return Call(name, mapping(arguments))


def gold_calls(sample: Sample) -> list[Call]:
    """The calls that the ground truth asks for: one call, or a list of them, also as JSON text.

    Raises:
        GroundTruthError: it is absent or cannot be read.
    """
    truth: Any = sample.ground_truth
    if isinstance(truth, str):
        truth = parse_json(truth)
    if isinstance(truth, Mapping):
        truth = [truth]
    if not isinstance(truth, (list, tuple)):
        raise GroundTruthError("the ground truth is not a tool call or a list of them")
    calls: list[Call] = []
    for item in items(truth):
        raw = mapping(item)
        calls.append(read_call(mapping(raw.get("function")) or raw))
        if calls[-1].problem:
            raise GroundTruthError(f"ground truth call {len(calls)}: {calls[-1].problem}")
    return calls
