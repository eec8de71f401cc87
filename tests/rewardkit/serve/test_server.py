"""Signals, sockets and processes: what happens when something is killed, hangs, or goes down."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from live import SAME, TROUBLE, Server, descendants

Start = Callable[..., Server]
pytestmark = pytest.mark.slow


def gone(pid: int) -> bool:
    """A process has ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_gone(*pids: int) -> None:
    for _ in range(400):
        if all(gone(pid) for pid in pids):
            return
        time.sleep(0.05)
    raise AssertionError(f"still there: {[pid for pid in pids if not gone(pid)]}")


def connect(server: Server) -> socket.socket:
    parts = urlsplit(server.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=30)


def test_sigterm_finishes_what_has_begun_and_leaves_no_process(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "2", "--row-timeout", "2")
    family = descendants(server.process.pid)
    answers: list[httpx.Response] = []
    asking = threading.Thread(target=lambda: answers.append(server.score("yes", "hang", "yes")))
    asking.start()
    while server.metric("rewardkit_queue_requests") == 0:
        time.sleep(0.02)
    assert server.stop() == 0
    asking.join()
    assert [score["value"] for score in answers[0].json()["scores"]] == [1.0, None, 1.0]
    wait_gone(*family)


def test_kill_9_of_the_server_takes_its_workers_along(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "2")
    family = descendants(server.process.pid)
    assert len(server.workers()) == 2
    errors: list[Exception] = []
    asking = threading.Thread(target=ask, args=(server, errors))
    asking.start()
    time.sleep(0.3)
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
    asking = threading.Thread(
        target=lambda: answers.append(server.score(*("yes" if right else "no" for right in wanted)))
    )
    asking.start()
    killed = 0
    while asking.is_alive():
        for pid in server.workers():
            os.kill(pid, signal.SIGKILL)
            killed += 1
        time.sleep(0.05)
        if killed >= 6:
            break
    asking.join()
    assert killed
    assert [score["value"] for score in answers[0].json()["scores"]] == [float(right) for right in wanted]
    server.wait_ready()


def test_kill_9_of_the_fork_server_is_survived(start: Start) -> None:
    server = start("-r", SAME, "--workers", "1")
    (fork_server,) = {pid for pid in descendants(server.process.pid) if server.workers()[0] in descendants(pid)}
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


def test_a_dead_http_process_is_replaced(start: Start) -> None:
    server = start("-r", SAME, "--processes", "2", "--workers", "2")
    first = [
        pid
        for pid in descendants(server.process.pid)
        if b"multiprocessing.spawn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    os.kill(first[0], signal.SIGKILL)
    wait_gone(first[0])
    while "another takes its place" not in server.log:
        time.sleep(0.05)
    server.wait_ready()
    assert httpx.post(f"{server.url}/v1/score", json={"samples": []}).is_success


def test_a_head_that_never_comes_is_closed(start: Start) -> None:
    server = start("-r", SAME, "--workers", "1", "--head-timeout", "0.5")
    silent, slow, second = connect(server), connect(server), connect(server)
    slow.sendall(b"POST /v1/score HTTP/1.1\r\nhost: x\r\n")
    second.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
    answer = b""
    while not answer.endswith(b"}"):
        answer += second.recv(4096)
    second.sendall(b"GET /heal")
    for sock in (silent, slow, second):
        assert sock.recv(4096) == b""
    assert server.score("yes").is_success


def test_a_body_that_never_comes_is_408(start: Start) -> None:
    server = start("-r", SAME, "--workers", "1", "--body-timeout", "0.5")
    sock = connect(server)
    sock.sendall(
        b"POST /v1/score HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
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
    server = start("-r", TROUBLE, "--workers", "1", "--row-timeout", "5", "--queue", "2")
    asking = threading.Thread(target=lambda: server.score("hang", "hang", timeout_s=3))
    asking.start()
    while server.metric("rewardkit_queue_rows") == 0:
        time.sleep(0.02)
    response = server.score("yes")
    assert response.status_code == 429
    assert int(response.headers["retry-after"]) >= 1
    asking.join()
    assert server.score("yes").is_success
