"""Talk to `rewardkit serve`: connections that stay open, several servers, retries until a deadline. Standard library only."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from rewardkit.errors import RewardkitError, UsageError

TOKEN_VARIABLE = "REWARDKIT_TOKEN"  # noqa: S105 - the name of a variable, not a secret
"""The bearer token is read from this environment variable, and from nowhere else: no secret stands in a reward's text."""
RETRIED = frozenset({429, 502, 503, 504})
"""Answers that mean: later, or elsewhere."""
MAX_PAUSE_S = 10.0
_FIRST_PAUSE_S = 0.1
_IDLE_S = 60.0
"""Shorter than the server's keep-alive, so that a connection is dropped by us first."""


class RemoteError(RewardkitError):
    """No server gave an answer in time, or one refused the request for good."""

    exit_code = 4


@dataclass
class _Server:
    """One URL with its idle connections and the number of requests under way."""

    url: str
    in_flight: int = 0
    failures: int = 0
    rest_until: float = 0.0
    idle: list[tuple[http.client.HTTPConnection, float]] = field(
        default_factory=list[tuple[http.client.HTTPConnection, float]]
    )


class Client:
    """Posts JSON to the server with the fewest requests under way. Safe to share between threads."""

    def __init__(self, urls: Sequence[str], *, token: str | None = None, seed: int | None = None) -> None:
        self._servers = [_Server(check_url(url)) for url in urls]
        self._token = token
        self._lock = threading.Lock()
        self._random = random.Random(seed)

    def post(self, path: str, body: Mapping[str, Any], *, timeout_s: float) -> Any:
        """The answer to a JSON body. Tries again, here or elsewhere, until `timeout_s` have passed.

        `timeout_s` is also sent along, as what is left of it, so that the server ends its work when we stop waiting.

        Raises:
            RemoteError: a refusal that no retry will change, or no answer in time.
        """
        deadline = time.monotonic() + timeout_s
        attempt, trouble = 0, "no time"
        while (left_s := deadline - time.monotonic()) > 0:
            server = self._pick()
            try:
                status, headers, answer = self._send(server, path, {**body, "timeout_s": left_s}, left_s)
            except (OSError, http.client.HTTPException) as error:
                self._rest(server, attempt)
                trouble = f"{server.url}: {type(error).__name__}: {error}".rstrip(": ")
                pause_s = self._pause(attempt)
            else:
                if status == 200:
                    server.failures = 0
                    return json.loads(answer)
                trouble = f"{server.url}: HTTP {status}: {_message(answer)}"
                if status not in RETRIED:
                    raise RemoteError(trouble)
                pause_s = retry_after(headers.get("retry-after")) or self._pause(attempt)
                if status != 429:
                    self._rest(server, attempt)
            attempt += 1
            time.sleep(max(0.0, min(pause_s, deadline - time.monotonic())))
        raise RemoteError(f"no answer within {timeout_s:g} s, {attempt} tries; the last: {trouble}")

    def close(self) -> None:
        """Close the connections that are idle."""
        with self._lock:
            for server in self._servers:
                for connection, _ in server.idle:
                    connection.close()
                server.idle.clear()

    def _pick(self) -> _Server:
        """The server with the least to do, those that failed just now last; any of several equals."""
        with self._lock:
            now = time.monotonic()
            server = min(self._servers, key=lambda one: (one.rest_until > now, one.in_flight, self._random.random()))
            server.in_flight += 1
            return server

    def _send(
        self, server: _Server, path: str, body: Mapping[str, Any], timeout_s: float
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection, used = self._connection(server, timeout_s)
        try:
            try:
                answer = self._exchange(connection, path, body)
            except (ConnectionResetError, BrokenPipeError, http.client.RemoteDisconnected):
                if not used:
                    raise
                connection.close()  # the server dropped a connection that was idle: nothing was lost, try a fresh one
                connection = _connect(server.url, timeout_s)
                answer = self._exchange(connection, path, body)
        except BaseException:
            connection.close()
            raise
        finally:
            with self._lock:
                server.in_flight -= 1
        with self._lock:
            server.idle.append((connection, time.monotonic()))
        return answer

    def _exchange(
        self, connection: http.client.HTTPConnection, path: str, body: Mapping[str, Any]
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        connection.request("POST", path, body=json.dumps(body).encode(), headers=headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def _connection(self, server: _Server, timeout_s: float) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            while server.idle:
                connection, since = server.idle.pop()
                if time.monotonic() - since < _IDLE_S and connection.sock is not None:
                    connection.sock.settimeout(timeout_s)
                    return connection, True
                connection.close()
        return _connect(server.url, timeout_s), False

    def _rest(self, server: _Server, attempt: int) -> None:
        server.failures += 1
        server.rest_until = time.monotonic() + self._pause(attempt)

    def _pause(self, attempt: int) -> float:
        """Doubling, with jitter, so that many clients do not come back at once."""
        return min(MAX_PAUSE_S, _FIRST_PAUSE_S * 2**attempt) * (0.5 + self._random.random())


def check_url(url: str) -> str:
    """A server's URL without its trailing slash.

    Raises:
        UsageError: it is not http(s), has no host, or holds a password.
    """
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError as error:
        raise UsageError(f"not a URL: {error}") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_is_fine:
        raise UsageError(f"{url!r} is not the URL of a server: write http://host:port")
    if parts.username or parts.password:
        raise UsageError(f"no secret belongs in the URL of {parts.hostname}: put the token in {TOKEN_VARIABLE}")
    if parts.query or parts.fragment:
        raise UsageError(f"{url!r}: give the URL of the server alone, without query")
    return url.rstrip("/")


def retry_after(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, given in seconds or as a date; None where it says nothing."""
    if header is None:
        return None
    if header.strip().isdigit():
        return min(MAX_PAUSE_S, float(header))
    try:
        moment = email.utils.parsedate_to_datetime(header).timestamp()
    except ValueError:
        return None
    return max(0.0, min(MAX_PAUSE_S, moment - time.time()))


def _connect(url: str, timeout_s: float) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    assert parts.hostname is not None
    if parts.scheme == "https":
        return http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=timeout_s, context=ssl.create_default_context()
        )
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout_s)


def _message(answer: bytes) -> str:
    try:
        return str(json.loads(answer)["error"])[:200]
    except (ValueError, KeyError, TypeError):
        return answer[:200].decode("utf-8", "replace")


_clients: dict[tuple[int, tuple[str, ...], str | None], Client] = {}
_clients_lock = threading.Lock()


def shared_client(urls: tuple[str, ...]) -> Client:
    """The client of this process for these servers: its connections outlive a call. A forked child gets its own."""
    token = os.environ.get(TOKEN_VARIABLE)
    key = (os.getpid(), urls, token)
    with _clients_lock:
        if key not in _clients:
            _clients[key] = Client(urls, token=token.strip() if token else None)
        return _clients[key]
