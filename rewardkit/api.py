"""The public names of `rewardkit`, imported only when one of them is used."""

from collections.abc import Sequence
from typing import Any

from rewardkit.base import Explanation, Function, Reward, SampleReward, Weighted, reward
from rewardkit.compose import BySource, Gated, Named, by_source, gated
from rewardkit.errors import GroundTruthError, MissingDataError, RewardkitError, UsageError
from rewardkit.text import load
from rewardkit.types import Sample, Score, Verdict

__all__ = [
    "BySource",
    "Explanation",
    "Function",
    "Gated",
    "GroundTruthError",
    "MissingDataError",
    "Named",
    "Reward",
    "RewardkitError",
    "Sample",
    "SampleReward",
    "Score",
    "UsageError",
    "Verdict",
    "Weighted",
    "by_source",
    "gated",
    "load",
    "remote",
    "reward",
]


def remote(urls: str | Sequence[str], **options: Any) -> Reward:
    """The reward that `rewardkit serve` offers at one URL, or at several URLs that share the work. Options as in `load("remote(...)")`."""
    from rewardkit.rewards.remote import Remote

    return Remote(urls if isinstance(urls, str) else tuple(urls), **options)
