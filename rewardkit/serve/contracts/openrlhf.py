"""OpenRLHF's `--reward.remote_url http://host:8000/get_reward` (before 0.9: `--remote_rm_url`).

Its body is `{"query": [...], "prompts": [...], "labels": [...]}`, where a query is prompt and answer in one text, special
tokens and all (openrlhf/utils/agent.py, `_fetch_rewards_via_http`; openrlhf/cli/serve_rm.py answers in the same shape).
"""

from __future__ import annotations

from typing import Any

import msgspec

from rewardkit.rollouts import NO_PROMPT, generated_part
from rewardkit.serve.contracts import Contract, Query, Row, columns
from rewardkit.types import Score


class RewardRequest(msgspec.Struct):
    """What OpenRLHF sends."""

    query: list[str]
    """Prompt and answer, decoded with special tokens."""
    prompts: list[str | None] = []
    labels: list[Any] = []
    """Ground truths."""


class RewardResponse(msgspec.Struct):
    """What OpenRLHF reads: `rewards` train, `scores` filter (dynamic sampling), `extra_logs` are logged."""

    rewards: list[float | None]
    scores: list[float | None]
    extra_logs: dict[str, list[float]]


def rows_of(asked: RewardRequest) -> list[Row]:
    """One sample a query, or why there is none."""
    lists = columns(len(asked.query), prompts=asked.prompts, labels=asked.labels)
    rows: list[Row] = []
    for query, (prompt, label) in zip(asked.query, lists, strict=True):
        answer = generated_part(query, prompt)
        rows.append(NO_PROMPT if answer is None else {"completion": answer, "prompt": prompt, "ground_truth": label})
    return rows


def answer_of(_: RewardRequest, scores: list[Score], query: Query) -> RewardResponse:
    """One reward a query."""
    return RewardResponse(
        rewards=[query.value(score) for score in scores],
        scores=[query.outcome(score) for score in scores],
        extra_logs={
            "correct": [float(score.accuracy or 0) for score in scores],
            "unjudged": [float(score.value is None) for score in scores],
        },
    )


CONTRACTS = (
    Contract("/get_reward", "Judge OpenRLHF's queries.", RewardRequest, RewardResponse, rows_of, answer_of),
)  # fmt: skip
