"""Numbers for trainers that need one for every rollout: an unjudged rollout is never rewarded."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Hashable, Sequence
from functools import cache
from statistics import fmean

from rewardkit import Reward, Sample, Score, UsageError, coerce
from rewardkit.columns import count_unjudged
from rewardkit.groups import collect, group_key

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
    rule = checked(unjudged)
    count_unjudged(reward, scores)
    lowest = _history(reward.text).add(scores)
    if isinstance(rule, float):
        return [rule if score.value is None else score.value for score in scores]
    return fill([score.value for score in scores], [group_key(sample) for sample in samples], lowest)


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


class _History:
    """The latest values of one reward in this process."""

    def __init__(self) -> None:
        self.recent: deque[float] = deque(maxlen=RECENT)
        self._lock = threading.Lock()

    def add(self, scores: Sequence[Score]) -> float:
        """Add the scores; return the lowest value so far."""
        known = [score.value for score in scores if score.value is not None]
        with self._lock:
            self.recent.extend(known)
            return min([*known, *self.recent, START if len(self.recent) < FEW else math.inf])


@cache
def _history(text: str) -> _History:  # noqa: ARG001 - the key
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
