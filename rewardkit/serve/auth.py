"""Bearer tokens and the access log. Nothing that could be a secret is written down."""

from __future__ import annotations

import base64
import binascii
import logging
import time
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rewardkit.serve.metrics import Metrics
from rewardkit.serve.settings import is_loopback
from rewardkit.serve.tokens import Token, Tokens

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Paths that need no token: they tell nothing but that a server is there."""
log = logging.getLogger("rewardkit.serve.access")


class Auth:
    """Checks the token, counts the answer, and logs method, route, status, time and the token's name: no header, no query, no body."""

    def __init__(self, app: ASGIApp, *, tokens: Tokens, local: bool, metrics: Metrics, access_log: bool) -> None:
        self.app = app
        self._local = local
        self._tokens = tokens
        self._metrics = metrics
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer 401."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status, token = time.perf_counter(), 500, None

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            if self._local and not is_local(Headers(scope=scope)):
                message = "without a token this server answers only requests from this machine, and none from web pages: use http://localhost"
                await JSONResponse({"error": message}, 403)(scope, receive, counted)
            elif not self._tokens or scope["path"] in OPEN_PATHS:
                await self.app(scope, receive, counted)
            elif token := self._tokens.find(token_of(Headers(scope=scope).get("authorization", ""))):
                caller = token.name if len(self._tokens) > 1 else ""  # callers with one token take turns by connection
                scope.setdefault("state", {}).update(token=token, caller=caller)
                await self.app(scope, receive, counted)
            else:
                await _unauthorized(scope, receive, counted)
        finally:
            self._note(scope, token, status, time.perf_counter() - start)

    def _note(self, scope: Scope, token: Token | None, status: int, seconds: float) -> None:
        route: Any = scope.get("route")
        path = getattr(route, "path", "other")
        self._metrics.requests.labels(path, str(status)).inc()
        self._metrics.seconds.labels(path).observe(seconds)
        if token is not None:
            self._metrics.caller_requests.labels(token.name, str(status)).inc()
        if self._access_log:
            name = "-" if token is None else token.name
            log.info("%s %s %d %.1f ms %s", scope["method"], path, status, seconds * 1000, name)


def is_local(headers: Headers) -> bool:
    """True if neither `Host` nor `Origin` names another machine: a web page must not post here, nor by a name of its own."""
    places = f"//{headers.get('host', 'localhost')}", headers.get("origin", "http://localhost")
    try:
        return all(is_loopback(urlsplit(place).hostname or "") for place in places)
    except ValueError:
        return False


def token_of(header: str) -> bytes:
    """The token in an Authorization header: `Bearer TOKEN`, or the password of `Basic`.

    Basic is what HTTP libraries make of `http://any:TOKEN@host/`, so that trainers which take a URL and nothing else get in.
    """
    kind, _, rest = header.partition(" ")
    match kind.lower():
        case "bearer":
            return rest.strip().encode("utf-8", "replace")
        case "basic":
            try:
                return base64.b64decode(rest.strip(), validate=True).partition(b":")[2]
            except (binascii.Error, ValueError):
                return b""
        case _:
            return b""


async def _unauthorized(scope: Scope, receive: Receive, send: Send) -> None:
    message = "a token is needed: Authorization: Bearer TOKEN"
    response = JSONResponse({"error": message}, 401, headers={"www-authenticate": "Bearer", "connection": "close"})
    await response(scope, receive, send)
