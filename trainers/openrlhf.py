# pyright: basic, reportMissingImports=false
# (torch is there in training only)
"""OpenRLHF: a `reward_func` for `--reward.remote_url /path/to/my_reward.py`.

# my_reward.py
from trainers.openrlhf import reward_function
reward_func = reward_function("math + 0.1 * think_format")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rewardkit import Reward, Sample, Score, UsageError
from rewardkit.columns import check_columns
from rewardkit.errors import MissingExtraError
from rewardkit.rollouts import NO_PROMPT, generated_part

from .parts import loaded
from .unjudged import GROUP_MEAN, checked, values_of
from .verl import part_labels

__all__ = ["reward_function"]


def reward_function(reward: Reward | str, *, unjudged: float | str = GROUP_MEAN) -> Callable[..., dict[str, Any]]:
    """A function in OpenRLHF's convention, for texts of prompt and answer as they were decoded (special tokens included).

    A text that does not begin with its prompt (OpenRLHF cuts prompts that are too long) is unjudged. Labels that are all "" count as
    absent: OpenRLHF gives these where `--data.label_key` is not set.

    `rewards` is what trains, `scores` (the accuracy) is what dynamic filtering looks at, the terms of a sum go to `extra_logs`,
    the same ones for each rollout since OpenRLHF joins them (0 where one could not be judged). OpenRLHF takes no gaps: what could not be judged is `unjudged` (see `trainers.unjudged`) and counts in `extra_logs["unjudged"]`.
    """
    judge = loaded(reward)
    unjudged = checked(unjudged)
    arrived = {"prompts"}

    def reward_func(
        queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_options: Any
    ) -> dict[str, Any]:
        answers = [generated_part(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
        samples = [
            Sample(completion=answer or "", prompt=prompt, ground_truth=label)  # one that is None is unjudged below
            for answer, prompt, label in zip(answers, prompts, labels, strict=True)
        ]
        scores = judge.score(samples)
        if any(label != "" for label in labels):
            arrived.add("ground_truth")
        try:
            check_columns(judge, scores, sorted(arrived, reverse=True), samples)
        except UsageError as error:
            hint = (
                ""
                if "ground_truth" in arrived
                else " (OpenRLHF takes labels from the column that --data.label_key names)"
            )
            raise UsageError(f"{error}{hint}") from None
        scores = [
            Score.unjudged(NO_PROMPT) if answer is None else score
            for answer, score in zip(answers, scores, strict=True)
        ]
        return {
            "rewards": _tensor(values_of(judge, samples, scores, unjudged=unjudged)),
            "scores": _tensor([float(score.accuracy or 0) for score in scores]),
            "extra_logs": {
                "unjudged": _tensor([float(score.value is None) for score in scores]),
                **{name: _tensor([score.parts.get(name) or 0.0 for score in scores]) for name in part_labels(judge)},
            },
        }

    return reward_func


def _tensor(values: list[float]) -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtraError.of("rewardkit.trainers.openrlhf", "trl") from None
    module: Any = torch
    return module.tensor(values, dtype=module.float32)
