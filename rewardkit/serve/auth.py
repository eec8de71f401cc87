"""Who gets in: bearer tokens, and programs of this machine where there is no token."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import urlsplit

from rewardkit.serve.http import RefusedError, Request
from rewardkit.serve.settings import is_loopback
from rewardkit.serve.tokens import Token, Tokens

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Paths that need no token: they tell nothing but that a server is there."""
_LOCAL_ONLY = (
    "without a token this server answers only requests from this machine, and none from web pages: use http://localhost"
)


def check_is_local(request: Request) -> None:
    """Check that neither `Host` nor `Origin` names another machine: a web page must not post here, nor by a name of its own.

    Raises:
        RefusedError: 403, one does.
    """
    places = f"//{request.header(b'host', 'localhost')}", request.header(b"origin", "http://localhost")
    try:
        local = all(is_loopback(urlsplit(place).hostname or "") for place in places)
    except ValueError:
        local = False
    if not local:
        raise RefusedError(403, _LOCAL_ONLY, why="host")


def find_token(tokens: Tokens, request: Request) -> Token:
    """The token of a request.

    Raises:
        RefusedError: 401, it has none that is accepted.
    """
    token = tokens.find(token_of(request.header(b"authorization")))
    if token is None:
        headers = {"www-authenticate": "Bearer", "connection": "close"}
        raise RefusedError(401, "a token is needed: Authorization: Bearer TOKEN", why="token", headers=headers)
    return token


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
