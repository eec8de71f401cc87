"""A penalty for numbers in the answer that have no source."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.chat import content_text, prompt_text
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.rewards._text import last_boxed, numbers, sections
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 200_000
"""Longer texts are read this far."""
SMALL = frozenset(map(Fraction, range(11)))
"""Numbers that need no source, since any explanation may use them to count."""


@dataclass(frozen=True, kw_only=True)
class GroundedNumbers(SampleReward):
    """`-penalty` for each number of the answer that is neither in the problem nor in the reasoning; at least -1.

    The answer is what follows `</think>`, else `<answer>`, `<SOLUTION>` or the last box; without any of these the
    answer cannot be separated from the reasoning: `no_answer`, value 0. 0 to 10 always count as grounded, as do 12.5% for
    0.125 and a rounding of a number that was worked out.
    """

    name: ClassVar[str] = "grounded_numbers"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "the hallucination count of the seed systems' evaluation, made a penalty"
    needs: ClassVar[tuple[str, ...]] = ("prompt", "completion")
    bounded: ClassVar[bool] = True

    penalty: float = 0.25
    """Taken off for each number without a source."""

    def __post_init__(self) -> None:
        if self.penalty < 0:
            raise UsageError(f"grounded_numbers: penalty={self.penalty}: give 0 or more")

    def grade(self, sample: Sample) -> Score:
        """Look up each number of the answer."""
        if sample.prompt is None:
            raise MissingDataError("no prompt: which numbers the problem gives is not known")
        reasoning, answer = _split(sample.completion[:MAX_CHARS])
        if answer is None:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no mark separates the answer from the reasoning")
        known = {
            value
            for _, value in numbers(f"{prompt_text(sample.prompt)[:MAX_CHARS]}\n{_tool_text(sample)}\n{reasoning}")
        } | SMALL
        decimals = sorted(value for value in known if value.denominator > 1)
        loose = [written for written, value in numbers(answer) if not _grounded(written, value, known, decimals)]
        value = max(-1.0, -self.penalty * len(loose)) if loose else 0.0
        verdict = Verdict.WRONG if loose else Verdict.CORRECT
        reason = f"from nowhere: {', '.join(loose[:5])}" if loose else "each number has a source"
        return Score.of(value, verdict=verdict, reason=reason, parts={"ungrounded": float(len(loose))})


def _split(text: str) -> tuple[str, str | None]:
    reasoning, closed, answer = text.rpartition("</think>")
    if closed:
        return reasoning, answer
    for tag in ("answer", "SOLUTION"):
        found = sections(text, tag)
        if found:
            return text[: text.rfind(f"<{tag}>")], found[-1]
    boxed = last_boxed(text)
    return (text[: text.rfind("\\boxed{")], boxed) if boxed is not None else (text, None)


def _tool_text(sample: Sample) -> str:
    turns = sample.turns[:-1]
    return "\n".join(map(content_text, turns))[:MAX_CHARS]


def _grounded(written: str, value: Fraction, known: set[Fraction], decimals: Sequence[Fraction]) -> bool:
    """Whether a number is known, as it is or rounded. `decimals` are those of `known` that are not whole, in rising order."""
    if not {value, -value, value / 100, value * 100}.isdisjoint(known):
        return True
    digits = len(written.partition(".")[2])
    # What rounds to the value is at most half a place away; at the lower end itself it may round down, so two are tried.
    first = bisect_left(decimals, value - Fraction(1, 2 * 10**digits))
    return any(round(other, digits) == value for other in decimals[first : first + 2])
