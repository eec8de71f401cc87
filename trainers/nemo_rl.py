"""NeMo-RL: judge a batch of message logs inside an `EnvironmentInterface.step`. The class itself is in docs/others.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rewardkit import Score
from rewardkit.chat import completion_turns
from rewardkit.data.column_aliases import GROUND_TRUTH, find, has
from rewardkit.rollouts import source_of

from .scorer import Scorer

__all__ = ["judge_logs"]


def judge_logs(
    scorer: Scorer,
    message_log_batch: Sequence[Sequence[Mapping[str, Any]]],
    metadata: Sequence[Mapping[str, Any] | None],
) -> tuple[list[float], list[Score]]:
    """The number for `EnvironmentReturn.rewards` and the score of each log; token tensors are left out.

    The ground truth (`ground_truth`, `answer`, ...) and `data_source` come from the metadata. Logs with the same prompt are one group. A prompt that holds
    assistant messages (examples) must be in the metadata, too: `prompt`, a list of messages. NeMo-RL hands over the role and the
    content of messages, no tokens.

    Raises:
        UsageError: nothing could be judged, since the reward needs what does not arrive.
    """
    logs = [
        [{key: message[key] for key in ("role", "content", "tool_calls") if key in message} for message in log]
        for log in message_log_batch
    ]
    facts = [dict(each or {}) for each in metadata]
    answers = [completion_turns(log, each.get("prompt")) for log, each in zip(logs, facts, strict=True)]
    given = any(has(each, name) for each in facts for name in GROUND_TRUTH)
    return scorer.judge_columns(
        answers,
        prompts=[log[: len(log) - len(answer)] for log, answer in zip(logs, answers, strict=True)],
        **({"ground_truth": [find(each, GROUND_TRUTH)[1] for each in facts]} if given else {}),
        data_source=[source_of(each) for each in facts],
        extra_info=facts,
    )
