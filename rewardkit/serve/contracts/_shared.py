"""What the contracts have in common: parameters in the URL, and what stands for a row that could not be judged."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

RewardName = Annotated[str | None, Query(description="Name or text form of a served reward. Default: the first one.")]
Unjudged = Annotated[
    float | None,
    Query(allow_inf_nan=False, description="Number to return for an unjudged row. Default: null."),
]
"""For trainers that do not accept null: the number to return instead. The row still counts as unjudged in the metrics."""

COMMON_ERRORS = (400, 401, 403, 408, 413, 422, 429, 503)


def value_of(score: dict[str, Any], unjudged: float | None) -> float | None:
    """The reward of a score."""
    return unjudged if score["value"] is None else score["value"]


def outcome_of(score: dict[str, Any], unjudged: float | None) -> float | None:
    """The outcome of a score: the first term of a sum, before shaping."""
    if score["value"] is None:
        return unjudged
    return score["value"] if score["outcome"] is None else score["outcome"]


def is_correct(score: dict[str, Any]) -> bool:
    """The verdict is correct."""
    return score["verdict"] == "correct"


def is_unjudged(score: dict[str, Any]) -> bool:
    """There is no verdict."""
    return score["value"] is None
