"""The five-part reward of a GSM8K agent: answer, thinking, reasoning lines, brevity."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import clip
from rewardkit.rewards._text import numbers, sections
from rewardkit.rewards._truth import truth_float, truth_number, truth_text
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 20_000
"""With `fixed=True` the end of a longer completion is searched for the last number."""
RELATIVE_TOLERANCE = 100
"""The last number may differ by less than one part in this many."""
_PUBLISHED_NUMBER = re.compile(r"-?[\d,]+\.?\d*")
_WORKED = re.compile(r"[\d+\-*/=]")


@dataclass(frozen=True, kw_only=True)
class MathAgent(SampleReward):
    """0.5 for the right last number (within 1%), 0.2 for thinking, 0.2 for worked lines in it, 0.1 for brevity.

    0.10 has `<think>..</think>`, 0.10 more if its text is longer than 20 characters; 0.10 two or more lines in it, 0.10 more
    if it holds a digit or an operator; 0.10 for at most 300 words, -0.05 for more than 800; never below 0. The default
    gives the published function's values exactly, with the effects of its code: a blank completion earns 0.1, `7,2` is
    72, a lone
    comma behind the answer takes it away, and tags count in any order. `fixed=True` corrects these.
    """

    name: ClassVar[str] = "math_agent"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "the GSM8K agent of the agentic RL book chapter (math_agent_reward)"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    fixed: bool = False
    """Numbers as written in text, tags in order, nothing for a blank completion."""

    def grade(self, sample: Sample) -> Score:
        """Add up the parts in the published order."""
        text = sample.completion
        found, right = _number_fixed(sample) if self.fixed else _number(sample)
        thought = _thought_fixed(text) if self.fixed else _thought(text)
        parts = {"answer": 0.5 * right, **_thinking_points(thought), "brevity": _brevity(len(text.split()))}
        total = 0.0
        for points in _increments(right, parts):
            total += points
        verdict = Verdict.CORRECT if right else Verdict.WRONG if found else Verdict.NO_ANSWER
        return Score.of(
            0.0 if self.fixed and not text.strip() else max(0.0, total),
            verdict=verdict,
            answer=found,
            reason=f"last number {clip(found)}{'' if right else ', another value'}" if found else "no number",
            parts=dict(parts),
        )


def _increments(right: bool, parts: dict[str, float]) -> list[float]:
    """The steps of 0.1 that the published function adds one by one: sums of floats depend on it."""
    tenths = [0.1] * round((parts["thinking"] + parts["reasoning"]) * 10)
    return [0.5 * right, *tenths, parts["brevity"]]


def _number(sample: Sample) -> tuple[str | None, bool]:
    """The last run of digits and commas, and whether its value is right."""
    truth = truth_float(truth_text(sample).replace(",", ""))
    found = _PUBLISHED_NUMBER.findall(sample.completion)
    if not found:
        return None, False
    try:
        value = float(found[-1].replace(",", ""))
    except ValueError:
        return None, False
    return found[-1], abs(value - truth) / (abs(truth) + 1e-8) < 1 / RELATIVE_TOLERANCE


def _number_fixed(sample: Sample) -> tuple[str | None, bool]:
    truth = truth_number(sample)
    found = next(reversed(numbers(sample.completion[-MAX_CHARS:])), None)
    return (found[0], abs(found[1] - truth) * RELATIVE_TOLERANCE <= abs(truth)) if found else (None, False)


def _thought(text: str) -> str | None:
    """What follows the first `<think>`, up to a `</think>` behind it; None if one of the tags is missing."""
    if "<think>" not in text or "</think>" not in text:
        return None
    return text.split("<think>", 2)[1].split("</think>", 1)[0]


def _thought_fixed(text: str) -> str | None:
    return next(iter(sections(text, "think")), None)


def _thinking_points(thought: str | None) -> dict[str, float]:
    if thought is None:
        return {"thinking": 0.0, "reasoning": 0.0}
    lines = sum(bool(line.strip()) for line in thought.split("\n"))
    long, several, worked = len(thought.strip()) > 20, lines >= 2, bool(_WORKED.search(thought))
    return {"thinking": 0.1 + 0.1 * long, "reasoning": 0.1 * several + 0.1 * worked}


def _brevity(words: int) -> float:
    return 0.1 if words <= 300 else -0.05 if words > 800 else 0.0
