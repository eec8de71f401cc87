# pyright: basic, reportMissingImports=false
# (torch is there in training only)
"""OpenRLHF: a `reward_func` for `--reward.remote_url /path/to/my_reward.py`.

# my_reward.py
from trainers.openrlhf import reward_function
reward_func = reward_function("math + 0.1 * think_format")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rewardkit import Reward, Sample, load
from rewardkit.errors import MissingExtraError

from .unjudged import GROUP_MEAN, values_of

__all__ = ["answer_of", "reward_function"]

_END = re.compile(r"(?:\s*(?:<\|(?:im_end|endoftext|end_of_text|eot_id|end)\|>|</s>|<eos>|<end_of_turn>))+\s*\Z")


def reward_function(reward: Reward | str, *, unjudged: float | str = GROUP_MEAN) -> Callable[..., dict[str, Any]]:
    """A function in OpenRLHF's convention, for texts as they were generated (special tokens included).

    `rewards` is what trains, `scores` (the accuracy) is what dynamic filtering looks at, parts go to `extra_logs`. OpenRLHF
    takes no gaps: what could not be judged is `unjudged` (see `trainers.unjudged`) and counts in `extra_logs["unjudged"]`.
    """
    judge = load(reward) if isinstance(reward, str) else reward

    def reward_func(
        queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_options: Any
    ) -> dict[str, Any]:
        rows = zip(queries, prompts, labels, strict=True)
        samples = [
            Sample(completion=answer_of(query, prompt), prompt=prompt, ground_truth=label)
            for query, prompt, label in rows
        ]
        scores = judge.score(samples)
        parts = dict.fromkeys(name for score in scores for name in score.parts)
        return {
            "rewards": _tensor(values_of(judge, samples, scores, unjudged=unjudged)),
            "scores": _tensor([float(score.accuracy or 0) for score in scores]),
            "extra_logs": {
                "unjudged": _tensor([float(score.value is None) for score in scores]),
                **{name: _tensor([score.parts.get(name) or 0.0 for score in scores]) for name in parts},
            },
        }

    return reward_func


def answer_of(query: str, prompt: str) -> str:
    """The model's part of prompt and answer, without the end-of-text tokens after it."""
    return _END.sub("", query.removeprefix(prompt))


def _tensor(values: list[float]) -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtraError.of("rewardkit.trainers.openrlhf", "trl") from None
    module: Any = torch
    return module.tensor(values, dtype=module.float32)
