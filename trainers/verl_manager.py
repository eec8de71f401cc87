# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (the trainer's packages carry no types)
"""verl's reward loop with rewardkit inside: a reward manager that knows turns, tool facts and token counts.

    reward.reward_manager.source=importlib
    reward.reward_manager.name=RewardkitManager
    reward.reward_manager.module.path=pkg://rewardkit.trainers.verl_manager
    +reward.reward_kwargs.reward="grpo_tcr"

verl's own `dapo` manager adds the overlong term but does not pass `num_turns` on; its `naive` manager passes it on, through
a dict that rollouts of one prompt share. This one does both, on a copy.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from numbers import Real
from typing import Any

from rewardkit import Reward, Sample, Score, UsageError, load
from rewardkit.errors import MissingExtraError

from .unjudged import GROUP_MEAN, checked
from .verl import THREADS, one_a_call, part_labels, results_of, sample_of

try:
    from verl.experimental.reward_loop.reward_manager import register
    from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase
except ImportError as error:
    raise MissingExtraError.of("rewardkit.trainers.verl_manager", "verl") from error

__all__ = ["RewardkitManager"]

JUDGING_LIMIT_S = 600.0
"""A judgement that takes longer is unjudged, so that it cannot stall the step. Time spent waiting for a free thread does not count."""
MAX_HUNG = 1_024
"""Threads that judgements which never end may keep, beside the `THREADS` that judge."""
TOOL_FACTS = ("tool_calls", "tool_failures")
"""Counts that `trainers.verl_tools` leaves in `tool_extra_fields`."""


@register("rewardkit")
class RewardkitManager(RewardManagerBase):
    """Judges each rollout as soon as it is finished, in a thread.

    Options, all under `reward.reward_kwargs` (or `custom_reward_function.reward_kwargs`): `reward` (text form), verl's own `max_resp_len` and `overlong_buffer_cfg` (added as an `overlong`
    term), `unjudged` (`group_mean`, or a number), `judging_limit_s` (600), `pass_num_turns` (true; false is what verl's `dapo` does).
    """

    def __init__(
        self,
        config: Any,
        tokenizer: Any,
        compute_score: Any = None,
        **_reward_model: Any,
    ) -> None:
        super().__init__(config, tokenizer, compute_score)
        options = _options(config)
        self.reward = one_a_call(configured_reward(config))
        self.unjudged = checked(options.get("unjudged", GROUP_MEAN))
        self.judging_limit_s = float(options.get("judging_limit_s", JUDGING_LIMIT_S))
        self.pass_num_turns = _flag(options.get("pass_num_turns", True))
        self._slots = asyncio.Semaphore(THREADS)
        self._threads = ThreadPoolExecutor(THREADS + MAX_HUNG, thread_name_prefix="rewardkit")

    async def run_single(self, data: Any) -> dict[str, Any]:
        """One rollout in, `reward_score` and the flat facts out."""
        loop = asyncio.get_running_loop()
        item = data[-1]  # of several sequences verl rewards the last
        async with self._slots:
            sample = await loop.run_in_executor(self._threads, self._sample, item)
            judging = loop.run_in_executor(self._threads, lambda: self.reward.score([sample])[0])
            try:
                score = await asyncio.wait_for(judging, self.judging_limit_s)
            except TimeoutError:
                score = Score.unjudged(f"no judgement within {self.judging_limit_s:g} s")
        (result,) = results_of(self.reward, [sample], [score], unjudged=self.unjudged)
        return {"reward_score": result["score"], "reward_extra_info": self._columns(result, sample)}

    def _sample(self, item: Any) -> Sample:
        responses = item.batch["responses"]
        length = int(item.batch["attention_mask"][-responses.shape[-1] :].sum())
        row = item.non_tensor_batch
        facts: dict[str, Any] = {**(row.get("extra_info") or {}), **(row.get("tool_extra_fields") or {})}
        facts["rollout_reward_scores"] = row.get("reward_scores") or {}
        step = facts.get("max_global_steps")  # the agent loop's name for the step of the weights that wrote this
        if facts.get("global_step") is None and step is not None:
            facts["global_step"] = step
        if self.pass_num_turns:
            facts["num_turns"] = row.get("__num_turns__", facts.get("num_turns"))
        else:
            facts.pop("num_turns", None)
        return sample_of(
            self.tokenizer.decode(responses[:length], skip_special_tokens=True),
            data_source=row["data_source"],
            ground_truth=(row.get("reward_model") or {}).get("ground_truth"),
            extra_info={**facts, "completion_tokens": length},
        )

    def _columns(self, result: dict[str, float | str], sample: Sample) -> dict[str, float | str]:
        """What verl logs: `score` is the outcome here. verl adds the column `reward` itself, and fails if a manager has one, too."""
        return {
            **result,
            "score": result["outcome"],
            "num_turns": _number(sample.extra_info.get("num_turns"), -1.0),
            **{fact: _number(sample.extra_info.get(fact), 0.0) for fact in TOOL_FACTS},
        }


def _flag(value: Any) -> bool:
    found = {"true": True, "false": False}.get(str(value).lower())
    if found is None:
        raise UsageError(f"pass_num_turns={value!r}: give true or false")
    return found


def _number(value: Any, default: float) -> float:
    """What the tool or the agent loop counted; a data set may have a column of the same name that is no number."""
    return float(value) if isinstance(value, Real) else default


def configured_reward(config: Any) -> Reward:
    """The reward that a verl configuration names, with verl's overlong term added if it is enabled.

    Raises:
        UsageError: no reward is named, or the overlong term has no `max_resp_len`, or the reward has one already.
    """
    options = _options(config)
    if not options["reward"]:
        raise UsageError("name the reward: +reward.reward_kwargs.reward='grpo_tcr'")
    reward = load(str(options["reward"]))
    buffer: Any = options.get("overlong_buffer_cfg")
    if not buffer or not buffer.get("enable"):
        return reward
    if "overlong" in part_labels(reward):
        raise UsageError(f"{reward.text!r} has an overlong term already; set overlong_buffer_cfg.enable=False")
    if not options.get("max_resp_len"):
        raise UsageError("overlong_buffer_cfg needs reward.reward_kwargs.max_resp_len")
    return reward + _overlong(
        int(options["max_resp_len"]), int(buffer["len"]), float(buffer.get("penalty_factor", 1.0))
    )


def _options(config: Any) -> dict[str, Any]:
    """Those of the manager, and of the scoring function where the manager has none."""
    given = config.reward.get("reward_kwargs") or {}
    own = (config.reward.get("custom_reward_function") or {}).get("reward_kwargs") or {}
    return {**own, **given, "reward": given.get("reward") or own.get("reward")}


def _overlong(max_tokens: int, buffer: int, factor: float) -> Reward:
    return load(f"overlong(max_tokens={max_tokens}, buffer={buffer}, factor={factor})")
