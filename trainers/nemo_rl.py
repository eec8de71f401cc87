"""NeMo-RL: judge a batch of message logs inside an `EnvironmentInterface.step`. The class itself stands in docs/others.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rewardkit import Reward, Sample, Score
from rewardkit.chat import completion_turns
from trainers.verl import UNJUDGED

__all__ = ["judge_logs"]


def judge_logs(
    reward: Reward,
    message_log_batch: Sequence[Sequence[Mapping[str, Any]]],
    metadata: Sequence[Mapping[str, Any] | None],
) -> list[Score]:
    """One score a message log. The ground truth and `data_source` come from the metadata; token tensors are left out.

    For `EnvironmentReturn.rewards` take `score.value or 0.0`: NeMo-RL has no gaps, so what was not judged is warned of here.
    """
    scores = reward.score([_sample(log, facts or {}) for log, facts in zip(message_log_batch, metadata, strict=True)])
    for score in scores:
        UNJUDGED.count(score)
    return scores


def _sample(log: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> Sample:
    messages = [{key: message[key] for key in ("role", "content", "tool_calls") if key in message} for message in log]
    lengths = [len(message["token_ids"]) for message in completion_turns(log) if "token_ids" in message]
    return Sample(
        messages=tuple(messages),
        ground_truth=facts.get("ground_truth"),
        data_source=facts.get("data_source"),
        completion_tokens=sum(lengths) or None,
        extra_info=dict(facts),
    )
