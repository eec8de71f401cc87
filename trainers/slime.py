"""slime: a function for `--custom-rm-path my_reward.reward` (add `--reward-key score` for the dict form).

# my_reward.py
from trainers.slime import reward_function
reward = reward_function("math + 0.1 * think_format")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from rewardkit import Reward, Sample
from rewardkit.rollouts import slime_fields

from .parts import loaded
from .unjudged import GROUP_MEAN, checked, values_of
from .verl import in_thread, results_of

__all__ = ["reward_function", "sample_of"]


def reward_function(
    reward: Reward | str, *, as_dict: bool = False, unjudged: float | str = GROUP_MEAN
) -> Callable[..., Awaitable[Any]]:
    """A coroutine function in slime's convention: one sample, or a list of them with `--group-rm`.

    It returns floats; `as_dict` gives `score`, `acc`, `unjudged` and the parts. What could not be judged is
    `unjudged` (see `trainers.unjudged`); with `--group-rm` that is the mean of the group.
    """
    judge = loaded(reward)
    unjudged = checked(unjudged)

    async def reward_fn(args: Any, sample: Any, **_options: Any) -> Any:  # noqa: ARG001 - slime's signature
        group: list[Any] = cast("list[Any]", sample) if isinstance(sample, list) else [sample]
        samples = [sample_of(item) for item in group]
        scores = await in_thread(judge.score, samples)
        values: list[Any]
        if as_dict:
            values = [*results_of(judge, samples, scores, unjudged=unjudged)]
        else:
            values = [*values_of(judge, samples, scores, unjudged=unjudged)]
        return values if isinstance(sample, list) else values[0]

    return reward_fn


def sample_of(item: Any) -> Sample:
    """Slime's Sample as ours: prompt, response, label, response_length, metadata."""
    status = getattr(getattr(item, "status", None), "value", None)
    group: Any = getattr(item, "group_index", None)
    return Sample(
        **slime_fields(item.response, item.prompt, item.label, getattr(item, "metadata", None), item.response_length),
        group=None if group is None else str(group),
        finish_reason={"truncated": "length", "completed": "stop"}.get(str(status)),
    )
