"""The names that `import rewardkit` offers, imported here once so that the package itself stays light until one is used."""

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
    """The reward that `rewardkit serve` offers at a URL, or at several that share the work; options as in `load("remote(...)")`."""
    from rewardkit.rewards.remote import Remote

    return Remote(urls if isinstance(urls, str) else tuple(urls), **options)
