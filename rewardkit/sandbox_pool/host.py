"""The process that holds the sandboxes: one pool for all judging processes of a machine.

Workers come and go (they are killed when a row hangs) while the boxes stay warm. `HostSupervisor` starts this process again when it dies; whoever waits for facts
then hands the missing jobs in once more.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import select
import shutil
import signal
import socket
import socketserver
import sys
import threading
import traceback
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self, cast

from rewardkit.code.shared import close_all, shared_sandbox
from rewardkit.processes import die_with_parent, unblock_signals
from rewardkit.sandbox_pool.client import STOP
from rewardkit.sandbox_pool.protocol import pack_execution, receive, send, unpack_jobs
from sandboxes.base import Execution
from sandboxes.errors import SandboxError
from sandboxes.temp_dir import TempDir

log = logging.getLogger("rewardkit.serve")
CHUNK = 32
"""Jobs that go to one box in a row."""
_LEFT = getattr(select, "POLLRDHUP", select.POLLHUP)
"""The other side has hung up. Bytes it has sent may still be there, and are not looked at."""
_RESTART_PAUSE_S = 1.0
_END_S = 15.0


class HostSupervisor:
    """Keeps the process with the sandboxes up; `path` is the socket where it listens, `size` the number of boxes. A context manager."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._folder = TempDir("boxes", for_socket=True)
        self.path = str(self._folder.path / "socket")
        self._context = multiprocessing.get_context("spawn")
        self._stopping = threading.Event()
        self._process = self._start()
        self._thread = threading.Thread(target=self._watch, name="boxes", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """End the process and its boxes."""
        self._stopping.set()
        self._process.terminate()
        self._thread.join(_END_S)
        if self._process.exitcode is None:
            self._process.kill()
        self._folder.close()

    def _start(self) -> Any:
        process = self._context.Process(target=hold, args=(self.path, self._size), name="rewardkit-boxes")
        process.start()
        return process

    def _watch(self) -> None:
        while True:
            self._process.join()
            if self._stopping.wait(0):
                return
            log.warning(
                "the process with the sandboxes ended (exit code %s); another takes its place", self._process.exitcode
            )
            try:
                self._process = self._start()
            except OSError as error:  # no memory or process is left, which may be why it ended
                log.warning("the process with the sandboxes could not be started (%s); another attempt follows", error)
            if self._stopping.wait(_RESTART_PAUSE_S):
                self._process.terminate()


def hold(path: str, size: int) -> None:
    """Hold sandboxes of so many boxes and run jobs for all clients until a signal ends it."""
    with contextlib.suppress(OSError):
        os.setsid()  # a Ctrl-C in the terminal is for the server, which finishes what it has begun
    signal.signal(signal.SIGTERM, _end)
    unblock_signals()
    die_with_parent(signal.SIGTERM)
    Path(path).parent.mkdir(mode=0o700, exist_ok=True)
    Path(path).unlink(missing_ok=True)
    try:
        with _Server(path, size) as server:
            server.serve_forever()
    finally:
        close_all()
        shutil.rmtree(Path(path).parent, ignore_errors=True)  # a server that was killed can't do it


def _end(_signum: int, _frame: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # one a thread of a dying server comes: the first is enough
    raise SystemExit(0)


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 4096

    def __init__(self, path: str, size: int) -> None:
        super().__init__(path, _Caller)
        self.size = size

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base class names them
        """Ignore client disconnects. Log other errors without their message, which may contain a program."""
        error = sys.exception()
        if error is not None and not isinstance(error, (OSError, EOFError)):
            traceback.print_tb(error.__traceback__)
            log.error("%s in the process with the sandboxes", type(error).__name__)


class _Caller(socketserver.BaseRequestHandler):
    """One connection: one batch of jobs, or the question how strong a sandbox is."""

    request: socket.socket

    def handle(self) -> None:
        """Answer with facts, one frame a job in order, or with the error."""
        message, parts = receive(self.request)
        try:
            sandbox = shared_sandbox(message["name"], workers=message["workers"] or cast("_Server", self.server).size)
            if "jobs" not in message:
                send(self.request, dict(sandbox.facts()))
                return
            jobs = unpack_jobs(message["jobs"], parts)
            if message["asks"]:
                self._await([sandbox.submit(jobs, stop=self._tell_and_ask)], tell=False)
            else:
                chunks = [jobs[start : start + CHUNK] for start in range(0, len(jobs), CHUNK)]
                self._await([sandbox.submit(chunk) for chunk in chunks], tell=True)
        except SandboxError as error:
            send(self.request, {"error": type(error).__name__, "problem": error.problem, "cure": error.cure})

    def _tell_and_ask(self, _index: int, execution: Execution) -> bool:
        try:
            self._tell(execution)
            return self.request.recv(1) in (b"", STOP)
        except OSError:
            return True

    def _await(self, running: Sequence[Future[list[Execution]]], *, tell: bool) -> None:
        """Wait for the facts, and tell them. The work of a caller who hangs up is ended."""
        bell, rope = socket.socketpair()
        with bell, rope:
            events = select.poll()
            events.register(self.request, _LEFT)
            events.register(bell, select.POLLIN)
            try:
                for future in running:
                    future.add_done_callback(lambda _: _ring(rope))
                    while not future.done():
                        if any(descriptor == self.request.fileno() for descriptor, _ in events.poll()):
                            return
                        bell.recv(1)
                    for execution in future.result() if tell else ():
                        self._tell(execution)
                    future.result()
            finally:
                for future in running:
                    future.cancel()

    def _tell(self, execution: Execution) -> None:
        send(self.request, *pack_execution(execution))


def _ring(rope: socket.socket) -> None:
    with contextlib.suppress(OSError):  # nobody waits any more
        rope.send(b".")
