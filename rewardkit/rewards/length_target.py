"""L1: follow the length that the prompt asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.errors import MissingDataError, UsageError, quoted
from rewardkit.rewards._length import Measured, length_of
from rewardkit.rewards._shaping import Shaping
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class LengthTarget(Measured, Shaping):
    """L1's reward for following a token budget: `extra_info["num_tokens"]`, else `target`.

    `exact`: `right - alpha * |target - n|`. `max`: `right * clip(alpha * (target - n) + delta, 0, 1)`, where shorter is fine.
    `right` is 1 for a right answer and 0 for others.
    """

    name: ClassVar[str] = "length_target"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "L1 (arXiv 2503.04697, eq. 1 exact, eq. 2 max)"
    needs: ClassVar[tuple[str, ...]] = ("completion_tokens",)
    bounded: ClassVar[bool] = True

    form: Literal["exact", "max"] = "exact"
    """`exact`: as long as the budget. `max`: no longer than it."""
    alpha: float = 0.0003
    """Value lost for each token beside the budget."""
    delta: float = 0.5
    """Only `max`: value of a right answer at the budget."""
    target: int = 0
    """Budget for samples without one. 0: every sample must have one."""
    unit: Literal["tokens", "words", "chars"] = "tokens"
    """What is counted as length."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha < 0 or self.target < 0:
            raise UsageError(f"length_target: needs alpha >= 0 and target >= 0, not {self.alpha}, {self.target}")

    def shape(self, sample: Sample, outcome: Score) -> tuple[float, str]:
        """Compare length and budget."""
        target = sample.extra_info.get("num_tokens")
        if target is None:
            target = self.target or None
        if isinstance(target, bool) or not isinstance(target, (int, float)) or not 0 < target < 10**9:
            raise MissingDataError(f"no budget: extra_info num_tokens is {quoted(target)}")
        length = length_of(sample, self.unit)
        right = outcome.accuracy or 0
        if self.form == "exact":
            value = right - self.alpha * abs(target - length)
        else:
            value = right * min(1.0, max(0.0, self.alpha * (target - length) + self.delta))
        return value, f"{length} {self.unit} for a budget of {target:g}"
