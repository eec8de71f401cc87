"""A weight that changes as training goes on."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Literal

from rewardkit.coerce import MAX_COUNT
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.rewards._shaping import Shaping
from rewardkit.types import Sample, Score

STEP_KEYS = ("global_step", "global_steps")
"""The key of `extra_info` with the trainer's step. The TRL adapter fills it from `trainer_state`, the verl adapter from the batch."""


@dataclass(frozen=True, kw_only=True)
class Scheduled(Shaping):
    """A reward times a weight that depends on the trainer's step: `scheduled(overlong, [[0, 0.0], [500, 1.0]])` warms up.

    The weight is interpolated linearly between the points (step, weight) and constant beyond the ends; `form='steps'`
    holds each weight until the next point. The step is `extra_info["global_step"]`, the same for TRL and verl. Outside
    training there is no step: `otherwise` sets what happens then. By default the sample is `unjudged`.
    """

    name: ClassVar[str] = "scheduled"
    source: ClassVar[str] = "rewardkit"
    needs: ClassVar[tuple[str, ...]] = ("global_step",)
    bounded: ClassVar[bool] = True

    points: tuple[tuple[float, float], ...] = field(kw_only=False)
    """Pairs of a step and the weight from there, in rising order of steps."""
    form: Literal["linear", "steps"] = "linear"
    """`linear` interpolates between points, `steps` holds each weight until the next one."""
    otherwise: Literal["unjudged", "first", "last"] = "unjudged"
    """Without a step: unjudged, or the weight of the first or last point."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", tuple((step, weight) for step, weight in self.points))
        steps = [step for step, _ in self.points]
        finite = all(math.isfinite(number) for point in self.points for number in point)
        if not steps or not finite or any(a >= b for a, b in pairwise(steps)):
            raise UsageError(
                f"scheduled: points={self.points!r}: give rising steps with weights, [[0, 0.0], [500, 1.0]]"
            )

    @property
    def own_needs(self) -> frozenset[str]:
        """Without the step if `otherwise` says what happens then."""
        return super().own_needs - ({"global_step"} if self.otherwise != "unjudged" else set())

    @property
    def label(self) -> str:
        """The label of the inner reward."""
        return self.outcome.label

    def weight(self, step: float) -> float:
        """The weight at a step."""
        steps = [point for point, _ in self.points]
        place = bisect_right(steps, step)
        if place == 0:
            return self.points[0][1]
        (start, weight) = self.points[place - 1]
        if place == len(steps) or self.form == "steps":
            return weight
        (end, next_weight) = self.points[place]
        return weight + (next_weight - weight) * (step - start) / (end - start)

    def shape(self, sample: Sample, outcome: Score) -> tuple[float, str]:
        """Weigh."""
        step = trainer_step(sample)
        if step is None and self.otherwise == "unjudged":
            raise MissingDataError("no trainer step in extra_info; outside training set otherwise='last'")
        weight = self.points[0 if self.otherwise == "first" else -1][1] if step is None else self.weight(step)
        return weight * (
            outcome.value or 0.0
        ), f"weight {weight:g} at step {step if step is None else format(step, 'g')}"


def trainer_step(sample: Sample) -> float | None:
    """The trainer's step that a sample carries, None if there is none."""
    found: Sequence[object] = [sample.extra_info[key] for key in STEP_KEYS if key in sample.extra_info]
    for step in found:
        if isinstance(step, (int, float)) and not isinstance(step, bool) and abs(step) <= MAX_COUNT:
            return float(step)
    return None
