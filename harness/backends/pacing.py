"""How fast a server is asked: concurrency that grows while answers come and shrinks when the server is busy, pauses, and a circuit."""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import time
from collections.abc import AsyncGenerator

from rewardkit.errors import IncompleteError

START = 16
"""Requests at once in the beginning; each answer adds one until the server says that it is too much."""
BREAKER = 24
"""So many failed tries in a row, none answered in between, open the circuit: one request at a time asks whether the server is back."""
MAX_WAIT_S = 30.0
"""Longest pause that we choose ourselves; a server may ask for longer with Retry-After."""


class Pace:
    """Slots for requests. Growth is additive, one for each round of answers, after the first cut; a cut halves."""

    def __init__(self, most: int, *, first_wait_s: float, outage_s: float) -> None:
        self.most = most
        self.limit = float(min(most, START))
        self._first_wait_s = first_wait_s
        self._outage_s = outage_s
        self._in_flight = 0
        self._cut_at = -1.0
        self._resume_at = 0.0
        self._bad_in_a_row = 0
        self._failed_in_a_row = 0
        self._bad_since: float | None = None
        self._changed = asyncio.Condition()

    @property
    def open(self) -> bool:
        """The circuit is open: the server failed too often in a row."""
        return self._failed_in_a_row >= BREAKER

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncGenerator[float]:
        """Wait for the turn of one request; gives the time at which it starts."""
        async with self._changed:
            while (wait := self._wait()) is not None:
                # wait_for of Python 3.11 loses a cancellation that meets a notification
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._changed.wait()
            self._in_flight += 1
        try:
            yield time.monotonic()
        finally:
            self._in_flight -= 1
            async with self._changed:
                self._changed.notify_all()

    def _wait(self) -> float | None:
        pause = self._resume_at - time.monotonic()
        if pause > 0:
            return pause
        most = 1 if self.open else max(1, int(self.limit))
        return None if self._in_flight < most else 3600.0

    def answered(self) -> None:
        """A request was answered."""
        self._bad_since = None
        self._bad_in_a_row = self._failed_in_a_row = 0
        self.limit = min(float(self.most), self.limit + (1.0 if self._cut_at < 0 else 1.0 / self.limit))

    def busy(self, started: float, retry_after_s: float | None, message: str) -> None:
        """The server asks for fewer requests (429, or any status with Retry-After): shrink, and pause as long as it says.

        Raises:
            IncompleteError: it has not answered for too long, or asks for a longer pause than the run may wait.
        """
        self._bad(started, retry_after_s, message)

    def failed(self, started: float, message: str) -> None:
        """A try failed in a way that may pass: shrink; after `BREAKER` in a row pause, longer each time.

        Raises:
            IncompleteError: no request was answered for too long.
        """
        self._failed_in_a_row += 1
        if self.open:
            self._bad(started, None, message)
        else:
            self._cut(started)

    def _bad(self, started: float, retry_after_s: float | None, message: str) -> None:
        now = time.monotonic()
        since = self._bad_since = now if self._bad_since is None else self._bad_since
        own = min(MAX_WAIT_S, self._first_wait_s * 2 ** min(self._bad_in_a_row, 20))
        if started >= self._resume_at:  # not one of many that were under way when the pause began
            self._bad_in_a_row += 1
        wait = own if retry_after_s is None else retry_after_s
        self._cut(started)
        self._resume_at = max(self._resume_at, now + wait)
        if now + wait - since > self._outage_s:
            raise IncompleteError(
                f"no request was answered for {now - since:.0f} s and the next try is in {wait:.0f} s (model_args max_outage is "
                f"{self._outage_s:g} s); the last failure: {message}. Answers so far are safe; go on with --resume"
            )

    def _cut(self, started: float) -> None:
        if started >= self._cut_at:
            self._cut_at = time.monotonic()
            self.limit = max(1.0, self.limit / 2)


def retry_after_s(value: str | None) -> float | None:
    """Seconds in a Retry-After header: a number or a date; None where there is none that can be read.

    >>> retry_after_s("120")
    120.0
    """
    if value is None:
        return None
    with contextlib.suppress(ValueError):
        return max(0.0, float(value))
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None
