"""A body that no client means is refused or judged, at every address: the server's failure is never the answer."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from json_places import places_in, put
from live import SAME, Server

CHAT = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "yes"}]
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}
SAMPLE = {
    "completion": "yes", "ground_truth": "yes", "data_source": "d", "id": "1", "group": "g", "completion_tokens": 3,
    "finish_reason": "stop", "extra_info": {"a": 1}, "messages": CHAT,
}  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "/v1/score": {"samples": [SAMPLE], "reward": "same", "timeout_s": 5.0},
    "/get_reward": {"query": ["q yes"], "prompts": ["q"], "labels": ["yes"]},
    "/slime": {"prompt": "q", "response": "yes", "label": "yes", "metadata": {}},
    "/nemo_gym/verify": {
        "responses_create_params": {"input": CHAT}, "response": {"output": [SAID]}, "expected_answer": "yes",
    },
    "/nemo_gym/seed_session": {"x": 1},
    "/verl/compute_score": {
        "data_source": "d", "solution_str": "yes", "ground_truth": "yes", "extra_info": {"num_turns": 2},
    },
    "/verl/compute_scores": {
        "data_sources": ["d"], "solution_strs": ["yes"], "ground_truths": ["yes"], "extra_infos": [{"num_turns": 2}],
    },
}  # fmt: skip
ODD = [None, True, -1, 2.5, 10**400, float("nan"), "", "\ud800", "\0", [], {}, [[]], [None], {"\ud800": 1}]


RUN = {
    "code": "print(1)", "language": "python", "stdin": "x", "compile_timeout": 1.0, "run_timeout": 1.0,
    "memory_limit_MB": 256, "files": {"a.txt": "YQ=="}, "fetch_files": ["a.txt"],
}  # fmt: skip
PATHS = ["../x", "/x", ".", "..", "\n", "a" * 300, "a" * 70_000, "a.txt/b", "b/a.txt"]


@pytest.fixture(scope="module")
def programs() -> Iterator[Server]:
    """A server that runs programs as plain processes."""
    pytest.importorskip("uvicorn")
    server = Server("-r", SAME, "--workers", "1", "--sandbox", "unsafe")
    server.wait_ready()
    yield server
    server.stop(signal.SIGTERM)


@pytest.mark.long
def test_no_value_in_any_place_of_a_program_is_the_servers_failure(programs: Server) -> None:
    bodies = [put(RUN, place, value) for place in places_in(RUN) for value in [*ODD, *PATHS]]
    bodies += [{**RUN, "files": {"a.txt": "YQ==", path: "YQ=="}} for path in PATHS]
    for body in bodies:
        content = json.dumps(body).encode()
        answer = programs.client.post("/run_code", content=content, headers={"content-type": "application/json"})
        assert answer.status_code in {200, 400, 422}, (ascii(body), answer.text)
        said = answer.json()
        assert (
            answer.status_code != 200
            or said["status"] in {"Success", "Failed"}
            or "this sandbox runs" in said["message"]
        )


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(BODIES))
def test_no_value_in_any_place_is_the_servers_failure(path: str, shared: Server) -> None:
    body = BODIES[path]
    headers = {"content-type": "application/json"}
    assert shared.client.post(path, json=body, headers=headers).status_code == 200
    for place in places_in(body):
        for value in ODD:
            content = json.dumps(put(body, place, value)).encode()
            answer = shared.client.post(path, content=content, headers=headers)
            assert answer.status_code < 500, (place, value, answer.text)
            answer.json()
