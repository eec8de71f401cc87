"""open-instruct: the verdict of one prediction inside a `VerifierFunction`. The class itself stands in docs/others.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rewardkit import Reward, Sample, Score
from trainers.verl import UNJUDGED

__all__ = ["judge_prediction"]


def judge_prediction(
    reward: Reward,
    prediction: str,
    label: Any,
    *,
    query: str | None = None,
    tokens: int | None = None,
    data_source: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Score:
    """The score of one prediction. For `VerificationResult(score=...)` take `score.value or 0.0`; gaps are warned of here."""
    sample = Sample(
        completion=prediction,
        prompt=query,
        ground_truth=label,
        completion_tokens=tokens,
        data_source=data_source,
        extra_info=dict(facts or {}),
    )
    score = reward.score([sample])[0]
    UNJUDGED.count(score)
    return score
