"""The protocol of a tool dialogue: calls, then their results, then an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.chat import TOOL_ROLES, content_text
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.rewards._json import items, mapping
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class TurnProtocol(SampleReward):
    """1 if the model calls tools, waits for each result and ends with an answer of its own, else 0.

    Wrong are: a call without its result, a result without its call, an answer beside a last call, an empty last message, tools
    called in more than `max_rounds` rounds. Needs `messages`.
    """

    name: ClassVar[str] = "turn_protocol"
    source: ClassVar[str] = "OpenAI chat protocol, as verl's tool agent loop keeps it"
    needs: ClassVar[tuple[str, ...]] = ("messages",)
    bounded: ClassVar[bool] = True

    max_rounds: int = 16
    """In so many rounds at most tools may be called."""

    def __post_init__(self) -> None:
        if self.max_rounds < 0:
            raise UsageError(f"turn_protocol: max_rounds={self.max_rounds}: give 0 or more")

    def grade(self, sample: Sample) -> Score:
        """Walk through the messages."""
        turns = sample.turns
        if not turns:
            if sample.messages is None and sample.completion.strip():
                raise MissingDataError("no messages: the protocol of the turns is not known")
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no assistant message")
        problem = self._problem(turns)
        verdict = Verdict.MALFORMED if problem else Verdict.CORRECT
        return Score.of(not problem, verdict=verdict, reason=problem or f"{len(turns)} messages in order")

    def _problem(self, turns: Sequence[Mapping[str, Any]]) -> str:
        waiting: list[str | None] = []
        rounds = 0
        for number, turn in enumerate(turns, 1):
            role = str(turn.get("role"))
            if role == "assistant":
                if waiting:
                    return f"message {number}: {len(waiting)} calls have no result"
                waiting = _call_ids(turn)
                rounds += bool(waiting)
                previous_answered = number > 1 and turns[number - 2].get("role") == "assistant"
                if previous_answered:
                    return f"message {number}: two assistant messages in a row"
            elif role in TOOL_ROLES:
                identity = turn.get("tool_call_id")
                match = identity if identity in waiting else None
                if not waiting or (identity is not None and match is None and None not in waiting):
                    return f"message {number}: a result without its call"
                waiting.remove(match if match in waiting else waiting[0])
            elif waiting:
                return f"message {number}: a {role} message before the tool's result"
        last = turns[-1]
        if last.get("role") != "assistant" or waiting:
            return "does not end with an answer"
        if not content_text(last).strip():
            return "the last message is empty"
        return f"{rounds} tool rounds, at most {self.max_rounds}" if rounds > self.max_rounds else ""


def _call_ids(turn: Mapping[str, Any]) -> list[str | None]:
    ids = [mapping(call).get("id") for call in items(turn.get("tool_calls"))]
    return [identity if isinstance(identity, str) else None for identity in ids]
