"""Tool calls of a sample, from the messages of a chat or from `<tool_call>` tags in text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rewardkit.chat import content_text, tool_calls
from rewardkit.errors import GroundTruthError
from rewardkit.rewards._json import MAX_DEPTH, is_deep, items, mapping, parse_json
from rewardkit.rewards._text import after_thinking, sections
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
    """All tool calls in order: of each message of the model, those that were parsed, then those in `<tool_call>` tags behind its thoughts.

    A call in the text that its message also has parsed counts once. Where no message has a call, those in the completion count.
    """
    turns = [turn for turn in sample.turns if turn.get("role") == "assistant"]
    parsed = bool(tool_calls(turns))
    calls: list[Call] = []
    for turn in turns:
        own = [read_call(raw) for raw in tool_calls([turn])]
        keys = {call.key for call in own}
        calls += own
        written = _calls_in(after_thinking(content_text(turn)), prose=parsed)
        calls += [call for call in written if call.problem or call.key not in keys]
    return calls or list(_calls_in(sample.completion, prose=False))


def _calls_in(text: str, *, prose: bool) -> Iterator[Call]:
    """The calls between tags. In `prose`, tags in front of anything but JSON are only spoken of."""
    found = sections(text, "tool_call")
    for section in found:
        if prose and not section.lstrip().startswith(("{", "[")):
            continue
        value = parse_json(section)
        readable = isinstance(value, Mapping)
        yield read_call(mapping(value)) if readable else Call("", {}, "the call is not a JSON object")
    rest = text.rpartition("<tool_call>")[2].lstrip()
    if text.count("<tool_call>") > len(found) and (rest.startswith(("{", "[")) or not prose):
        yield Call("", {}, "<tool_call> is never closed")


def read_call(raw: Mapping[str, Any]) -> Call:
    """A call with arguments as an object or as its JSON text, as OpenAI's API sends them; without parameters `{}`."""
    name = raw.get("name")
    arguments = raw.get("arguments", raw.get("parameters"))
    if not isinstance(name, str) or not name.strip():
        return Call("", {}, "the call has no name")
    if isinstance(arguments, str):
        arguments = parse_json(arguments)
    if not isinstance(arguments, Mapping):
        return Call("", {}, f"the arguments of {name} are not a JSON object")
    if is_deep(arguments):
        return Call("", {}, f"the arguments of {name} are nested deeper than {MAX_DEPTH}")
    return Call(name, mapping(arguments))


def gold_calls(sample: Sample) -> list[Call]:
    """The calls that the ground truth asks for: one call, or a list of them, also as JSON text. Arguments may be left out.

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
        raw = mapping(mapping(item).get("function")) or mapping(item)
        arguments = raw.get("arguments", raw.get("parameters"))
        calls.append(read_call({**raw, "arguments": {} if arguments is None else arguments}))
        if calls[-1].problem:
            raise GroundTruthError(f"ground truth call {len(calls)}: {calls[-1].problem}")
    return calls
