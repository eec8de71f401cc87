"""Admission control: limits on rows and bytes, and the scores of one request as they arrive."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from rewardkit.executor import Job
from rewardkit.serve.http import RefusedError
from rewardkit.types import Score

_RATE_MEMORY = 0.9


class Queue:
    """Counts what is under way. Admission is bounded by bytes (`hold`) and rows (`admit`); `report` is called after each change."""

    def __init__(self, *, rows: int, size: int, report: Callable[[int, int], None]) -> None:
        self._max_rows, self._max_size, self._report = rows, size, report
        self.rows = 0
        """Rows admitted and not yet scored."""
        self.size = 0
        """Bytes of the requests under way."""
        self.requests = 0
        """Requests under way."""
        self._rate = 0.0
        self._rate_at = time.monotonic()
        self._rate_rows = 0

    def hold(self, size: int) -> None:
        """Count the bytes of a request body that is coming in. What is held is given back with `free`.

        Raises:
            RefusedError: 429, there is no room now.
        """
        if self.size and self.size + size > self._max_size:
            raise self._full()
        self.size += size

    def free(self, size: int) -> None:
        """The request is answered: its bytes are gone."""
        self.size -= size

    def admit(self, rows: int) -> None:
        """Count a request. One that meets an empty queue always gets in; `leave` says that it is answered.

        Raises:
            RefusedError: 429, there is no room now.
        """
        if self.requests and self.rows + rows > self._max_rows:
            raise self._full()
        self.requests += 1
        self.rows += rows
        self._report(self.rows, self.requests)

    def leave(self) -> None:
        """A request is answered or given up: its place is free."""
        self.requests -= 1
        self._report(self.rows, self.requests)

    def scored(self, count: int) -> None:
        """Count rows that were scored: Retry-After is computed from their rate."""
        self.rows -= count
        self._report(self.rows, self.requests)
        self._rate_rows += count
        now = time.monotonic()
        if now - self._rate_at >= 1:
            rate = self._rate_rows / (now - self._rate_at)
            self._rate = rate if self._rate == 0 else _RATE_MEMORY * self._rate + (1 - _RATE_MEMORY) * rate
            self._rate_at, self._rate_rows = now, 0

    def _full(self) -> RefusedError:
        """With the seconds until half of what waits should be done, by the rate of late; 1 to 60."""
        seconds = 5 if self._rate == 0 else max(1, min(60, round(self.rows / self._rate / 2)))
        message = f"the queue is full; try again in {seconds} s"
        return RefusedError(429, message, why="full", headers={"retry-after": str(seconds)})


class Scores:
    """The scores of one request, for the event loop, where `news` is set whenever there are new ones."""

    def __init__(self, job: Job, news: asyncio.Event) -> None:
        self.job, self._news = job, news

    async def in_order(self) -> AsyncIterator[Score]:
        """Each score as soon as it and all before it are there."""
        for place in range(len(self.job.scores)):
            while (score := self.job.scores[place]) is None:
                if self.job.over:
                    self.job.result()  # raises: it failed
                await self._next_news()
            yield score

    async def all(self) -> list[Score]:
        """The scores once they are all there."""
        while not self.job.over:
            await self._next_news()
        return self.job.result()

    async def _next_news(self) -> None:
        self._news.clear()
        await self._news.wait()
