"""verl's `compute_score` over HTTP: its keyword arguments as a JSON body, its dictionary back.

A `custom_reward_function` of five lines posts what verl's reward managers pass (verl/experimental/reward_loop/
reward_manager/naive.py): `{"data_source", "solution_str", "ground_truth", "extra_info"}`, or the plural names with a
list each, as the batch manager does. docs/serve.md has the function. verl takes the first row's keys as the schema of all
rows, so the keys are always the same.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from rewardkit.serve import api
from rewardkit.serve.bodies import RefusedError, Row, encode, parse
from rewardkit.serve.contracts._shared import COMMON_ERRORS, RewardName, Unjudged, is_correct, outcome_of, value_of
from rewardkit.serve.service import Service


class ComputeScore(BaseModel):
    """One rollout, as verl's naive manager describes it."""

    model_config = ConfigDict(extra="ignore", strict=True)

    solution_str: str
    ground_truth: Any = None
    data_source: str | None = None
    extra_info: dict[str, Any] | None = None


class ComputeScores(BaseModel):
    """A batch of rollouts, as verl's batch manager describes it."""

    model_config = ConfigDict(extra="ignore", strict=True)

    solution_strs: list[str]
    ground_truths: list[Any] = Field(default_factory=list[Any])
    data_sources: list[str | None] = Field(default_factory=list[str | None])
    extra_infos: list[dict[str, Any] | None] = Field(default_factory=list[dict[str, Any] | None])


class VerlScore(BaseModel):
    """The dictionary that `compute_score` returns. `score` is null if unjudged, unless `?unjudged=` gives a number."""

    score: float | None
    outcome: float | None
    acc: float
    pred: str
    verdict: str
    unjudged: bool
    reason: str


def router(service: Service) -> APIRouter:
    """The routes of this contract."""
    routes = APIRouter(tags=["contracts"])
    failures = api.errors(service, *COMMON_ERRORS, 409)

    @routes.post("/verl/compute_score", responses=failures, openapi_extra=api.json_body(ComputeScore))
    async def compute_score(request: Request, reward: RewardName = None, unjudged: Unjudged = None) -> VerlScore:
        """Judge one rollout."""
        async with service.body(request) as body:
            rows = await service.read(_read_one, body)
            (score,) = await service.scores(request, service.find(reward), rows)
        return answer_of(score, unjudged)

    @routes.post("/verl/compute_scores", responses=failures, openapi_extra=api.json_body(ComputeScores))
    async def compute_scores(request: Request, reward: RewardName = None, unjudged: Unjudged = None) -> list[VerlScore]:
        """Judge a batch of rollouts."""
        async with service.body(request) as body:
            rows = await service.read(_read, body)
            scores = await service.scores(request, service.find(reward), rows)
        return [answer_of(score, unjudged) for score in scores]

    return routes


def _read_one(body: bytes) -> list[bytes]:
    return [encode(row_of(parse(ComputeScore, body)))]


def _read(body: bytes) -> list[bytes]:
    return [encode(row) for row in rows_of(parse(ComputeScores, body))]


def row_of(asked: ComputeScore) -> Row:
    """The arguments as a sample."""
    return {
        "completion": asked.solution_str,
        "ground_truth": asked.ground_truth,
        "data_source": asked.data_source,
        "extra_info": asked.extra_info or {},
    }


def rows_of(asked: ComputeScores) -> list[Row]:
    """One sample a rollout.

    Raises:
        RefusedError: a list is there and of another length.
    """
    count = len(asked.solution_strs)
    columns: dict[str, list[Any]] = {}
    for name in ("ground_truths", "data_sources", "extra_infos"):
        values: list[Any] = getattr(asked, name)
        if len(values) not in {0, count}:
            raise RefusedError(409, f"{name}: {len(values)} of them for {count} solutions", why="shape")
        columns[name] = values or [None] * count
    rows = zip(asked.solution_strs, *columns.values(), strict=True)
    return [
        row_of(ComputeScore(solution_str=text, ground_truth=truth, data_source=source, extra_info=extra))
        for text, truth, source, extra in rows
    ]


def answer_of(score: dict[str, Any], unjudged: float | None) -> VerlScore:
    """A score in verl's words; always the same keys."""
    return VerlScore(
        score=value_of(score, unjudged),
        outcome=outcome_of(score, unjudged),
        acc=float(is_correct(score)),
        pred=score["answer"] or "",
        verdict=score["verdict"],
        unjudged=score["value"] is None,
        reason=score["reason"],
    )
