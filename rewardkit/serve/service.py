"""The service of all routes: reads requests within limits, judges rows within a deadline, and stops work for callers that disconnect."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

from rewardkit.client import DRAINED, TIME_IS_UP
from rewardkit.errors import UsageError
from rewardkit.executor import Executor, Job, needs_sandbox
from rewardkit.executor.dispatcher import LOOK_S
from rewardkit.serve.bodies import begin_reading
from rewardkit.serve.http import RefusedError, Request
from rewardkit.serve.metrics import Metrics
from rewardkit.serve.queue import Queue, Scores
from rewardkit.serve.settings import Settings, places_of
from rewardkit.serve.task import SCORES, set_up_worker
from rewardkit.serve.tokens import Tokens
from rewardkit.serve.tracing import Rows
from rewardkit.types import Score
from sandboxes.errors import SandboxError

log = logging.getLogger("rewardkit.serve")
T = TypeVar("T")
SMALL_BODY = 2**18
"""A larger body is read in another process, so that nobody else waits meanwhile."""
READERS = 2
CHUNK_ROWS = 64
"""Rows that go to a worker at once, at most."""
LEFT = "the client disconnected"
WATCH_S = 0.1
"""A client that disconnects is noticed after this time: shorter work runs to its end."""

_MAY_COME_LATER = ("auto", "docker", "remote")
"""Sandboxes that are on a service, which may be started after this one."""
_RETRY_S = 5.0


class Service:
    """State that all routes share. `draining` is set while the server shuts down."""

    def __init__(self, settings: Settings, boxes: str | None = None) -> None:
        self.settings = settings
        self.limits = settings.limits
        self.served = settings.load()
        self._places = places_of(self.served)
        names = [entry.name for entry in self.served]
        self.run_code = len(names)
        """The place of the reward that runs the programs of `/run_code`."""
        self._names = [*names, "run_code"]
        self.metrics = Metrics(self._names)
        self.queue = Queue(
            rows=max(1, self.limits.queue_rows // settings.processes),
            size=max(1, self.limits.queue_bytes // settings.processes),
            report=self.metrics.queue,
        )
        self.tokens = Tokens(settings.tokens, processes=settings.processes)
        self._executor: Executor | None = None
        self._readers: ProcessPoolExecutor | None = None
        self._alive = 0
        self._boxes = boxes
        self._misses_sandbox = settings.sandbox is not None and boxes is not None
        self._told = ""
        self.draining = False

    def open_sandbox(self) -> None:
        """Check the sandbox of `/run_code`. What may come up after this server is waited for while it runs.

        Raises:
            UsageError: it does not work here, and no waiting helps; the message ends with the cure.
        """
        from rewardkit.sandbox_pool.client import SandboxClient

        name = self.settings.sandbox
        if name is None or self._boxes is None:
            return
        try:
            SandboxClient(self._boxes, name).close()
            self._misses_sandbox = False
        except SandboxError as error:
            if name.partition(":")[0] not in _MAY_COME_LATER:
                raise UsageError(f"--sandbox {name}: {error}") from None
            if str(error) != self._told:
                log.warning("--sandbox %s: %s; programs are not run until it works", name, error)
            self._told = str(error)

    async def _wait_for_sandbox(self) -> None:
        if not self._misses_sandbox:
            return
        while self._misses_sandbox:
            await asyncio.sleep(_RETRY_S)
            await asyncio.to_thread(self.open_sandbox)
        log.info("--sandbox %s works now", self.settings.sandbox)

    def _start(self) -> Executor:
        from rewardkit.serve.contracts.sandbox_fusion import RunCode

        limits, settings = self.limits, self.settings
        rewards = [entry.reward for entry in self.served]
        timeouts = [limits.deadline_s if needs_sandbox(entry.reward) else limits.row_timeout_s for entry in self.served]
        if settings.sandbox is not None:
            rewards, timeouts = [*rewards, RunCode()], [*timeouts, limits.deadline_s]
        return Executor(
            rewards,
            workers=settings.worker_count,
            slow_workers=settings.slow_worker_count,
            chunk_rows=CHUNK_ROWS,
            row_timeout_s=timeouts,
            memory_mb=limits.worker_memory_mb,
            worker_rows=limits.worker_rows,
            setup=partial(set_up_worker, settings.sandbox, self._boxes),
            warm=True,
            task=SCORES,
            on_worker=self._worker_changed,
            threaded=False,
        )

    def _worker_changed(self, cause: str, alive: int) -> None:
        """A worker has come up (no cause), or is gone."""
        self._alive = alive
        self.metrics.workers.set(alive)
        if cause:
            self.metrics.restarts.labels(cause).inc()
            log.log(logging.INFO if cause == "retired" else logging.WARNING, "worker replaced: %s", cause)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Workers are up inside; they and the sandbox are gone after."""
        self._executor, loop = self._start(), asyncio.get_running_loop()
        loop.add_reader(self._executor, self._executor.step)
        tasks = [loop.create_task(self._look_at(self._executor)), loop.create_task(self._wait_for_sandbox())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            loop.remove_reader(self._executor)
            self._executor.cancel()  # here, since callers who wait are told in the loop
            await asyncio.to_thread(self._executor.close)
            if self._readers is not None:
                self._readers.shutdown(wait=False, cancel_futures=True)

    def end_jobs(self) -> None:
        """End the work under way: what is judged is answered, and clients send the rest to another server."""
        if self._executor is not None:
            self._executor.cancel(f"{DRAINED} {self.settings.drain_s:g} s")

    async def _look_at(self, executor: Executor) -> None:
        while True:
            executor.step()
            await asyncio.sleep(LOOK_S)

    @property
    def state(self) -> str:
        """What keeps it from judging, in a word or two; `ready` if a request that comes now will be judged."""
        if self.draining:
            return "draining"
        if not self._alive:
            return "starting"
        return "no sandbox" if self._misses_sandbox else "ready"

    def find(self, name: str | None) -> int:
        """The place of the reward that a caller asked for; the first if no name is given.

        Raises:
            RefusedError: 403, with the names that are allowed.
        """
        place = 0 if name is None else self._places.get(name, self._places.get("".join(name.split())))
        if place is None:
            known = ", ".join(entry.name for entry in self.served)
            raise RefusedError(
                403, f"this server does not serve the reward you named; it serves: {known}", why="reward"
            )
        return place

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncGenerator[bytes, None]:
        """The body of a request, held against the queue's bytes until the request is answered.

        Raises:
            RefusedError: 408 too slow, 413 too large, 429 no room now, 400 the client disconnected.
        """
        held = 0
        pieces: list[bytes] = []
        most = self.limits.body_bytes
        too_large = RefusedError(413, f"the body is larger than {most} bytes; send fewer rows at once", why="size")
        try:
            declared = request.header(b"content-length")
            if declared.isdigit() and int(declared) > most:
                raise too_large
            try:
                async with asyncio.timeout(self.limits.body_timeout_s):
                    async for piece in request.pieces():
                        self.queue.hold(len(piece))
                        held += len(piece)
                        if held > most:
                            raise too_large
                        pieces.append(piece)
            except TimeoutError:
                message = f"the body did not arrive within {self.limits.body_timeout_s:g} s"
                raise RefusedError(408, message, why="slow", headers={"connection": "close"}) from None
            yield pieces[0] if len(pieces) == 1 else b"".join(pieces)
        finally:
            self.queue.free(held)

    async def read(self, function: Callable[[bytes], T], body: bytes) -> T:
        """What a function makes of a body: here if it is small, in a process of its own if it is not.

        Raises:
            RefusedError: 413 it takes too much memory, 503 the process is gone, or what the function raises.
        """
        if len(body) <= SMALL_BODY:
            return function(body)
        if self._readers is None:
            self._readers = ProcessPoolExecutor(READERS, mp_context=get_context("spawn"), initializer=begin_reading)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, function, body)
        except (MemoryError, RecursionError):
            message = "the body holds too many values, or nests them too deep; send fewer rows at once"
            raise RefusedError(413, message, why="size") from None
        except BrokenProcessPool:
            self._readers = None
            raise RefusedError(
                503, "the body could not be read now", why="memory", headers={"retry-after": "1"}
            ) from None

    @asynccontextmanager
    async def judging(
        self, request: Request, reward: int, rows: Sequence[bytes], timeout_s: float | None = None
    ) -> AsyncGenerator[Scores, None]:
        """Rows under judgement. The work ends at the deadline, when the caller leaves, and when the block is left.

        Raises:
            RefusedError: 413 too many rows, 429 no room now, 503 going down.
        """
        if len(rows) > self.limits.batch_rows:
            message = f"{len(rows)} rows in one request; send at most {self.limits.batch_rows}"
            raise RefusedError(413, message, why="rows")
        if self.draining or self._executor is None:
            raise RefusedError(
                503, "the server is shutting down; use another one", why="draining", headers={"retry-after": "5"}
            )
        deadline_s = min(timeout_s or self.limits.deadline_s, self.limits.deadline_s)
        usage = self.tokens.charge(request, len(rows))
        try:
            self.queue.admit(len(rows))
        except RefusedError:
            usage.undo(len(rows))
            raise
        loop, news, trace = asyncio.get_running_loop(), asyncio.Event(), Rows.of_request(self._names[reward])

        def came(new: Sequence[Score]) -> None:
            self.queue.scored(len(new))
            usage.rows -= len(new)
            if trace is not None:
                trace.arrived(new)
            for verdict, count in Counter([score.verdict for score in new if score.reason != LEFT]).items():
                self.metrics.rows.labels(self._names[reward], verdict.value).inc(count)
                if usage.name:
                    self.metrics.caller_rows.labels(usage.name, verdict.value).inc(count)
            news.set()

        job = self._executor.submit(rows, reward=reward, caller=request.caller, on_scores=came)
        watchers: list[asyncio.Task[None]] = []
        timers = (
            loop.call_later(deadline_s, self._expire, job, deadline_s),
            loop.call_later(WATCH_S, lambda: watchers.append(loop.create_task(self._watch(request, job)))),
        )
        try:
            yield Scores(job, news)
        finally:
            for pending in (*timers, *watchers):
                pending.cancel()
            job.end(LEFT)
            self.queue.leave()
            if trace is not None:
                trace.end(job.scores)

    def _expire(self, job: Job, deadline_s: float) -> None:
        if not job.over:
            self.metrics.expired.inc()
            job.end(f"{TIME_IS_UP} {deadline_s:g} s")

    async def _watch(self, request: Request, job: Job) -> None:
        """End the work of a client that disconnects."""
        await request.disconnected()
        if not job.over:
            log.info("a client disconnected; its work was cancelled")
            job.end(LEFT)
