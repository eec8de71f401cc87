"""Verifiable rewards for language models: what rewards in training is what scores in evaluation."""

from rewardkit.compose import BySource, Gated, Named, Weighted, by_source, gated
from rewardkit.errors import GroundTruthError, MissingDataError, RewardkitError, UsageError
from rewardkit.reward import Explanation, Reward, SampleReward
from rewardkit.text import load
from rewardkit.types import Sample, Score, Verdict

__version__ = "0.1.0"

__all__ = [
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
]
