"""Warm boxes and the threads that use them: spares, retries, early stop. The same for every kind of box."""

import atexit
import contextlib
import functools
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from dataclasses import dataclass, field

from sandboxes.base import Execution, Job, Stop, when_cancelled
from sandboxes.batch import Batch, Share
from sandboxes.box import Answer, Box, BoxLost
from sandboxes.crew import Crew, Rest, nothing
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
        self._crew = Crew(workers)
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
        batch = Batch()

        def fail(error: BaseException) -> None:
            with contextlib.suppress(InvalidStateError):
                done.set_exception(error)
            batch.cancel()

        def begin(unit: list[int], rest: Rest) -> Rest:
            before = [rest]

            def meanwhile() -> None:
                while before:
                    before.pop()()

            try:
                batch.check()
                answers = self._run_unit([jobs[index] for index in unit], stop, batch, meanwhile)
            except BaseException as error:  # noqa: BLE001  (the boundary: a failure belongs to the caller's future)
                fail(error)
                return nothing
            finally:
                meanwhile()
            return lambda: end(unit, answers)

        def end(unit: list[int], answers: list[Answer]) -> None:
            nonlocal left
            try:
                for index, answer in zip(unit, answers, strict=False):
                    results[index] = answer()
            except BaseException as error:  # noqa: BLE001  (as above)
                fail(error)
                return
            with lock:
                left -= 1
                last = not left
            if last:
                with contextlib.suppress(InvalidStateError):
                    done.set_result([execution for execution in results if execution is not None])

        if not units:
            done.set_result([])
        done.add_done_callback(lambda _: when_cancelled(done, batch.cancel))
        for unit in units:
            self._crew.hand_in(functools.partial(begin, unit))
        return done

    def _run_unit(self, jobs: list[Job], stop: Stop | None, batch: Batch, meanwhile: Rest) -> list[Answer]:
        """The jobs in order in one box; after a loss, what is left in a fresh one. A job that loses two boxes is given up."""
        boxes = Share(self, batch, meanwhile)
        answers: list[Answer] = []
        strikes: list[BoxLost] = []
        box: Box | None = None
        while len(answers) < len(jobs):
            box = boxes.swap(box) if box else boxes.take()
            before = len(answers)
            try:
                # where it looks at each result, it looks for a readier box too
                stopped = self._run_in(box, jobs[: before + 1] if stop else jobs, answers, stop, boxes)
            except BoxLost as lost:
                boxes.drop(box, lost=True)
                box, gone = None, box
                batch.check()
                strikes = [*strikes, lost] if len(answers) == before else [lost]
                if len(strikes) < (PATIENCE if lost.cause == "outside" else 2):
                    continue
                given_up = _given_up(strikes, gone)
                answers.append(lambda given_up=given_up: given_up)
                strikes = []
                stopped = stop is not None and stop(len(answers) - 1, given_up)
            except BaseException:
                boxes.drop(box)
                raise
            strikes = []
            if stopped:
                break
        if box:
            boxes.give(box)
        return answers

    def _run_in(self, box: Box, jobs: list[Job], answers: list[Answer], stop: Stop | None, boxes: Share) -> bool:
        """Go on after the answers that are there. True when `stop` said so."""
        sent = len(answers)
        while len(answers) < len(jobs):
            boxes.batch.check()
            if box.unclean is not None:
                raise BoxLost(box.unclean)
            job = jobs[len(answers)]
            if job.driver is not None:
                if self.judges is None:
                    raise SandboxError(
                        "a trusted pool can't hold submissions", cure="leave `trusted` off in jobs with a driver"
                    )
                execution = run_driver(box, Share(self.judges, boxes.batch, boxes.meanwhile), job)
                answer = functools.partial(_itself, execution)
                sent = len(answers) + 1
            else:
                if sent == len(answers):
                    box.send(job)
                    sent += 1
                if stop is None and sent < len(jobs) and _small(job) and _small(jobs[sent]):
                    box.send(jobs[sent])
                    sent += 1
                boxes.meanwhile()
                answer = box.answer(job)
                if job.keep_going and job.calls is not None and box.unclean is None:
                    answer = functools.partial(_itself, resume(box, job, answer()))
            answers.append(answer)
            if stop is not None and stop(len(answers) - 1, answer()):
                return True
        return False

    def take(self, batch: Batch, meanwhile: Rest = nothing) -> Box:
        """A warm box; starts one where none is idle, and waits for it while there is hope, after `meanwhile`."""
        if self.closed:
            raise _closed()
        with self._lock:
            self._in_use += 1
            failures = self._failures
        self._fill()
        try:
            box = self._next_idle(0.0)
            while box is None:
                meanwhile()
                box = self._next_idle(LOOK_S if self._hopeful() else HURRY_S)
                if box is not None:
                    break
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
        return box

    def _next_idle(self, wait_s: float) -> Box | None:
        """An idle box that lives; None where there is none for so long."""
        while True:
            try:
                box = self._idle.get(block=wait_s > 0, timeout=wait_s)
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
        self._crew.close()
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


def _itself(execution: Execution) -> Execution:
    return execution
