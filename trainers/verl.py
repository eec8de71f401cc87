"""verl (0.9): `compute_score` for `custom_reward_function`, sync, async and in batches. Needs neither torch nor verl.

    reward.custom_reward_function.path=pkg://trainers.verl
    reward.custom_reward_function.name=compute_score_async
    +reward.custom_reward_function.reward_kwargs.reward="math + 0.1 * think_format"

These are plain functions on purpose: verl does not see that an instance with an async `__call__` is awaitable. What they
are told is what verl's own manager passes on, so a reward that needs the token count, or turns under verl's `dapo`
manager, wants `trainers.verl_manager` instead.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from rewardkit import Reward, Sample, Score, UsageError, load
from trainers.parts import terms

__all__ = ["compute_score", "compute_score_async", "compute_score_batch", "result_of", "sample_of"]

THREADS = 64
"""How many rollouts one worker process judges at once: enough to keep a sandbox busy."""
MISSING_REWARD = "say which reward: reward.custom_reward_function.reward_kwargs.reward='math + 0.1 * think_format'"

log = logging.getLogger("rewardkit.trainers.verl")

Result = dict[str, float | str]


def compute_score(
    data_source: str | None = None,
    solution_str: str = "",
    ground_truth: Any = None,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward: str = "",
    score_if_unjudged: float = 0.0,
    **_options: Any,
) -> Result:
    """Judge one rollout: `score` is what verl optimises, the other keys are logged. See `result_of` for the keys."""
    judge = _loaded(reward)
    sample = sample_of(solution_str, data_source=data_source, ground_truth=ground_truth, extra_info=extra_info)
    return result_of(judge, judge.score([sample])[0], score_if_unjudged=score_if_unjudged)


async def compute_score_async(
    data_source: str | None = None,
    solution_str: str = "",
    ground_truth: Any = None,
    extra_info: Mapping[str, Any] | None = None,
    **options: Any,
) -> Result:
    """`compute_score` in a thread of its own, so that slow judgements of many rollouts overlap."""

    def call() -> Result:
        return compute_score(data_source, solution_str, ground_truth, extra_info, **options)

    return await asyncio.get_running_loop().run_in_executor(threads(), call)


def compute_score_batch(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Mapping[str, Any] | None],
    *,
    reward: str = "",
    score_if_unjudged: float = 0.0,
    **_options: Any,
) -> list[Result]:
    """Judge a whole batch in one call: the convention of verl's legacy `batch` manager."""
    judge = _loaded(reward)
    rows = zip(data_sources, solution_strs, ground_truths, extra_infos, strict=True)
    samples = [
        sample_of(text, data_source=name, ground_truth=truth, extra_info=extra) for name, text, truth, extra in rows
    ]
    return [result_of(judge, score, score_if_unjudged=score_if_unjudged) for score in judge.score(samples)]


def sample_of(
    solution_str: str,
    *,
    data_source: str | None,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None,
    completion_tokens: int | None = None,
) -> Sample:
    """The sample that verl's arguments describe. Facts in `extra_info` that are None count as absent."""
    facts = {name: value for name, value in (extra_info or {}).items() if value is not None}
    return Sample(
        completion=solution_str,
        ground_truth=_plain(ground_truth),
        data_source=None if data_source is None else str(data_source),
        completion_tokens=_count(facts.get("completion_tokens")) if completion_tokens is None else completion_tokens,
        extra_info={name: _plain(value) for name, value in facts.items()},
    )


def result_of(reward: Reward, score: Score, *, score_if_unjudged: float = 0.0) -> Result:
    """One flat dict with the same keys for every sample of a reward, since verl takes the first sample's as the schema.

    `score` the reward, `acc` 1 where correct, `outcome` the outcome before shaping, `unjudged` 1 where rewardkit could
    not judge (the numbers are then `score_if_unjudged`, for verl must have some), `part_<name>` each term of a sum
    unweighted, `verdict`, `pred` (what `maj@k` counts) and `reason`.
    """
    value = score.value
    UNJUDGED.count(score)
    return {
        "score": score_if_unjudged if value is None else value,
        "acc": float(score.accuracy or 0),
        "outcome": score_if_unjudged if score.outcome_value is None else score.outcome_value,
        "unjudged": float(value is None),
        **{f"part_{label}": score.parts.get(label) or 0.0 for label in part_labels(reward)},
        "verdict": score.verdict.value,
        "pred": score.answer or "",
        "reason": score.reason,
    }


def part_labels(reward: Reward) -> list[str]:
    """The labels of a sum's terms; none for a reward that is not a sum."""
    labels = [term.label for _, term in terms(reward)]
    return labels if len(labels) > 1 else []


class _UnjudgedRate:
    """Counts what could not be judged, and warns at 1, 2, 4, 8, ... of them: verl itself only sees the stand-in number."""

    def __init__(self) -> None:
        self.total = self.unjudged = 0
        self._lock = threading.Lock()

    def count(self, score: Score) -> None:
        """Take one score in."""
        with self._lock:
            self.total += 1
            self.unjudged += score.value is None
            due = score.value is None and self.unjudged & (self.unjudged - 1) == 0
            share = self.unjudged / self.total
        if due:
            log.warning(
                "%d of %d rollouts (%.1f%%) could not be judged; last reason: %s",
                self.unjudged, self.total, 100 * share, score.reason,
            )  # fmt: skip


UNJUDGED = _UnjudgedRate()


@cache
def _loaded(text: str) -> Reward:
    if not text:
        raise UsageError(MISSING_REWARD)
    return load(text)


@cache
def threads() -> ThreadPoolExecutor:
    """The threads that judge: asyncio's own pool has only a few more than there are cores."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="rewardkit")


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value >= 0 else None


def _plain(value: Any) -> Any:
    """Plain Python for what comes out of Parquet: NumPy scalars and arrays have no place in a sample's JSON."""
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
