"""slime: a function for `--custom-rm-path my_reward.reward` (add `--reward-key score` for the dict form).

# my_reward.py
from trainers.slime import reward_function
reward = reward_function("math + 0.1 * think_format")
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from rewardkit import Reward, Sample, load
from trainers.verl import result_of, threads

__all__ = ["reward_function", "sample_of"]


def reward_function(reward: Reward | str, *, as_dict: bool = False) -> Callable[..., Awaitable[Any]]:
    """A coroutine function in slime's convention: one sample, or a list of them with `--group-rm`.

    It returns floats; `as_dict` gives `score`, `acc`, `unjudged` and the parts. What could not be judged is 0 and warned of.
    """
    judge = load(reward) if isinstance(reward, str) else reward

    async def reward_fn(args: Any, sample: Any, **_options: Any) -> Any:  # noqa: ARG001 - slime's signature
        group: list[Any] = cast("list[Any]", sample) if isinstance(sample, list) else [sample]
        loop = asyncio.get_running_loop()
        scores = await loop.run_in_executor(threads(), judge.score, [sample_of(item) for item in group])
        results = [result_of(judge, score) for score in scores]
        values = results if as_dict else [result["score"] for result in results]
        return values if isinstance(sample, list) else values[0]

    return reward_fn


def sample_of(item: Any) -> Sample:
    """Slime's Sample as ours: prompt, response, label, response_length, metadata."""
    metadata: Any = getattr(item, "metadata", None)
    facts = dict(cast("Mapping[str, Any]", metadata)) if isinstance(metadata, Mapping) else {}
    status = getattr(getattr(item, "status", None), "value", None)
    return Sample(
        completion=item.response,
        prompt=item.prompt,
        ground_truth=item.label,
        data_source=facts.get("data_source"),
        completion_tokens=item.response_length or None,
        finish_reason={"truncated": "length", "completed": "stop"}.get(str(status)),
        extra_info=facts,
    )
