"""Warm boxes and the threads that use them: spares, retries, early stop. The same for every kind of box."""

import atexit
import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError, ThreadPoolExecutor
from dataclasses import dataclass, field

from sandboxes.base import Execution, Job, Stop, when_cancelled
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
CORES = os.cpu_count() or 1
START_ATTEMPTS = 3
MAX_START_ATTEMPTS = 50
"""With those in which someone on the host killed the box before it was up."""
PATIENCE = 6
"""A job whose boxes are killed from outside, which it can't have caused, is given up only after so many."""
AWAY_S = 60.0
"""Where boxes did start before, jobs wait this long for the first that starts again: a Docker daemon that is restarted is back
in seconds, on a busy machine in half a minute. After that each job fails at once, with the reason, until a box starts."""
LOOK_S, HURRY_S = 1.0, 0.1
"""How often one who waits for a box looks whether to wait on; in a hurry once there is little hope."""


@dataclass
class Counters:
    """What happened so far, for reports."""

    started: int = 0
    lost: int = 0
    retired: int = 0
    start_s: list[float] = field(default_factory=list[float])


class _Batch:
    """Jobs that were handed in together, and the boxes they are in now. `cancel` ends what runs and drops what waits."""

    def __init__(self) -> None:
        self.cancelled = False
        self.waiting: list[Future[None]] = []
        self._boxes: set[Box] = set()
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """From any thread. Whoever uses a box of this batch finds it lost."""
        with self._lock:
            self.cancelled = True
            for box in self._boxes:
                box.interrupt()
        for unit in self.waiting:
            unit.cancel()

    def check(self) -> None:
        """Raise `CancelledError` where nobody wants the facts any more."""
        if self.cancelled:
            raise CancelledError

    def add(self, box: Box) -> None:
        """A box works for this batch from now on."""
        with self._lock:
            if not self.cancelled:
                self._boxes.add(box)

    def discard(self, box: Box) -> bool:
        """It does no more. False where it was interrupted, or may have been."""
        with self._lock:
            self._boxes.discard(box)
            return not self.cancelled


class _Share:
    """A pool's boxes as one batch takes and gives them."""

    def __init__(self, pool: "Pool", batch: _Batch) -> None:
        self.pool = pool
        self.batch = batch

    def take(self) -> Box:
        box = self.pool.take(self.batch)
        self.batch.add(box)
        return box

    def swap(self, box: Box) -> Box:
        if not self.batch.discard(box):
            return box
        other = self.pool.swap(box)
        self.batch.add(other)
        return other

    def give(self, box: Box) -> None:
        if self.batch.discard(box):
            self.pool.give(box)
        else:
            self.pool.drop(box)

    def drop(self, box: Box, *, lost: bool = False) -> None:
        wanted = self.batch.discard(box)
        self.pool.drop(box, lost=lost and wanted)


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
        """Why the last start failed; None where it did not."""
        self._failures = 0
        self._failing_since = 0.0
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="sandbox")
        self._starters = ThreadPoolExecutor(2, thread_name_prefix="sandbox-start")
        self._owner = os.getpid()
        atexit.register(self.close)

    def warm_up(self) -> None:
        """Start one box now, so that what is wrong here shows at once; the others come when they are needed.

        As they do it starts in a thread that stays: the kernel ends a plain process with the thread that started it.
        """
        self._idle.put(self._starters.submit(self._start).result())

    def submit(self, jobs: Sequence[Job], stop: Stop | None) -> "Future[list[Execution]]":
        """Run the jobs on the pool's threads; the future's list is in the jobs' order. Cancelling it ends them at once."""
        units = [list(range(len(jobs)))] if stop is not None else _units(jobs)
        done: Future[list[Execution]] = Future()
        results: list[Execution | None] = [None] * len(jobs)
        left = len(units)
        lock = threading.Lock()
        batch = _Batch()

        def work(unit: list[int]) -> None:
            nonlocal left
            try:
                batch.check()
                facts = self._run_unit([jobs[index] for index in unit], stop, batch)
            except BaseException as error:  # noqa: BLE001  (the boundary: a failure belongs to the caller's future)
                with contextlib.suppress(InvalidStateError):
                    done.set_exception(error)
                batch.cancel()
                return
            for index, execution in zip(unit, facts, strict=False):
                results[index] = execution
            with lock:
                left -= 1
                last = not left
            if last:
                with contextlib.suppress(InvalidStateError):
                    done.set_result([execution for execution in results if execution is not None])

        def end(unit: "Future[None]") -> None:
            if unit.cancelled():  # by the batch, which is over then, or because the pool was closed
                with contextlib.suppress(InvalidStateError):
                    done.set_exception(_closed())

        if not units:
            done.set_result([])
        batch.waiting = [self._threads.submit(work, unit) for unit in units]
        for unit in batch.waiting:
            unit.add_done_callback(end)
        done.add_done_callback(lambda _: when_cancelled(done, batch.cancel))
        return done

    def _run_unit(self, jobs: list[Job], stop: Stop | None, batch: _Batch) -> list[Execution]:
        """The jobs in order in one box; after a loss, what is left in a fresh one. A job that loses two boxes is given up."""
        boxes = _Share(self, batch)
        facts: list[Execution] = []
        strikes: list[BoxLost] = []
        box: Box | None = None
        while len(facts) < len(jobs):
            box = boxes.swap(box) if box else boxes.take()
            before = len(facts)
            try:
                # where it looks at each result, it looks for a readier box too
                stopped = self._run_in(box, jobs[: before + 1] if stop else jobs, facts, stop, batch)
            except BoxLost as lost:
                boxes.drop(box, lost=True)
                box, gone = None, box
                batch.check()
                strikes = [*strikes, lost] if len(facts) == before else [lost]
                if len(strikes) < (PATIENCE if lost.cause == "outside" else 2):
                    continue
                facts.append(_given_up(strikes, gone))
                strikes = []
                stopped = stop is not None and stop(len(facts) - 1, facts[-1])
            except BaseException:
                boxes.drop(box)
                raise
            strikes = []
            if stopped:
                break
        if box:
            boxes.give(box)
        return facts

    def _run_in(self, box: Box, jobs: list[Job], facts: list[Execution], stop: Stop | None, batch: _Batch) -> bool:
        """Go on after the facts that are there. True when `stop` said so."""
        sent = len(facts)
        while len(facts) < len(jobs):
            batch.check()
            if box.unclean is not None:
                raise BoxLost(box.unclean)
            job = jobs[len(facts)]
            if job.driver is not None:
                if self.judges is None:
                    raise SandboxError(
                        "a trusted pool can't hold submissions", cure="leave `trusted` off in jobs with a driver"
                    )
                facts.append(run_driver(box, _Share(self.judges, batch), job))
                sent = len(facts)
            else:
                if sent == len(facts):
                    box.send(job, leisure=stop is not None and self._alternates())
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

    def take(self, batch: _Batch) -> Box:
        """A warm box; starts one where none is idle, and waits for it while there is hope."""
        if self.closed:
            raise _closed()
        with self._lock:
            self._in_use += 1
            failures = self._failures
        self._fill()
        try:
            while True:
                box = self._next_idle()
                if box is not None:
                    return box
                batch.check()
                if self.closed:
                    raise _closed()
                if self._failures > failures and self._failure is not None and not self._hopeful():
                    raise self._failure
                self._fill()
        except BaseException:
            with self._lock:
                self._in_use -= 1
            raise

    def _next_idle(self) -> Box | None:
        """An idle box that lives; None where there is none for a while."""
        while True:
            try:
                box = self._idle.get(timeout=LOOK_S if self._hopeful() else HURRY_S)
            except queue.Empty:
                return None
            if box.pipe.silent():
                return box
            with self._lock:
                self._in_use += 1
            self.drop(box, lost=True)  # it died while it was idle: no job's doing

    def _hopeful(self) -> bool:
        """Boxes start, or did until a short while ago."""
        if self._failure is None:
            return True
        return self.counters.started > 0 and time.monotonic() - self._failing_since < AWAY_S

    def swap(self, box: Box) -> Box:
        """An idle box in place of one that has just answered, and still has to fork for its next job; the same one where no
        core is free for that, or no box idle.
        """
        if not self._alternates() or box.unclean is not None or box.runs >= MAX_RUNS:
            return box
        try:
            other = self._idle.get_nowait()
        except queue.Empty:
            return box
        if not other.pipe.silent():
            with self._lock:
                self._in_use += 1
            self.drop(other, lost=True)
            return box
        self._idle.put(box)
        return other

    def _alternates(self) -> bool:
        """A core is free to run a box while another one cleans up and forks, and an idle box is there."""
        return 2 * self._in_use <= CORES and not self._idle.empty()

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
            self._failed(error)
        except BaseException as error:  # noqa: BLE001  (the boundary of this thread: whoever waits for a box is told)
            problem = f"a box did not start ({type(error).__name__}: {error})"
            self._failed(SandboxError(problem, cure="see `rewardkit doctor`"))
        else:
            self._failure = None
            if self.closed:
                box.close()
            else:
                self._idle.put(box)
        finally:
            with self._lock:
                self._starting -= 1

    def _failed(self, error: SandboxError) -> None:
        with self._lock:
            if self._failure is None:
                self._failing_since = time.monotonic()
            self._failure = error
            self._failures += 1

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
        raise _closed()

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
        for box in boxes:
            box.close()  # before the thread that started it ends, and so that what runs in it ends with it
        self._starters.shutdown(wait=True)
        for box in self._boxes.difference(boxes):
            box.close()
        self._threads.shutdown(wait=True, cancel_futures=True)
        if self.judges is not None:
            self.judges.close()


def _closed() -> SandboxError:
    return SandboxError("the sandbox is closed", cure="open a new one")


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
