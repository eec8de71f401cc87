"""A client for the process that holds the sandboxes: sends jobs and receives facts over a Unix socket."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from typing import Any, ClassVar

from rewardkit.code.shared import hold_elsewhere
from rewardkit.executor import choose_sandbox
from rewardkit.executor.budget import ROW
from rewardkit.sandbox_pool.protocol import pack_jobs, receive, send, unpack_execution
from sandboxes import errors
from sandboxes.base import Execution, Isolation, Job, Sandbox, Stop, closed_error, when_cancelled
from sandboxes.lease import Batch
from sandboxes.registry import check_isolation

ATTEMPTS = 3
"""Jobs whose holder died are handed in again, to the one that takes its place, this often in all."""
RECONNECT_S = 30.0
"""Time for a new holder to come up."""
THREADS = 32
"""Batches under way at once in one process."""
LEAST_S = 0.01
"""CPU seconds that a program gets where less is left of a budget."""
GO_ON, STOP = b"+", b"-"
"""What is said after each job of a batch that may end early."""


class SandboxClient(Sandbox):
    """The sandbox of this name in the process that listens at `path`, which opens it when it is first asked for.

    Raises:
        SandboxError: it does not work here, in the words of the process that tried.
    """

    name: ClassVar[str] = "shared"
    isolation: Isolation = "none"

    def __init__(self, path: str, name: str, *, require: Isolation | None = None, workers: int | None = None) -> None:
        self._path = path
        self._key = {"name": name, "workers": workers}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sandbox-shared")
        self._closed = False
        self._facts: dict[str, Any] = self._open()
        self.isolation = self._facts["isolation"]
        check_isolation(name, self.isolation, require)

    def submit(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> Future[list[Execution]]:
        """Send the jobs and wait for their facts in a thread. To cancel is to hang up, which ends them over there."""
        if self._closed:
            raise closed_error(self.name)
        done: Future[list[Execution]] = Future()
        batch = Batch()

        def work() -> None:
            with contextlib.suppress(InvalidStateError):  # cancelled
                try:
                    done.set_result(self._run(jobs, stop, batch))
                except BaseException as error:  # noqa: BLE001 - the boundary: a failure belongs to the caller's future
                    done.set_exception(error)

        def never_began(_: Future[None]) -> None:
            if waiting.cancelled():  # with `done`, or by `close`
                with contextlib.suppress(InvalidStateError):
                    done.set_exception(closed_error(self.name))

        waiting = self._threads.submit(work)
        waiting.add_done_callback(never_began)
        done.add_done_callback(lambda _: when_cancelled(done, lambda: waiting.cancel() or batch.cancel()))
        return done

    def facts(self) -> Mapping[str, object]:
        """What the holder says of its sandbox."""
        return self._facts

    def close(self) -> None:
        """Hand in no more jobs. The sandbox itself ends with the process that holds it."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _open(self) -> dict[str, Any]:
        for _ in range(ATTEMPTS):
            try:
                with self._connect(Batch()) as sock:
                    send(sock, self._key)
                    return _checked(receive(sock)[0])
            except (OSError, EOFError):
                continue
        raise errors.SandboxUnavailable(
            f"no process holds the sandboxes at {self._path}", cure="is the server shutting down?"
        )

    def _run(self, jobs: Sequence[Job], stop: Stop | None, batch: Batch) -> list[Execution]:
        """Facts of the jobs. Those that a holder took with it are run again; those that went down with each are lost."""
        facts: list[Execution] = []
        for _ in range(ATTEMPTS):
            try:
                with self._connect(batch) as sock:
                    self._exchange(sock, jobs, stop, facts)
            except (OSError, EOFError):
                batch.check()
                continue
            return facts
        lost = Execution(lost="the process that holds the sandboxes is gone", isolation=self.isolation)
        return facts + [lost] * (1 if stop is not None else len(jobs) - len(facts))

    def _exchange(self, sock: socket.socket, jobs: Sequence[Job], stop: Stop | None, facts: list[Execution]) -> None:
        """Go on after the facts that are there, until all are or `stop` says so."""
        bounded = [within_budget(job) for job in jobs]
        messages, parts = pack_jobs(bounded[len(facts) :])
        send(sock, {**self._key, "jobs": messages, "asks": stop is not None}, parts)
        while len(facts) < len(jobs):
            message, parts = receive(sock)
            facts.append(unpack_execution(_checked(message), parts))
            place = len(facts) - 1
            spend(facts[-1], bounded=bounded[place] is not jobs[place], last=len(facts) == len(jobs))
            if stop is not None:
                ends = ROW.used_up or stop(place, facts[-1])
                sock.sendall(STOP if ends else GO_ON)
                if ends or len(facts) == len(jobs):
                    _wait_for_end(sock)
                    break
            if ROW.used_up:
                break
        if ROW.used_up:
            raise errors.SandboxLost("the row was put off", cure="")

    def _connect(self, batch: Batch) -> socket.socket:
        until = time.monotonic() + RECONNECT_S
        while True:
            batch.check()
            sock = _Connection(socket.AF_UNIX)
            try:
                sock.connect(self._path)
                batch.add(sock)
                batch.check()  # or it was cancelled before
            except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
                sock.close()
                if self._closed or time.monotonic() > until:
                    raise
                time.sleep(0.05)
            except BaseException:
                sock.close()
                raise
            else:
                return sock


def within_budget(job: Job) -> Job:
    """The job with what is left of the row's budget as its limit of CPU time; itself if its own limits are lower."""
    limits = job.limits
    own_s = limits.cpu_s * max(1, len(job.calls or ()))
    own_s = own_s if limits.total_cpu_s is None else min(own_s, limits.total_cpu_s)
    if job.trusted or own_s <= ROW.left_s:
        return job
    left_s = max(ROW.left_s, LEAST_S)
    update = {"cpu_s": min(limits.cpu_s, left_s), "total_cpu_s": left_s, "wall_s": limits.deadline_s}
    return job.model_copy(update={"limits": limits.model_copy(update=update)})


def spend(execution: Execution, *, bounded: bool, last: bool) -> None:
    """Take off what a program used. If the CPU clock ended one that the budget bounded, the row is put off, whatever was judged."""
    ROW.left_s -= execution.cpu_s
    ROW.spent_s += execution.cpu_s
    ends = [execution.limit, *(call.error for call in execution.calls), execution.driver and execution.driver.error]
    by_clock = any(end is not None and end.partition(" ")[0] == "cpu" for end in ends)
    ROW.used_up = ROW.used_up or (bounded and by_clock) or (ROW.left_s <= 0 and not last)


class _Connection(socket.socket):
    def interrupt(self) -> None:
        """From any thread: whoever waits at this end or the other meets the end of the stream."""
        with contextlib.suppress(OSError):  # it may be closed by now
            self.shutdown(socket.SHUT_RDWR)


def use_pool(path: str, sandbox: str | None = None) -> None:
    """Let the code rewards of this process run their programs in the pool behind a socket: in this sandbox, if they choose none."""
    choose_sandbox(sandbox)
    hold_elsewhere(lambda name, require, workers: SandboxClient(path, name, require=require, workers=workers))


def _wait_for_end(sock: socket.socket) -> None:
    """Let the holder hang up, once it has its box back: if this side did, the box would be killed."""
    with contextlib.suppress(OSError):
        sock.recv(1)


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    """A message, or the error it tells of."""
    if "error" in message and "problem" in message:
        kind = getattr(errors, message["error"]) if message["error"] in errors.__all__ else errors.SandboxError
        raise kind(message["problem"], cure=message["cure"])
    return message
