"""Whether the tool calls are readable: valid JSON, a known name, arguments as an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.rewards._calls import Call, calls_of
from rewardkit.rewards._json import items, mapping
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class ToolCallFormat(SampleReward):
    """Share of the tool calls that can be read: JSON with a name and an object of arguments. No call at all is 0.

    Where `extra_info["tools"]` holds the tools (OpenAI schemas or names), a call must name one of them.
    """

    name: ClassVar[str] = "tool_call_format"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "ToolRL (arXiv 2504.13958), format reward, per call"
    needs: ClassVar[tuple[str, ...]] = ("messages",)
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Read each call."""
        calls = calls_of(sample)
        if not calls:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no tool call")
        known = _tool_names(sample.extra_info.get("tools"))
        problems = [problem for call in calls if (problem := _problem(call, known))]
        value = (len(calls) - len(problems)) / len(calls)
        verdict = Verdict.CORRECT if not problems else Verdict.MALFORMED if value == 0 else Verdict.PARTIAL
        reason = problems[0] if problems else f"{len(calls)} readable"
        return Score.of(value, verdict=verdict, reason=reason)


def _problem(call: Call, known: set[str]) -> str:
    if call.problem:
        return call.problem
    return f"no tool is called {call.name!r}" if known and call.name not in known else ""


def _tool_names(tools: Any) -> set[str]:
    schemas = [{"name": tool} if isinstance(tool, str) else mapping(tool) for tool in items(tools)]
    names = [(mapping(schema.get("function")) or schema).get("name") for schema in schemas]
    return {name for name in names if isinstance(name, str)}
