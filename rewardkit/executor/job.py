"""One call for results: its rows, what is left to do of them, the results that are in."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Generic, cast

from rewardkit.executor.task import SAMPLES, Result, Task
from rewardkit.groups import packed, together

if TYPE_CHECKING:
    from rewardkit.executor.executor import Executor

MAX_DEATHS = 3
"""A single row is unjudged after this many worker deaths; fewer may have another cause."""
CANCELLED = "the work was cancelled"
LEAVE_S = 1.0
"""Grace period for work whose caller has left, before its process is killed."""


@dataclass(slots=True)
class Unit:
    """Rows that one call of the reward scores together; `deaths` counts the workers that died over them, `level` the times that it was
    put off as slow. One that is `apart` is handed out alone.
    """

    places: list[int]
    deaths: int = 0
    apart: bool = False
    level: int = 0


class Job(Generic[Result]):
    """Rows that are judged for one caller, and their results to come: scores, unless the task is another. Safe to share between threads.

    A unit is one row if `by_row`; else it is about `unit_rows` rows with whole groups, wherever their rows are, or all of them. Who waits for
    results calls `wait` until they are there; without it they come from another thread.
    """

    def __init__(
        self,
        rows: Sequence[bytes],
        *,
        task: Task[Any, Result] = SAMPLES,
        reward: int = 0,
        caller: str = "",
        by_row: bool = True,
        unit_rows: int | None = None,
        on_scores: Callable[[Sequence[Result]], None] | None = None,
        wait: Callable[[], None] | None = None,
    ) -> None:
        self.rows, self.reward, self.caller, self.by_row = rows, reward, caller, by_row
        self._task = task
        self.scores: list[Result | None] = [None] * len(rows)
        self.executor: Executor[Any, Result] | None = None
        """Who judges it, kept until it is done."""
        self.offered = False
        """True while it is in the queue; guarded by the queue's lock."""
        self.future: Future[list[Result]] = Future()
        self._unit_rows = unit_rows or len(rows)
        self._on_scores, self._wait = on_scores, wait
        self._missing = len(rows)
        self._todo: deque[Unit] = deque()
        self._next = 0
        """Rows that were handed out."""
        self._batches: Iterator[list[int]] | None = None
        """What is left of the places of units of several rows."""
        self._ended_at: float | None = None
        self._lock = threading.Lock()
        self._came = threading.Condition(self._lock)
        if not rows:
            self.future.set_result([])

    def result(self) -> list[Result]:
        """The scores, in order, once they are all there."""
        while self._wait is not None and not self.future.done():
            self._wait()
        return self.future.result()

    def in_order(self) -> Iterator[list[Result]]:
        """The results in order, each list as soon as they and all before are there."""
        scores, place = self.scores, 0
        while place < len(scores):
            while scores[place] is None and not self.future.done():
                if self._wait is not None:
                    self._wait()
                    continue
                with self._came:
                    if scores[place] is None and not self.future.done():
                        self._came.wait()
            found = list(takewhile(lambda score: score is not None, islice(scores, place, None)))
            if not found:
                self.result()  # raises: it failed
            place += len(found)
            yield cast("list[Result]", found)

    @property
    def over(self) -> bool:
        """True once every row has a score."""
        return self._missing == 0

    @property
    def overdue(self) -> bool:
        """True if it ended longer ago than the grace period: workers still on it are stopped."""
        return self._ended_at is not None and time.monotonic() - self._ended_at > LEAVE_S

    @property
    def has_work(self) -> bool:
        """True if there are units that no worker has taken."""
        return not self.over and (bool(self._todo) or self._next < len(self.rows))

    def take(self, count: int) -> list[Unit]:
        """At most `count` units to work on next: what was put back first, then the rows not yet handed out."""
        units: list[Unit] = []
        with self._lock:
            while self._todo and len(units) < count:
                if self._todo[0].apart and units:
                    return units
                units += self._without_scored([self._todo.popleft()])
                if units and units[-1].apart:
                    return units
            while self._next < len(self.rows) and len(units) < count:
                units += self._without_scored(self._new_units(count - len(units)))
        return units

    def _new_units(self, most: int) -> list[Unit]:
        start = self._next
        if self.by_row:
            self._next = min(start + most, len(self.rows))
            return [Unit([place]) for place in range(start, self._next)]
        if self._batches is None:
            everything = range(len(self.rows))
            some = (
                packed(self._groups(everything), self._unit_rows) if self._unit_rows < len(everything) else [everything]
            )
            self._batches = iter([list(places) for places in some])
        places = next(self._batches)
        self._next += len(places)
        return [Unit(places)]

    def _without_scored(self, units: list[Unit]) -> list[Unit]:
        scores = self.scores
        return [unit for unit in units if any(scores[place] is None for place in unit.places)]

    def put_back(self, units: Iterable[Unit], *, apart: bool = False) -> None:
        """Hand out these units again, before any other; each alone if they are to be kept apart."""
        units = list(units)
        for unit in units:
            unit.apart = unit.apart or apart
        with self._lock:
            self._todo.extendleft(reversed(units))

    def deliver(self, places: Iterable[int], scores: Iterable[Result | None]) -> None:
        """Take the results of rows. A row that has one keeps it, so that judged twice is counted once; None is no result."""
        new: list[Result] = []
        with self._lock:
            if self._missing == 0:  # it has failed
                return
            for place, score in zip(places, scores, strict=False):
                if score is not None and self.scores[place] is None:
                    self.scores[place] = score
                    new.append(score)
            self._missing -= len(new)
            over = bool(new) and self._missing == 0
            self._came.notify_all()
        if new and self._on_scores is not None:
            self._on_scores(new)
        if over:
            self.future.set_result([score for score in self.scores if score is not None])

    def broken(self, unit: Unit, reason: str, *, final: bool) -> None:
        """A worker was lost over a unit. Its groups are tried again apart; a row or group that is alone already is unjudged."""
        groups = self._groups(unit.places)
        if len(groups) > 1:
            self.put_back(map(Unit, groups))
            return
        unit.deaths += 1
        if final or unit.deaths >= MAX_DEATHS:
            self._give_up(unit.places, reason)
        else:
            self.put_back([unit])

    def _groups(self, places: Sequence[int]) -> list[list[int]]:
        """The places by the groups of their rows."""
        keys = [self._task.group(self.rows[place]) for place in places]
        return [[places[index] for index in group] for group in together(keys)]

    def _give_up(self, places: Sequence[int], reason: str) -> None:
        """Rows without a result are unjudged."""
        missing = [place for place in places if self.scores[place] is None]
        self.deliver(missing, [self._task.unjudged(self.rows[place], reason) for place in missing])

    def end(self, reason: str = CANCELLED) -> None:
        """Nobody waits any more: rows without a score are unjudged, what has not begun is dropped, what has is soon stopped."""
        if not self.over:
            self._ended_at = time.monotonic()
            self._give_up(range(len(self.rows)), reason)

    def fail(self, error: BaseException) -> None:
        """Fail the job; waiting callers get the error."""
        with self._lock:
            self._missing, self._ended_at = 0, time.monotonic()
        if not self.future.done():
            self.future.set_exception(error)
        with self._came:
            self._came.notify_all()
        if self._on_scores is not None:
            self._on_scores([])
