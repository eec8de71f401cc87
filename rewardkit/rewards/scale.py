"""Map a reward from one range onto another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.errors import UsageError
from rewardkit.rewards._shaping import Shaping
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class Scale(Shaping):
    """Map values linearly so that `low` becomes 0 and `high` becomes 1: `scale(dapo_math, low=-1)` is 0 or 1.

    `to_low` and `to_high` set another target range. Values outside `low..high` are extrapolated; `clip` bounds them.
    """

    name: ClassVar[str] = "scale"
    source: ClassVar[str] = "min-max scaling"
    bounded: ClassVar[bool] = True

    low: float = 0.0
    """Value that becomes `to_low`."""
    high: float = 1.0
    """Value that becomes `to_high`."""
    to_low: float = 0.0
    """Lower end of the target range."""
    to_high: float = 1.0
    """Upper end of the target range."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low == self.high:
            raise UsageError(f"scale: low and high are both {self.low}")

    @property
    def label(self) -> str:
        """The label of the inner reward."""
        return self.outcome.label

    def shape(self, sample: Sample, outcome: Score) -> tuple[float, str]:
        """Scale."""
        del sample
        before = outcome.value or 0.0
        value = self.to_low + (before - self.low) / (self.high - self.low) * (self.to_high - self.to_low)
        return value, f"{before:g} scaled to {value:g}"
