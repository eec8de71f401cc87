"""Keep a reward between two bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.errors import UsageError
from rewardkit.rewards._shaping import Shaping
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class Clip(Shaping):
    """The value of a reward, limited to `low..high`. Verdict, answer and parts are unchanged."""

    name: ClassVar[str] = "clip"
    source: ClassVar[str] = "reward clipping (Mnih et al. 2015)"
    bounded: ClassVar[bool] = True

    low: float = -1.0
    """Smallest value."""
    high: float = 1.0
    """Largest value."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not math.isfinite(self.low) or not math.isfinite(self.high):
            raise UsageError(f"clip: low={self.low}, high={self.high}: give finite numbers; 1e300 is above any value")
        if not self.low <= self.high:
            raise UsageError(f"clip: low={self.low} is above high={self.high}")

    @property
    def label(self) -> str:
        """The label of the inner reward."""
        return self.outcome.label

    def shape(self, sample: Sample, outcome: Score) -> tuple[float, str]:
        """Clip."""
        del sample
        before = outcome.value or 0.0
        value = min(self.high, max(self.low, before))
        return value, f"{before:g} clipped to {value:g}" if value != before else f"{value:g} is within bounds"
