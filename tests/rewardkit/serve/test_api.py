"""`/v1/score`, `/v1/rewards` and health, against a real server."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from live import SAME, TROUBLE, Server, wait_for

from rewardkit.executor.worker import resident_mb
from rewardkit.serve.contracts import Query

Start = Callable[..., Server]
JSON = {"content-type": "application/json"}


def values(response: httpx.Response) -> list[float | None]:
    assert response.status_code == 200, response.text
    return [score["value"] for score in response.json()["scores"]]


@pytest.mark.long
def test_the_request_in_the_docs_gets_the_answer_in_the_docs(start: Start) -> None:
    text = (Path(__file__).parents[3] / "docs/serve.md").read_text(encoding="utf-8")
    found = re.search(r"-d '(\{.*?\})'\n```\n```json\n(.*?)```", text, re.DOTALL)
    assert found is not None
    asked, shown = map(json.loads, found.groups())
    answer = start("-r", "math", "--workers", "1").client.post("/v1/score", json=asked).json()
    for answered in (answer, shown):
        for score in answered["scores"]:
            score["elapsed_ms"] = 0
    assert answer == shown


def test_a_batch_is_scored_in_order(shared: Server) -> None:
    response = shared.score("yes", "no", "yes")
    assert values(response) == [1.0, 0.0, 1.0]
    assert response.json() | {"scores": []} == {
        "reward": response.json()["reward"], "versions": {"same": 1}, "rows": 3, "unjudged": 0, "scores": [],
    }  # fmt: skip


def test_a_large_batch_keeps_its_order(shared: Server) -> None:
    wanted = [index % 3 == 0 for index in range(500)]
    assert values(shared.score(*("yes" if right else "no" for right in wanted))) == [float(right) for right in wanted]


def test_an_empty_batch_is_an_empty_answer(shared: Server) -> None:
    assert shared.score().json()["scores"] == []


def test_a_reward_is_named_by_alias_or_text(shared: Server) -> None:
    text = next(entry["reward"] for entry in shared.client.get("/v1/rewards").json() if entry["name"] == "trouble")
    assert values(shared.score("yes", reward="trouble")) == [1.0]
    assert values(shared.score("yes", reward=text)) == [1.0]


@pytest.mark.parametrize("name", ["math", "exact", "./evil.py:Evil", "/etc/passwd", "os:system", "same + same", ""])
def test_a_reward_that_is_not_served_is_refused_unread(shared: Server, name: str) -> None:
    response = shared.score("yes", reward=name)
    assert response.status_code == 403
    assert "same, trouble" in response.json()["error"]


def test_a_row_that_is_no_sample_costs_the_others_nothing(shared: Server) -> None:
    samples = [{"completion": "yes", "ground_truth": "yes"}, {"completion": 3}, {"complexion": "yes"}]
    scores = shared.client.post("/v1/score", json={"samples": samples}).json()["scores"]
    assert [score["verdict"] for score in scores] == ["correct", "unjudged", "unjudged"]
    assert "completion" in scores[1]["reason"]
    assert "complexion" in scores[2]["reason"]


@pytest.mark.parametrize("row", [{}, {"completion": None}, {"messages": []}])
def test_a_row_without_a_completion_is_unjudged(shared: Server, row: dict[str, object]) -> None:
    samples = [{**row, "ground_truth": "yes"}, {"completion": "yes", "ground_truth": "yes"}]
    response = shared.client.post("/v1/score", json={"samples": samples})
    assert values(response) == [None, 1.0]
    assert "no completion" in response.json()["scores"][0]["reason"]


@pytest.mark.long
@pytest.mark.parametrize("trouble", ["raise", "recurse", "nonsense", "hang", "die"])
def test_a_judge_that_fails_is_a_200_with_an_unjudged_row(shared: Server, trouble: str) -> None:
    response = shared.score("yes", trouble, "yes", reward="trouble")
    assert values(response) == [1.0, None, 1.0]
    assert response.json()["unjudged"] == 1
    assert response.json()["scores"][1]["verdict"] == "unjudged"


def test_lone_surrogates_and_numbers_beyond_json_are_read(shared: Server) -> None:
    body = b'{"samples": [{"completion": "\\ud800", "ground_truth": "\\ud800", "extra_info": {"a": NaN, "b": 1e999}}]}'
    response = shared.client.post("/v1/score", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 200
    assert response.json()["scores"][0]["verdict"] != "unjudged"


def test_ndjson_in_is_ndjson_out(shared: Server) -> None:
    lines = [
        b'{"completion": "yes", "ground_truth": "yes"}',
        b"not json",
        b"[1]",
        b'{"completion": "no", "ground_truth": "yes"}',
    ]
    response = shared.client.post(
        "/v1/score",
        params={"reward": "same"},
        content=b"\n".join(lines),
        headers={"content-type": "application/x-ndjson"},
    )
    assert response.headers["content-type"].startswith("application/x-ndjson")
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert [answer["index"] for answer in answers] == [0, 1, 2, 3]
    assert [answer["score"]["value"] for answer in answers] == [1.0, None, None, 0.0]
    assert "broken JSON" in answers[1]["score"]["reason"]


@pytest.mark.long
def test_a_deadline_ends_the_work_and_keeps_what_is_judged(shared: Server) -> None:
    before = shared.metric("rewardkit_expired_total")
    shared.wait_workers(2)  # one may have been killed by the test before
    response = shared.score("yes", "hang", "hang", "hang", "yes", reward="trouble", timeout_s=2)
    scores = response.json()["scores"]
    assert scores[0]["value"] == 1.0
    assert "deadline of 2 s" in scores[3]["reason"]
    assert shared.metric("rewardkit_expired_total") == before + 1
    assert values(shared.score("yes")) == [1.0]


@pytest.mark.slow
def test_a_stream_gives_rows_at_once_and_a_caller_who_leaves_stops_its_work(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "1", "--row-timeout", "600", "--deadline", "600")
    samples = [{"completion": text} for text in ("yes", "hang", "hang")]
    with server.client.stream("POST", "/v1/score", json={"samples": samples, "stream": True}) as response:
        first = json.loads(next(response.iter_lines()))  # while the second row hangs, for ten minutes if it may
    assert (first["index"], first["score"]["value"]) == (0, 1.0)
    assert values(server.score("yes")) == [1.0]
    wait_for(lambda: server.metric("rewardkit_queue_rows") == 0)
    assert server.metric("rewardkit_rows_total", reward="trouble", verdict="correct") == 2
    assert (
        server.metric("rewardkit_rows_total", reward="trouble", verdict="unjudged") == 0
    )  # its leaving is no failure of ours


@pytest.mark.slow
def test_a_small_request_overtakes_a_large_one(start: Start) -> None:
    server = start("-r", TROUBLE, "--workers", "1", "--row-timeout", "1")
    done: list[str] = []

    def send(name: str, *completions: str) -> None:
        server.score(*completions)
        done.append(name)

    large = threading.Thread(target=send, args=("large", *["hang"] * 4))
    large.start()
    wait_for(lambda: server.metric("rewardkit_queue_requests"))
    send("small", "yes")
    large.join()
    assert done == ["small", "large"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400), (b"{", 400), (b"[" * 100_000, 422), (b'{"samples": [' + b"1" * 5000 + b"]}", 422), (b"[]", 422),
        (b'{"samples": 3}', 422), (b'{"samples": [3]}', 422), (b'{"samples": [], "evil": 1}', 422), (b"{}", 422),
        (b'{"samples": [], "timeout_s": 0}', 422), (b'{"samples": [], "timeout_s": NaN}', 422), (b"\xff\xfe", 400),
        (b'{"samples": [' + b"{}," * 500 + b"{}]}", 413), (b" " * 100_001, 413),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_line(shared: Server, content: bytes, status: int) -> None:
    response = shared.client.post("/v1/score", content=content, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert "\n" not in response.json()["error"]


@pytest.mark.parametrize("name", Query.__struct_fields__)
def test_a_parameter_of_the_url_without_a_value_is_refused(shared: Server, name: str) -> None:
    answer = shared.client.post(f"/slime?{name}=", json={"response": "yes", "label": "yes"})
    assert answer.status_code in {403, 422}, answer.text


def test_a_body_of_another_type_is_refused(shared: Server) -> None:
    assert shared.client.post("/v1/score", content=b"x", headers={"content-type": "text/csv"}).status_code == 415


def test_a_chunked_body_is_bounded_too(shared: Server) -> None:
    response = shared.client.post(
        "/v1/score", content=iter([b" " * 10_000] * 50), headers={"content-type": "application/json"}
    )
    assert response.status_code == 413


def test_rewards_tell_versions_and_needs(shared: Server) -> None:
    first = shared.client.get("/v1/rewards").json()[0]
    assert (first["name"], first["versions"], first["needs"]) == ("same", {"same": 1}, ["completion", "ground_truth"])
    assert first["compares_groups"] is False


def test_health_readiness_and_metrics(shared: Server) -> None:
    assert shared.client.get("/healthz").json() == {"status": "ok"}
    assert shared.client.get("/readyz").json() == {"status": "ready"}
    shared.wait_workers(2)
    before = shared.metric("rewardkit_rows_total", reward="same", verdict="correct")
    shared.score("yes", "no")
    assert shared.metric("rewardkit_rows_total", reward="same", verdict="correct") == before + 1
    wait_for(lambda: shared.metric("rewardkit_workers") >= 2)  # once each has said that it is ready
    assert shared.metric("rewardkit_queue_rows") == 0


def test_unknown_routes_and_methods_answer_in_our_shape(shared: Server) -> None:
    assert shared.client.get("/nowhere").json() == {"error": "Not Found"}
    response = shared.client.get("/v1/score")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.slow
def test_a_large_body_is_read_elsewhere_and_one_of_nothing_but_values_is_refused(start: Start) -> None:
    server = start("-r", SAME, "--workers", "1")
    rows = [{"completion": "x" * 2000, "ground_truth": "x" * 2000, "prompt": "é\ud800"}] * 400
    assert values(server.client.post("/v1/score", content=json.dumps({"samples": rows}), headers=JSON)) == [1.0] * 400
    broken = server.client.post("/v1/score", content=b'{"samples": ' + b" " * 300_000, headers=JSON)
    assert (broken.status_code, "not JSON" in broken.json()["error"]) == (400, True)
    bomb = b'{"samples": [' + b"[]," * 20_000_000 + b"[]]}"
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(server.client.post, "/v1/score", content=bomb, headers=JSON)
        while not asking.done():
            assert httpx.get(f"{server.url}/healthz").is_success
        assert asking.result().status_code in (413, 422)
    assert resident_mb(server.process.pid) < 700
    assert values(server.score("yes")) == [1.0]
