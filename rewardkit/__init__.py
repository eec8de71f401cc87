"""Verifiable rewards for language models: what rewards in training is what scores in evaluation.

The public names stand in `rewardkit.api`, which is imported when the first of them is used: pydantic alone takes longer
than all the rest.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardkit.api import *  # noqa: F403

__version__ = "0.1.0"

__all__ = [  # noqa: F405
    "BySource",
    "Explanation",
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
]


def __getattr__(name: str) -> Any:
    """A public name. Any other is refused without importing anything, since `from rewardkit import text` asks here first."""
    if name not in __all__:
        raise AttributeError(f"module 'rewardkit' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module("rewardkit.api"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
