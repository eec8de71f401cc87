"""Which work comes next: the caller who was served least, and slow rows in a lane of their own."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from rewardkit.executor.job import Job, Unit
from rewardkit.executor.task import field_of

SLOW_S = 1.0
"""A row that keeps a worker longer than this goes to the slow lane."""
MAX_SUSPECTS = 10_000
"""Completions that are remembered as slow."""
MAX_CALLERS = 10_000
"""Above this number of callers, idle ones are dropped."""
_MEMORY = 0.8


@dataclass
class Work:
    """Units of one job that one worker does in a row."""

    job: Job
    units: list[Unit]
    slow: bool = False
    expected_s: float = 0.0
    """Seconds charged to its caller in advance."""


@dataclass
class _Flow:
    """The work of one caller in one lane."""

    clock_s: float = 0.0
    """Seconds of worker time that it was charged."""
    work: deque[Work] = field(default_factory=deque[Work])
    unit_s: float = 0.0
    """Recent seconds per unit of this caller."""


class _Lane:
    """Fair queueing by measured time: the next work is that of the caller with the least time charged.

    A caller who comes back after a pause starts level with the others and has saved up nothing.
    """

    def __init__(self) -> None:
        self._flows: dict[str, _Flow] = {}
        self._heap: list[tuple[float, int, str]] = []
        self._order = itertools.count()
        self._now_s = 0.0

    def put(self, work: Work) -> None:
        """To be done after what this caller has here already."""
        if len(self._flows) >= MAX_CALLERS:
            self._flows = {caller: flow for caller, flow in self._flows.items() if flow.work}
        flow = self._flows.setdefault(work.job.caller, _Flow())
        flow.work.append(work)
        if len(flow.work) == 1:
            flow.clock_s = max(flow.clock_s, self._now_s)
            self._push(work.job.caller, flow)

    def _push(self, caller: str, flow: _Flow) -> None:
        heapq.heappush(self._heap, (flow.clock_s, next(self._order), caller))

    def take(self) -> Work | None:
        """The next work; None if there is none."""
        while self._heap:
            clock_s, _, caller = heapq.heappop(self._heap)
            flow = self._flows[caller]
            if clock_s < flow.clock_s:  # it was charged since
                self._push(caller, flow)
                continue
            self._now_s = max(self._now_s, clock_s)
            work = flow.work.popleft()
            if flow.work:
                self._push(caller, flow)
            return work
        return None

    @property
    def waiting(self) -> bool:
        """There is work, though nobody may wait for it any more."""
        return bool(self._heap)

    def expect(self, caller: str, units: int) -> float:
        """Charge a caller in advance for what these units should take."""
        flow = self._flows[caller]
        flow.clock_s += units * flow.unit_s
        return units * flow.unit_s

    def charge(self, work: Work, seconds: float) -> None:
        """Charge the seconds actually used."""
        flow = self._flows.setdefault(work.job.caller, _Flow(self._now_s))
        flow.clock_s += seconds - work.expected_s
        flow.unit_s = _MEMORY * flow.unit_s + (1 - _MEMORY) * seconds / max(1, len(work.units))


class Queue:
    """Work for `workers` threads, and for `slow_workers` more that do rows which ran long. Safe between threads.

    Where `slow_workers` is 0 there is no slow lane, and no row is slow.
    """

    def __init__(self, *, workers: int, slow_workers: int, chunk_of: Callable[[Job], int]) -> None:
        self._workers, self._slow_workers, self._chunk_of = workers, slow_workers, chunk_of
        self._normal, self._slow = _Lane(), _Lane()
        self._busy = self._slow_busy = 0
        self._suspects: OrderedDict[int, None] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, job: Job[Any]) -> None:
        """Queue a job."""
        with self._changed:
            self._offer(job)

    def _offer(self, job: Job) -> None:
        if job.has_work and not job.offered:
            job.offered = True
            self._normal.put(Work(job, []))
            self._changed.notify()

    def take(self) -> Work | None:
        """The next work, once there is some; None if the queue is closed. What is taken is given back with `done`."""
        with self._changed:
            while not self._closed:
                work = self._next()
                if work is not None:
                    return work
                self._changed.wait()
        return None

    def _next(self) -> Work | None:
        if self._slow_busy < self._slow_workers:
            while (work := self._slow.take()) is not None:
                if not work.job.over:
                    self._slow_busy += 1
                    return work
        if self._busy < self._workers:
            while (work := self._normal.take()) is not None:
                job = work.job
                job.offered = False
                units = self._without_suspects(job, job.take(self._chunk_of(job)))
                self._offer(job)
                if units:
                    self._busy += 1
                    return Work(job, units, expected_s=self._normal.expect(job.caller, len(units)))
        return None

    def _without_suspects(self, job: Job, units: list[Unit]) -> list[Unit]:
        if not self._suspects:
            return units
        slow = [unit for unit in units if any(_key(job.rows[place]) in self._suspects for place in unit.places)]
        for unit in slow:
            self._defer(job, unit)
        return [unit for unit in units if unit not in slow]

    def _defer(self, job: Job, unit: Unit) -> None:
        self._slow.put(Work(job, [unit], slow=True))
        self._changed.notify()

    def turn_slow(self, work: Work, unit: Unit, rest: Iterable[Unit]) -> bool:
        """A unit runs long: the rest goes to other workers. False if the slow lane is full: it is to be stopped."""
        with self._changed:
            self._suspect(work.job, unit)
            work.job.put_back(rest)
            self._offer(work.job)
            if work.slow:
                return True
            if self._slow_busy >= self._slow_workers:
                self._defer(work.job, unit)
                return False
            work.slow = True
            self._busy -= 1
            self._slow_busy += 1
            self._changed.notify()
            return True

    def _suspect(self, job: Job, unit: Unit) -> None:
        for place in unit.places if len(unit.places) == 1 else ():
            self._suspects[_key(job.rows[place])] = None
        while len(self._suspects) > MAX_SUSPECTS:
            self._suspects.popitem(last=False)

    def done(self, work: Work, seconds: float) -> None:
        """A thread has finished its work: charge it, and offer what it left behind."""
        with self._changed:
            if work.slow:
                self._slow_busy -= 1
            else:
                self._busy -= 1
            self._normal.charge(work, seconds)
            if work.slow and seconds < SLOW_S:
                for place in (place for unit in work.units for place in unit.places):
                    self._suspects.pop(_key(work.job.rows[place]), None)
            self._offer(work.job)
            if self._normal.waiting or self._slow.waiting:
                self._changed.notify()

    def close(self) -> None:
        """Wake all waiting threads; nothing more is handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _key(row: bytes) -> int:
    """What slow rows are known by: the text that was judged."""
    text = field_of(row, "completion")
    return hash(text if isinstance(text, str) else row)
