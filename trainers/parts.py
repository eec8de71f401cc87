"""The terms of a reward, as trainers want to log and weigh them."""

from __future__ import annotations

from rewardkit import Named, Reward, Weighted


def terms(reward: Reward) -> tuple[tuple[float, Reward], ...]:
    """The weighted terms of a sum, also of a sum under another name and of a preset that stands for one.

    Any other reward is its own single term. A preset is a reward class with a property `reward`; a *field* of that name,
    as `gated` has, is something else: the reward there is paid only sometimes.
    """
    if isinstance(reward, Weighted):
        return reward.terms
    if isinstance(reward, Named) or isinstance(getattr(type(reward), "reward", None), property):
        inner: object = getattr(reward, "reward", None)
        if isinstance(inner, Reward) and len(terms(inner)) > 1:
            return terms(inner)
    return ((1.0, reward),)
