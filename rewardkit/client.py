"""Client of `rewardkit serve`: persistent connections, several servers, retries until a deadline. Standard library only."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from rewardkit.access import check_url, connect, own_token
from rewardkit.errors import RewardkitError, clip, describe_error
from rewardkit.exchange import MAX_PAUSE_S, Exchange, retry_after
from rewardkit.processes import fork_safe_lock
from rewardkit.tracing import trace_headers

REFUSALS = frozenset({413, 422})
"""HTTP statuses that are about the request itself: every server would say so."""
RETRIED = frozenset({408, 429, *range(500, 600)})
"""HTTP statuses after which the same server may answer later. After any other, only another server may."""
AWAY = frozenset({408, 429, 502, 503, 504})
"""Those of them that say nothing of the request: the server is busy, or not there."""
FAULTS = 3
"""After so many other answers of 500 and above for each server a request is given up: it may be their cause."""
ANSWER_SHARE, ANSWER_S = 0.2, 5.0
"""Share of an attempt's time, and most seconds of it, that the server does not get: its answer needs them to arrive."""
NO_ANSWER = "no answer within timeout_s"
"""Prefix of the error when a request was tried until its time was up."""
TIME_IS_UP = "not judged within the request's deadline of"
"""Prefix of a server's reason for rows that it did not get to in time; another server may judge them."""
DRAINED = "not judged within the drain time of the server, which is shutting down:"
"""Prefix of a server's reason for rows that were left when it stopped."""
_FIRST_PAUSE_S = 0.1
_IDLE_S = 60.0
"""Shorter than the server's keep-alive, so that the client closes idle connections first."""
CONNECT_S = 5.0
"""Connect timeout; a server that exceeds it is not used for a while."""
PATIENCE_S = 1.0
"""If an answer takes longer, the server is asked whether it is there; and so are those that were not, as often."""
PROBE_S = 1.5
"""Time for such a question. A server that leaves `MISSES` of them in a row unanswered is ejected."""
MISSES = 2
MOVE_SHARE = 0.6
"""Share of the time left that one attempt may take if another server could do it, too."""
RETRY_SHARE, RETRY_RESERVE = 0.2, 10.0
"""Largest share of requests that may be moved away from a server that is slow but alive, after a few at the start."""


class RemoteError(RewardkitError):
    """No server answered in time, or one refused the request permanently, with this HTTP status."""

    exit_code = 4

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


Answer = TypeVar("Answer")


Reply = tuple[int, http.client.HTTPMessage, bytes]


@dataclass(eq=False)
class Server:
    """One URL, its connections, and what is known of its health."""

    url: str
    in_flight: int = 0
    ejected: bool = False
    """It answers no health probe and gets no request while another server is available."""
    misses: int = 0
    rest_until: float = 0.0
    idle: list[tuple[http.client.HTTPConnection, float]] = field(
        default_factory=list[tuple[http.client.HTTPConnection, float]]
    )
    busy: set[Exchange] = field(default_factory=set[Exchange])
    """Requests in flight."""

    @property
    def path(self) -> str:
        """What its URL puts in front of every path: that of a proxy, perhaps."""
        return urlsplit(self.url).path


class Client:
    """Sends JSON to the healthy server with the fewest requests under way. Safe to share between threads.

    Where there are several servers, a request is moved to another one when its server dies, answers no probe, or takes more
    than its share of the time. A server that answers again gets requests again.
    """

    def __init__(self, urls: Sequence[str], *, token: str | None = None, seed: int | None = None) -> None:
        self.servers = [Server(check_url(url)) for url in urls]
        for server in self.servers:
            connect(server.url, PROBE_S).close()  # certificates that cannot be used are told here
        self._token = token
        self._lock = threading.Lock()
        self._random = random.Random(seed)
        self._budget = RETRY_RESERVE
        self._monitor: threading.Thread | None = None

    def request(
        self, path: str, body: Mapping[str, Any] | None = None, *, timeout_s: float, read: Callable[[Any], Answer]
    ) -> Answer:
        """The answer to a JSON body that is posted, or to a GET. Tries again, here or elsewhere, until `timeout_s` have passed.

        `read` makes the answer out of what the server sent. A server that sent what it cannot read counts as one that refuses.

        The time that an attempt may take, less what its answer needs, is also sent along, so that the server ends its work before we
        stop waiting and the rows that it has judged arrive.

        Raises:
            RemoteError: a refusal that no retry will change, each server refused, or no answer in time.
        """
        deadline = time.monotonic() + timeout_s
        attempt, trouble, refused, faults = 0, "no time", set[str](), 0
        urls = {server.url for server in self.servers}
        while (left_s := deadline - time.monotonic()) > 0:
            server, pause_s = self._pick(), self._pause(attempt)
            try:
                attempt_s = self._attempt_s(left_s)
                server_s = attempt_s - min(ANSWER_S, ANSWER_SHARE * attempt_s)
                timed = None if body is None else {**body, "timeout_s": server_s}
                status, headers, answer = self._send(server, path, timed, attempt_s)
            except (OSError, http.client.HTTPException) as error:
                trouble = f"{server.url}: {describe_error(error)}"
            else:
                try:
                    if status == 200:
                        return read(json.loads(answer))
                    trouble = f"{server.url}: HTTP {status}: {_message(answer)}"
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                    trouble = f"{server.url} does not answer as rewardkit serve does ({type(error).__name__})"
                if status not in RETRIED:
                    refused.add(server.url)
                faults += status in RETRIED - AWAY
                if status in REFUSALS or refused == urls or faults == FAULTS * len(urls):
                    raise RemoteError(trouble, status)
                pause_s = retry_after(headers.get("retry-after")) or pause_s
            finally:
                with self._lock:
                    server.in_flight -= 1
            attempt += 1
            server.rest_until = time.monotonic() + pause_s
            time.sleep(max(0.0, min(self._available_at(), deadline) - time.monotonic()))
        raise RemoteError(f"{NO_ANSWER}, {attempt} tries; the last: {trouble}")

    def close(self) -> None:
        """Close the connections that are idle."""
        for server in self.servers:
            self._forget_idle(server)

    def _pick(self) -> Server:
        """The healthy server with the least to do; any of several equals. If none is healthy, one that may be again."""
        with self._lock:
            now = time.monotonic()
            server = min(
                self.servers,
                key=lambda one: (one.ejected, one.rest_until > now, one.in_flight, self._random.random()),
            )
            server.in_flight += 1
            self._budget = min(RETRY_RESERVE, self._budget + RETRY_SHARE)
            return server

    def spend_retry(self) -> None:
        """Count a request that was moved from a slow server."""
        with self._lock:
            self._budget -= 1

    def _available_at(self) -> float:
        """When a server has rested, one that is not ejected if there is one."""
        return min((one.ejected, one.rest_until) for one in self.servers)[1]

    def _attempt_s(self, left_s: float) -> float:
        """How long one attempt may take: all the time left, or a share of it if there is another server and budget."""
        with self._lock:
            if sum(not one.ejected for one in self.servers) < 2 or self._budget < 1 or left_s < 2 * PATIENCE_S:
                return left_s
            return left_s * MOVE_SHARE

    def _send(self, server: Server, path: str, body: Mapping[str, Any] | None, timeout_s: float) -> Reply:
        connection, used = self._connection(server)
        deadline = time.monotonic() + timeout_s
        try:
            try:
                answer = self._exchange(server, connection, path, body, timeout_s)
            except (ConnectionResetError, BrokenPipeError, http.client.RemoteDisconnected):
                if not used or server.ejected:
                    raise
                connection = connect(server.url, CONNECT_S)  # it dropped one that was idle: nothing was lost
                answer = self._exchange(server, connection, path, body, max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            if not server.ejected:
                self.spend_retry()
            raise
        with self._lock:
            server.misses, server.ejected = 0, False
            server.idle.append((connection, time.monotonic()))
        return answer

    def _exchange(
        self,
        server: Server,
        connection: http.client.HTTPConnection,
        path: str,
        body: Mapping[str, Any] | None,
        timeout_s: float,
    ) -> Reply:
        headers = {"content-type": "application/json", "accept": "application/json", **trace_headers()}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        try:
            if connection.sock is None:
                connection.timeout = min(CONNECT_S, timeout_s)
                connection.connect()
            assert connection.sock is not None
            connection.sock.settimeout(timeout_s)
            exchange = Exchange(connection)
            with self._lock:
                server.busy.add(exchange)
            try:
                self._keep_watch()
                method, data = ("GET", None) if body is None else ("POST", json.dumps(body).encode())
                with exchange.ending_after(timeout_s):
                    connection.request(method, server.path + path, body=data, headers=headers)
                    response = connection.getresponse()
                    return response.status, response.headers, response.read()
            finally:
                with self._lock:
                    server.busy.discard(exchange)
        except BaseException:
            connection.close()
            raise

    def _connection(self, server: Server) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            while server.idle:
                connection, since = server.idle.pop()
                if time.monotonic() - since < _IDLE_S and connection.sock is not None:
                    return connection, True
                connection.close()
        return connect(server.url, CONNECT_S), False

    def _forget_idle(self, server: Server) -> None:
        with self._lock:
            idle, server.idle = server.idle, []
        for connection, _ in idle:
            connection.close()

    def _pause(self, attempt: int) -> float:
        """Doubling, with jitter, so that many clients do not come back at once."""
        return min(MAX_PAUSE_S, _FIRST_PAUSE_S * 2**attempt) * (0.5 + self._random.random())

    def _keep_watch(self) -> None:
        """Have a thread look after servers that take long, if a request could go elsewhere."""
        with self._lock:
            if len(self.servers) > 1 and not (self._monitor and self._monitor.is_alive()):
                self._monitor = threading.Thread(target=self._watch, name="rewardkit-health", daemon=True)
                with contextlib.suppress(RuntimeError):  # no thread is left; the next request tries again
                    self._monitor.start()

    def _watch(self) -> None:
        while True:
            time.sleep(PATIENCE_S / 2)
            since = time.monotonic() - PATIENCE_S
            with self._lock:
                asked = [
                    one for one in self.servers if one.ejected or any(request.started < since for request in one.busy)
                ]
                if not asked and not any(one.busy for one in self.servers):
                    self._monitor = None
                    return
            threads = [threading.Thread(target=self.check, args=(server,), daemon=True) for server in asked]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def check(self, server: Server) -> None:
        """Probe a server. After several missed probes its requests are moved to other servers."""
        path = "/readyz" if server.ejected else "/healthz"
        connection = connect(server.url, PROBE_S)
        try:
            connection.connect()
            with Exchange(connection).ending_after(PROBE_S):
                connection.request("GET", server.path + path)
                alive = connection.getresponse().status == 200 or path == "/healthz"
        except (OSError, http.client.HTTPException):
            alive = False
        finally:
            connection.close()
        with self._lock:
            server.misses = 0 if alive else server.misses + 1
            server.ejected = not alive if server.ejected else server.misses >= MISSES
            slow = list(server.busy) if server.ejected else []
        if server.ejected:
            self._forget_idle(server)
        for exchange in slow:
            exchange.cut()


def _message(answer: bytes) -> str:
    try:
        return clip(str(json.loads(answer)["error"]), 200)
    except (ValueError, KeyError, TypeError, RecursionError):
        return clip(answer.decode("utf-8", "replace"), 200)


_clients: dict[tuple[int, tuple[str, ...], str | None], Client] = {}
_clients_lock = fork_safe_lock()


def shared_client(urls: tuple[str, ...]) -> Client:
    """The client of this process for these servers: its connections outlive a call. A forked child gets its own.

    Raises:
        UsageError: the token cannot be sent, or the certificates cannot be used.
    """
    token = own_token()
    key = (os.getpid(), urls, token)
    with _clients_lock:
        if key not in _clients:
            _clients[key] = Client(urls, token=token)
        return _clients[key]
