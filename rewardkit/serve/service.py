"""The heart of a server: reads requests within limits, has rows judged within a deadline, and lets go when a caller leaves."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from rewardkit.errors import UsageError
from rewardkit.import_guard import import_ours
from rewardkit.serve.metrics import Metrics
from rewardkit.serve.settings import AllowList, Served, Settings
from rewardkit.serve.tickets import Queue, QueueFullError, Row, Ticket
from rewardkit.serve.worker import Duty
from rewardkit.serve.workers import Workers

if TYPE_CHECKING:
    from sandboxes import Sandbox

log = logging.getLogger("rewardkit.serve")
Model = TypeVar("Model", bound=BaseModel)
T = TypeVar("T")


_MAY_COME_LATER = ("auto", "docker", "remote")
"""Sandboxes that stand on a service, which may be started after this one."""
_RETRY_S = 5.0


class RefusedError(Exception):
    """A request that is answered with an error status and one line that says what to do."""

    def __init__(self, status: int, message: str, *, why: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.why, self.headers = status, message, why, headers


class Service:
    """What all routes share. `draining` is set when the server was told to stop."""

    def __init__(self, settings: Settings, boxes: str | None = None) -> None:
        self.settings = settings
        self.limits = settings.limits
        self.allowed = AllowList(settings.load())
        rewards = [entry.reward for entry in self.allowed.served]
        self.metrics = Metrics(tuple(entry.name for entry in self.allowed.served))
        count = settings.worker_count
        self.queue = Queue(
            rewards,
            rows=max(1, self.limits.queue_rows // settings.processes),
            size=max(1, self.limits.queue_bytes // settings.processes),
            workers=count,
        )
        texts = tuple(entry.text for entry in self.allowed.served)
        duty = Duty(texts, memory_mb=self.limits.worker_memory_mb, sandbox=settings.sandbox, boxes=boxes)
        self.workers = Workers(
            rewards,
            duty,
            self.queue,
            self.metrics,
            count=count,
            row_timeouts_s=[self._row_timeout_s(entry) for entry in self.allowed.served],
            worker_rows=self.limits.worker_rows,
        )
        self._boxes = boxes
        self.sandbox: Sandbox | None = None
        self._told = ""
        self.draining = False

    def _row_timeout_s(self, entry: Served) -> float:
        """Programs have limits of their own, and many tests take their time: only the deadline bounds a row that runs code."""
        return self.limits.deadline_s if entry.runs_code else self.limits.row_timeout_s

    def open_sandbox(self) -> None:
        """Open the sandbox behind `/run_code`. What may come up after this server is waited for while it runs.

        Raises:
            UsageError: it does not work here, and no waiting helps; the message ends with the cure.
        """
        sandboxes = import_ours("sandboxes")
        from rewardkit.serve.shared_sandbox import SharedSandbox

        name = self.settings.sandbox
        if name is None or self._boxes is None:
            return
        try:
            self.sandbox = SharedSandbox(self._boxes, name)
        except sandboxes.SandboxError as error:
            if name.partition(":")[0] not in _MAY_COME_LATER:
                raise UsageError(f"--sandbox {name}: {error}") from None
            if str(error) != self._told:
                log.warning("--sandbox %s: %s; until then programs are not run", name, error)
            self._told = str(error)

    async def _wait_for_sandbox(self) -> None:
        if not self._misses_sandbox:
            return
        while self._misses_sandbox:
            await asyncio.sleep(_RETRY_S)
            await asyncio.to_thread(self.open_sandbox)
        log.info("--sandbox %s works now", self.settings.sandbox)

    @property
    def _misses_sandbox(self) -> bool:
        return self.settings.sandbox is not None and self._boxes is not None and self.sandbox is None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Workers are up inside; they and the sandbox are gone after."""
        await self.workers.start()
        waiter = asyncio.create_task(self._wait_for_sandbox())
        try:
            yield
        finally:
            waiter.cancel()
            await self.workers.stop()
            if self.sandbox is not None:
                await asyncio.to_thread(self.sandbox.close)

    @property
    def ready(self) -> bool:
        """A request that comes now will be judged."""
        return self.state == "ready"

    @property
    def state(self) -> str:
        """What keeps it from judging, in a word or two; else `ready`."""
        if self.draining:
            return "draining"
        if not self.workers.alive:
            return "starting"
        return "no sandbox" if self._misses_sandbox else "ready"

    def find(self, name: str | None) -> int:
        """The place of the reward that a caller asked for.

        Raises:
            RefusedError: 403, with the names that are allowed.
        """
        index = self.allowed.find(name)
        if index is None:
            known = ", ".join(entry.name for entry in self.allowed.served)
            raise RefusedError(
                403, f"this server does not serve the reward you named; it serves: {known}", why="reward"
            )
        return index

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncGenerator[bytes, None]:
        """The body of a request, held against the queue's bytes until the request is answered.

        Raises:
            RefusedError: 408 too slow, 413 too large, 429 no room now, 400 the caller left.
        """
        held = 0
        pieces: list[bytes] = []
        too_large = RefusedError(
            413, f"the body is larger than {self.limits.body_bytes} bytes; send fewer rows at once", why="size"
        )
        try:
            declared = request.headers.get("content-length", "")
            if declared.isdigit() and int(declared) > self.limits.body_bytes:
                raise too_large
            try:
                async with asyncio.timeout(self.limits.body_timeout_s):
                    async for piece in request.stream():
                        self._hold(len(piece))
                        held += len(piece)
                        if held > self.limits.body_bytes:
                            raise too_large
                        pieces.append(piece)
            except TimeoutError:
                message = f"the body did not arrive within {self.limits.body_timeout_s:g} s"
                raise RefusedError(408, message, why="slow", headers={"connection": "close"}) from None
            except ClientDisconnect:
                raise RefusedError(400, "the caller left", why="left") from None
            yield b"".join(pieces)
        finally:
            self.queue.free(held)

    def _hold(self, size: int) -> None:
        try:
            self.queue.hold(size)
        except QueueFullError as error:
            raise _full(error) from None

    @asynccontextmanager
    async def judging(
        self, request: Request, reward: int, rows: Sequence[Row], timeout_s: float | None = None
    ) -> AsyncGenerator[Ticket, None]:
        """Rows under judgement. The work ends at the deadline, when the caller leaves, and when the block is left.

        Raises:
            RefusedError: 413 too many rows, 429 no room now, 503 going down.
        """
        if len(rows) > self.limits.batch_rows:
            message = f"{len(rows)} rows in one request; send at most {self.limits.batch_rows}"
            raise RefusedError(413, message, why="rows")
        if self.draining:
            raise RefusedError(
                503, "the server is going down; ask another one", why="draining", headers={"retry-after": "5"}
            )
        deadline_s = min(timeout_s or self.limits.deadline_s, self.limits.deadline_s)
        try:
            ticket = self.queue.admit(reward, rows, deadline_s=deadline_s)
        except QueueFullError as error:
            raise _full(error) from None
        timer = asyncio.get_running_loop().call_later(deadline_s, self.workers.expire, ticket)
        watcher = asyncio.create_task(self._watch(request, ticket))
        try:
            yield ticket
        finally:
            timer.cancel()
            watcher.cancel()
            if not ticket.over:
                self.workers.end(ticket, "the caller left")
            self.queue.leave(ticket)

    async def scores(
        self, request: Request, reward: int, rows: Sequence[Row], timeout_s: float | None = None
    ) -> list[dict[str, Any]]:
        """Rows judged to the end: one score a row, as plain values."""
        async with self.judging(request, reward, rows, timeout_s) as ticket:
            return [json.loads(text) for _, text in await ticket.all_scores()]

    async def attended(self, request: Request, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives; it is cancelled when the caller leaves first.

        Raises:
            RefusedError: 400 the caller left.
        """
        task = asyncio.create_task(work)
        watcher = asyncio.create_task(_hung_up(request))
        watcher.add_done_callback(lambda _: task.cancel())
        try:
            return await task
        except asyncio.CancelledError:
            if watcher.done():
                log.info("a caller left; its work was ended")
                raise RefusedError(400, "the caller left", why="left") from None
            raise
        finally:
            watcher.cancel()

    async def _watch(self, request: Request, ticket: Ticket) -> None:
        """End the work of a caller who hangs up."""
        await _hung_up(request)
        if not ticket.over:
            log.info("a caller left; its work was ended")
            self.workers.end(ticket, "the caller left")


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _full(error: QueueFullError) -> RefusedError:
    return RefusedError(429, str(error), why="full", headers={"retry-after": str(error.retry_after_s)})


def parse(model: type[Model], body: bytes) -> Model:
    """A request body as a model.

    Raises:
        RefusedError: 400 where it is not JSON, 422 where it is not of this shape; the message names the field.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)[:200]
        raise RefusedError(400, f"the body is not JSON: {reason}", why="json") from None
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "body"
        raise RefusedError(422, f"{place}: {first['msg']}", why="shape") from None
