"""Whether the tool calls are readable: valid JSON, a known name, arguments as an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.chat import tool_call
from rewardkit.coerce import without_nulls
from rewardkit.errors import MissingDataError, quoted
from rewardkit.rewards._calls import Call, calls_of
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class ToolCallFormat(SampleReward):
    """Share of the tool calls that can be read: JSON with a name and an object of arguments. No call at all is 0.

    Where `extra_info["tools"]` holds the tools (OpenAI schemas, names, or a mapping from names, also as JSON text), a call must name
    one of them. Tools without a name leave the sample unjudged.
    """

    name: ClassVar[str] = "tool_call_format"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "ToolRL (arXiv 2504.13958), format reward, per call"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Read each call."""
        tools = sample.extra_info.get("tools")
        given = not (tools is None or tools == {} or (isinstance(tools, str) and tools.strip() in {"", "null", "{}"}))
        known = set(_tool_names(tools)) if given else None
        calls = calls_of(sample)
        if not calls:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no tool call")
        problems = [problem for call in calls if (problem := _problem(call, known))]
        value = (len(calls) - len(problems)) / len(calls)
        verdict = Verdict.CORRECT if not problems else Verdict.MALFORMED if value == 0 else Verdict.PARTIAL
        reason = problems[0] if problems else f"{len(calls)} readable"
        return Score.of(value, verdict=verdict, reason=reason)


def _problem(call: Call, known: set[str] | None) -> str:
    if call.problem:
        return call.problem
    return f"no tool is called {call.name!r}" if known is not None and call.name not in known else ""


def _tool_names(written: Any) -> list[str]:
    """The names of tools: a list of schemas or names, each also as JSON text; one schema; or a mapping from names.

    Raises:
        MissingDataError: none of the tools has a name.
    """
    tools = parse_json(written) if isinstance(written, str) else written
    one = without_nulls(mapping(tools))
    named = [_tool_name(tool) for tool in items(tools)] or [_tool_name(one)]
    by_name = [name for name, tool in one.items() if isinstance(tool, (Mapping, str))]
    names = list(filter(None, named)) or by_name
    if not names and tools != []:
        raise MissingDataError(f"extra_info tools: {quoted(written, 100)} is no list of tools with names")
    return names


def _tool_name(tool: Any) -> str:
    if isinstance(tool, str):
        if not tool.lstrip().startswith(("{", '"')):
            return tool.strip()
        tool = parse_json(tool)
    name = tool if isinstance(tool, str) else tool_call(mapping(tool))["name"]
    return name if isinstance(name, str) else ""
