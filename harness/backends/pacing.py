"""The rate of requests: concurrency that grows while a server answers and shrinks when it is busy, pauses, and a circuit breaker for each server."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Sequence

from rewardkit.errors import IncompleteError

START = 16
"""Requests at once in the beginning; each answer adds one until the server says that it is too much."""
BREAKER = 24
"""This many failed tries in a row, none answered in between, open the circuit: one request at a time asks whether the server is back."""
BREAKER_OF_SEVERAL = 3
"""The same if another server can be asked meanwhile."""
MAX_WAIT_S = 30.0
"""Longest pause that we choose. A server may ask for a longer one with Retry-After."""


class Server:
    """One URL and its pace. Growth is additive, one for each round of answers, after the first cut; a cut halves."""

    def __init__(self, url: str, most: int, *, first_wait_s: float, breaker: int = BREAKER) -> None:
        self.url = url
        self.in_flight = 0
        self.limit = float(min(most, START))
        self.failed_in_a_row = 0
        self.resume_at = 0.0
        self.bad_since: float | None = None
        self._most = most
        self._first_wait_s = first_wait_s
        self._breaker = breaker
        self._cut_at = -1.0
        self._bad_in_a_row = 0

    @property
    def open(self) -> bool:
        """The circuit is open: the server failed too often in a row."""
        return self.failed_in_a_row >= self._breaker

    def wait_s(self) -> float | None:
        """How long to wait before it can be asked; None if that is now."""
        pause = self.resume_at - time.monotonic()
        if pause > 0:
            return pause
        most = 1 if self.open else max(1, int(self.limit))
        return None if self.in_flight < most else 3600.0

    def answered(self) -> None:
        """A request was answered."""
        self.bad_since = None
        self._bad_in_a_row = self.failed_in_a_row = 0
        self.limit = min(float(self._most), self.limit + (1.0 if self._cut_at < 0 else 1.0 / self.limit))

    def busy(self, started: float, retry_after_s: float | None) -> None:
        """It asks for fewer requests (429, or any status with Retry-After): shrink, and pause as long as it says."""
        now = time.monotonic()
        self.bad_since = now if self.bad_since is None else self.bad_since
        own = min(MAX_WAIT_S, self._first_wait_s * 2 ** min(self._bad_in_a_row, 20))
        if started >= self.resume_at:  # not one of many that were under way when the pause began
            self._bad_in_a_row += 1
        self._cut(started)
        self.resume_at = max(self.resume_at, now + (own if retry_after_s is None else retry_after_s))

    def failed(self, started: float) -> None:
        """A try failed in a way that may pass: shrink; if the circuit is open pause, longer each time."""
        self.failed_in_a_row += 1
        if self.open:
            self.busy(started, None)
        else:
            self._cut(started)

    def _cut(self, started: float) -> None:
        if started >= self._cut_at:
            self._cut_at = time.monotonic()
            self.limit = max(1.0, self.limit / 2)


class Servers:
    """Slots for requests on one or several servers: the one with the fewest in flight among those that may be asked now.

    A server that fails gets no requests while another one is there, but for one now and then that finds out whether it is back.
    """

    def __init__(self, urls: Sequence[str], most: int, *, first_wait_s: float, outage_s: float) -> None:
        breaker = BREAKER if len(urls) == 1 else BREAKER_OF_SEVERAL
        self._servers = [Server(url, most, first_wait_s=first_wait_s, breaker=breaker) for url in urls]
        self._outage_s = outage_s
        self._changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncGenerator[tuple[Server, float]]:
        """Wait for the turn of one request; gives the server and the time at which it starts."""
        async with self._changed:
            while (server := self._free()) is None:
                waits = [wait for each in self._servers if (wait := each.wait_s()) is not None]
                # wait_for of Python 3.11 loses a cancellation that meets a notification
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(waits, default=0.0)):
                        await self._changed.wait()
            server.in_flight += 1
        try:
            yield server, time.monotonic()
        finally:
            server.in_flight -= 1
            async with self._changed:
                self._changed.notify_all()

    def _free(self) -> Server | None:
        free = [each for each in self._servers if each.wait_s() is None]
        return min(free, key=lambda each: (not each.open, each.failed_in_a_row, each.in_flight), default=None)

    def check(self, message: str) -> None:
        """Called after a failure.

        Raises:
            IncompleteError: no server has answered for too long, or all ask for a longer pause than the run may wait.
        """
        now = time.monotonic()
        waits = [(each.resume_at - (each.bad_since or now), each.bad_since) for each in self._servers]
        if all(since is not None and wait > self._outage_s for wait, since in waits):
            first = max(since for _, since in waits if since is not None)
            wait = max(0.0, min(each.resume_at for each in self._servers) - now)
            raise IncompleteError(
                f"no request was answered for {now - first:.0f} s and the next try is in {wait:.0f} s (model_args max_outage is "
                f"{self._outage_s:g} s); the last failure: {message}"
            )
