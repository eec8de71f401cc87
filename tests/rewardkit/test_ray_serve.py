"""The same application under Ray Serve, on a cluster of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from live import wait_for

from rewardkit import UsageError, load

pytestmark = pytest.mark.slow
CODE = {
    "completion": "```python\nprint(int(input()) * 2)\n```",
    "ground_truth": {"inputs": ["2\n"], "outputs": ["4\n"]},
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    ray = pytest.importorskip("ray")
    serve = pytest.importorskip("ray.serve", exc_type=ImportError)
    from ports import free_port

    from rewardkit.ray.serve import application

    os.environ["RAY_AUTH_MODE"] = "disabled"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=80 * 2**20)
    try:
        port = free_port()
        serve.start(http_options={"host": "127.0.0.1", "port": port})
        serve.run(application({"rewards": ["exact", "code"], "replicas": 2, "sandbox": "unsafe"}))
        yield f"http://127.0.0.1:{port}"
    finally:
        serve.shutdown()
        ray.shutdown()


def test_replicas_answer_as_the_library_does(url: str) -> None:
    rows: list[dict[str, Any]] = [{"completion": str(i % 3), "ground_truth": "1"} for i in range(40)]
    with httpx.Client(base_url=url, timeout=300) as client:
        wait_for(lambda: client.get("/readyz").status_code == 200)
        for _ in range(8):
            found = client.post("/v1/score", json={"samples": rows}).json()["scores"]
            assert [score["value"] for score in found] == [float(i % 3 == 1) for i in range(40)]


def test_a_remote_reward_and_code_rows_reach_the_pool_of_the_node(url: str) -> None:
    from rewardkit import Sample

    with httpx.Client(base_url=url, timeout=300) as client:
        for _ in range(4):
            body = {"reward": "code", "samples": [CODE] * 3}
            assert [score["value"] for score in client.post("/v1/score", json=body).json()["scores"]] == [1.0] * 3
        ran = client.post("/run_code", json={"code": "print(6 * 7)", "language": "python"}).json()
        assert ran["run_result"]["stdout"].strip() == "42"
    (score,) = load(f"remote({url!r})").score([Sample(completion="1", ground_truth="1")])
    assert score.value == 1.0


def test_unknown_arguments_and_rewards_are_told(url: str) -> None:
    from rewardkit.ray.serve import application

    with pytest.raises(UsageError, match="rewrds"):
        application({"rewrds": "math"})
    with pytest.raises(UsageError, match="no reward"):
        application({"rewards": "maths"})
