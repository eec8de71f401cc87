"""A penalty in a straight line with length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.errors import UsageError
from rewardkit.rewards._length import Measured, length_of
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class LengthPenalty(Measured, SampleReward):
    """Falls linearly from 0 at no tokens to -factor at `max_tokens`, and stays there."""

    name: ClassVar[str] = "length_penalty"
    version: ClassVar[int] = 2
    source: ClassVar[str] = (
        "linear length penalty, as in Arora and Zanette 2025 (arXiv 2502.04463) without group scaling"
    )
    needs: ClassVar[tuple[str, ...]] = ("completion_tokens",)
    bounded: ClassVar[bool] = True

    max_tokens: int = 16_384
    """Length, in `unit`, from which the penalty no longer grows."""
    factor: float = 1.0
    """Penalty at `max_tokens`."""
    unit: Literal["tokens", "words", "chars"] = "tokens"
    """What is counted as length."""

    def __post_init__(self) -> None:
        if self.max_tokens <= 0 or self.factor < 0:
            raise UsageError(
                f"length_penalty: needs max_tokens > 0 and factor >= 0, not {self.max_tokens}, {self.factor}"
            )

    def grade(self, sample: Sample) -> Score:
        """The penalty for this length."""
        length = length_of(sample, self.unit)
        share = min(1.0, length / self.max_tokens)
        verdict = Verdict.CORRECT if share < 1 else Verdict.WRONG
        return Score.of(
            -share * self.factor + 0.0, verdict=verdict, reason=f"{length} of {self.max_tokens} {self.unit}"
        )
