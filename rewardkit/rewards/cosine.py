"""Accuracy with cosine length scaling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.errors import UsageError
from rewardkit.rewards._length import Measured, length_of
from rewardkit.rewards._shaping import Shaping
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class Cosine(Measured, Shaping):
    """Pays short right answers most and penalises long wrong answers least: a half cosine over length, with bounds for each case.

    `low + (high - low) / 2 * (1 + cos(pi * min(1, n / max_length)))`; for a right answer from `right_high` (short) to `right_low`,
    for a wrong one from `wrong_low` (short) to `wrong_high`. Values of TRL's `get_cosine_scaled_reward`; open-r1 counts
    characters and does not stop at `max_length`: `unit='chars', stop=False`.
    """

    name: ClassVar[str] = "cosine"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "Yeo et al. 2025 (arXiv 2502.03373, C.1); TRL and open-r1 get_cosine_scaled_reward"
    needs: ClassVar[tuple[str, ...]] = ("completion_tokens",)
    bounded: ClassVar[bool] = True

    max_length: int = 1_000
    """Length at which the half cosine ends, in `unit`."""
    right_high: float = 1.0
    """Value of a right answer of length 0."""
    right_low: float = 0.5
    """Value of a right answer of `max_length`."""
    wrong_high: float = -0.5
    """Value of a wrong answer of `max_length`."""
    wrong_low: float = -1.0
    """Value of a wrong answer of length 0."""
    unit: Literal["tokens", "words", "chars"] = "tokens"
    """What is counted as length."""
    stop: bool = True
    """Keep the value at `max_length` for longer answers. If false, the cosine rises again."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_length <= 0:
            raise UsageError(f"cosine: max_length={self.max_length}: give a positive number")

    def shape(self, sample: Sample, outcome: Score) -> tuple[float, str]:
        """Place the length on the cosine."""
        length = length_of(sample, self.unit)
        progress = length / self.max_length
        if self.stop:
            progress = min(progress, 1.0)
        at_end, at_start = (self.right_low, self.right_high) if outcome.accuracy else (self.wrong_high, self.wrong_low)
        value = at_end + 0.5 * (at_start - at_end) * (1.0 + math.cos(progress * math.pi))
        return value, f"{length} of {self.max_length} {self.unit}"
