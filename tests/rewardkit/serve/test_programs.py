"""Programs of `/run_code` and of code rows behind a real server: nothing is lost when a worker, the pool's process or a caller goes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from live import Server, begun, descendants, is_gone, sleeper, wait_for

Start = Callable[..., Server]
DOUBLE = "```python\ndef f(x):\n    return 2 * x\n```"
TESTS = {"fn_name": "f", "inputs": [[1], [2]], "outputs": [2, 4]}


@pytest.mark.long
def test_kill_9_of_the_server_leaves_nothing_behind(start: Start) -> None:
    body = {"code": "print(1)", "language": "python"}
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # a socket's path is short; that of tmp_path may not be
        server = start("-r", "code", "--workers", "1", "--sandbox", "unsafe", env={"TMPDIR": folder})
        assert server.client.post("/run_code", json=body).json()["run_result"]["stdout"] == "1\n"
        kinds = {file.name.rpartition("-")[0] for file in Path(folder).iterdir()}
        assert {"rewardkit-boxes", "rewardkit-box"} <= kinds
        server.stop(signal.SIGKILL)
        wait_for(lambda: not list(Path(folder).glob("rewardkit-*")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("route", "leaves"), [("/run_code", "hangs up"), ("/v1/score", "hangs up"), ("/v1/score", "has a deadline")]
)
def test_the_program_of_a_caller_who_left_is_killed(start: Start, tmp_path: Path, route: str, leaves: str) -> None:
    server = start("-r", "code", "--workers", "2", "--sandbox", "unsafe")
    server.client.post("/run_code", json={"code": "", "language": "python"})  # a box is up before a deadline runs
    program = sleeper(tmp_path)
    waits = 2 if leaves == "has a deadline" else 200
    row = {"completion": f"```python\n{program}\n```", "ground_truth": TESTS}
    body = (
        {"code": program, "language": "python", "run_timeout": waits, "compile_timeout": 1}
        if route == "/run_code"
        else {"samples": [row] * 4, "timeout_s": waits}
    )
    box: list[httpx.Response] = []

    def ask() -> None:
        with contextlib.suppress(httpx.TransportError):
            box.append(httpx.post(f"{server.url}{route}", json=body, timeout=None))

    if leaves == "hangs up":
        with socket.create_connection((urlsplit(server.url).hostname, urlsplit(server.url).port)) as sock:
            text = json.dumps(body).encode()
            sock.sendall(
                b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                % (route.encode(), len(text), text)
            )
            pid = begun(tmp_path)
    else:
        asking = threading.Thread(target=ask)
        asking.start()
        pid = begun(tmp_path)
        asking.join()
        assert {score["verdict"] for score in box[0].json()["scores"]} == {"unjudged"}
    wait_for(lambda: is_gone(pid))
    rows = [{"completion": DOUBLE, "ground_truth": TESTS}] * 40
    answer = server.client.post("/v1/score", json={"samples": rows}).json()
    assert [score["value"] for score in answer["scores"]] == [1.0] * 40


SLEEPS = "import time; time.sleep(100)"
LOCKED = "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"


@pytest.mark.slow
@pytest.mark.parametrize("timeout", [1, 10])
def test_programs_that_sleep_or_wait_for_ever_reach_their_time_limit(start: Start, timeout: int) -> None:
    server = start("-r", "code", "--workers", "2", "--sandbox", "unsafe")
    bodies = [{"code": code, "language": "python", "run_timeout": timeout} for code in ("", SLEEPS, LOCKED)]
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda body: server.client.post("/run_code", json=body).json(), bodies))
    assert [answer["run_result"]["status"] for answer in answers] == ["Finished", *["TimeLimitExceeded"] * 2]


def holders(server: Server) -> list[int]:
    """The process with the sandboxes, where it is up: the one with children that was spawned."""
    return [
        pid for pid in descendants(server.process.pid) if b"multiprocessing.spawn" in command(pid) and descendants(pid)
    ]


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def judged(server: Server) -> float:
    return sum(server.metric("rewardkit_rows_total", reward="code", verdict=name) for name in ("correct", "wrong"))


@pytest.mark.slow
def test_kill_9_of_workers_and_of_the_pool_loses_no_row(start: Start) -> None:
    server = start("-r", "code", "--workers", "2", "--sandbox", "unsafe")
    rows = [
        {"completion": DOUBLE.replace("2", "2" if index % 2 else "3"), "ground_truth": TESTS} for index in range(300)
    ]
    answers: list[Any] = []

    def ask() -> None:
        answers.append(server.client.post("/v1/score", json={"samples": rows}).json())

    killed = 0
    while killed < 4:  # a fast machine may be through with one request before the fourth
        assert len(answers) < 60
        asking = threading.Thread(target=ask)
        asking.start()
        while asking.is_alive() and killed < 4:
            before = judged(server)
            wait_for(lambda asking=asking, before=before: judged(server) > before or not asking.is_alive())
            victims = server.workers() if killed % 2 else holders(server)
            for pid in victims:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed += bool(victims)
        asking.join()
    for answer in answers:
        values = [score["value"] for score in answer["scores"]]
        assert len(values) == 300
        assert all(value in (None, float(index % 2)) for index, value in enumerate(values))
    again = server.client.post("/v1/score", json={"samples": rows[:10]}).json()
    assert [score["value"] for score in again["scores"]] == [0.0, 1.0] * 5
    answer = server.client.post("/run_code", json={"code": "print(1)", "language": "python"}).json()
    assert answer["run_result"]["stdout"] == "1\n"
