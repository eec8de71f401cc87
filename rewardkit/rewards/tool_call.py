"""The tool call reward (TCR) of GRPO-TCR: the penalty for a wrong answer shrinks with each tool round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from rewardkit.chat import count_turns
from rewardkit.coerce import MAX_COUNT
from rewardkit.columns import NO_TURNS
from rewardkit.errors import MissingDataError, quoted
from rewardkit.rewards._shaping import OfOutcome
from rewardkit.types import Sample, Score

CAP = -0.6
"""Highest value of a wrong answer, however many turns it took."""
PER_ROUND = 0.1
"""Value of one tool round (two turns)."""


@dataclass(frozen=True, kw_only=True)
class ToolCall(OfOutcome):
    """Shape an outcome by its tool turns: a value of 0 or more is unchanged, a negative one becomes `min(-0.6, outcome + (num_turns - 2) / 2 * 0.1)`.

    `num_turns` comes from `extra_info`, or is counted in `messages` as verl's tool agent loop counts: 2 for one turn,
    2k + 2 after k tool rounds. If neither is there, a wrong answer is `unjudged`: the published runs
    took 0 instead, so that every wrong answer paid -1.1, tools or not. `missing='seed'` reproduces that.
    """

    name: ClassVar[str] = "tool_call"
    source: ClassVar[str] = "Demystifying agentic RL (arXiv 2510.11701), GRPO-TCR; Gen-Verse/Open-AgentRL reward.py"
    needs: ClassVar[tuple[str, ...]] = ("messages",)
    bounded: ClassVar[bool] = True

    missing: Literal["unjudged", "seed"] = "unjudged"
    """What to do if the number of turns is not known."""

    @property
    def own_needs(self) -> frozenset[str]:
        """Without `messages` if an unknown number of turns counts as 0."""
        return super().own_needs - ({"messages"} if self.missing == "seed" else set())

    def reshape(self, sample: Sample, outcome: Score) -> Score:
        """The outcome, with what its turns earn if it is negative."""
        parts: dict[str, float | None] = {self.outcome.label: outcome.value, **outcome.parts}
        if outcome.value is None or outcome.value >= 0:
            return replace(outcome, parts=parts, outcome=None)
        try:
            turns = turns_of(sample)
        except MissingDataError as error:
            if self.missing == "unjudged":
                return Score.unjudged(str(error), parts=parts)
            turns = 0
        value = min(CAP, outcome.value + (turns - 2) / 2 * PER_ROUND)
        reason = f"{outcome.reason}; {turns} turns"
        return replace(outcome, value=value, parts={**parts, "num_turns": float(turns)}, outcome=None, reason=reason)


def turns_of(sample: Sample) -> int:
    """Turns of the rollout: `extra_info["num_turns"]`, else counted in `messages`.

    Raises:
        MissingDataError: neither is there, or `num_turns` is not a count.
    """
    turns: Any = sample.extra_info.get("num_turns")
    if turns is not None:
        if isinstance(turns, bool) or not isinstance(turns, (int, float)) or not 0 <= turns <= MAX_COUNT:
            raise MissingDataError(f"extra_info num_turns is {quoted(turns)}, not a count of turns")
        if turns != int(turns):
            raise MissingDataError(f"extra_info num_turns is {turns!r}, not a whole number")
        return int(turns)
    if sample.turns:
        return count_turns(sample.turns)
    raise MissingDataError(NO_TURNS)
