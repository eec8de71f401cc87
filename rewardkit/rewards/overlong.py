"""DAPO's soft penalty for answers close to the length limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.errors import UsageError
from rewardkit.rewards._length import Measured, length_of
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class Overlong(Measured, SampleReward):
    """0 up to `max_tokens - buffer` tokens, then a linear penalty down to -factor at `max_tokens`. It also applies to right answers, as in verl.

    `min(0, -(n - (max_tokens - buffer)) / buffer * factor)`. Beyond `max_tokens` the penalty keeps growing, as in
    verl; `floor=True` stops at -factor, as in the paper and TRL's `get_soft_overlong_punishment`. A sample without a
    token count is `unjudged`,
    unless `unit='words'` counts words instead.
    """

    name: ClassVar[str] = "overlong"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "DAPO (arXiv 2503.14476, eq. 13); verl's DAPO reward manager; TRL with floor=True"
    needs: ClassVar[tuple[str, ...]] = ("completion_tokens",)
    bounded: ClassVar[bool] = True

    max_tokens: int = 16_384
    """The length limit L, in `unit`."""
    buffer: int = 4_096
    """Length B of the interval before the limit in which the penalty grows."""
    factor: float = 1.0
    """Penalty F at the limit."""
    floor: bool = False
    """Never go below -factor."""
    unit: Literal["tokens", "words", "chars"] = "tokens"
    """What is counted as length."""

    def __post_init__(self) -> None:
        if self.max_tokens <= 0 or not 0 <= self.buffer <= self.max_tokens or self.factor < 0:
            raise UsageError(
                f"overlong: needs max_tokens > 0, 0 <= buffer <= max_tokens and factor >= 0, "
                f"not {self.max_tokens}, {self.buffer}, {self.factor}"
            )
        if self.buffer == 0 and not self.floor:
            raise UsageError("overlong: buffer=0 is a step, which needs floor=True")

    def grade(self, sample: Sample) -> Score:
        """The penalty for this length."""
        length = length_of(sample, self.unit)
        excess = length - (self.max_tokens - self.buffer)
        value = min(0.0, -excess / self.buffer * self.factor) if self.buffer else -self.factor * (excess > 0)
        if self.floor:
            value = max(value, -self.factor)
        free = self.max_tokens - self.buffer
        verdict = Verdict.CORRECT if excess <= 0 else Verdict.PARTIAL if length < self.max_tokens else Verdict.WRONG
        return Score.of(value + 0.0, verdict=verdict, reason=f"{length} {self.unit}, free up to {free}")
