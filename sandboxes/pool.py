"""Warm boxes and the threads that use them: spares, retries, early stop. The same for every kind of box."""

import atexit
import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from sandboxes.base import Execution, Job, Stop
from sandboxes.box import Box, BoxLost
from sandboxes.errors import SandboxError
from sandboxes.relay import run_driver
from sandboxes.resume import resume

__all__ = ["Pool"]

CHUNK = 32
"""Jobs of one program that go to one box in a row; more are spread."""
AHEAD_BYTES = 1 << 14
"""A job is sent before the last one's answer is read only if both fit into pipe buffers: neither side may block on the other."""
MAX_RUNS = 20_000
START_ATTEMPTS = 3
MAX_START_ATTEMPTS = 50
"""With those in which someone on the host killed the box before it was up."""
PATIENCE = 6
"""A job whose boxes are killed from outside, which it can't have caused, is given up only after so many."""


@dataclass
class Counters:
    """What happened so far, for reports."""

    started: int = 0
    lost: int = 0
    retired: int = 0
    start_s: list[float] = field(default_factory=list[float])


class Pool:
    """`workers` threads over boxes from `make`, with `spares` more kept warm so that a replacement costs no wait."""

    def __init__(self, make: Callable[[], Box], *, workers: int, spares: int, judges: "Pool | None" = None) -> None:
        self.make = make
        self.workers = workers
        self.spares = spares
        self.judges = judges
        self.counters = Counters()
        self.closed = False
        self._idle: queue.LifoQueue[Box] = queue.LifoQueue()
        self._boxes: set[Box] = set()
        self._lock = threading.Lock()
        self._starting = 0
        self._in_use = 0
        self._failure: SandboxError | None = None
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="sandbox")
        self._starters = ThreadPoolExecutor(2, thread_name_prefix="sandbox-start")
        self._owner = os.getpid()
        atexit.register(self.close)

    def warm_up(self) -> None:
        """Start one box now, so that what is wrong here shows at once; the others come when they are needed."""
        self._idle.put(self._start())

    def submit(self, jobs: Sequence[Job], stop: Stop | None) -> "Future[list[Execution]]":
        """Run the jobs on the pool's threads; the future's list is in the jobs' order."""
        units = [list(range(len(jobs)))] if stop is not None else _units(jobs)
        done: Future[list[Execution]] = Future()
        results: list[Execution | None] = [None] * len(jobs)
        left = len(units)
        lock = threading.Lock()

        def work(unit: list[int]) -> None:
            nonlocal left
            try:
                for index, execution in zip(unit, self._run_unit([jobs[index] for index in unit], stop), strict=False):
                    results[index] = execution
            except BaseException as error:  # noqa: BLE001  (the boundary: a failure belongs to the caller's future)
                with lock, contextlib.suppress(Exception):
                    done.set_exception(error)
                return
            with lock:
                left -= 1
                if not left and not done.done():
                    done.set_result([execution for execution in results if execution is not None])

        if not units:
            done.set_result([])
        for unit in units:
            self._threads.submit(work, unit)
        return done

    def _run_unit(self, jobs: list[Job], stop: Stop | None) -> list[Execution]:
        """The jobs in order in one box; after a loss, what is left in a fresh one. A job that loses two boxes is given up."""
        facts: list[Execution] = []
        strikes: list[BoxLost] = []
        while len(facts) < len(jobs):
            box = self.take()
            before = len(facts)
            try:
                stopped = self._run_in(box, jobs, facts, stop)
            except BoxLost as lost:
                self.drop(box, lost=True)
                strikes = [*strikes, lost] if len(facts) == before else [lost]
                if len(strikes) < (PATIENCE if lost.cause == "outside" else 2):
                    continue
                facts.append(_given_up(strikes, box))
                strikes = []
                stopped = stop is not None and stop(len(facts) - 1, facts[-1])
            except BaseException:
                self.drop(box, lost=False)
                raise
            else:
                self.give(box)
            if stopped:
                break
        return facts

    def _run_in(self, box: Box, jobs: list[Job], facts: list[Execution], stop: Stop | None) -> bool:
        """Go on after the facts that are there. True when `stop` said so."""
        sent = len(facts)
        while len(facts) < len(jobs):
            if box.unclean is not None:
                raise BoxLost(box.unclean)
            job = jobs[len(facts)]
            if job.driver is not None:
                if self.judges is None:
                    raise SandboxError(
                        "a trusted pool can't hold submissions", cure="leave `trusted` off in jobs with a driver"
                    )
                facts.append(run_driver(box, self.judges, job))
                sent = len(facts)
            else:
                if sent == len(facts):
                    box.send(job)
                    sent += 1
                if stop is None and sent < len(jobs) and _small(job) and _small(jobs[sent]):
                    box.send(jobs[sent])
                    sent += 1
                execution = box.receive(job)
                if job.keep_going and job.calls is not None and box.unclean is None:
                    execution = resume(box, job, execution)
                facts.append(execution)
            if stop is not None and stop(len(facts) - 1, facts[-1]):
                return True
        return False

    def take(self) -> Box:
        """A warm box; starts one where none is idle."""
        if self.closed:
            raise SandboxError("the sandbox is closed", cure="open a new one")
        with self._lock:
            self._in_use += 1
        self._fill()
        while True:
            try:
                box = self._idle.get(timeout=1.0)
                if box.pipe.silent():
                    return box
                with self._lock:
                    self._in_use += 1
                self.drop(box, lost=True)  # it died while it was idle: no job's doing
            except queue.Empty:
                if self._failure is not None or self.closed:
                    with self._lock:
                        self._in_use -= 1
                        failure, self._failure = self._failure, None
                    raise failure or SandboxError("the sandbox was closed", cure="open a new one") from None
                self._fill()

    def give(self, box: Box) -> None:
        """Hand a box back: to the idle ones if it is clean, else it is retired."""
        if box.unclean is not None or box.runs >= MAX_RUNS or self.closed:
            self.drop(box, lost=False)
            return
        with self._lock:
            self._in_use -= 1
        self._idle.put(box)

    def drop(self, box: Box, *, lost: bool = False) -> None:
        """Kill a box; a fresh one takes its place."""
        with self._lock:
            self._in_use -= 1
            self._boxes.discard(box)
            self.counters.lost += lost
            self.counters.retired += not lost
        if self.closed:
            box.close()
            return
        self._starters.submit(box.close)
        self._fill()

    def _fill(self) -> None:
        """Start boxes until the ones in use and the spares are there."""
        with self._lock:
            if self.closed:
                return
            wanted = min(self._in_use, self.workers) + self.spares
            missing = wanted - len(self._boxes) - self._starting
            self._starting += max(missing, 0)
        for _ in range(missing):
            self._starters.submit(self._start_one)

    def _start_one(self) -> None:
        try:
            box = self._start()
        except SandboxError as error:
            self._failure = error
        except BaseException as error:  # noqa: BLE001  (the boundary of this thread: whoever waits for a box is told)
            self._failure = SandboxError(
                f"a box did not start ({type(error).__name__}: {error})", cure="see `rewardkit doctor`"
            )
        else:
            if self.closed:
                box.close()
            else:
                self._idle.put(box)
        finally:
            with self._lock:
                self._starting -= 1

    def _start(self) -> Box:
        failures: list[BoxLost] = []
        while not self.closed:
            begin = time.monotonic()
            try:
                box = self.make()
            except BoxLost as lost:
                failures.append(lost)
                unexplained = sum(failure.cause != "outside" for failure in failures)
                if unexplained < START_ATTEMPTS and len(failures) < MAX_START_ATTEMPTS:
                    continue
                raise SandboxError(f"a box died at its start: {lost}", cure="see `rewardkit doctor`") from lost
            with self._lock:
                self._boxes.add(box)
                self.counters.started += 1
                self.counters.start_s.append(time.monotonic() - begin)
            return box
        raise SandboxError("the sandbox was closed", cure="open a new one")

    def close(self) -> None:
        """Kill all boxes; what still runs ends as lost. Also runs when the interpreter ends, but not in a forked copy of it."""
        atexit.unregister(self.close)
        if os.getpid() != self._owner:
            return
        with self._lock:
            if self.closed:
                return
            self.closed = True
            boxes = list(self._boxes)
        self._starters.shutdown(wait=True)
        for box in {*boxes, *self._boxes}:
            box.close()
        self._threads.shutdown(wait=True, cancel_futures=True)
        if self.judges is not None:
            self.judges.close()


def _units(jobs: Sequence[Job]) -> list[list[int]]:
    """Neighbours with one program together, in chunks."""
    units: list[list[int]] = []
    for index, job in enumerate(jobs):
        last = units[-1] if units else []
        if (
            last
            and len(last) < CHUNK
            and jobs[last[-1]].program == job.program
            and jobs[last[-1]].prelude == job.prelude
        ):
            last.append(index)
        else:
            units.append([index])
    return units


def _small(job: Job) -> bool:
    """Safe to send ahead: no driver, no calls to resume, and little data."""
    size = len(job.stdin) + len(job.program) + len(job.prelude) + sum(map(len, job.files.values()))
    return job.driver is None and job.calls is None and size < AHEAD_BYTES


def _given_up(strikes: list[BoxLost], box: Box) -> Execution:
    """Twice killed for memory as a whole box is the job's doing; any other end is ours."""
    if all(strike.cause == "memory" for strike in strikes):
        return Execution(limit="memory", signal=9, isolation=box.isolation)
    return Execution(lost="; ".join(str(strike) for strike in strikes)[:600], isolation=box.isolation)
