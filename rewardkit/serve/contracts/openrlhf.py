"""OpenRLHF's `--reward.remote_url http://host:8000/get_reward` (before 0.9: `--remote_rm_url`).

Its body is `{"query": [...], "prompts": [...], "labels": [...]}`, where a query is prompt and answer in one text, special
tokens and all (openrlhf/utils/agent.py, `_fetch_rewards_via_http`; openrlhf/cli/serve_rm.py answers in the same shape).
"""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from rewardkit.serve import api
from rewardkit.serve.bodies import RefusedError, Row, encode, parse
from rewardkit.serve.contracts._shared import (
    COMMON_ERRORS,
    RewardName,
    Unjudged,
    is_correct,
    is_unjudged,
    outcome_of,
    value_of,
)
from rewardkit.serve.service import Service

_SPECIAL = re.compile(r"<\|[A-Za-z0-9_.\-]{1,40}\|>|</s>|<pad>|<eos>|<end_of_turn>|<\|eot_id\|>")
"""Tokens that end a turn or pad it, in the templates of Qwen, Llama, Mistral, Gemma and their kin."""
LONGEST_SPECIAL = 44
"""Characters of the longest text that `_SPECIAL` matches."""


class RewardRequest(BaseModel):
    """What OpenRLHF sends."""

    model_config = ConfigDict(extra="ignore", strict=True)

    query: list[str]
    """Prompt and answer, decoded with special tokens."""
    prompts: list[str | None] = Field(default_factory=list[str | None])
    labels: list[Any] = Field(default_factory=list[Any])
    """Ground truths."""


class RewardResponse(BaseModel):
    """What OpenRLHF reads: `rewards` train, `scores` filter (dynamic sampling), `extra_logs` are logged."""

    rewards: list[float | None]
    scores: list[float | None]
    extra_logs: dict[str, list[float]]


def router(service: Service) -> APIRouter:
    """The route of this contract."""
    routes = APIRouter(tags=["contracts"])

    @routes.post(
        "/get_reward",
        responses=api.errors(service, *COMMON_ERRORS, 409),
        openapi_extra=api.json_body(RewardRequest),
    )
    async def get_reward(request: Request, reward: RewardName = None, unjudged: Unjudged = None) -> RewardResponse:
        """Judge OpenRLHF's queries."""
        async with service.body(request) as body:
            rows = await service.read(_read, body)
            scores = await service.scores(request, service.find(reward), rows)
        return RewardResponse(
            rewards=[value_of(score, unjudged) for score in scores],
            scores=[outcome_of(score, unjudged) for score in scores],
            extra_logs={
                "correct": [float(is_correct(score)) for score in scores],
                "unjudged": [float(is_unjudged(score)) for score in scores],
            },
        )

    return routes


def _read(body: bytes) -> list[bytes]:
    return [encode(row) for row in rows_of(parse(RewardRequest, body))]


def rows_of(asked: RewardRequest) -> list[Row]:
    """One sample a query.

    Raises:
        RefusedError: prompts or labels are there and of another length.
    """
    count = len(asked.query)
    for name in ("prompts", "labels"):
        if len(getattr(asked, name)) not in {0, count}:
            raise RefusedError(409, f"{name}: {len(getattr(asked, name))} of them for {count} queries", why="shape")
    prompts = asked.prompts or [None] * count
    labels = asked.labels or [None] * count
    return [
        {"completion": completion_of(query, prompt), "prompt": prompt, "ground_truth": label}
        for query, prompt, label in zip(asked.query, prompts, labels, strict=True)
    ]


def completion_of(query: str, prompt: str | None) -> str:
    r"""The answer in a query: what follows the prompt, without the special tokens at its end.

    A tokenizer may give back a prompt that differs in blanks or has a start token before it; then the prompt is looked for,
    and if it is not found the whole query is the completion.

    >>> completion_of("<s>1 + 1?2<|im_end|>", "1 + 1?")
    '2'
    """
    if prompt:
        place = query.find(prompt)
        if place >= 0:
            query = query[place + len(prompt) :]
    end = len(query)
    while (start := _last_special(query, end)) is not None:
        end = start
    return query[:end]


def _last_special(text: str, end: int) -> int | None:
    """Where the special token starts that the first `end` characters close with, blanks aside; None if there is none."""
    while end and text[end - 1].isspace():
        end -= 1
    start = max(0, end - LONGEST_SPECIAL)
    matches = [match for match in _SPECIAL.finditer(text[start:end]) if start + match.end() == end]
    return start + matches[-1].start() if matches else None
