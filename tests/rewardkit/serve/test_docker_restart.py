"""Docker goes away and comes back: nothing is lost, nothing hangs, nothing is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from live import BOUND_S, Server, wait_for
from private_docker import PrivateDocker

from rewardkit import Sample, load
from rewardkit.code.shared import use_sandbox
from sandboxes import Job, Limits, SandboxError
from sandboxes.backends.docker import DockerSandbox
from sandboxes.backends.docker_api import find_host

Start = Callable[..., Server]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.docker,
    pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="a daemon of one's own needs root"),
    pytest.mark.skipif(shutil.which("dockerd") is None, reason="no dockerd here"),
]
TESTS = {"fn_name": "f", "inputs": [[1], [2]], "outputs": [2, 4]}


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDocker]:
    with PrivateDocker() as one:
        yield one


def rows(count: int) -> list[Sample]:
    """Code rows; those with an odd number are right."""
    return [
        Sample(completion=f"```python\ndef f(x): return {3 - index % 2} * x + 0 * {index}\n```", ground_truth=TESTS)
        for index in range(count)
    ]


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_of_docker_loses_no_row_and_leaves_no_box(daemon: PrivateDocker, signum: signal.Signals) -> None:
    with DockerSandbox(host=daemon.host, workers=2) as sandbox, use_sandbox(sandbox):
        box: list[Any] = []
        asking = threading.Thread(target=lambda: box.append(load("code").score(rows(150))))
        sleeper = sandbox.submit([Job(program="import time\ntime.sleep(3)\nprint(7)", limits=Limits(wall_s=30))])
        asking.start()
        wait_for(lambda: sandbox.pool.counters.started >= 2)
        daemon.restart(signum)
        asking.join(BOUND_S)
        assert not asking.is_alive()
        assert [score.value for score in box[0]] == [float(index % 2) for index in range(150)]
        assert sleeper.result(BOUND_S)[0].stdout == b"7\n"
        wait_for(
            lambda: len(daemon.boxes()) <= len(sandbox.pool._boxes)
        )  # those that died are removed, sooner or later
    assert daemon.boxes() == []


def test_while_docker_is_away_rows_are_unjudged_with_the_reason_and_then_it_goes_on(
    daemon: PrivateDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandboxes.warm_boxes.DAEMON_RESTART_TIMEOUT_S", 1.0)
    with DockerSandbox(host=daemon.host, workers=2) as sandbox, use_sandbox(sandbox):
        daemon.stop(signal.SIGTERM)  # its containers end with it
        scores = load("code").score(rows(4))
        assert [score.value for score in scores] == [None] * 4
        assert all("does not answer" in str(score.reason) for score in scores)
        with pytest.raises(SandboxError, match="does not answer"):
            sandbox.run([Job(program="")])
        daemon.start()
        assert [score.value for score in load("code").score(rows(4))] == [0.0, 1.0, 0.0, 1.0]
    assert daemon.boxes() == []


def test_boxes_go_on_while_a_docker_that_was_killed_is_away(daemon: PrivateDocker) -> None:
    with DockerSandbox(host=daemon.host, workers=1) as sandbox, use_sandbox(sandbox):
        daemon.stop(signal.SIGKILL)  # its containers outlive it, until the next one stops them
        assert [score.value for score in load("code").score(rows(4))] == [0.0, 1.0, 0.0, 1.0]
        daemon.start()
        assert [score.value for score in load("code").score(rows(4))] == [0.0, 1.0, 0.0, 1.0]
    assert daemon.boxes() == []


def test_a_server_that_starts_before_docker_judges_once_docker_is_there(start: Start, tmp_path: Path) -> None:
    socket = tmp_path / "docker.sock"
    server = start(
        "-r", "code", "--workers", "1", "--sandbox", "docker", ready=False, env={"DOCKER_HOST": f"unix://{socket}"}
    )
    body = {"code": "print(1)", "language": "python"}
    samples = {"samples": [row.to_row() for row in rows(4)]}
    wait_for(lambda: server.client.get("/readyz").json() == {"status": "no sandbox"})
    assert server.client.get("/readyz").status_code == 503
    assert server.client.post("/run_code", json=body).status_code == 503
    answer = server.client.post("/v1/score", json=samples).json()
    assert [score["verdict"] for score in answer["scores"]] == ["unjudged"] * 4
    assert "does not answer" in answer["scores"][0]["reason"]
    socket.symlink_to(urlsplit(find_host()).path)
    server.wait_ready()
    assert server.client.post("/run_code", json=body).json()["run_result"]["stdout"] == "1\n"
    answer = server.client.post("/v1/score", json=samples).json()
    assert [score["value"] for score in answer["scores"]] == [0.0, 1.0, 0.0, 1.0]
    assert server.log.count("programs are not run until it works") == 1


def test_a_server_asked_to_stop_finishes_the_code_rows_it_has(start: Start) -> None:
    server = start("-r", "code", "--workers", "2", "--sandbox", "docker", "--drain", str(BOUND_S))
    samples = {"samples": [row.to_row() for row in rows(300)]}
    box: list[Any] = []
    asking = threading.Thread(target=lambda: box.append(server.client.post("/v1/score", json=samples).json()))
    asking.start()
    wait_for(lambda: server.metric("rewardkit_rows_total", reward="code", verdict="correct"))
    assert server.stop() == 0
    asking.join(BOUND_S)
    assert not asking.is_alive()
    assert [score["value"] for score in box[0]["scores"]] == [float(index % 2) for index in range(300)]
