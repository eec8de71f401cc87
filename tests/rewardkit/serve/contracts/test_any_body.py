"""A body that no client means is refused or judged, at every address: the server's failure is never the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from json_places import places_in, put
from live import Server

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
