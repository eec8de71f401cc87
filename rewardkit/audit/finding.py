"""A finding: which rows, how many, and how large the effect is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, variance

from pydantic import BaseModel, ConfigDict

from rewardkit.errors import counted
from rewardkit.stats import t_quantile

MAX_EXAMPLES = 20
"""Rows named in a finding."""


class Effect(BaseModel):
    """How much a finding matters: a number with its meaning and, if it is available, a 95 % interval."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    rows: int | None = None
    """How many rows there are, where the value is a share of rows."""

    def __str__(self) -> str:
        if self.rows is not None:
            return f"{self.name}: {counted(self.rows, 'row')} ({self.value:.2%})"
        interval = "" if self.low is None or self.high is None else f" [{self.low:+.3f}, {self.high:+.3f}]"
        return f"{self.name} {self.value:+.3f}{interval}"


class Finding(BaseModel):
    """What one check saw."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    title: str
    about: str
    """`gaming` if the policy may have learned a trick, `judge` if our own verdicts are in doubt, `data` for the file."""
    why: str
    """What the check looks for and what an honest cause could be."""
    count: int
    """Rows (or groups, as `unit` says) that show the sign."""
    of: int
    """Rows or groups that were looked at."""
    unit: str = "rows"
    alarm: bool = False
    """Whether the share is above what honest completions showed."""
    effects: tuple[Effect, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    """Place and detail of the first rows."""

    @property
    def share(self) -> float:
        """Count over the number looked at."""
        return self.count / self.of if self.of else 0.0


MIN_EQUAL = 10
"""So many equal rewards of a side are taken for a side without spread."""


def difference(inside: Sequence[float], outside: Sequence[float], name: str) -> tuple[Effect, ...]:
    """Mean of the flagged rows minus mean of the others, with Welch's interval. Nothing if one side is empty.

    The degrees of freedom are those of the smaller side: Welch's own are too many for a few rows. No interval if both sides, or
    one of fewer than `MIN_EQUAL` rows, have no two different values: their spread is not seen.
    """
    if not inside or not outside:
        return ()
    value = fmean(inside) - fmean(outside)
    equal = [len(side) for side in (inside, outside) if len(set(side)) < 2]
    if len(equal) == 2 or any(count < MIN_EQUAL for count in equal):
        return (Effect(name=name, value=value),)
    error = math.sqrt(variance(inside) / len(inside) + variance(outside) / len(outside))
    half = t_quantile(0.975, min(len(inside), len(outside)) - 1) * error
    return (Effect(name=name, value=value, low=value - half, high=value + half),)
