"""verl's own code score, with its `sandbox_fusion_url` pointed at `rewardkit serve`."""

import json
import re
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.trainer, pytest.mark.docker]

TESTS = json.dumps({"inputs": ["1\n", "2\n", "3\n", "4\n"], "outputs": ["2\n", "4\n", "6\n", "9\n"]})
DOUBLE = "```python\nprint(2 * int(input()))\n```"


@pytest.fixture(scope="module")
def url():
    pytest.importorskip("msgspec")
    pytest.importorskip("prometheus_client")
    command = [
        sys.executable,
        "-P",
        "-m",
        "rewardkit",
        "serve",
        "-r",
        "exact",
        "--sandbox",
        "docker",
        "--port",
        "0",
        "--workers",
        "1",
    ]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = None
        for line in server.stderr:
            if (match := re.search(r"http://[\d.]+:\d+", line)) is not None:
                address = match[0]
                break
        assert address, "the server said no address"
        yield f"{address}/run_code"
    finally:
        server.terminate()
        server.wait(120)
        server.stderr.close()


@pytest.mark.parametrize(
    ("completion", "score"),
    [(DOUBLE, 0.75), ("```python\nprint(1/0)\n```", 0.0), ("```python\nprint(\n```", 0.0), ("no program", 0.0)],
)
def test_verl_gets_its_share_of_passed_tests_from_our_server(url, completion, score):
    verl = pytest.importorskip("verl.utils.reward_score")
    assert (
        verl.default_compute_score("taco", completion, TESTS, sandbox_fusion_url=url, memory_limit_mb=1024) == score
    )  # verl's configured value
