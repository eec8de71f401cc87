"""verl (0.9): `compute_score` for `custom_reward_function`, sync, async and in batches. Needs neither torch nor verl.

    reward.custom_reward_function.path=pkg://rewardkit.verl
    reward.custom_reward_function.name=compute_score_async
    +reward.custom_reward_function.reward_kwargs.reward="math + 0.1 * think_format"

These are plain functions on purpose: verl does not see that an instance with an async `__call__` is awaitable. What they
are told is what verl's own manager passes on, so a reward that needs the token count, or turns under verl's `dapo`
manager, wants `trainers.verl_manager` instead.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from rewardkit import Reward, Sample, Score, UsageError, load
from rewardkit.rollouts import verl_fields

if TYPE_CHECKING:
    from .parts import terms
    from .unjudged import GROUP_MEAN, filled, has_judged, values_of
else:  # not relative: verl may also load this file by its path, as a module without a package
    from rewardkit.trainers.parts import terms
    from rewardkit.trainers.unjudged import GROUP_MEAN, filled, has_judged, values_of

__all__ = ["compute_score", "compute_score_async", "compute_score_batch", "result_of", "results_of", "sample_of"]

THREADS = 64
"""Number of rollouts that one worker process judges at once: enough to keep a sandbox busy."""
MISSING_REWARD = "name the reward: reward.custom_reward_function.reward_kwargs.reward='math + 0.1 * think_format'"

ONE_A_CALL = "rollouts are judged one a call here; use compute_score_batch with verl's batch manager"

Result = dict[str, float | str]
T = TypeVar("T")


def compute_score(
    data_source: str | None = None,
    solution_str: str = "",
    ground_truth: Any = None,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward: str = "",
    unjudged: float | str = GROUP_MEAN,
    **_options: Any,
) -> Result:
    """Judge one rollout: `score` is what verl optimises, the other keys are logged. See `result_of` for the keys."""
    judge = _loaded_alone(reward)
    sample = sample_of(solution_str, data_source=data_source, ground_truth=ground_truth, extra_info=extra_info)
    return _results(judge, [sample], unjudged=unjudged)[0]


def one_a_call(reward: Reward) -> Reward:
    """The same reward, if it can judge rollouts that come one a call.

    Raises:
        UsageError: it compares the completions of a group.
    """
    if reward.compares_groups():
        raise UsageError(f"reward {reward.text!r} compares the completions of a group, but {ONE_A_CALL}")
    return reward


async def compute_score_async(
    data_source: str | None = None,
    solution_str: str = "",
    ground_truth: Any = None,
    extra_info: Mapping[str, Any] | None = None,
    **options: Any,
) -> Result:
    """`compute_score` in a thread of its own, so that slow judgements of many rollouts overlap."""
    return await in_thread(compute_score, data_source, solution_str, ground_truth, extra_info, **options)


def compute_score_batch(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Mapping[str, Any] | None],
    *,
    reward: str = "",
    unjudged: float | str = GROUP_MEAN,
    **_options: Any,
) -> list[Result]:
    """Judge a whole batch in one call: the convention of verl's legacy `batch` manager."""
    judge = _loaded(reward)
    rows = zip(data_sources, solution_strs, ground_truths, extra_infos, strict=True)
    samples = [
        sample_of(text, data_source=name, ground_truth=truth, extra_info=extra) for name, text, truth, extra in rows
    ]
    return _results(judge, samples, unjudged=unjudged)


def sample_of(
    solution_str: str, *, data_source: str | None, ground_truth: Any, extra_info: Mapping[str, Any] | None
) -> Sample:
    """The sample that verl's arguments describe (`rewardkit.rollouts.verl_fields`)."""
    return Sample(**verl_fields(solution_str, data_source, ground_truth, extra_info))


def results_of(
    reward: Reward, samples: Sequence[Sample], scores: Sequence[Score], *, unjudged: float | str = GROUP_MEAN
) -> list[Result]:
    """`result_of` for each score; verl must have a number if there is none (see `trainers.unjudged`)."""
    values = values_of(reward, samples, scores, unjudged=unjudged)
    parts = {
        label: filled(reward, label, samples, [_part(score, label) for score in scores], unjudged=unjudged)
        for label in part_labels(reward)
    }
    return [
        result_of(score, value, {label: own[index] for label, own in parts.items()})
        for index, (score, value) in enumerate(zip(scores, values, strict=True))
    ]


def _results(reward: Reward, samples: Sequence[Sample], *, unjudged: float | str) -> list[Result]:
    scores = reward.score(samples)
    _refuse_without_tokens(reward, samples, scores)
    return results_of(reward, samples, scores, unjudged=unjudged)


def _refuse_without_tokens(reward: Reward, samples: Sequence[Sample], scores: Sequence[Score]) -> None:
    """A reward that has judged nothing yet and needs the number of tokens for a sample never gets one: none of verl's own managers passes it on."""
    if has_judged(reward) or any(score.value is not None for score in scores):
        return
    given = any(sample.tokens is not None or "completion_tokens" in sample.extra_info for sample in samples)
    if not given and any("completion_tokens" in reward.needed_by(sample) for sample in samples):
        raise UsageError(
            f"reward {reward.text!r} could judge nothing and needs completion_tokens, which verl's own managers do not pass on: "
            "use RewardkitManager of rewardkit.trainers.verl_manager"
        )


def _part(score: Score, label: str) -> float | None:
    """What a term gave; None for all terms of an unjudged rollout."""
    return None if score.value is None else score.parts.get(label)


def result_of(score: Score, value: float, parts: Mapping[str, float]) -> Result:
    """One flat dict with the same keys for every sample of a reward, since verl takes the first sample's as the schema.

    `score` the reward, `acc` 1 if correct, `outcome` the outcome before shaping, `unjudged` 1 if rewardkit could
    not judge (`score` and `outcome` are then `value`, and `acc` is 0), `part_<name>` each term of a sum unweighted (as `score`, a
    number by `unjudged` if it could not be judged), `verdict`, `pred` (what `maj@k` counts) and `reason`.
    """
    return {
        "score": value,
        "acc": float(score.accuracy or 0),
        "outcome": value if score.outcome_value is None else score.outcome_value,
        "unjudged": float(score.value is None),
        **{f"part_{label}": part for label, part in parts.items()},
        "verdict": score.verdict.value,
        "pred": score.answer or "",
        "reason": score.reason,
    }


def part_labels(reward: Reward) -> list[str]:
    """The labels of a sum's terms; none for a reward that is not a sum."""
    labels = [term.label for _, term in terms(reward)]
    return labels if len(labels) > 1 else []


@cache
def _loaded_alone(text: str) -> Reward:
    return one_a_call(_loaded(text))


@cache
def _loaded(text: str) -> Reward:
    if not text:
        raise UsageError(MISSING_REWARD)
    return load(text)


async def in_thread(function: Callable[..., T], /, *args: Any, **options: Any) -> T:
    """What the function returns, from one of the threads that judge."""
    return await asyncio.get_running_loop().run_in_executor(threads(), partial(function, *args, **options))


@cache
def threads() -> ThreadPoolExecutor:
    """The threads that judge: asyncio's own pool has only a few more than there are cores."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="rewardkit")


os.register_at_fork(after_in_child=threads.cache_clear)  # threads do not live on in a forked process
