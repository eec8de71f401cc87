"""Tool calls of a sample, from the messages of a chat or from `<tool_call>` tags in text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardkit import coerce
from rewardkit.chat import TOOL_ROLES, Message, blocks_of, content_text, tool_call, tool_calls, unreadable_calls
from rewardkit.errors import GroundTruthError, MissingDataError
from rewardkit.rewards._json import MAX_DEPTH, is_deep, items, mapping, parse_json
from rewardkit.rewards._text import sections
from rewardkit.thoughts import after_thinking, spoken
from rewardkit.types import Sample


@dataclass(frozen=True)
class Call:
    """One tool call. `problem` says why it cannot be read; then name and arguments are empty. A null argument counts as left out."""

    name: str
    arguments: Mapping[str, Any]
    problem: str = ""
    identity: str | None = None
    """The `id` by which its result names it."""

    @property
    def key(self) -> str:
        """Equal for equal calls."""
        return json.dumps([self.name, self.arguments], sort_keys=True, ensure_ascii=False, default=str)


def calls_of(sample: Sample) -> list[Call]:
    """All tool calls in order: those of the turns of a chat, else those in `<tool_call>` tags of the completion. Thoughts hold none."""
    turns = calls_by_turn(sample.turns, prose=bool(tool_calls(sample.turns)))
    return [call for calls in turns for call in calls] or list(_calls_in(spoken(sample.completion), prose=False))


def calls_by_turn(turns: Sequence[Message], *, prose: bool) -> list[list[Call]]:
    """The calls of each turn: those that were parsed, then those in `<tool_call>` tags behind its thoughts; none if it is not the model's.

    A call in the text that its message also has parsed counts once. In `prose`, tags in front of anything but JSON are only spoken of.
    """
    return [_calls_of_turn(turn, prose=prose) if turn.get("role") == "assistant" else [] for turn in turns]


def _calls_of_turn(turn: Message, *, prose: bool) -> list[Call]:
    if problem := unreadable_calls(turn):
        raise MissingDataError(problem)
    calls = [read_call(raw) for raw in tool_calls([turn])]
    keys = {call.key for call in calls}
    written = _calls_in(after_thinking(content_text(turn)), prose=prose)
    return calls + [call for call in written if call.problem or call.key not in keys]


def results_of(turn: Message) -> Sequence[Message]:
    """The results of tools in a turn: a tool's message is one; a user's message may hold several in `<tool_response>` tags or `tool_result` blocks."""
    if turn.get("role") != "assistant" and (blocks := blocks_of(turn, "tool_result")):
        return [{**block, "tool_call_id": block.get("tool_use_id")} for block in blocks]
    if str(turn.get("role")) in TOOL_ROLES:
        return (turn,)
    text = content_text(turn) if turn.get("role") == "user" else ""
    if not text.lstrip().startswith("<tool_response>"):
        return ()
    return [{"role": "tool", "content": result} for result in sections(text, "tool_response")]


def _calls_in(text: str, *, prose: bool) -> Iterator[Call]:
    found = sections(text, "tool_call")
    for section in found:
        if prose and not section.lstrip().startswith(("{", "[")):
            continue
        values = [parse_json(section)]
        if not isinstance(values[0], Mapping):  # ToolRL's layout has one call a line
            values = [parse_json(line) for line in section.split("\n") if line.strip()]
        if values and all(isinstance(value, Mapping) for value in values):
            yield from (read_call(mapping(value)) for value in values)
        else:
            yield Call("", {}, "the call is not a JSON object")
    rest = text.rpartition("<tool_call>")[2].lstrip()
    if text.count("<tool_call>") > len(found) and (rest.startswith(("{", "[")) or not prose):
        yield Call("", {}, "<tool_call> is never closed")


def read_call(raw: Mapping[str, Any], *, strict: bool = True) -> Call:
    """A call with arguments as an object or as its JSON text (see `parse_json`), as OpenAI's API sends them; without parameters `{}`."""
    identity, name, arguments = tool_call(raw).values()
    identity = identity if isinstance(identity, str) else None
    if not isinstance(name, str) or not name.strip():
        return Call("", {}, "the call has no name", identity)
    if isinstance(arguments, str):
        arguments = parse_json(arguments, strict=strict)
    if not isinstance(arguments, Mapping):
        return Call("", {}, f"the arguments of {name} are not a JSON object", identity)
    if is_deep(arguments):
        return Call("", {}, f"the arguments of {name} are nested deeper than {MAX_DEPTH}", identity)
    return Call(name, coerce.without_nulls(mapping(arguments)), identity=identity)


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
        raw = tool_call(mapping(item))
        calls.append(read_call({**raw, "arguments": {} if raw["arguments"] is None else raw["arguments"]}))
        if calls[-1].problem:
            raise GroundTruthError(f"ground truth call {len(calls)}: {calls[-1].problem}")
    return calls
