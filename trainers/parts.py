"""A reward as trainers take it, and its terms for logging and weighting."""

from __future__ import annotations

from rewardkit import Named, Reward, Weighted, load
from rewardkit.base import as_reward


def loaded(reward: Reward | str) -> Reward:
    """The reward of this text, or this one itself; a plain function as a reward."""
    return load(reward) if isinstance(reward, str) else as_reward(reward)


def terms(reward: Reward) -> tuple[tuple[float, Reward], ...]:
    """The weighted terms of a sum, also of a sum under another name and of a preset that stands for one (`composed`).

    Any other reward is its own single term, including `gated`, whose sum counts only for some samples.
    """
    if isinstance(reward, Weighted):
        return reward.terms
    inner = reward.reward if isinstance(reward, Named) else getattr(reward, "composed", None)
    if isinstance(inner, Reward) and len(terms(inner)) > 1:
        return terms(inner)
    return ((1.0, reward),)
