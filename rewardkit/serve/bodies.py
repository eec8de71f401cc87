"""Request bodies: from bytes to rows, here or in a process of its own with bounded memory."""

from __future__ import annotations

import functools
import json
import resource
import signal
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rewardkit.processes import die_with_parent

MEMORY_MB = 1_536
"""Address space of a process that reads large bodies."""
Model = TypeVar("Model", bound=BaseModel)
Row = dict[str, Any] | str
"""A sample as plain values, or one line that says why there is none."""


class RefusedError(Exception):
    """A request that is answered with an error status and one line that says what to do."""

    def __init__(self, status: int, message: str, *, why: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.why, self.headers = status, message, why, headers

    def __reduce__(self) -> Any:
        return functools.partial(RefusedError, why=self.why, headers=self.headers), (self.status, self.message)


def begin_reading() -> None:
    """In a fresh process for large bodies: end with the server, and take no more memory than is its share."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB * 2**20, MEMORY_MB * 2**20))


def encode(row: Row) -> bytes:
    """A row as a worker gets it."""
    return json.dumps(row).encode()


def parse(model: type[Model], body: bytes) -> Model:
    """A request body as a model.

    Raises:
        RefusedError: 400 if it is not JSON, 422 if it is not of this shape; the message names the field.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)[:200]
        raise RefusedError(400, f"the body is not JSON: {reason}", why="json") from None
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "body"
        raise RefusedError(422, f"{place}: {first['msg']}", why="shape") from None
