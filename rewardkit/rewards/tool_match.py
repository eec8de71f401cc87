"""Whether the model made the expected tool calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.errors import clip
from rewardkit.rewards._calls import Call, calls_of, gold_calls
from rewardkit.rewards._json import same_json
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

MAX_CALLS = 200
"""More calls than this are not compared: the completion is `malformed`."""


@dataclass(frozen=True, kw_only=True)
class ToolMatch(SampleReward):
    """Compare names and arguments of the tool calls with the ground truth: 1 if all agree, else partial credit.

    ToolRL's matching: the share of names in common, for each paired call the share of argument names in common, and one
    point for each argument value that is equal; divided by the greatest possible sum. Extra calls lower the share of
    names. `order='strict'` pairs call k with call k, `any` pairs those that agree most first. `partial=False`
    is 1 or 0. With an empty list as ground truth, no call is expected.
    """

    name: ClassVar[str] = "tool_match"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "ToolRL (arXiv 2504.13958, 3.3), scaled to 0..1; BFCL's AST match with partial=False"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    order: Literal["any", "strict"] = "any"
    """`any` pairs the calls that agree most first, `strict` call k with call k."""
    partial: bool = True
    """Pay partial credit. If false, 1 or 0."""

    def grade(self, sample: Sample) -> Score:
        """Pair the calls and add up the agreement."""
        gold = gold_calls(sample)
        calls = calls_of(sample)
        if not gold and not calls:
            # Restraint is right only if something was said instead: a blank completion is not a decision.
            said = bool(after_thinking(sample.completion).strip())
            return Score.of(
                said, verdict=Verdict.CORRECT if said else Verdict.NO_ANSWER, reason="no call wanted, none made"
            )
        if not calls:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason=f"no tool call, {len(gold)} wanted")
        answer = clip(", ".join(call.name or "?" for call in calls), 200)
        if len(calls) > MAX_CALLS:
            return Score.of(
                0, verdict=Verdict.MALFORMED, answer=answer, reason=f"{len(calls)} calls, at most {MAX_CALLS} are read"
            )
        unread = [call for call in calls if call.problem]
        if len(unread) == len(calls):
            return Score.of(0, verdict=Verdict.MALFORMED, reason=unread[0].problem)
        value = self._agreement(gold, calls)
        if not self.partial:
            value = float(value == 1)
        reason = f"{len(calls)} calls for {len(gold)} wanted, agreement {value:.3g}"
        return Score.of(value, answer=answer, reason=reason)

    def _agreement(self, gold: list[Call], calls: list[Call]) -> float:
        if not gold:
            return 0.0
        points = _names_in_common(gold, calls)
        possible = 1.0 + len(gold) + sum(len(call.arguments) for call in gold)
        points += sum(_pair_points(wanted, made) for wanted, made in self._pairs(gold, calls))
        return points / possible

    def _pairs(self, gold: list[Call], calls: list[Call]) -> list[tuple[Call, Call]]:
        if self.order == "strict":
            return [(wanted, made) for wanted, made in zip(gold, calls, strict=False) if wanted.name == made.name]
        gold, calls = (sorted(each, key=lambda call: call.key) for each in (gold, calls))
        ranked = sorted(
            (
                (_pair_points(wanted, calls[j]), -i, -j)
                for i, wanted in enumerate(gold)
                for j in range(len(calls))
                if calls[j].name == wanted.name
            ),
            reverse=True,
        )
        taken_gold: set[int] = set()
        taken_calls: set[int] = set()
        pairs: list[tuple[Call, Call]] = []
        for _, minus_i, minus_j in ranked:  # the best pair first; ties by what the calls say
            if -minus_i in taken_gold or -minus_j in taken_calls:
                continue
            taken_gold.add(-minus_i)
            taken_calls.add(-minus_j)
            pairs.append((gold[-minus_i], calls[-minus_j]))
        return pairs


def _names_in_common(gold: list[Call], calls: list[Call]) -> float:
    """Size of the intersection divided by that of the union; names count as often as they are called."""
    wanted, made = sorted(call.name for call in gold), sorted(call.name for call in calls)
    common = sum(min(wanted.count(name), made.count(name)) for name in set(wanted))
    return common / (len(wanted) + len(made) - common)


def _pair_points(wanted: Call, made: Call) -> float:
    union = wanted.arguments.keys() | made.arguments.keys()
    common = wanted.arguments.keys() & made.arguments.keys()
    names = len(common) / len(union) if union else 1.0
    return names + sum(same_json(wanted.arguments[key], made.arguments[key]) for key in common)
