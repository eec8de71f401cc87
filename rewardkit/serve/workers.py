"""Processes that judge and can be killed: one socket each, one job at a time, replaced when they hang, die or grow.

They stand on no Pebble pool as `rewardkit.pool` and `rewardkit.workers` do: those pickle what they carry, hand a chunk back
when all of it is done, and time it as a whole. Here rows are JSON, each has its own clock and goes to its caller when it is
done, and a caller who leaves ends his own rows alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import resource
import signal
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rewardkit.base import Reward, walk
from rewardkit.python_file import place_of
from rewardkit.serve import worker
from rewardkit.serve.metrics import Metrics
from rewardkit.serve.tickets import Queue, Ticket, Unit
from rewardkit.serve.wire import HEAD, pack_job, unpack_scores
from rewardkit.serve.worker import Duty
from rewardkit.types import Verdict

log = logging.getLogger("rewardkit.serve")
START_TIMEOUT_S = 120.0
"""A worker that is not ready by then is killed; heavy imports on a busy machine take many seconds."""
_PAUSE_S = 1.0
_STREAM_BYTES = 2**20


class Process:
    """One worker process and the socket to it."""

    def __init__(self, process: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.process = process
        self.reader = reader
        self.writer = writer
        self.rows = 0

    @classmethod
    async def start(cls, context: Any, duty: Duty) -> Process:
        """A worker that is ready for jobs.

        Raises:
            OSError, EOFError: it did not come up in time.
        """
        ours, theirs = socket.socketpair()
        process = context.Process(target=worker.main, args=(theirs, duty), name="rewardkit-worker")
        try:
            with theirs:
                await asyncio.to_thread(process.start)
        except BaseException:  # a worker that comes up all the same finds its socket closed, and leaves
            ours.close()
            raise
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=_STREAM_BYTES)
        self = cls(process, reader, writer)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                await reader.readexactly(len(worker.READY))
        except BaseException:
            self.kill()
            raise
        return self

    async def send(self, job: bytes) -> None:
        """Hand over a job."""
        self.writer.write(job)
        await self.writer.drain()

    async def receive(self) -> bytes:
        """The scores of the next unit."""
        (length,) = HEAD.unpack(await self.reader.readexactly(HEAD.size))
        return await self.reader.readexactly(length)

    def kill(self) -> None:
        """End the process and what it started. Idempotent."""
        self.writer.close()
        pid = self.process.pid
        if pid is not None and self.process.exitcode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def exit_code(self) -> int | None:
        """Why it ended, once it has."""
        await asyncio.to_thread(self.process.join, 5)
        return self.process.exitcode

    @property
    def memory_mb(self) -> float:
        """Resident memory; 0 where it cannot be told."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, ValueError, IndexError):
            return 0.0
        return pages * resource.getpagesize() / 2**20


class Workers:
    """`count` processes that take units from the queue. `alive` tells how many are ready now."""

    def __init__(
        self,
        rewards: Sequence[Reward],
        duty: Duty,
        queue: Queue,
        metrics: Metrics,
        *,
        count: int,
        row_timeouts_s: Sequence[float],
        worker_rows: int,
    ) -> None:
        self._duty, self._queue, self._metrics = duty, queue, metrics
        self._count, self._row_timeouts_s, self._worker_rows = count, row_timeouts_s, worker_rows
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(sorted(modules_of(rewards)))
        self._processes: set[Process] = set()
        self._slots: list[asyncio.Task[None]] = []
        self.alive = 0

    async def start(self) -> None:
        """Bring the workers up; returns at once."""
        self._slots = [asyncio.create_task(self._slot(), name=f"slot-{index}") for index in range(self._count)]

    async def stop(self) -> None:
        """End all workers and wait until they are gone."""
        for slot in self._slots:
            slot.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)
        processes = tuple(self._processes)
        for process in processes:
            process.kill()
        await asyncio.gather(*(process.exit_code() for process in processes))

    @property
    def pids(self) -> list[int]:
        """The processes that are up."""
        return [process.process.pid for process in self._processes]

    async def _slot(self) -> None:
        """Keep one worker up and busy."""
        while True:
            process = await self._up()
            self._processes.add(process)
            self.alive += 1
            self._metrics.workers.set(self.alive)
            try:
                cause = await self._serve(process)
            finally:
                self.alive -= 1
                self._metrics.workers.set(self.alive)
                process.kill()
                self._processes.discard(process)
            self._metrics.restarts.labels(cause).inc()
            code = await process.exit_code()
            log.log(
                logging.INFO if cause == "retired" else logging.WARNING,
                "worker replaced: %s (exit code %s)",
                cause,
                code,
            )

    async def _up(self) -> Process:
        while True:
            try:
                return await Process.start(self._context, self._duty)
            except (OSError, EOFError) as error:
                log.error("a worker did not start: %s", type(error).__name__)  # noqa: TRY400 - the child has printed why
                await asyncio.sleep(_PAUSE_S)

    async def _serve(self, process: Process) -> str:
        """Work until the process is lost or has done enough; tells why it ended."""
        while True:
            ticket, units = await self._queue.next()
            ticket.kills.add(process.kill)
            try:
                cause = await self._work(process, ticket, units)
            finally:
                ticket.kills.discard(process.kill)
                self._queue.offer(ticket)
            if cause is not None:
                return cause
            process.rows += sum(len(unit.places) for unit in units)
            if process.rows >= self._worker_rows or process.memory_mb > self._duty.memory_mb / 2:
                return "retired"

    async def _work(self, process: Process, ticket: Ticket, units: list[Unit]) -> str | None:
        """Score the units of one ticket. None where the process lives on, else why it does not."""
        if process.reader.at_eof():  # it died while it had nothing to do
            ticket.put_back(units)
            return "died"
        try:
            await process.send(
                pack_job(ticket.reward, [[ticket.rows[place] for place in unit.places] for unit in units])
            )
        except OSError:
            ticket.put_back(units)
            return "died"
        for index, unit in enumerate(units):
            row_s = self._row_timeouts_s[ticket.reward]
            limit_s = row_s * (1 if len(unit.places) == 1 else 2)
            try:
                async with asyncio.timeout(limit_s):
                    body = await process.receive()
            except TimeoutError:
                process.kill()
                reason = f"no verdict within {row_s:g} s; the worker was killed"
                self._lost(ticket, units[index:], reason, final=True)
                return "timeout"
            except (OSError, EOFError):
                if ticket.over:  # its deadline passed or its caller left, so the work was ended
                    return "ended"
                process.kill()
                code = await process.exit_code()
                self._lost(
                    ticket,
                    units[index:],
                    f"the worker process died (exit code {code}), {unit.deaths + 1} times",
                    final=False,
                )
                return "died"
            self._deliver(ticket, unit, body)
        return None

    def _lost(self, ticket: Ticket, units: list[Unit], reason: str, *, final: bool) -> None:
        ticket.put_back(units[1:])
        count = ticket.broken(units[0], reason, final=final)
        self._count_unjudged(ticket, count)

    def _deliver(self, ticket: Ticket, unit: Unit, body: bytes) -> None:
        judged = list(unpack_scores(body))
        count = ticket.deliver(unit, judged)
        self._queue.scored(count)
        for verdict, _ in judged[:count]:
            self._metrics.rows(ticket.reward, verdict).inc()

    def _count_unjudged(self, ticket: Ticket, count: int) -> None:
        self._queue.scored(count)
        if count:
            self._metrics.rows(ticket.reward, Verdict.UNJUDGED).inc(count)

    def end(self, ticket: Ticket, reason: str) -> None:
        """End a ticket's work: what is not judged by now is unjudged."""
        self._count_unjudged(ticket, ticket.end(reason))

    def expire(self, ticket: Ticket) -> None:
        """The deadline of a ticket has passed."""
        if not ticket.over:
            self._metrics.expired.inc()
            self.end(ticket, f"not judged within the request's deadline of {ticket.deadline_s:g} s")


def modules_of(rewards: Sequence[Reward]) -> set[str]:
    """Modules that workers should find imported, so that a new one is there in milliseconds."""
    found = {"rewardkit.serve.worker", "rewardkit.compose"}
    parts = {type(part) for reward in rewards for part in walk(reward)}
    return found | {part.__module__ for part in parts if place_of(part) is None}
