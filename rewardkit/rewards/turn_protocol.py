"""The protocol of a tool dialogue: calls, then their results, then an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.chat import Message, content_text
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.rewards._calls import calls_by_turn, results_of
from rewardkit.rewards._layout import layout_score
from rewardkit.thoughts import spoken
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class TurnProtocol(SampleReward):
    """1 if the model calls tools, waits for each result and ends with an answer of its own, else 0.

    Wrong are: a call without its result, a result without its call, an answer beside a last call, an empty last message, tools
    called in more than `max_rounds` rounds. Needs `messages`.
    """

    name: ClassVar[str] = "turn_protocol"
    version: ClassVar[int] = 2
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
        return layout_score(self._problem(turns), f"{len(turns)} messages in order")

    def _problem(self, turns: Sequence[Message]) -> str:
        waiting: list[str | None] = []
        rounds = 0
        for number, (turn, calls) in enumerate(zip(turns, calls_by_turn(turns, prose=True), strict=True), 1):
            role, results = str(turn.get("role")), results_of(turn)
            if role == "assistant":
                if waiting:
                    return f"message {number}: {len(waiting)} calls have no result"
                waiting = [call.identity for call in calls]
                rounds += bool(waiting)
                previous_answered = number > 1 and turns[number - 2].get("role") == "assistant"
                if previous_answered:
                    return f"message {number}: two assistant messages in a row"
            if role == "user" and not waiting:
                results = ()
            for result in results:
                identity = result.get("tool_call_id")
                match = identity if identity in waiting else None
                if not waiting or (identity is not None and match is None and None not in waiting):
                    return f"message {number}: a result without its call"
                waiting.remove(match if match in waiting else waiting[0])
            if waiting and not results and role != "assistant":
                return f"message {number}: a {role} message before the tool's result"
        last = turns[-1]
        if last.get("role") != "assistant" or waiting:
            return "does not end with an answer"
        if not spoken(content_text(last)).strip():
            return "the last message is empty"
        return f"{rounds} tool rounds, at most {self.max_rounds}" if rounds > self.max_rounds else ""
