"""rewardkit's own routes: `/v1/score` for batches of samples, `/v1/rewards` for what is served, health and metrics."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from typing import Annotated, Any, cast

import msgspec

from rewardkit.data.formats import parse_line
from rewardkit.executor.units import is_independent
from rewardkit.serve.bodies import parse
from rewardkit.serve.http import JSON, NDJSON, Answer, RefusedError, Request, Route, encode
from rewardkit.serve.metrics import CONTENT_TYPE
from rewardkit.serve.openapi import schema_of
from rewardkit.serve.queue import Scores
from rewardkit.serve.service import Service
from rewardkit.serve.settings import Served
from rewardkit.types import Sample, Score

SCORE_ERRORS = (400, 401, 403, 408, 413, 422, 429, 503)
_LINE = 'One object a line: {"index": 0, "score": {...}}, in the order of the samples.'
Seconds = Annotated[float, msgspec.Meta(gt=0)]


class ScoreRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A batch of samples and the reward that judges them."""

    samples: list[msgspec.Raw]
    """Rows in the shape of `Sample`, as they came in. An invalid row is `unjudged` and does not affect the others."""
    reward: str | None = None
    """Name or text form of a served reward. Default: the first one."""
    timeout_s: Seconds | None = None
    """Rows not judged by then are `unjudged`. The operator's deadline is the maximum."""
    stream: bool = False
    """Answer with NDJSON: one line per row, in order, each as soon as it is judged."""


class ScoreQuery(msgspec.Struct):
    """For NDJSON bodies; see ScoreRequest."""

    reward: str | None = None
    timeout_s: Seconds | None = None


class ScoreResponse(msgspec.Struct):
    """One score per sample, in order."""

    reward: str
    versions: dict[str, int]
    rows: int
    unjudged: int
    scores: list[Score]


class RewardInfo(msgspec.Struct):
    """A reward that callers may name."""

    name: str
    reward: str
    versions: dict[str, int]
    needs: tuple[str, ...]
    """What a sample must have."""
    compares_groups: bool
    """The rows of a group must come in one request."""
    row_wise: bool
    """A row's score does not depend on what else is in the request. Else the client keeps the rows of a group together."""


class Health(msgspec.Struct):
    """The state of the server in one word."""

    status: str


def routes(service: Service) -> list[Route]:
    """The routes of this module."""

    async def score(request: Request) -> Answer:
        return await _score(service, request)

    async def rewards(_: Request) -> Answer:
        infos = await asyncio.to_thread(lambda: list(map(_info, service.served)))  # a remote reward asks its server
        return Answer(encode(infos))

    async def healthz(_: Request) -> Answer:
        return Answer(encode(Health("ok")))

    async def readyz(_: Request) -> Answer:
        return Answer(encode(Health(service.state)), 200 if service.state == "ready" else 503)

    async def metrics(_: Request) -> Answer:
        return Answer(service.metrics.render(), type=CONTENT_TYPE)

    ready = "Ready for requests: a worker is running, the requested sandbox works, and the server is not shutting down."
    text = {CONTENT_TYPE: {"schema": {"type": "string"}}}
    answers = {JSON: {"schema": ScoreResponse}, NDJSON: {"schema": {"type": "string", "description": _LINE}}}
    about = "Judge a batch. JSON holds the whole request. NDJSON holds one sample a line, and the answer is NDJSON too."
    return [
        Route(
            "/v1/score", score, about, asks=_bodies(service), query=ScoreQuery, gives=answers, errors=(*SCORE_ERRORS, 415)
        ),
        Route(
            "/v1/rewards", rewards, "The rewards served here; the first is the default.", "GET",
            gives=list[RewardInfo], errors=(401,),
        ),
        Route("/healthz", healthz, "The server is up.", "GET", "health", gives=Health),
        Route("/readyz", readyz, ready, "GET", "health", gives=Health, errors=(503,)),
        Route("/metrics", metrics, "Prometheus metrics.", "GET", "health", gives=text, errors=(401,)),
    ]  # fmt: skip


def _info(one: Served) -> RewardInfo:
    judge = one.reward
    needs = tuple(sorted(judge.needed))
    return RewardInfo(one.name, one.text, one.versions, needs, judge.compares_groups(), is_independent(judge))


async def _score(service: Service, request: Request) -> Answer:
    query = request.query(ScoreQuery)
    async with AsyncExitStack() as stack:
        body = await stack.enter_async_context(service.body(request))
        kind = request.header(b"content-type", JSON).partition(";")[0].strip().lower()
        asked = await service.read(partial(_read, kind), body)
        place = service.find(query.reward if asked.reward is None else asked.reward)
        rows = [bytes(row) for row in asked.samples]
        judging = service.judging(request, place, rows, asked.timeout_s or query.timeout_s)
        scores = await stack.enter_async_context(judging)
        if asked.stream or request.header(b"accept").startswith(NDJSON):
            return Answer(_lines(scores, stack.pop_all()), type=NDJSON)
        return Answer(_whole(service, place, await scores.all()))


def _read(kind: str, body: bytes) -> ScoreRequest:
    if kind == NDJSON:
        return ScoreRequest([_raw(parse_line(line)) for line in body.split(b"\n") if line.strip()], stream=True)
    if kind != JSON:
        raise RefusedError(415, f"send {JSON} or {NDJSON}", why="type")
    asked = parse(ScoreRequest, body, _raw_samples)
    if not all(bytes(row).startswith(b"{") for row in asked.samples):
        raise RefusedError(422, "Expected `object` - at `$.samples[...]`", why="shape")
    return asked


def _raw_samples(data: Any) -> Any:
    if not isinstance(data, dict):
        return cast("object", data)
    request = cast("dict[str, Any]", data)
    if isinstance(samples := request.get("samples"), list):
        request["samples"] = [_raw(row) for row in cast("list[Any]", samples)]
    return request


def _raw(row: Any) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(row).encode())


async def _lines(scores: Scores, stack: AsyncExitStack) -> AsyncIterator[bytes]:
    async with stack:
        index = 0
        async for score in scores.in_order():
            yield b'{"index":%d,"score":%s}\n' % (index, encode(score))
            index += 1


def _whole(service: Service, place: int, scores: list[Score]) -> bytes:
    entry = service.served[place]
    unjudged = sum(score.value is None for score in scores)
    return encode(ScoreResponse(entry.text, entry.versions, len(scores), unjudged, scores))


def _bodies(service: Service) -> dict[str, Any]:
    request = schema_of(ScoreRequest)
    names = [key for entry in service.served for key in dict.fromkeys((entry.name, entry.text))]
    request["properties"]["reward"] = {"anyOf": [{"enum": names}, {"type": "null"}], "description": "A served reward."}
    request["properties"]["samples"]["items"] = {"type": "object"}
    fields = f"One sample a line: {sorted(schema_of(Sample)['properties'])}"
    return {JSON: {"schema": request}, NDJSON: {"schema": {"type": "string", "description": fields}}}
