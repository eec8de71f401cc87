"""The shapes in which trainers ask for rewards. Each is a `Contract`: two types and two functions between them and ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import msgspec

from rewardkit.serve.bodies import parse
from rewardkit.serve.http import Answer, RefusedError, Request, Route, encode
from rewardkit.serve.service import Service
from rewardkit.types import Score, Verdict

Row = dict[str, Any] | str
"""The fields of a sample, or the reason why it cannot be judged."""
CONTRACT_ERRORS = (400, 401, 403, 408, 409, 413, 422, 429, 503)


class Query(msgspec.Struct):
    """Parameters in the URL."""

    reward: Annotated[
        str | None, msgspec.Meta(description="Name or text form of a served reward. Default: the first one.")
    ] = None
    unjudged: (
        Annotated[
            float,
            msgspec.Meta(ge=-1e300, le=1e300, description="Number to return for an unjudged row. Default: null."),
        ]
        | None
    ) = None
    """For trainers that do not accept null: the number to return instead. The row still counts as unjudged in the metrics."""
    full: Annotated[bool, msgspec.Meta(description="`/slime`: answer with an object instead of a number.")] = False

    def value(self, score: Score) -> float | None:
        """The reward of a score."""
        return self.unjudged if score.value is None else score.value

    def outcome(self, score: Score) -> float | None:
        """The outcome of a score: the first term of a sum, before shaping."""
        return self.unjudged if score.value is None else score.outcome_value

    def told(self, score: Score) -> dict[str, Any]:
        """A score as the fields of `Told`."""
        return {
            "score": self.value(score),
            "outcome": self.outcome(score),
            "acc": float(score.accuracy or 0),
            "verdict": score.verdict,
            "unjudged": score.value is None,
            "reason": score.reason,
        }


class Told(msgspec.Struct):
    """What objects tell of a score. `score` is null if unjudged, unless `?unjudged=` gives a number."""

    score: float | None
    outcome: float | None
    acc: float
    verdict: Verdict
    unjudged: bool
    reason: str


@dataclass(frozen=True)
class Contract:
    """One path. The functions stand in modules: large bodies are read in another process."""

    path: str
    about: str
    asks: type[msgspec.Struct]
    gives: Any
    rows: Callable[[Any], Sequence[Row]]
    """The samples in a request."""
    answer: Callable[[Any, list[Score], Query], object]
    """The answer to a request."""
    reads: Any = None
    """Type of what the functions get, if it is not that of `asks`."""

    def route(self, service: Service) -> Route:
        """The route that answers as the trainer expects."""

        async def answer(request: Request) -> Answer:
            query = request.query(Query)
            async with service.body(request) as body:
                asked, rows = await service.read(partial(_read, self), body)
                async with service.judging(request, service.find(query.reward), rows) as scores:
                    return Answer(encode(self.answer(asked, await scores.all(), query)))

        return Route(
            self.path, answer, self.about, tag="contracts", asks=self.asks, query=Query, gives=self.gives, errors=CONTRACT_ERRORS
        )  # fmt: skip


def _read(contract: Contract, body: bytes) -> tuple[Any, list[bytes]]:
    asked = parse(contract.reads or contract.asks, body)
    return asked, [json.dumps(row).encode() for row in contract.rows(asked)]


def columns(count: int, **given: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Lists of one batch side by side; one that is empty is a column of nulls.

    Raises:
        RefusedError: 409, one has another length.
    """
    for name, values in given.items():
        if len(values) not in {0, count}:
            raise RefusedError(409, f"{name}: {len(values)} of them for {count} rows", why="shape")
    return list(zip(*(values or [None] * count for values in given.values()), strict=True))
