"""verl's `compute_score` arguments over HTTP, in the shape its naive and batch managers pass them (verl 0.9.1)."""

from __future__ import annotations

import pytest
from live import Server

KEYS = {"score", "outcome", "acc", "pred", "verdict", "unjudged", "reason"}


def test_one_rollout(shared: Server) -> None:
    body = {
        "data_source": "toy",
        "solution_str": "yes",
        "ground_truth": "yes",
        "extra_info": {"num_turns": 2, "index": 7},
    }
    answer = shared.client.post("/verl/compute_score", json=body).json()
    assert set(answer) == KEYS
    assert (answer["score"], answer["acc"], answer["pred"], answer["unjudged"]) == (1.0, 1.0, "yes", False)


def test_arguments_that_a_newer_verl_adds_are_let_through(shared: Server) -> None:
    body = {"solution_str": "no", "ground_truth": "yes", "reward_router_address": "h:1", "extra_info": None}
    assert shared.client.post("/verl/compute_score", json=body).json()["score"] == 0.0


def test_the_keys_are_the_same_also_where_the_judge_failed(shared: Server) -> None:
    body = {"solution_str": "raise", "ground_truth": "yes"}
    answer = shared.client.post("/verl/compute_score?reward=trouble&unjudged=-1", json=body).json()
    assert set(answer) == KEYS
    assert (answer["score"], answer["acc"], answer["unjudged"], answer["verdict"]) == (-1.0, 0.0, True, "unjudged")


@pytest.mark.parametrize("source", [None, "gsm8k", 7, 7.5, True, ["a"]])
def test_a_data_source_is_anything_that_a_column_holds(shared: Server, source: object) -> None:
    row = {"data_source": source, "solution_str": "yes", "ground_truth": "yes"}
    assert shared.client.post("/verl/compute_score", json=row).json()["score"] == 1.0
    rows = {f"{name}s": [value] for name, value in row.items()}
    assert shared.client.post("/verl/compute_scores", json=rows).json()[0]["score"] == 1.0


def test_a_batch(shared: Server) -> None:
    body = {
        "data_sources": ["a", "b"],
        "solution_strs": ["yes", "no"],
        "ground_truths": ["yes", "yes"],
        "extra_infos": [{}, None],
    }
    assert [row["score"] for row in shared.client.post("/verl/compute_scores", json=body).json()] == [1.0, 0.0]
    assert shared.client.post("/verl/compute_scores", json={**body, "ground_truths": ["yes"]}).status_code == 409
