"""Request bodies: from bytes to values, here or in a process of its own with bounded memory."""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import msgspec

from rewardkit.errors import clip
from rewardkit.processes import die_with_parent
from rewardkit.serve.http import RefusedError

MEMORY_MB = 1_536
"""Address space of a process that reads large bodies."""
T = TypeVar("T")


def begin_reading() -> None:
    """In a fresh process for large bodies: end with the server, and take no more memory than is its share."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB * 2**20, MEMORY_MB * 2**20))


@cache
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind)


def parse(kind: type[T], body: bytes, prepare: Callable[[Any], Any] | None = None) -> T:
    """A request body as a value of this type. NaN, infinities and lone surrogates are read as Python's JSON reads them; `prepare` is
    applied to the plain values of such a body before they are converted.

    Raises:
        RefusedError: 400 if it is not JSON, 422 if it is not of this shape; the message names the field.
    """
    try:
        return _decoder(kind).decode(body)
    except msgspec.ValidationError as error:
        raise RefusedError(422, str(error), why="shape") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return convert(_plain(body, prepare), kind)


def convert(data: Any, kind: type[T]) -> T:
    """Plain values as a value of this type.

    Raises:
        RefusedError: 422, they are not of this shape.
    """
    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # the second: a lone surrogate where no text belongs
        raise RefusedError(422, str(error), why="shape") from None


def _plain(body: bytes, prepare: Callable[[Any], Any] | None) -> Any:
    try:
        data = json.loads(body)
        return data if prepare is None else prepare(data)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else clip(str(error), 200)
        raise RefusedError(400, f"the body is not JSON: {reason}", why="json") from None
