"""NeMo-RL: judge a batch of message logs inside an `EnvironmentInterface.step`. The class itself is in docs/others.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rewardkit import Sample, Score
from rewardkit.chat import completion_turns
from rewardkit.rollouts import source_of

from .scorer import Scorer

__all__ = ["judge_logs"]


def judge_logs(
    scorer: Scorer,
    message_log_batch: Sequence[Sequence[Mapping[str, Any]]],
    metadata: Sequence[Mapping[str, Any] | None],
) -> tuple[list[float], list[Score]]:
    """The number for `EnvironmentReturn.rewards` and the score of each log; token tensors are left out.

    The ground truth and `data_source` come from the metadata. Logs with the same prompt are one group. A prompt that holds
    assistant messages (examples) must be in the metadata, too: `prompt`, a list of messages.
    """
    return scorer.judge([_sample(log, facts or {}) for log, facts in zip(message_log_batch, metadata, strict=True)])


def _sample(log: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> Sample:
    messages = [{key: message[key] for key in ("role", "content", "tool_calls") if key in message} for message in log]
    answer = log[len(log) - len(completion_turns(messages, facts.get("prompt"))) :]
    lengths = [len(message["token_ids"]) for message in answer if "token_ids" in message]
    counted = all("token_ids" in message for message in answer if message.get("role") == "assistant")
    return Sample(
        messages=tuple(messages),
        prompt=tuple(messages[: len(messages) - len(answer)]) or None,
        ground_truth=facts.get("ground_truth"),
        data_source=source_of(facts),
        completion_tokens=sum(lengths) if counted else None,
        extra_info=dict(facts),
    )
