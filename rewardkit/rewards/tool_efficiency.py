"""A penalty for tool calls that fail or have no effect."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.chat import Message, content_text
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.rewards._calls import Call, calls_by_turn, results_of
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.types import Sample, Score, Verdict

HEAD_CHARS = 2_000
"""This many characters at both ends of a result are searched for signs of failure."""
_FAILURE = re.compile(
    r"\[?(?:(?:tool|call|execution) ){0,2}(?:error|failed|timed? ?out)\b|exception\b|traceback\b|invalid\b|unknown tool|no such tool"
    r"|\{'error': (?!None\b|False\b|''|\"\")",
    re.IGNORECASE,
)
"""How the result of a call that failed begins. The last form is TRL's: `str({"error": ...})`."""
_RAISED = re.compile(r"Traceback \(most recent call last\)|^[\w.]*(?:Error|Exception): ", re.MULTILINE)
"""What a program leaves on any line when it ends by an exception."""


@dataclass(frozen=True, kw_only=True)
class ToolEfficiency(SampleReward):
    """`-penalty` for each tool call that failed, gave nothing, could not be read, or repeated an earlier call; at least `floor`.

    A call with the same name and arguments as an earlier one is repeated, unless the earlier one failed. No calls: 0. Needs
    `messages` with the tools' results.
    """

    name: ClassVar[str] = "tool_efficiency"
    version: ClassVar[int] = 3
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
        outcomes = call_outcomes(sample.turns)
        kinds = Counter(outcome for outcome in outcomes if outcome != "useful")
        wasted = kinds.total()
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none wasted"
        value = max(self.floor, -self.penalty * wasted) if wasted else 0.0
        verdict = Verdict.CORRECT if not wasted else Verdict.WRONG if wasted == len(outcomes) else Verdict.PARTIAL
        parts: dict[str, float | None] = {"calls": float(len(outcomes)), "wasted": float(wasted)}
        return Score.of(value, verdict=verdict, reason=f"{len(outcomes)} calls: {listed}", parts=parts)


def call_outcomes(turns: Sequence[Message]) -> list[str]:
    """How each tool call in the turns of a model and its tools went: `useful`, `failed`, `empty`, `repeated`, `unreadable` or `unanswered`."""
    outcomes: list[str] = []
    seen: set[str] = set()
    for position, calls in enumerate(calls_by_turn(turns, prose=True)):
        results = _results_after(turns, position)
        for number, call in enumerate(calls):
            outcome = _outcome(call, results.get(call.identity or number) or results.get(number), seen)
            if outcome not in {"failed", "unanswered"}:
                seen.add(call.key)
            outcomes.append(outcome)
    return outcomes


def _results_after(turns: Sequence[Message], position: int) -> dict[str | int, Message]:
    found: dict[str | int, Message] = {}
    for turn in turns[position + 1 :]:
        results = results_of(turn)
        if not results:
            break
        for result in results:
            identity = result.get("tool_call_id")
            found[identity if isinstance(identity, str) else len(found)] = result
    return found


def _outcome(call: Call, result: Message | None, seen: set[str]) -> str:
    if call.problem:
        return "unreadable"
    if result is None:
        return "unanswered"
    content = result.get("content")
    plain = content is None or content == {} or isinstance(content, (str, list, tuple))
    text = content_text(result).strip() if plain else json.dumps(content, default=str)
    if result.get("is_error") is True or _says_error(result) or _failed(text):
        return "failed"
    if call.key in seen:
        return "repeated"
    return "useful" if text or _holds_more_than_text(result) else "empty"


def _holds_more_than_text(result: Message) -> bool:
    """Whether a part of a result is an image or the like."""
    kinds = (str(mapping(part).get("type") or "text") for part in items(result.get("content")))
    return not all(kind.endswith("text") for kind in kinds)


def _failed(text: str) -> bool:
    ends = (text[:HEAD_CHARS], text[HEAD_CHARS:][-HEAD_CHARS:])
    return bool(_FAILURE.match(text) or any(map(_RAISED.search, ends)) or _says_error(mapping(parse_json(text))))


def _says_error(result: Message) -> bool:
    return bool(result.get("error")) or result.get("status") == "error"
