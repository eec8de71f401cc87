"""slime's `--rm-type remote_rm --rm-url http://host:8000/slime`.

It posts one sample, `{"prompt": ..., "response": ..., "label": ...}`, and takes the JSON it gets back as the reward
(slime/rollout/rm_hub/__init__.py, `remote_rm`). With `?full=true` the answer is an object for `--reward-key score`.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict

from rewardkit.serve import api
from rewardkit.serve.bodies import Row, encode, parse
from rewardkit.serve.contracts._shared import COMMON_ERRORS, RewardName, Unjudged, is_correct, outcome_of, value_of
from rewardkit.serve.service import Service


class RemoteSample(BaseModel):
    """What slime sends."""

    model_config = ConfigDict(extra="ignore", strict=True)

    response: str
    prompt: str | list[dict[str, Any]] | None = None
    label: Any = None
    metadata: dict[str, Any] | None = None
    """Not sent by slime today; taken as `extra_info`, with `data_source` in it."""


class FullReward(BaseModel):
    """The answer with `?full=true`."""

    score: float | None
    outcome: float | None
    acc: bool | None
    verdict: str
    answer: str | None
    reason: str


def router(service: Service) -> APIRouter:
    """The route of this contract."""
    routes = APIRouter(tags=["contracts"])

    @routes.post("/slime", responses=api.errors(service, *COMMON_ERRORS), openapi_extra=api.json_body(RemoteSample))
    async def slime(
        request: Request,
        reward: RewardName = None,
        unjudged: Unjudged = None,
        full: Annotated[bool, Query(description="Answer with an object instead of a number.")] = False,
    ) -> float | FullReward | None:
        """Judge one sample of slime."""
        async with service.body(request) as body:
            rows = await service.read(_read, body)
            (score,) = await service.scores(request, service.find(reward), rows)
        if not full:
            return value_of(score, unjudged)
        return FullReward(
            score=value_of(score, unjudged),
            outcome=outcome_of(score, unjudged),
            acc=None if score["value"] is None else is_correct(score),
            verdict=score["verdict"],
            answer=score["answer"],
            reason=score["reason"],
        )

    return routes


def _read(body: bytes) -> list[bytes]:
    return [encode(row_of(parse(RemoteSample, body)))]


def row_of(asked: RemoteSample) -> Row:
    """A sample of slime as one of ours."""
    extra = dict(asked.metadata or {})
    source = extra.pop("data_source", None)
    return {
        "completion": asked.response,
        "prompt": asked.prompt,
        "ground_truth": asked.label,
        "data_source": source if isinstance(source, str) else None,
        "extra_info": extra,
    }
