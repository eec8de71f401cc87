"""The five-part reward of a GSM8K agent: answer, thinking, reasoning lines, brevity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.reward import SampleReward
from rewardkit.rewards._text import last_number, sections
from rewardkit.rewards._truth import truth_number
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 20_000
"""The end of a longer completion is searched for the last number."""
RELATIVE_TOLERANCE = 100
"""The last number may be off by one part in this many."""
_OPERATORS = "+-*/=×÷"


@dataclass(frozen=True, kw_only=True)
class MathAgent(SampleReward):
    """0.5 for the right last number (within 1%), 0.2 for thinking, 0.2 for worked lines in it, 0.1 for brevity.

    0.10 has `<think>..</think>`, 0.10 more if its text is longer than 20 characters; 0.10 two or more lines in it, 0.10 more
    if it holds a digit or an operator; 0.10 for at most 300 words, -0.05 for more than 800; never below 0. A blank
    completion gets 0: brevity alone is not paid.
    """

    name: ClassVar[str] = "math_agent"
    source: ClassVar[str] = "the GSM8K agent of the agentic RL book chapter (seed S2)"
    bounded: ClassVar[bool] = True

    def grade(self, sample: Sample) -> Score:
        """Add up the parts, in hundredths."""
        truth = truth_number(sample)
        text = sample.completion
        found = last_number(text[-MAX_CHARS:])
        right = found is not None and abs(found[1] - truth) * RELATIVE_TOLERANCE <= abs(truth)
        points = {"answer": 50 * right, **_thinking_points(text), "brevity": _brevity_points(len(text.split()))}
        total = max(0, sum(points.values())) if text.strip() else 0
        verdict = Verdict.CORRECT if right else Verdict.WRONG if found else Verdict.NO_ANSWER
        return Score.of(
            total / 100,
            verdict=verdict,
            answer=found[0] if found else None,
            reason=f"last number {found[0]} against {truth}" if found else "no number",
            parts={name: part / 100 for name, part in points.items()},
        )


def _thinking_points(text: str) -> dict[str, int]:
    thoughts = sections(text, "think")
    if not thoughts:
        return {"thinking": 0, "reasoning": 0}
    thought = thoughts[0].strip()
    lines = [line for line in thought.splitlines() if line.strip()]
    worked = any(char.isdigit() or char in _OPERATORS for char in thought)
    return {"thinking": 10 + 10 * (len(thought) > 20), "reasoning": 10 * (len(lines) >= 2) + 10 * worked}


def _brevity_points(words: int) -> int:
    return 10 if words <= 300 else -5 if words > 800 else 0
