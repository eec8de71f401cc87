"""Which work comes next: the caller who was served least, and slow rows in lanes of their own."""

from __future__ import annotations

import heapq
import itertools
import math
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rewardkit.executor.job import Job, Unit
from rewardkit.executor.task import field_of
from rewardkit.types import Verdict

BUDGET = (2.0, 0.03, 0.1)
"""CPU seconds that the programs of a row may take before it is put off: so many times what nine of ten rows of its reward take, no less
than the second number, and the third as long as few rows have ended."""
PATIENCE = (10.0, 0.5, 1.0)
"""The same for seconds on the wall, after which the worker is killed: for rows that run no program. A sandbox ends programs that sleep."""
RECENT, ENOUGH = 50, 20
"""Rows of a reward that tell how long its rows take, and the fewest that do."""
CHUNK_S, IN_ORDER_CHUNK_S = 0.01, 0.05
"""Rows that take less time together go to one worker at once: less would keep it waiting for the next ones, more would keep rows from
the others, which matters where callers take turns."""
QUIET_S = 5.0
"""Where no other row came for so long, slow rows take all workers but one."""
MAX_SUSPECTS = 10_000
"""Completions that are remembered as slow."""
MAX_CALLERS = 10_000
"""Above this number of callers, idle ones are dropped."""
_MEMORY = 0.8


@dataclass
class Work:
    """Units of one job that one worker does in a row."""

    job: Job[Any]
    units: list[Unit]
    expected_s: float = 0.0
    """Seconds charged to its caller in advance."""
    budget_s: float = math.inf
    """CPU seconds that the programs of each unit may take."""
    cpu_s: float = 0.0
    """CPU seconds that its programs took."""
    began: float = 0.0
    """When it was taken, or when a worker was there to do it."""
    before_s: float = 0.0
    """CPU seconds of programs that its worker had taken before."""
    done: int = 0
    """Rows with a result."""
    kill_s: float = math.inf
    """Seconds after which a unit is stopped."""
    slow: bool = False
    """It is one unit that was put off before."""
    left: bool = False
    """It no longer counts among the slow ones under way."""

    @cached_property
    def places(self) -> list[int]:
        """Its rows, by their places in the job."""
        return [place for unit in self.units for place in unit.places]

    def blame(self, late: int | None, reason: str) -> None:
        """Hand the units of a lost worker out again, but for the one that is to blame. That is known if its time ran out;
        a process may die later than the row that broke it, so that the others are tried again apart.
        """
        if late is not None or len(self.units) == 1:
            broken = self.units[late or 0]
            self.job.put_back(unit for unit in self.units if unit is not broken)
            self.job.broken(broken, reason, final=late is not None)
        else:
            self.job.put_back(self.units, apart=True)


class Recent:
    """Seconds that the rows of one reward took of late, those that ended by themselves: a time limit says nothing about the others."""

    def __init__(self, factor: float, least_s: float, first_s: float) -> None:
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._factor, self._least_s, self._count = factor, least_s, 0
        self.mean_s = 0.0
        """Mean of a row; 0 where none has ended."""
        self.slow_s = first_s
        """A row that takes longer is slow."""

    def note(self, row_s: float) -> None:
        """A row took so long."""
        self.mean_s = row_s if self._count == 0 else _MEMORY * self.mean_s + (1 - _MEMORY) * row_s
        self._recent.append(row_s)
        self._count += 1
        if self._count >= ENOUGH and self._count % 10 == 0:
            self.slow_s = max(self._least_s, self._factor * sorted(self._recent)[len(self._recent) * 9 // 10])


class Pace:
    """How long the rows of one reward take, by the CPU clock of their programs and by the clock on the wall."""

    def __init__(self) -> None:
        self.cpu, self.wall = Recent(*BUDGET), Recent(*PATIENCE)


@dataclass
class _Flow:
    """The work of one caller in one lane."""

    clock_s: float = 0.0
    """Seconds of worker time that it was charged."""
    work: deque[Work] = field(default_factory=deque[Work])


class _Lane:
    """Fair queueing by measured time: the next work is that of the caller with the least time charged.

    A caller who comes back after a pause starts level with the others and has saved up nothing.
    """

    def __init__(self) -> None:
        self._flows: dict[str, _Flow] = {}
        self._heap: list[tuple[float, int, str]] = []
        self._order = itertools.count()
        self._now_s = 0.0

    def put(self, work: Work, *, first: bool = False) -> None:
        """To be done after what this caller has here already, or before it."""
        if len(self._flows) >= MAX_CALLERS:
            self._flows = {caller: flow for caller, flow in self._flows.items() if flow.work}
        flow = self._flows.setdefault(work.job.caller, _Flow())
        if first:
            flow.work.appendleft(work)
        else:
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

    def charge(self, caller: str, seconds: float) -> None:
        """Count time that a caller was given."""
        self._flows.setdefault(caller, _Flow(self._now_s)).clock_s += seconds


class Queue:
    """Work for `workers`, and for `slow_workers` more beside them. Safe between threads.

    A row is slow that takes much longer than others of its reward. It is put off: it begins anew, with more time, in a lane of its
    own, where the rows come first that were put off least often. While other rows come, slow rows hold at most `slow_workers` workers.
    Where `slow_workers` is 0 no row is slow. With `in_order` a caller's jobs are done one after the other, else in turns. `programs` are the
    rewards that run programs in a sandbox: the clock on the wall stops no row of theirs.
    """

    def __init__(
        self,
        *,
        workers: int,
        slow_workers: int,
        chunk_of: Callable[[Job[Any]], int],
        in_order: bool = False,
        programs: Collection[int] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._in_order, self._chunk_s = in_order, IN_ORDER_CHUNK_S if in_order else CHUNK_S
        self._workers, self._slow_workers, self._chunk_of, self._clock = workers, slow_workers, chunk_of, clock
        self._programs = programs
        self._lanes: dict[int, _Lane] = {0: _Lane()}
        """By the times that their rows were put off."""
        self._busy = self._slow_busy = 0
        self._last_put = clock()
        self._paces: defaultdict[int, Pace] = defaultdict(Pace)
        self._suspects: OrderedDict[int, None] = OrderedDict()
        self._lock = threading.RLock()

    def put(self, job: Job[Any]) -> None:
        """Queue a job."""
        with self._lock:
            self._last_put = self._clock()
            self._offer(job)

    def _offer(self, job: Job[Any], *, again: bool = False) -> None:
        if job.has_work and not job.offered:
            job.offered = True
            self._lanes[0].put(Work(job, []), first=again and self._in_order)

    def next(self) -> Work | None:
        """The next work for a free worker, if there is some now. What is taken is given back with `done`."""
        with self._lock:
            work = self._next_slow() if self._slow_busy < self._slow_limit else None
            return work or (self._next_normal() if self._busy < self._workers else None)

    def _next_slow(self) -> Work | None:
        for level in sorted(self._lanes)[1:]:
            while (work := self._lanes[level].take()) is not None:
                if not work.job.over:
                    self._slow_busy += 1
                    return self._bounded(work)
        return None

    def _next_normal(self) -> Work | None:
        while (work := self._lanes[0].take()) is not None:
            job = work.job
            job.offered = False
            units = self._without_slow(job, job.take(self._chunk(job)))
            self._offer(job, again=True)
            if units:
                self._busy += 1
                expected_s = len(units) * self._paces[job.reward].wall.mean_s
                self._lanes[0].charge(job.caller, expected_s)
                return self._bounded(Work(job, units, expected_s=expected_s))
        return None

    @property
    def _slow_limit(self) -> int:
        """How many workers slow rows may hold."""
        if self._slow_workers and not self._lanes[0].waiting and self._clock() - self._last_put > QUIET_S:
            return self._workers + self._slow_workers - 1
        return self._slow_workers

    @property
    def slow_waits(self) -> bool:
        """There is slow work, though nobody may wait for it any more."""
        return any(lane.waiting for level, lane in self._lanes.items() if level)

    def _chunk(self, job: Job[Any]) -> int:
        most, row_s = self._chunk_of(job), self._paces[job.reward].wall.mean_s
        if not job.by_row:
            return most
        return max(1, min(most, round(self._chunk_s / row_s))) if row_s else 1

    def _bounded(self, work: Work) -> Work:
        level = work.units[0].level
        to_its_end = level > 2 and self._slow_limit > self._slow_workers  # nobody waits who might be faster
        if self._slow_workers and not to_its_end and all(len(unit.places) == 1 for unit in work.units):
            pace, growth = self._paces[work.job.reward], 2 ** (level * (level + 1) // 2)  # 1, 2, 8, 64
            work.budget_s = growth * pace.cpu.slow_s
            if work.job.reward not in self._programs:
                work.kill_s = growth * pace.wall.slow_s
        return work

    def _without_slow(self, job: Job[Any], units: list[Unit]) -> list[Unit]:
        if not self._suspects and not any(unit.level for unit in units):
            return units
        fast: list[Unit] = []
        for unit in units:
            if unit.level == 0 and not any(_key(job.rows[place]) in self._suspects for place in unit.places):
                fast.append(unit)
            else:
                self._put_slow(job, unit, max(1, unit.level))
        return fast

    def _put_slow(self, job: Job[Any], unit: Unit, level: int) -> None:
        unit.level = level
        self._lanes.setdefault(level, _Lane()).put(Work(job, [unit], slow=True))

    def put_off(self, work: Work, unit: Unit) -> None:
        """A unit needs more time than it had: it begins anew among slow rows."""
        with self._lock:
            for place in unit.places if len(unit.places) == 1 else ():
                self._suspects[_key(work.job.rows[place])] = None
            while len(self._suspects) > MAX_SUSPECTS:
                self._suspects.popitem(last=False)
            self._put_slow(work.job, unit, unit.level + 1)

    def stops(self, work: Work, unit: Unit, seconds: float) -> bool:
        """True if a unit that has kept its worker so long is to be stopped, since others wait; then it is in the queue again."""
        with self._lock:
            late = seconds > work.kill_s * len(unit.places)
            crowded = work.slow and self._slow_busy > self._slow_limit
            if not crowded and not (late and (self.slow_waits or not work.slow)):
                return False
            if work.slow:
                work.left = True
                self._slow_busy -= 1
            if late:
                self.put_off(work, unit)
            else:
                self._put_slow(work.job, unit, unit.level)
            work.job.put_back(other for other in work.units if other is not unit)
            self._offer(work.job, again=True)
            return True

    def done(self, work: Work, seconds: float) -> None:
        """A worker has finished its work: charge it, and offer what it left behind."""
        job = work.job
        with self._lock:
            if not work.slow:
                self._busy -= 1
            elif not work.left:
                self._slow_busy -= 1
            self._lanes[0].charge(job.caller, seconds - work.expected_s)
            places = work.places
            if all(ended_by_itself(job.scores[place]) for place in places):
                pace = self._paces[job.reward]
                pace.cpu.note(work.cpu_s / len(places))
                pace.wall.note(seconds / len(places))
                if work.slow and work.cpu_s < pace.cpu.slow_s and seconds < pace.wall.slow_s:
                    for place in places:
                        self._suspects.pop(_key(job.rows[place]), None)
            self._offer(job, again=True)


def ended_by_itself(score: Any) -> bool:
    """True for a result that no time limit made."""
    return score is not None and getattr(score, "verdict", None) not in (Verdict.TIME_LIMIT, Verdict.UNJUDGED)


def _key(row: bytes) -> int:
    """What slow rows are known by: the text that was judged."""
    text = field_of(row, "completion")
    return hash(text if isinstance(text, str) else row)
