"""Numbers for trainers that need one for every rollout: an unjudged rollout is never rewarded."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Sequence
from functools import cache
from statistics import fmean

from rewardkit import Reward, Sample, Score, UsageError, coerce
from rewardkit.columns import count_unjudged
from rewardkit.groups import collect, group_key
from rewardkit.processes import fork_safe_lock

__all__ = ["GROUP_MEAN", "values_of"]

GROUP_MEAN = "group_mean"
"""The default: the mean of the group, so that the advantage is 0; the lowest known value if the group is not available."""
RECENT = 1_024
"""The lowest value is taken over the batch and this many values before it: trainers often judge one rollout a call."""
FEW = 64
"""With fewer values than this, perhaps none is of a wrong answer; the lowest is then at most `START`."""
START = -1.0
"""What most published rewards give to a wrong answer."""


def values_of(
    reward: Reward, samples: Sequence[Sample], scores: Sequence[Score], *, unjudged: float | str = GROUP_MEAN
) -> list[float]:
    """One number per score. A score without one gets the mean of its group, else the lowest value of the batch and before it.

    Groups are those of `rewardkit.groups` (`Sample.group`, else the prompt). A number as `unjudged` is taken as it is. The log
    warns at 1, 2, 4, 8, ... unjudged rollouts, with the share and the last reason.

    Raises:
        UsageError: `unjudged` is neither a number nor `group_mean`.
    """
    count_unjudged(reward, scores)
    return filled(reward, "", samples, [score.value for score in scores], unjudged=unjudged)


def filled(
    reward: Reward, part: str, samples: Sequence[Sample], values: Sequence[float | None], *, unjudged: float | str
) -> list[float]:
    """The values of a reward, or of a part of it, with numbers for those that are missing (see `values_of`)."""
    rule = checked(unjudged)
    lowest = _history(reward.text, part).add(values)
    if isinstance(rule, float):
        return [rule if value is None else value for value in values]
    return fill(values, [group_key(sample) for sample in samples], lowest)


def has_judged(reward: Reward) -> bool:
    """Whether the reward gave a number to any rollout of this process."""
    return bool(_history(reward.text, "").recent)


def fill(values: Sequence[float | None], groups: Sequence[Hashable | None], lowest: float) -> list[float]:
    """Each missing value becomes the mean of its group, or `lowest` if the group is unknown or has no value.

    >>> fill([1.0, None, -1.0, None], ["a", "a", "a", None], lowest=-1.0)
    [1.0, 0.0, -1.0, -1.0]
    """
    filled = [lowest if value is None else value for value in values]
    for group, places in collect(groups).items():
        known = [value for place in places if (value := values[place]) is not None]
        if group is not None and known:
            for place in places:
                if values[place] is None:
                    filled[place] = fmean(known)
    return filled


_lock = fork_safe_lock()


class _History:
    """The latest values of one reward, or of a part of it, in this process."""

    def __init__(self) -> None:
        self.recent: deque[float] = deque(maxlen=RECENT)

    def add(self, values: Sequence[float | None]) -> float:
        """Add the values that are known; return the lowest so far."""
        known = [value for value in values if value is not None]
        with _lock:
            self.recent.extend(known)
            return min([*known, *self.recent, START if len(self.recent) < FEW else math.inf])


@cache
def _history(text: str, part: str) -> _History:  # noqa: ARG001 - the key
    return _History()


def checked(unjudged: float | str) -> float | str:
    """The number, or `GROUP_MEAN`.

    Raises:
        UsageError: it is neither.
    """
    if unjudged == GROUP_MEAN:
        return GROUP_MEAN
    try:
        value = coerce.number("unjudged", unjudged)
    except UsageError:
        value = None
    if value is None or isinstance(unjudged, bool):
        raise UsageError(f"unjudged={unjudged!r}: give {GROUP_MEAN!r} or a number")
    return value
