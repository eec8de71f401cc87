"""rewardkit's own routes: `/v1/score` for batches of samples, `/v1/rewards` for what is served."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, cast

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.types import ASGIApp, Receive, Scope, Send

from rewardkit.data.formats import parse_line
from rewardkit.serve.bodies import RefusedError, encode, parse
from rewardkit.serve.queue import Scores
from rewardkit.serve.service import Service
from rewardkit.types import Sample, Score

SCORE = "/v1/score"
NDJSON = "application/x-ndjson"
_LINE = 'One object a line: {"index": 0, "score": {...}}, in the order of the samples.'
_REASONS = {
    400: "The body is not JSON.",
    401: "A token is needed.",
    403: "The reward is not served here.",
    409: "Lists of one batch differ in length.",
    408: "The body arrived too slowly.",
    413: "Too many rows or bytes.",
    415: "Neither JSON nor NDJSON.",
    422: "The body is not of this shape.",
    429: "The queue is full; see Retry-After.",
    503: "The server is shutting down.",
}


class Error(BaseModel):
    """Why a request was refused, in one line."""

    error: str


class ScoreRequest(BaseModel):
    """A batch of samples and the reward that judges them."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reward: str | None = None
    """Name or text form of a served reward. Default: the first one."""
    samples: list[dict[str, Any]]
    """Rows in the shape of `Sample`. An invalid row is `unjudged` and does not affect the others."""
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Rows not judged by then are `unjudged`. The operator's deadline is the maximum."""
    stream: bool = False
    """Answer with NDJSON: one line per row, in order, each as soon as it is judged."""


class ScoreResponse(BaseModel):
    """One score per sample, in order."""

    reward: str
    versions: dict[str, int]
    rows: int
    unjudged: int
    scores: list[Score]


class RewardInfo(BaseModel):
    """A reward that callers may name."""

    name: str
    reward: str
    versions: dict[str, int]
    needs: list[str]


def router(service: Service) -> APIRouter:
    """The routes of this module."""
    routes = APIRouter(tags=["score"])

    @routes.get("/v1/rewards", responses=errors(service, 401))
    async def rewards() -> list[RewardInfo]:
        """The rewards served here; the first is the default."""
        return [
            RewardInfo(
                name=entry.name,
                reward=entry.text,
                versions=entry.versions,
                needs=list(entry.reward.needs),
            )
            for entry in service.allowed.served
        ]

    @routes.post(
        SCORE,
        response_model=ScoreResponse,
        responses={
            200: {"content": {NDJSON: {"schema": {"type": "string", "description": _LINE}}}, "description": "Scored."},
            **errors(service, 400, 401, 403, 408, 413, 415, 422, 429, 503),
        },
        openapi_extra={"requestBody": _request_body(service)},
    )
    async def score(
        request: Request,
        reward: Annotated[str | None, Query(description="For NDJSON bodies; see ScoreRequest.")] = None,
        timeout_s: Annotated[float | None, Query(gt=0, description="For NDJSON bodies; see ScoreRequest.")] = None,
    ) -> Response:
        """Judge a batch.

        A JSON body holds the whole request. A body of NDJSON holds one sample a line, and the answer is NDJSON too.
        """
        return await answer(service, request, reward, timeout_s)

    return routes


class ShortCut:
    """Answers `POST /v1/score` without a query before the framework looks at it, which takes longer than most rows."""

    def __init__(self, app: ASGIApp, *, service: Service) -> None:
        self.app, self._service = app, service
        self.path = SCORE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or leave it to the routes."""
        if scope["type"] != "http" or (scope["path"], scope["method"], scope["query_string"]) != (SCORE, "POST", b""):
            await self.app(scope, receive, send)
            return
        scope["route"] = self
        try:
            response = await answer(self._service, Request(scope, receive))
        except RefusedError as error:
            response = refused(self._service, error)
        await response(scope, receive, send)


async def answer(
    service: Service, request: Request, reward: str | None = None, timeout_s: float | None = None
) -> Response:
    """The answer to a request for scores.

    Raises:
        RefusedError: it is turned away.
    """
    async with AsyncExitStack() as stack:
        body = await stack.enter_async_context(service.body(request))
        kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        asked = await service.read(partial(_read, kind), body)
        place = service.find(reward if asked.reward is None else asked.reward)
        judging = service.judging(request, place, asked.rows, asked.timeout_s or timeout_s)
        scores = await stack.enter_async_context(judging)
        if asked.stream or request.headers.get("accept", "").startswith(NDJSON):
            return StreamingResponse(_lines(scores, stack.pop_all()), media_type=NDJSON)
        return Response(await _whole(service, place, scores), media_type="application/json")


def refused(service: Service, error: RefusedError) -> Response:
    """The answer to a request that is turned away; it is counted."""
    service.metrics.rejected.labels(error.why).inc()
    return JSONResponse({"error": error.message}, error.status, headers=error.headers)


@dataclass
class _Asked:
    """What a caller asked for, from either kind of body."""

    rows: list[bytes]
    reward: str | None = None
    timeout_s: float | None = None
    stream: bool = True


def _read(kind: str, body: bytes) -> _Asked:
    if kind == NDJSON:
        return _Asked([encode(parse_line(line)) for line in body.split(b"\n") if line.strip()])
    if kind != "application/json":
        raise RefusedError(415, f"send application/json or {NDJSON}", why="type")
    asked = parse(ScoreRequest, body)
    return _Asked([encode(row) for row in asked.samples], asked.reward, asked.timeout_s, asked.stream)


async def _lines(scores: Scores, stack: AsyncExitStack) -> AsyncIterator[bytes]:
    async with stack:
        index = 0
        async for score in scores.in_order():
            yield b'{"index":%d,"score":%s}\n' % (index, score.to_json().encode())
            index += 1


async def _whole(service: Service, place: int, scores: Scores) -> bytes:
    judged = await scores.all()
    entry = service.allowed.served[place]
    unjudged = sum(score.value is None for score in judged)
    head = json.dumps({"reward": entry.text, "versions": entry.versions, "rows": len(judged), "unjudged": unjudged})
    return f'{head[:-1]}, "scores": [{",".join(score.to_json() for score in judged)}]}}'.encode()


def errors(service: Service, *statuses: int) -> dict[int | str, dict[str, Any]]:
    """Error answers for OpenAPI; 401 only if tokens are set."""
    return {
        status: {"model": Error, "description": _REASONS[status]}
        for status in statuses
        if status != 401 or service.settings.tokens
    }


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """What OpenAPI says about a JSON body that is read by hand."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema_of(model)}}}}


def schema_of(model: type[BaseModel | Sample]) -> dict[str, Any]:
    """The schema of a request body that is read by hand, complete in itself: what it refers to is in its place."""
    schema = TypeAdapter(model).json_schema()
    return _inline(schema, schema.pop("$defs", {}))


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    entry = cast("dict[str, Any]", node)
    if "$ref" in entry:
        return _inline(definitions[entry["$ref"].rpartition("/")[2]], definitions)
    return {key: _inline(value, definitions) for key, value in entry.items()}


def _request_body(service: Service) -> dict[str, Any]:
    request = schema_of(ScoreRequest)
    names = [key for entry in service.allowed.served for key in dict.fromkeys((entry.name, entry.text))]
    request["properties"]["reward"] = {"anyOf": [{"enum": names}, {"type": "null"}], "description": "A served reward."}
    sample = schema_of(Sample)
    sample.pop("additionalProperties", None)
    return {
        "required": True,
        "content": {
            "application/json": {"schema": request},
            NDJSON: {"schema": {"type": "string", "description": f"One sample a line: {sorted(sample['properties'])}"}},
        },
    }
