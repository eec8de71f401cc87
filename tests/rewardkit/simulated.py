"""The executor's queue in virtual time: its own code decides whose turn it is, and workers are numbers."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

from rewardkit.executor.job import Job
from rewardkit.executor.queue import QUIET_S, Queue, Work
from rewardkit.types import Score, Verdict

LOOK_S = 0.05
RIGHT, LATE = Score.of(True), Score.of(False, verdict=Verdict.TIME_LIMIT)


@dataclass
class Row:
    """When a row comes, what it takes, and when it was judged. A loop is judged `time_limit`; a program that sleeps takes no CPU time."""

    at: float
    seconds: float
    loops: bool = False
    caller: str = ""
    sleeps: bool = False
    judged: float = -1.0
    begun: float = -1.0

    @property
    def waits(self) -> float:
        """Seconds from its arrival to its score."""
        assert self.judged >= 0, self
        return self.judged - self.at


@dataclass
class _Busy:
    """A worker that is at some work."""

    work: Work
    rows: list[Row]
    since: float
    place: int = 0
    begun: float = 0.0


class Machine:
    """`workers` and `slow_workers` around a queue. Programs end by their budget; without, a slow row costs its worker, which is away
    for `restart_s`.
    """

    def __init__(
        self,
        workers: int,
        slow_workers: int,
        *,
        restart_s: float = 0.0,
        programs: bool = True,
        chunk: int = 1,
        look_s: float = LOOK_S,
    ) -> None:
        self.now = 0.0
        self.kills = 0
        self.last_put = 0.0
        self.running: dict[int, _Busy] = {}
        self.queue = Queue(
            workers=workers,
            slow_workers=slow_workers,
            chunk_of=lambda _: chunk,
            programs=[0] if programs else [],
            clock=lambda: self.now,
        )
        self._free, self._restart_s, self._programs = workers + slow_workers, restart_s, programs
        self._again_at, self._look_s = 0.0, look_s
        self._events: list[tuple[float, int, str, Any]] = []
        self._order = count()
        self._rows: dict[int, list[Row]] = {}

    def judge(self, batches: Iterable[list[Row]], until: float = float("inf")) -> None:
        """Judge batches, each with the arrival and caller of its first row, to the end or to a time."""
        for number, rows in enumerate(batches):
            self._push(rows[0].at, "arrives", (number, rows))
        while self._events and self._events[0][0] <= until:
            self.now, _, what, about = heapq.heappop(self._events)
            getattr(self, f"_{what}")(about)
            self._hand_out()
            self.check()

    def check(self) -> None:
        """Called after each event."""

    @property
    def slow(self) -> int:
        """Workers at slow rows."""
        return sum(one.work.slow for one in self.running.values())

    def _push(self, at: float, what: str, about: Any) -> None:
        heapq.heappush(self._events, (at, next(self._order), what, about))

    def _arrives(self, batch: tuple[int, list[Row]]) -> None:
        number, rows = batch
        lines = [json.dumps({"completion": f"{number}/{place}"}).encode() for place in range(len(rows))]
        job = Job(lines, caller=rows[0].caller)
        self._rows[id(job)] = rows
        self.last_put = self.now
        self.queue.put(job)

    def _hand_out(self) -> None:
        while self._free and (work := self.queue.next()) is not None:
            self._free -= 1
            key = next(self._order)
            rows = [self._rows[id(work.job)][unit.places[0]] for unit in work.units]
            self.running[key] = _Busy(work, rows, self.now)
            self._begin(key)
        if self._free and self.now >= self._again_at and self.queue.slow_waits:
            self._again_at = self.now + QUIET_S  # a thread that waits looks again
            self._push(self._again_at, "comes_back", 0)

    def _begin(self, key: int) -> None:
        one = self.running[key]
        if one.place == len(one.rows):
            self._end(key, 0.0)
            return
        one.begun = self.now
        row = one.rows[one.place]
        seconds, row.begun = row.seconds, self.now
        if self._programs and not row.sleeps and seconds > one.work.budget_s:
            self._push(self.now + one.work.budget_s, "put_off", (key, one.place))
        else:
            self._push(self.now + seconds, "ends", (key, one.place))
        self._push(self.now + self._look_s, "look", (key, one.place))

    def _at(self, about: tuple[int, int]) -> _Busy | None:
        one = self.running.get(about[0])
        return one if one is not None and one.place == about[1] else None

    def _ends(self, about: tuple[int, int]) -> None:
        if (one := self._at(about)) is not None:
            row = one.rows[one.place]
            row.judged = row.judged if row.judged >= 0 else self.now
            one.work.job.deliver(one.work.units[one.place].places, [LATE if row.loops else RIGHT])
            one.place += 1
            self._begin(about[0])

    def _put_off(self, about: tuple[int, int]) -> None:
        if (one := self._at(about)) is not None:
            self.queue.put_off(one.work, one.work.units[one.place])
            one.place += 1
            self._begin(about[0])

    def _look(self, about: tuple[int, int]) -> None:
        if (one := self._at(about)) is not None:
            if self.queue.stops(one.work, one.work.units[one.place], self.now - one.begun):
                self.kills += 1
                self._end(about[0], self._restart_s)
            else:
                self._push(self.now + self._look_s, "look", about)

    def _end(self, key: int, away_s: float) -> None:
        one = self.running.pop(key)
        slept_s = sum(row.seconds for row in one.rows if row.sleeps)
        one.work.cpu_s = max(0.0, self.now - one.since - slept_s) if self._programs else 0.0
        self.queue.done(one.work, self.now - one.since)
        self._push(self.now + away_s, "comes_back", 1)

    def _comes_back(self, workers: int) -> None:
        self._free += workers
