"""The terms of a reward, as trainers want to log and weigh them."""

from __future__ import annotations

from rewardkit import Reward, Weighted


def terms(reward: Reward) -> tuple[tuple[float, Reward], ...]:
    """The weighted terms of a sum, also of a preset that stands for one; any other reward is its own single term."""
    inner = getattr(reward, "reward", None)
    if isinstance(reward, Weighted):
        return reward.terms
    if isinstance(inner, Weighted):
        return inner.terms
    return ((1.0, reward),)
