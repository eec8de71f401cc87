"""Run jobs on warm boxes: worker threads, retries, early stop. Independent of the kind of box."""

import contextlib
import functools
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from multiprocessing.util import Finalize

from sandboxes.base import Execution, Job, Sandbox, Stop, when_cancelled
from sandboxes.compile import Compiler
from sandboxes.connection import Answer, Box, BoxLost, resume
from sandboxes.errors import JobRefused, SandboxError
from sandboxes.lease import Batch, BoxLease
from sandboxes.test_driver import run_driver
from sandboxes.warm_boxes import WarmBoxes
from sandboxes.worker_threads import Rest, WorkerThreads, nothing

__all__ = ["Pool", "PooledSandbox"]

CHUNK = 32
"""Jobs of one program that go to one box in a row; more are spread."""
CHUNK_COMPILED = 256
"""As many of a program that each box would have to compile."""
AHEAD_BYTES = 1 << 14
"""A job is sent before the last one's answer is read only if both fit into pipe buffers: neither side may block on the other."""
PATIENCE = 6
"""A job whose boxes are killed from outside, which it can't have caused, is given up only after so many."""


class Pool(WarmBoxes):
    """`workers` threads that run jobs on warm boxes. Jobs with a test program need a second pool, `trusted`."""

    def __init__(self, make: Callable[[], Box], *, workers: int, spares: int, trusted: "Pool | None" = None) -> None:
        super().__init__(make, workers=workers, spares=spares)
        self.trusted = trusted
        self.compiler = Compiler()
        self._threads = WorkerThreads(workers)
        self._owner = os.getpid()
        # also in processes of multiprocessing, unlike atexit
        self._at_exit = Finalize(None, self.close, exitpriority=0)

    def submit(self, jobs: Sequence[Job], stop: Stop | None) -> "Future[list[Execution]]":
        """Run the jobs on the pool's threads; the future's list is in the jobs' order. Cancelling it ends them at once."""
        if os.getpid() != self._owner:
            raise SandboxError("the sandbox was opened before this process was forked", cure="open one in this process")
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
            self._threads.submit(functools.partial(begin, unit))
        return done

    def _run_unit(self, jobs: list[Job], stop: Stop | None, batch: Batch, meanwhile: Rest) -> list[Answer]:
        """Run the jobs in order in one box, and after a loss the remaining ones in a fresh box. A job that loses two boxes is given up."""
        boxes = BoxLease(self, batch, meanwhile)
        answers: list[Answer] = []
        strikes: list[BoxLost] = []
        box: Box | None = None
        while len(answers) < len(jobs):
            box = boxes.swap(box) if box else boxes.take()
            before = len(answers)
            try:
                # a batch that looks at each result also looks for a readier box
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

    def _run_in(self, box: Box, jobs: list[Job], answers: list[Answer], stop: Stop | None, boxes: BoxLease) -> bool:
        """Run the jobs that have no answer yet. True if `stop` ended the batch."""
        sent = len(answers)
        while len(answers) < len(jobs):
            boxes.batch.check()
            if box.unclean is not None:
                raise BoxLost(box.unclean)
            job = jobs[len(answers)]
            if job.driver is not None:
                if self.trusted is None:
                    raise SandboxError(
                        "a trusted pool can't hold submissions", cure="leave `trusted` off in jobs with a driver"
                    )
                execution = run_driver(box, BoxLease(self.trusted, boxes.batch, boxes.meanwhile), job)
                answer = functools.partial(_itself, execution)
                sent = len(answers) + 1
            elif job.language != "python":
                answer = self._run_compiled(box, job, boxes)
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

    def _run_compiled(self, box: Box, job: Job, boxes: BoxLease) -> Answer:
        ready = self.compiler.prepare(box, job)
        if isinstance(ready, Execution):
            return functools.partial(_itself, ready)
        box.send(ready)
        boxes.meanwhile()
        return box.answer(ready)

    def close(self) -> bool:
        """Kill all boxes; what still runs ends as lost. Also runs when the interpreter ends.

        False, and nothing is done, if that was done before, and in a forked copy of the process that opened it.
        """
        if os.getpid() != self._owner or not self.close_boxes():
            return False
        self._at_exit.cancel()
        self._threads.close()
        if self.trusted is not None:
            self.trusted.close()
        return True


class PooledSandbox(Sandbox):
    """A sandbox with a pool of boxes for submissions, and one of boxes that never see any."""

    workers: int
    memory_mb: int
    """What a box has."""
    pool: Pool
    trusted: Pool

    def submit(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> "Future[list[Execution]]":
        """Queue the jobs for a pool; `JobRefused` at once when one asks for more memory than a box has."""
        wanted = max((job.limits.memory_mb for job in jobs), default=0)
        if wanted > self.memory_mb:
            raise JobRefused(
                f"the job needs {wanted} MB, a box of this sandbox has {self.memory_mb}",
                cure=f"open the sandbox with memory_mb={wanted}",
            )
        trusted = {job.trusted for job in jobs}
        if len(trusted) > 1:
            raise JobRefused("trusted and untrusted jobs in one batch", cure="submit them apart")
        return self.pool_for(jobs, trusted=trusted == {True}).submit(jobs, stop)

    def pool_for(self, jobs: Sequence[Job], *, trusted: bool) -> Pool:
        """The boxes that these jobs, all trusted or all not, run in."""
        del jobs
        return self.trusted if trusted else self.pool

    def facts(self) -> Mapping[str, object]:
        """Backend, strength and counters."""
        counters = {"started": self.pool.counters.started, "lost": self.pool.counters.lost}
        return {"name": self.name, "isolation": self.isolation, "workers": self.workers, **counters}


def _units(jobs: Sequence[Job]) -> list[list[int]]:
    """Indexes of adjacent jobs with the same program, in chunks."""
    units: list[list[int]] = []
    for index, job in enumerate(jobs):
        last = units[-1] if units else []
        if (
            last
            and len(last) < (CHUNK if job.language == "python" else CHUNK_COMPILED)
            and jobs[last[-1]].program == job.program
            and jobs[last[-1]].prelude == job.prelude
        ):
            last.append(index)
        else:
            units.append([index])
    return units


def _small(job: Job) -> bool:
    """Safe to send ahead: nothing to compile, no driver, no calls to resume, and little data."""
    size = len(job.stdin) + len(job.program) + len(job.prelude) + sum(map(len, job.files.values()))
    return job.language == "python" and job.driver is None and job.calls is None and size < AHEAD_BYTES


def _given_up(strikes: list[BoxLost], box: Box) -> Execution:
    """The result of a job that lost its boxes: `memory` if each ran out of it, else `lost`."""
    if all(strike.cause == "memory" for strike in strikes):
        return Execution(limit="memory", signal=9, isolation=box.isolation)
    return Execution(lost="; ".join(str(strike) for strike in strikes)[:600], isolation=box.isolation)


def _itself(execution: Execution) -> Execution:
    return execution
