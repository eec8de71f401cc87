"""Signals, sockets and processes: what happens when something is killed, hangs, or goes down."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from live import BOUND_S, SAME, TOY, TROUBLE, Server, descendants, wait_for, wait_gone
from ports import free_port

import rewardkit
from rewardkit import Sample
from rewardkit.client import DRAINED

Start = Callable[..., Server]
pytestmark = pytest.mark.slow


def connect(server: Server) -> socket.socket:
    parts = urlsplit(server.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=BOUND_S)


def test_sigterm_finishes_what_has_begun_and_leaves_no_process(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "2", "--row-timeout", "3")
    server.wait_workers(2)
    family = descendants(server.process.pid)
    answers: list[httpx.Response] = []
    asking = threading.Thread(target=lambda: answers.append(server.score("yes", "hang", "yes")))
    asking.start()
    wait_for(lambda: server.metric("rewardkit_queue_requests"))
    assert server.stop() == 0
    asking.join()
    assert [score["value"] for score in answers[0].json()["scores"]] == [1.0, None, 1.0]
    wait_gone(*family)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_second_interrupt_ends_a_server_at_once_and_no_request_is_left_without_an_answer(
    start: Start, processes: str
) -> None:
    server = start("-r", TROUBLE, "--workers", "1", "--processes", processes)
    server.wait_workers(1)
    family = descendants(server.process.pid)
    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(server.score, "hang") for _ in range(2)]
        wait_for(lambda: server.metric("rewardkit_queue_requests") >= 2)
        server.process.send_signal(signal.SIGINT)
        wait_for(lambda: not server._is_ready())
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(BOUND_S) == 130
        assert [each.result(BOUND_S).status_code for each in asking] == [503, 503]
    wait_gone(*family)
    server._reader.join(BOUND_S)
    assert "Traceback" not in server.log
    assert "ERROR" not in server.log


@pytest.mark.parametrize("processes", ["1", "2"])
def test_rows_left_when_the_drain_time_is_up_are_judged_after_the_restart(start: Start, processes: str) -> None:
    port, options = (
        str(free_port()),
        ("-r", f"nap={TOY}:nap", "--workers", "2", "--processes", processes, "--drain", "1"),
    )
    server = start(*options, "--port", port)
    server.wait_workers(2)
    remote = rewardkit.remote(server.url, batch=4, timeout_s=BOUND_S)
    batch = [Sample(completion="0.8") for _ in range(8)]
    with ThreadPoolExecutor(2) as pool:
        plain = pool.submit(
            server.client.post, "/v1/score", json={"samples": [{"completion": "0"}, {"completion": "9"}]}
        )
        wait_for(lambda: server.metric("rewardkit_rows_total", reward="nap", verdict="correct"))
        asking = pool.submit(remote.score, batch)
        wait_for(lambda: server.metric("rewardkit_queue_requests") >= 3)
        server.process.send_signal(signal.SIGTERM)
        scores = plain.result(BOUND_S).json()["scores"]
        assert server.process.wait(BOUND_S) == 0
        start(*options, "--port", port)
        assert [score.value for score in asking.result(2 * BOUND_S)] == [1.0] * 8
    assert [score["value"] for score in scores] == [1.0, None]
    assert scores[1]["reason"].startswith(DRAINED)


def test_a_server_that_shuts_down_takes_no_connections(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "2", "--processes", "2", "--drain", "20")
    server.wait_workers(2)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(server.score, "hang", timeout_s=10)
        wait_for(lambda: server.metric("rewardkit_queue_requests"))
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: is_refused(server))
        assert not asking.done()


def is_refused(server: Server) -> bool:
    try:
        connect(server).close()
    except ConnectionRefusedError:
        return True
    return False


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_the_printed_url_can_be_asked(start: Start, host: str) -> None:
    try:
        socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError:
        pytest.skip(f"no {host} here")
    server = start("-r", SAME, "--workers", "1", "--host", host)
    (score,) = rewardkit.remote(server.url).score([Sample(completion="yes", ground_truth="yes")])
    assert score.value == 1.0, score.reason


def test_a_server_that_is_stopped_while_nothing_is_amiss_warns_of_nothing(start: Start) -> None:
    server = start("-r", SAME, "--workers", "2")
    server.wait_workers(2)
    assert server.stop() == 0
    assert "WARNING" not in server.log


def test_kill_9_of_the_server_takes_its_workers_along(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "2")
    server.wait_workers(2)
    family = descendants(server.process.pid)
    errors: list[Exception] = []
    asking = threading.Thread(target=ask, args=(server, errors))
    asking.start()
    wait_for(lambda: server.metric("rewardkit_queue_requests"))
    server.stop(signal.SIGKILL)
    asking.join()
    assert isinstance(errors[0], httpx.TransportError)
    wait_gone(*family)


def ask(server: Server, errors: list[Exception]) -> None:
    try:
        server.score("hang", "hang")
    except httpx.HTTPError as error:
        errors.append(error)


def test_kill_9_of_workers_changes_no_score(start: Start) -> None:
    server = start("-r", SAME, "--workers", "2")
    wanted = [index % 2 == 0 for index in range(4000)]
    answers: list[httpx.Response] = []
    for _ in range(3):  # a row that three workers died over is unjudged, so each request loses two at most
        asking = threading.Thread(
            target=lambda: answers.append(server.score(*("yes" if right else "no" for right in wanted)))
        )
        asking.start()
        wait_for(lambda: server.metric("rewardkit_queue_requests") or answers)
        for pid in wait_for(server.workers):
            os.kill(pid, signal.SIGKILL)
        asking.join()
        assert [score["value"] for score in answers.pop().json()["scores"]] == [float(right) for right in wanted]
    assert server.metric("rewardkit_worker_restarts_total", cause="died") >= 2  # none of the last kills, if it was late


def test_kill_9_of_the_fork_server_is_survived(start: Start) -> None:
    server = start("-r", SAME, "--workers", "1")
    (worker,) = server.wait_workers(1)
    (fork_server,) = {pid for pid in descendants(server.process.pid) if worker in descendants(pid)}
    os.kill(fork_server, signal.SIGKILL)
    wait_gone(fork_server)
    assert server.score("yes").json()["scores"][0]["value"] == 1.0


def test_several_processes_share_port_metrics_and_fate(start: Start) -> None:
    server = start("-r", SAME, "--processes", "2", "--workers", "2")
    for _ in range(30):
        assert httpx.post(
            f"{server.url}/v1/score", json={"samples": [{"completion": "a", "ground_truth": "a"}]}
        ).is_success
    total = server.metric("rewardkit_rows_total", reward="same", verdict="correct")
    assert total == 30
    family = descendants(server.process.pid)
    assert server.stop() == 0
    wait_gone(*family)


def test_each_process_tells_what_waits_in_all_of_them(start: Start, tmp_path: Path) -> None:
    server = start("-r", TROUBLE, "--processes", "2", "--workers", "2")
    gate = tmp_path / "gate"
    asking = threading.Thread(target=server.score, args=(f"wait for {gate}",))
    asking.start()
    wait_for(lambda: queued(server) == 1)
    assert [queued(server) for _ in range(30)] == [1] * 30
    gate.touch()
    asking.join()
    wait_for(lambda: queued(server) == 0)


def queued(server: Server) -> float:
    """Rows in the queue, by whichever process takes a new connection."""
    page = httpx.get(f"{server.url}/metrics").text
    return float(next(line.split()[-1] for line in page.splitlines() if line.startswith("rewardkit_queue_rows ")))


def test_a_dead_http_process_is_replaced(start: Start) -> None:
    server = start("-r", SAME, "--processes", "2", "--workers", "2")
    first = [
        pid
        for pid in descendants(server.process.pid)
        if b"multiprocessing.spawn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    os.kill(first[0], signal.SIGKILL)
    wait_gone(first[0])
    wait_for(lambda: "another takes its place" in server.log)
    server.wait_ready()
    assert httpx.post(f"{server.url}/v1/score", json={"samples": []}).is_success


def test_a_head_that_never_comes_is_closed(start: Start) -> None:
    server = start("-r", SAME, "--workers", "1", "--head-timeout", "1.5")
    silent, slow, second = connect(server), connect(server), connect(server)
    slow.sendall(b"POST /v1/score HTTP/1.1\r\nhost: localhost\r\n")
    second.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
    answer = b""
    while not answer.endswith(b"}"):
        answer += (piece := second.recv(4096))
        assert piece, "it was closed before its first head came in"
    second.sendall(b"GET /heal")
    for sock in (silent, slow, second):
        assert sock.recv(4096) == b""
    assert server.score("yes").is_success


TARGET, HEAD = b"POST /v1/score HTTP/1.1\r\n", b"host: localhost\r\n"
ENDLESS = {
    "a target": (b"GET /", b"a" * 1000),
    "a header": (TARGET + HEAD + b"x: ", b"a" * 1000),
    "headers": (TARGET + HEAD, b"x: a\r\n" * 200),
    "trailers": (TARGET + HEAD + b"transfer-encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n", b"x: a\r\n" * 200),
    "the length of a chunk": (TARGET + HEAD + b"transfer-encoding: chunked\r\n\r\n1;x=", b"a" * 1000),
}


@pytest.mark.parametrize(("begin", "piece"), ENDLESS.values(), ids=ENDLESS)
def test_a_head_that_does_not_end_is_refused_where_it_is_too_long(shared: Server, begin: bytes, piece: bytes) -> None:
    sock, sent, answer = connect(shared), 0, b""
    with contextlib.suppress(ConnectionError):
        sock.sendall(begin)
        while not select.select([sock], [], [], 0)[0]:
            sock.sendall(piece)
            sent += len(piece)
            assert sent < 64 * 2**20
        answer = sock.recv(4096)
    assert answer == b"" or answer.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))
    assert shared.score("yes").is_success


@pytest.mark.parametrize(("size", "status"), [(65_000, 200), (65_600, 431)])
@pytest.mark.parametrize("headers", [1, 2])
def test_the_limit_of_a_head_does_not_depend_on_how_it_arrives(
    shared: Server, size: int, status: int, headers: int
) -> None:
    lines = b"".join(b"x: " + b"a" * (size // headers) + b"\r\n" for _ in range(headers))
    head = b"GET /healthz HTTP/1.1\r\n" + HEAD + lines + b"\r\n"
    for pieces in (1, 10):
        sock = connect(shared)
        for part in range(pieces):
            sock.sendall(head[part * len(head) // pieces : (part + 1) * len(head) // pieces])
            time.sleep(0.01)
        assert int(sock.recv(4096).split()[1]) == status


def test_a_body_that_never_comes_is_408(start: Start) -> None:
    server = start("-r", SAME, "--workers", "1", "--body-timeout", "0.5")
    sock = connect(server)
    sock.sendall(
        b"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
    )
    assert sock.recv(4096).startswith(b"HTTP/1.1 408")


def test_a_taken_port_is_one_clear_line(start: Start) -> None:
    from rewardkit.errors import UsageError
    from rewardkit.serve.server import listen

    with listen("127.0.0.1", 0) as sock, pytest.raises(UsageError, match=r"cannot listen on 127\.0\.0\.1"):
        listen("127.0.0.1", sock.getsockname()[1])


def test_accepted_connections_send_at_once() -> None:
    from rewardkit.serve.server import listen

    with listen("127.0.0.1", 0) as sock, socket.create_connection(sock.getsockname()):
        sock.setblocking(True)
        accepted, _ = sock.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert accepted.proto == socket.IPPROTO_TCP  # asyncio looks at it before it sets the option


def test_a_full_queue_is_429_with_retry_after(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "1", "--row-timeout", "300", "--queue", "2")
    body = json.dumps({"samples": [{"completion": "hang"}] * 2}).encode()
    with connect(server) as sock:
        sock.sendall(
            b"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
            % (len(body), body)
        )
        wait_for(lambda: server.metric("rewardkit_queue_rows"))
        response = server.score("yes")
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) >= 1
    wait_for(lambda: not server.metric("rewardkit_queue_rows"))  # the caller has left
    assert server.score("yes").is_success


EARLY = """
import signal
from rewardkit.cli import main
from rewardkit.serve.server import Server
run = Server.run
def signalled(self, sockets=None):
    signal.raise_signal(signal.SIGTERM)
    run(self, sockets)
Server.run = signalled
main(["serve", "-r", "exact", "--port", "0", "--workers", "1"])
"""


def test_a_sigterm_that_comes_before_uvicorn_listens_to_it_is_not_lost() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, check=False, timeout=BOUND_S)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_a_sigterm_while_processes_start_ends_them_all() -> None:
    from rewardkit.serve.server import _Supervisor
    from rewardkit.serve.settings import Settings

    class Sleepers(_Supervisor):
        started = 0

        def _start(self) -> Any:
            child = self._context.Process(target=time.sleep, args=(3600,))
            child.start()
            self.started += 1
            if self.started == 2:
                signal.raise_signal(signal.SIGTERM)
            return child

    handlers = {signum: signal.getsignal(signum) for signum in (signal.SIGTERM, signal.SIGINT)}
    try:
        one = Sleepers(Settings(("exact",), processes=2, drain_s=20.0), socket.socket(), None)
        assert one.run() == 0
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
    assert [child.exitcode for child in one._children] == [-signal.SIGTERM] * 2  # and not killed when time was up


def test_a_process_that_does_not_end_when_its_time_is_up_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    from rewardkit.serve.server import _Supervisor
    from rewardkit.serve.settings import Settings

    class Child:
        exitcode: int | None = None
        killed = False

        def __init__(self, code: int | None) -> None:
            self._code = code

        def join(self, timeout_s: float) -> None:
            self.exitcode = self._code

        def kill(self) -> None:
            self.killed = True

    one = _Supervisor(Settings(("exact",), processes=2), socket.socket(), None)
    children = [Child(0), Child(None)]
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(one, "_start", iter(children).__next__)
    monkeypatch.setattr(one, "_tell", lambda _: None)
    one._stopping = True
    assert one.run() == 0
    assert [child.killed for child in children] == [False, True]


def test_a_process_that_cannot_be_started_again_at_once_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    from rewardkit.serve import server
    from rewardkit.serve.settings import Settings

    one = server._Supervisor(Settings(("exact",), processes=1), socket.socket(), None)
    reader, writer = os.pipe()
    os.close(writer)  # as the sentinel of a process that has ended
    ended = SimpleNamespace(exitcode=1, pid=1, sentinel=reader, join=lambda _: None)
    failures = [OSError(12, "Cannot allocate memory")] * 2

    def start() -> Any:
        if not one._children:
            return ended
        if failures:
            raise failures.pop()
        one._stopping = True
        return SimpleNamespace(exitcode=0, pid=2, sentinel=reader, join=lambda _: None)

    monkeypatch.setattr(one, "_start", start)
    monkeypatch.setattr(one, "_tell", lambda _: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(server, "_RESTART_PAUSE_S", 0.0)
    monkeypatch.setattr(server.multiprocess, "mark_process_dead", lambda _: None)
    assert one.run() == 0
    assert [child.pid for child in one._children] == [2]
    os.close(reader)
