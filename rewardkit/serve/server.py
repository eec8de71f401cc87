"""Sockets and signals: one HTTP process, or several that share a port; a graceful end on SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import multiprocessing
import os
import resource
import signal
import socket
import ssl
import sys
import time
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

import uvicorn
from prometheus_client import multiprocess

from rewardkit.errors import RewardkitError, UsageError
from rewardkit.executor import needs_sandbox
from rewardkit.processes import die_with_parent
from rewardkit.serve.metrics import SHARED_VARIABLE
from rewardkit.serve.settings import Settings
from rewardkit.serve.tokens import read_tokens
from sandboxes.temp_dir import TempDir

if TYPE_CHECKING:
    from rewardkit.serve.service import Service

log = logging.getLogger("rewardkit.serve")
_BACKLOG = 4096
_RESTART_PAUSE_S = 1.0
ANSWER_S = 2.0
"""Time to answer requests whose rows were left when `--drain` ran out."""
_KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""A peer that vanished without a word is noticed after two minutes."""


class Server(uvicorn.Server):
    """uvicorn that reloads tokens and certificate on SIGHUP, and that says it is draining before it finishes its requests."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Reload the files first: the process that started this one may have read them long ago."""
        if self._service.settings.files:
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self.reload_files)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])
            self.reload_files()
        await super().startup(sockets)

    def reload_files(self) -> None:
        """Reload tokens and certificate. Requests under way and open connections are not affected.

        If a file cannot be used, nothing changes.
        """
        settings = self._service.settings
        try:
            tokens = settings.tokens if settings.token_file is None else read_tokens(settings.token_file)
            check_certificate(settings)
        except UsageError as error:
            log.error("tokens and certificate stay as they were: %s", error)  # noqa: TRY400 - the line says what to do
            return
        self._service.tokens.replace(tokens)
        if settings.tls_cert is not None and self.config.ssl is not None:
            self.config.ssl.load_cert_chain(settings.tls_cert, settings.tls_key)
        log.info("loaded %s", ", ".join(map(str, settings.files)))
        if tokens:
            log.info("accepting the tokens of %s", ", ".join(token.name for token in tokens))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop taking requests, let those under way end, but answer what there is when `--drain` runs out, stop the workers."""
        self._service.draining = True
        asyncio.get_running_loop().call_later(self._service.settings.drain_s, self._service.end_jobs)
        await super().shutdown(sockets)


def serve(settings: Settings) -> int:
    """Serve until a signal says stop. The exit code of the command."""
    configure_log()
    allow_many_files()
    served = settings.load()  # a mistake is told here, once, and not by each process
    check_certificate(settings)
    runs_programs = settings.sandbox is not None or any(needs_sandbox(entry.reward) for entry in served)
    with listen(settings.host, settings.port) as sock, contextlib.ExitStack() as stack:
        boxes = None
        if runs_programs:
            from rewardkit.sandbox_pool.host import HostSupervisor

            boxes = stack.enter_context(HostSupervisor(settings.boxes)).path
        host, port = sock.getsockname()[:2]
        scheme = "https" if settings.tls_cert else "http"
        host = f"[{host}]" if ":" in host else host
        log.info("serving %s on %s://%s:%d", ", ".join(settings.rewards), scheme, host, port)
        if settings.processes == 1:
            return run_one(settings, sock, boxes)
        return run_many(settings, sock, boxes)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        UsageError: the address is taken or not ours.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or a small answer waits 40 ms for a delayed ACK
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        sock.bind(address)
        sock.listen(_BACKLOG)
    except OSError as error:
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    sock.setblocking(False)
    return sock


def check_certificate(settings: Settings) -> None:
    """Check that the files for HTTPS can be used.

    Raises:
        UsageError: one cannot be read, or the key is not the certificate's.
    """
    if settings.tls_cert is None:
        return
    try:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=settings.tls_client_ca)
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password=lambda: "")
    except (OSError, ValueError) as error:
        files = ", ".join(str(path) for path in (settings.tls_cert, settings.tls_key, settings.tls_client_ca) if path)
        raise UsageError(f"cannot serve HTTPS with {files}: {error}") from None


def run_one(settings: Settings, sock: socket.socket, boxes: str | None) -> int:
    """Serve in this process."""
    from rewardkit.serve import tracing
    from rewardkit.serve.app import create_app
    from rewardkit.serve.protocol import protocol_class

    tracing.set_up()
    if settings.files:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])  # until the server can reload them
    app = create_app(settings, boxes)
    app.service.open_sandbox()
    config = uvicorn.Config(
        app,
        http=protocol_class(settings.limits.head_timeout_s),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=settings.limits.connections,
        timeout_graceful_shutdown=math.ceil(settings.drain_s + ANSWER_S),
        timeout_keep_alive=75,
        backlog=_BACKLOG,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        ssl_ca_certs=None if settings.tls_client_ca is None else str(settings.tls_client_ca),
        ssl_cert_reqs=ssl.CERT_NONE if settings.tls_client_ca is None else ssl.CERT_REQUIRED,
    )
    server = Server(config, app.service)
    signal.signal(signal.SIGTERM, server.handle_exit)  # also before uvicorn listens to it, and once more after its end
    try:
        server.run(sockets=[sock])
    except KeyboardInterrupt:
        return 130
    return 0 if server.started else 4


def run_many(settings: Settings, sock: socket.socket, boxes: str | None) -> int:
    """Serve in several processes on one socket; one that dies is replaced."""
    with contextlib.closing(TempDir("metrics")) as folder:
        os.environ[SHARED_VARIABLE] = str(folder.path)
        return _Supervisor(settings, sock, boxes).run()


class _Supervisor:
    """Starts the HTTP processes and replaces those that die, until a signal says stop."""

    def __init__(self, settings: Settings, sock: socket.socket, boxes: str | None) -> None:
        self._arguments = (settings, sock, boxes)
        self._sock = sock
        self._settings = settings
        self._context = multiprocessing.get_context("spawn")
        self._children: list[Any] = []
        self._stopping = False
        self._exit_code = 0

    def run(self) -> int:
        """Watch over the processes; the exit code of the command."""
        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, self._stop)
        if self._settings.files:
            signal.signal(signal.SIGHUP, lambda signum, _: self._tell(signum))
        self._children = [self._start() for _ in range(self._settings.processes)]
        while not self._stopping:
            wait([child.sentinel for child in self._children], timeout=0.5)
            for index, child in enumerate(self._children):
                if child.exitcode == UsageError.exit_code:  # a mistake of the operator: the next one would make it too
                    self._stop(signal.SIGTERM, None)
                    return UsageError.exit_code
                if child.exitcode is not None and not self._stopping:
                    log.warning(
                        "HTTP process %d ended (exit code %s); another takes its place", child.pid, child.exitcode
                    )
                    multiprocess.mark_process_dead(child.pid)  # type: ignore[no-untyped-call] - takes its gauges out of the sums
                    time.sleep(_RESTART_PAUSE_S)
                    try:
                        self._children[index] = self._start()
                    except OSError as error:  # no memory or process is left, which may be why it ended
                        log.warning("an HTTP process could not be started (%s); another attempt follows", error)
        self._sock.close()  # or connections to a server that is shutting down would wait in it
        self._tell(signal.SIGTERM)  # also those that were started while the signal came
        for child in self._children:
            child.join(self._settings.drain_s + 10)
            if child.exitcode is None:
                child.kill()
        return self._exit_code

    def _start(self) -> Any:
        child = self._context.Process(target=_child, args=self._arguments, name="rewardkit-http")
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP] if self._settings.files else [])
        try:
            child.start()  # with this mask, or a SIGHUP would end it before it can reload
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return child

    def _stop(self, signum: int, _frame: Any) -> None:
        interrupted = signum == signal.SIGINT
        if interrupted:
            self._exit_code = 130
        self._tell(signal.SIGINT if interrupted and self._stopping else signal.SIGTERM)
        self._stopping = True

    def _tell(self, signum: int) -> None:
        for child in self._children:
            if child.exitcode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child.pid, signum)


def _child(settings: Settings, sock: socket.socket, boxes: str | None) -> None:
    die_with_parent(signal.SIGTERM)
    configure_log()
    try:
        sys.exit(run_one(settings, sock, boxes))
    except RewardkitError as error:
        log.error("%s", error)  # noqa: TRY400 - the line says what to do
        sys.exit(error.exit_code)


def allow_many_files() -> None:
    """Raise the soft limit on open files to the hard one: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def configure_log() -> None:
    """One line an event, on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name, level in (("rewardkit", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level)
