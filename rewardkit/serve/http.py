"""HTTP over ASGI: requests, answers, refusals, and what a route is."""

from __future__ import annotations

import functools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

import msgspec

if TYPE_CHECKING:
    from rewardkit.serve.tokens import Token

JSON = "application/json"
NDJSON = "application/x-ndjson"
T = TypeVar("T")
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class RefusedError(Exception):
    """A request that is answered with an error status and one line that says what to do. `why` is its label in the metrics."""

    def __init__(self, status: int, message: str, *, why: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.why, self.headers = status, message, why, headers or {}

    def __reduce__(self) -> Any:
        return functools.partial(RefusedError, why=self.why, headers=self.headers), (self.status, self.message)

    def answer(self) -> Answer:
        """What the client gets."""
        return Answer(encode({"error": self.message}), self.status, headers=self.headers)


class Request:
    """What one request says. `token` and `caller` are set once it is let in."""

    __slots__ = ("caller", "method", "path", "receive", "scope", "token")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope, self.receive = scope, receive
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.token: Token | None = None
        self.caller = f"{scope.get('client')}"
        """Whose turn it is when this request's turn comes: that of its token, or else of its connection."""

    def header(self, name: bytes, default: str = "") -> str:
        """A header by its lower-case name."""
        for key, value in self.scope["headers"]:
            if key == name:
                return value.decode("latin-1")
        return default

    def query(self, kind: type[T]) -> T:
        """The parameters in the URL; those that `kind` does not know are ignored.

        Raises:
            RefusedError: 422, one is not of its type.
        """
        text: bytes = self.scope["query_string"]
        try:
            return msgspec.convert(
                dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True)) if text else {}, kind, strict=False
            )
        except msgspec.ValidationError as error:
            raise RefusedError(422, f"query: {error}", why="shape") from None

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes in.

        Raises:
            RefusedError: 400, the client disconnected.
        """
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise RefusedError(400, "the client disconnected", why="left")
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return

    async def disconnected(self) -> None:
        """Wait until the client is gone. The body has been read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: a body, or pieces of one that are sent as they come."""

    body: bytes | AsyncIterator[bytes]
    status: int = 200
    type: str = JSON
    headers: dict[str, str] = field(default_factory=dict[str, str])

    async def send(self, send: Send) -> None:
        """Hand it to the server."""
        given = {"content-type": self.type, **self.headers}
        if isinstance(self.body, bytes):
            given["content-length"] = str(len(self.body))
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        if isinstance(self.body, bytes):
            await send({"type": "http.response.body", "body": self.body})
            return
        async for piece in self.body:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@dataclass(frozen=True)
class Route:
    """A path and what answers it; the rest is for the schema."""

    path: str
    answer: Callable[[Request], Awaitable[Answer]]
    about: str
    method: str = "POST"
    tag: str = "score"
    asks: Any = None
    """Type of the JSON body; a dictionary is the `content` of OpenAPI."""
    query: type[Any] | None = None
    gives: Any = None
    """Type of the JSON answer with status 200; a dictionary is the `content` of OpenAPI."""
    errors: tuple[int, ...] = ()


def encode(value: object) -> bytes:
    """A value as JSON: plain values, structs and scores."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which Python's own JSON escapes
        return json.dumps(msgspec.to_builtins(value)).encode()
