"""The bounded queue: a ticket a request, units of rows handed out in turn, so that a large batch starves no small one."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rewardkit.base import Reward, SampleReward, is_async, walk
from rewardkit.compose import BySource, Gated, Named, Weighted
from rewardkit.serve.wire import Judged, unjudged

CHUNK_ROWS = 64
"""Rows that go to a worker at once, at most."""
MAX_DEATHS = 3
"""A row alone with a dying worker that often is unjudged: it is the row that kills."""
_RATE_MEMORY = 0.9
Row = dict[str, Any] | str
"""A sample as plain values, or one line that says why there is none."""


class QueueFullError(Exception):
    """No room for a request now. `retry_after_s` tells when there should be."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"the queue is full; try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s


@dataclass
class Unit:
    """Rows that one call of the reward scores together; `deaths` counts the workers that died over them."""

    places: list[int]
    deaths: int = 0


class Ticket:
    """One request: its rows, what is still to do, and the scores that have come in. Scores are in the order of the rows."""

    def __init__(self, reward: int, rows: Sequence[Row], *, by_row: bool, deadline_s: float) -> None:
        self.reward = reward
        self.rows = rows
        self.deadline_s = deadline_s
        self.by_row = by_row
        self.kills: set[Callable[[], None]] = set()
        """How to end the work that is under way for this ticket."""
        self._scores: list[Judged | None] = [None] * len(rows)
        self._missing = len(rows)
        self._todo: deque[Unit] = deque()
        self._next = 0
        self._news = asyncio.Event()

    @property
    def over(self) -> bool:
        """Every row has its score: nothing more is to be done."""
        return self._missing == 0

    @property
    def has_work(self) -> bool:
        """There are units that no worker has."""
        return not self.over and (bool(self._todo) or self._next < len(self.rows))

    @property
    def missing(self) -> int:
        """Rows without a score."""
        return self._missing

    def take(self, rows: int) -> list[Unit]:
        """Units of about `rows` rows: what was put back first, then the rows not yet handed out."""
        units: list[Unit] = []
        if self._todo:
            while self._todo and len(units) < rows:
                units.append(self._todo.popleft())
                if not self.by_row:
                    break
            return units
        places = self._places(rows)
        return [Unit([place]) for place in places] if self.by_row else [Unit(places)]

    def _places(self, count: int) -> list[int]:
        start, end = self._next, min(self._next + count, len(self.rows))
        while not self.by_row and end < len(self.rows) and same_group(self.rows[end - 1], self.rows[end]):
            end += 1
        self._next = end
        return list(range(start, end))

    def put_back(self, units: Iterable[Unit]) -> None:
        """Hand out these units again, before any other."""
        self._todo.extendleft(reversed(list(units)))

    def deliver(self, unit: Unit, scores: Iterable[Judged]) -> int:
        """Take the scores of a unit; those that came too late are dropped. Tells how many were new."""
        new = 0
        for place, score in zip(unit.places, scores, strict=True):
            if self._scores[place] is None:
                self._scores[place] = score
                self._missing -= 1
                new += 1
        self._news.set()
        return new

    def refuse(self, unit: Unit, reason: str) -> int:
        """Leave a unit unjudged."""
        return self.deliver(unit, [unjudged(reason)] * len(unit.places))

    def broken(self, unit: Unit, reason: str, *, final: bool) -> int:
        """A worker was lost over a unit. Its groups are tried again apart; a row that is alone already is unjudged."""
        parts = self._apart(unit)
        if len(parts) > 1:
            self.put_back(parts)
            return 0
        unit.deaths += 1
        if final or unit.deaths >= MAX_DEATHS:
            return self.refuse(unit, reason)
        self.put_back([unit])
        return 0

    def _apart(self, unit: Unit) -> list[Unit]:
        parts: list[Unit] = []
        for place in unit.places:
            if parts and same_group(self.rows[parts[-1].places[-1]], self.rows[place]):
                parts[-1].places.append(place)
            else:
                parts.append(Unit([place]))
        return parts

    def end(self, reason: str) -> int:
        """End the work now: rows without a score are unjudged, and whoever works on them is stopped."""
        late = [place for place, score in enumerate(self._scores) if score is None]
        count = self.refuse(Unit(late), reason)
        for kill in tuple(self.kills):
            kill()
        return count

    async def scores(self) -> AsyncIterator[Judged]:
        """The scores in order, each as soon as it and all before it are there."""
        place = 0
        while place < len(self.rows):
            score = self._scores[place]
            if score is not None:
                yield score
                place += 1
            else:
                self._news.clear()
                await self._news.wait()

    async def all_scores(self) -> list[Judged]:
        """The scores once they are all there."""
        return [score async for score in self.scores()]


class Queue:
    """Tickets in turn. Admission is bounded by bytes (`hold`) and rows (`admit`); `next` waits for work."""

    def __init__(self, rewards: Sequence[Reward], *, rows: int, size: int, workers: int) -> None:
        self._by_row = [is_by_row(reward) for reward in rewards]
        self._max_rows, self._max_size, self._workers = rows, size, workers
        self._turn: deque[Ticket] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.rows = 0
        """Rows admitted and not yet scored."""
        self.size = 0
        """Bytes of the requests under way."""
        self.tickets = 0
        """Requests under way."""
        self._rate = 0.0
        self._rate_at = time.monotonic()
        self._rate_rows = 0

    def hold(self, size: int) -> None:
        """Count the bytes of a request body that is coming in. What is held is given back with `free`.

        Raises:
            QueueFullError: there is no room now.
        """
        if self.size and self.size + size > self._max_size:
            raise QueueFullError(self.retry_after_s())
        self.size += size

    def free(self, size: int) -> None:
        """The request is answered: its bytes are gone."""
        self.size -= size

    def admit(self, reward: int, rows: Sequence[Row], *, deadline_s: float) -> Ticket:
        """A ticket for these rows. A request that meets an empty queue always gets in.

        Raises:
            QueueFullError: there is no room now.
        """
        if self.tickets and self.rows + len(rows) > self._max_rows:
            raise QueueFullError(self.retry_after_s())
        ticket = Ticket(reward, rows, by_row=self._by_row[reward], deadline_s=deadline_s)
        self.tickets += 1
        self.rows += len(rows)
        self.offer(ticket)
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """A request is answered or given up: its place is free."""
        assert ticket.over
        self.tickets -= 1

    def offer(self, ticket: Ticket) -> None:
        """Let workers know that a ticket has work."""
        if ticket.has_work and ticket not in self._turn:
            self._turn.append(ticket)
        self._wake()

    def _wake(self) -> None:
        """Let one of those who wait have a look; it wakes the next one if it leaves work behind."""
        while self._turn and self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)
                return

    async def next(self) -> tuple[Ticket, list[Unit]]:
        """The next units to work on, of the ticket whose turn it is."""
        while True:
            while self._turn:
                ticket = self._turn.popleft()
                if not ticket.has_work:
                    continue
                share = -(-len(ticket.rows) // (4 * self._workers))
                units = ticket.take(max(1, min(CHUNK_ROWS, share)) if ticket.by_row else CHUNK_ROWS)
                if ticket.has_work:
                    self._turn.append(ticket)
                self._wake()
                return ticket, units
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future

    def scored(self, count: int) -> None:
        """So many rows got their score: keeps the rate that Retry-After is made from."""
        self.rows -= count
        self._rate_rows += count
        now = time.monotonic()
        if now - self._rate_at >= 1:
            rate = self._rate_rows / (now - self._rate_at)
            self._rate = rate if self._rate == 0 else _RATE_MEMORY * self._rate + (1 - _RATE_MEMORY) * rate
            self._rate_at, self._rate_rows = now, 0

    def retry_after_s(self) -> int:
        """Seconds until half of what waits should be done, by the rate of late; 1 to 60."""
        return 5 if self._rate == 0 else max(1, min(60, round(self.rows / self._rate / 2)))


def is_by_row(reward: Reward) -> bool:
    """True where scoring rows one by one is the same as scoring them together, so that a hung row is known at once."""
    sums = (Weighted, Named, Gated, BySource)
    return all(
        isinstance(inner, sums) or (isinstance(inner, SampleReward) and not is_async(inner)) for inner in walk(reward)
    )


def same_group(a: Row, b: Row) -> bool:
    """True for rows that answer the same prompt and are scored together."""
    if isinstance(a, str) or isinstance(b, str):
        return False
    return a.get("group") is not None and a.get("group") == b.get("group")
