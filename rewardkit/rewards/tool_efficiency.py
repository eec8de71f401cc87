"""A penalty for tool calls that fail or have no effect."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.chat import TOOL_ROLES, completion_turns, content_text
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.rewards._calls import Call, read_call
from rewardkit.rewards._json import items, mapping
from rewardkit.types import Sample, Score, Verdict

HEAD_CHARS = 2_000
"""This many characters at both ends of a result are searched for signs of failure."""
_FAILURE = re.compile(
    r"^\s*(?:\[?error\b|exception\b|traceback\b|failed\b|invalid\b|unknown tool|no such tool|timed? ?out\b)"
    r"|Traceback \(most recent call last\)|^\w*(?:Error|Exception): ",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class CallReport:
    """How one tool call went: `useful`, `failed`, `empty`, `repeated`, `unreadable` or `unanswered`."""

    call: Call
    outcome: str


@dataclass(frozen=True, kw_only=True)
class ToolEfficiency(SampleReward):
    """`-penalty` for each tool call that failed, gave nothing, could not be read, or repeated an earlier call; at least `floor`.

    A call with the same name and arguments as an earlier one is repeated, unless the earlier one failed. No calls: 0. Needs
    `messages` with the tools' results.
    """

    name: ClassVar[str] = "tool_efficiency"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "rewardkit, after OTC (arXiv 2504.14870): fewer calls that help no more"
    needs: ClassVar[tuple[str, ...]] = ("messages",)
    bounded: ClassVar[bool] = True

    penalty: float = 0.1
    """Taken off for each such call."""
    floor: float = -0.5
    """The value never falls below this."""

    def __post_init__(self) -> None:
        if self.penalty < 0 or self.floor > 0:
            raise UsageError(f"tool_efficiency: needs penalty >= 0 and floor <= 0, not {self.penalty}, {self.floor}")

    def grade(self, sample: Sample) -> Score:
        """Classify each call."""
        if sample.messages is None:
            raise MissingDataError("no messages: the tool calls are not known")
        reports = call_reports(sample.turns)
        wasted = [report for report in reports if report.outcome != "useful"]
        kinds = {
            kind: sum(report.outcome == kind for report in wasted) for kind in {report.outcome for report in wasted}
        }
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none wasted"
        value = max(self.floor, -self.penalty * len(wasted)) if wasted else 0.0
        verdict = Verdict.CORRECT if not wasted else Verdict.WRONG if len(wasted) == len(reports) else Verdict.PARTIAL
        parts: dict[str, float | None] = {"calls": float(len(reports)), "wasted": float(len(wasted))}
        return Score.of(value, verdict=verdict, reason=f"{len(reports)} calls: {listed}", parts=parts)


def call_reports(messages: Sequence[Mapping[str, Any]]) -> list[CallReport]:
    """The outcome of each tool call of a chat, in order."""
    reports: list[CallReport] = []
    seen: set[str] = set()
    turns = completion_turns(messages)
    for position, turn in enumerate(turns):
        calls = items(turn.get("tool_calls")) if turn.get("role") == "assistant" else ()
        results = _results_after(turns, position)
        for number, raw in enumerate(calls):
            identity = mapping(raw).get("id")
            call = read_call(mapping(mapping(raw).get("function")) or mapping(raw))
            result = results.get(identity) if isinstance(identity, str) else None
            result = result or results.get(number)
            outcome = _outcome(call, result, seen)
            if outcome not in {"failed", "unanswered"}:
                seen.add(call.key)
            reports.append(CallReport(call, outcome))
    return reports


def _results_after(turns: Sequence[Mapping[str, Any]], position: int) -> dict[str | int, Mapping[str, Any]]:
    results: dict[str | int, Mapping[str, Any]] = {}
    for turn in turns[position + 1 :]:
        if str(turn.get("role")) not in TOOL_ROLES:
            break
        identity = turn.get("tool_call_id")
        results[identity if isinstance(identity, str) else len(results)] = turn
    return results


def _outcome(call: Call, result: Mapping[str, Any] | None, seen: set[str]) -> str:
    if call.problem:
        return "unreadable"
    if result is None:
        return "unanswered"
    text = content_text(result)
    if result.get("status") == "error" or result.get("is_error") is True:
        return "failed"
    if _FAILURE.search(text[:HEAD_CHARS]) or (len(text) > HEAD_CHARS and _FAILURE.search(text[-HEAD_CHARS:])):
        return "failed"
    if call.key in seen:
        return "repeated"
    return "useful" if text.strip() else "empty"
