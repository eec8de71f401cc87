"""`remote(...)` against real servers, and against servers that are down, slow, full or no servers of ours."""

from __future__ import annotations

import json
import os
import pickle
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from live import BOUND_S, SAME, TOKEN, TOY, TROUBLE, Server, wait_for
from ports import free_port

import rewardkit
from rewardkit import Sample, UsageError, Verdict, load
from rewardkit.data.rows import Columns, Record, row_of
from rewardkit.judging import JudgeRecords, check_resume, judge

pytest.importorskip("msgspec")
CASES = Path(__file__).parents[2] / "cases" / "rewards" / "remote.jsonl"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    one = Server("-r", "exact", "-r", "also=named('also', exact)", "-r", SAME, "-r", TROUBLE, "--workers", "2")
    one.wait_ready()
    yield one
    one.stop(signal.SIGKILL)


def samples(*completions: str) -> list[Sample]:
    return [Sample(completion=text, ground_truth="yes") for text in completions]


def values(scores: list[rewardkit.Score]) -> list[float | None]:
    return [score.value for score in scores]


@pytest.mark.parametrize("line", CASES.read_text(encoding="utf-8").splitlines())
def test_golden_rows(server: Server, line: str) -> None:
    case = json.loads(line)
    reward = load(case["reward"].replace("http://127.0.0.1:8000", server.url))
    (score,) = reward.score([Sample(**case["sample"])])
    assert (score.value, score.verdict.value) == (case["value"], case["verdict"]), case["why"]


def test_remote_scores_are_the_local_scores(server: Server) -> None:
    batch = [Sample(completion=str(index % 7), ground_truth=str(index % 5), id=str(index)) for index in range(1000)]
    here = load("exact").score(batch)
    there = rewardkit.remote([server.url, server.url + "/"], batch=64).score(batch)
    assert [score.timed(None) for score in there] == [score.timed(None) for score in here]


def test_text_form_and_pickle_and_sums(server: Server) -> None:
    reward = rewardkit.remote([server.url], reward="same") + 0.5 * load("exact")
    assert load(reward.text) == reward
    assert pickle.loads(pickle.dumps(reward)) == reward
    assert values(reward.score(samples("yes", "no"))) == [1.5, 0.0]


def test_a_reward_that_is_not_served_is_unjudged_at_once(server: Server) -> None:
    (score,) = rewardkit.remote(server.url, reward="math").score(samples("yes"))
    assert score.verdict is Verdict.UNJUDGED
    assert "HTTP 403" in score.reason


def test_a_ground_truth_that_is_no_json_costs_its_own_row_only(server: Server) -> None:
    batch = [*samples("yes"), Sample(completion="x", ground_truth=object()), *samples("yes")]
    scores = rewardkit.remote(server.url).score(batch)
    assert values(scores) == [1.0, None, 1.0]


def test_a_judge_that_dies_is_one_unjudged_row(server: Server) -> None:
    assert values(rewardkit.remote(server.url, reward="trouble").score(samples("yes", "die", "yes"))) == [
        1.0,
        None,
        1.0,
    ]


def test_threads_share_connections(server: Server) -> None:
    reward = rewardkit.remote(server.url, reward="same")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda index: reward.score(samples("yes" if index % 2 else "no"))[0].value, range(100)))
    assert found == [float(index % 2) for index in range(100)]


def test_nobody_there_is_unjudged_by_the_deadline() -> None:
    (score,) = rewardkit.remote("http://127.0.0.1:9", timeout_s=0.5).score(samples("yes"))
    assert score.verdict is Verdict.UNJUDGED
    assert "no answer within timeout_s, " in score.reason


@pytest.mark.slow
def test_a_dead_server_among_several_costs_nothing(server: Server) -> None:
    reward = rewardkit.remote(["http://127.0.0.1:9", server.url], batch=2)
    assert values(reward.score(samples(*["yes", "no"] * 10))) == [1.0, 0.0] * 10


@pytest.mark.parametrize(
    "urls",
    ["", "localhost:8000", "ftp://host", "http://", "http://user:secret-word@host", "http://host?token=1", (), "http://h:99999"],
)  # fmt: skip
def test_a_url_that_is_none_is_refused_and_no_secret_shown(urls: object) -> None:
    with pytest.raises(UsageError) as caught:
        rewardkit.remote(urls)  # type: ignore[arg-type]
    assert "secret-word" not in str(caught.value)


@pytest.mark.slow
def test_the_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    locked = Server("-r", SAME, "--workers", "1", env={"REWARDKIT_TOKEN": TOKEN})
    try:
        locked.wait_ready()
        reward = rewardkit.remote(locked.url)
        monkeypatch.delenv("REWARDKIT_TOKEN", raising=False)
        assert "HTTP 401" in reward.score(samples("yes"))[0].reason
        monkeypatch.setenv("REWARDKIT_TOKEN", TOKEN)
        assert values(reward.score(samples("yes"))) == [1.0]
        assert TOKEN not in reward.text
    finally:
        locked.stop()


@pytest.mark.slow
def test_a_server_restart_in_the_middle_loses_nothing() -> None:
    port = free_port()
    first = Server("-r", TROUBLE, "--workers", "1", "--port", str(port))
    first.wait_ready()
    batch = samples(*["yes"] * 400)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(rewardkit.remote(first.url, batch=4, concurrency=2, timeout_s=2 * BOUND_S).score, batch)
        wait_for(lambda: first.metric("rewardkit_rows_total", reward="trouble", verdict="correct"))
        first.stop(signal.SIGKILL)
        second = Server("-r", TROUBLE, "--workers", "1", "--port", str(port))
        try:
            assert values(asking.result(3 * BOUND_S)) == [1.0] * 400
        finally:
            second.stop(signal.SIGKILL)


class Scripted(ThreadingHTTPServer):
    """Answers each request with the next of `answers`: a status, headers and a body."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes]) -> None:
        self.answers = list(answers)
        self.seen: list[dict[str, object]] = []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        super().__exit__(*error)


class Handler(BaseHTTPRequestHandler):
    server: Scripted

    def do_POST(self) -> None:
        self.server.seen.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        status, headers, body = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


GOOD = (200, {}, b'{"scores": [{"value": 1.0, "verdict": "correct"}]}')


def test_a_full_server_is_asked_again_and_told_what_time_is_left() -> None:
    with Scripted((429, {"retry-after": "0"}, b"{}"), (503, {}, b"{}"), (504, {}, b""), GOOD) as fake:
        assert values(rewardkit.remote(fake.url, timeout_s=30).score(samples("yes"))) == [1.0]
        left = [body["timeout_s"] for body in fake.seen]
        assert left == sorted(left, reverse=True)
        assert all(0 < seconds <= 30 for seconds in left)


@pytest.mark.long
@pytest.mark.parametrize(
    "answer",
    [(200, {}, b"<html>"), (200, {}, b"[]"), (200, {}, b'{"scores": []}'), (200, {}, b'{"scores": [{"value": 2}]}'),
     (200, {}, b'{"scores": 3}'), (200, {}, b'{"scores": [null]}'), (200, {}, b"[" * 100_000), (404, {}, b"nothing here"), (500, {}, b'{"error": "bug"}'), (200, {"content-length": "99999"}, b"{")],
)  # fmt: skip
def test_an_answer_that_is_not_ours_is_unjudged_with_the_host(answer: tuple[int, dict[str, str], bytes]) -> None:
    with Scripted(answer) as fake:
        (score,) = rewardkit.remote(fake.url, timeout_s=1).score(samples("yes"))
        assert score.verdict is Verdict.UNJUDGED
        assert "127.0.0.1" in score.reason


@pytest.mark.long
@pytest.mark.parametrize("limits", [(), ("--max-batch", "4"), ("--max-body", "900")])
def test_only_rewards_that_compare_groups_need_a_group_in_one_request(limits: tuple[str, ...]) -> None:
    rewards = ["exact", "majority", "named('v', 0.5 * exact + 0.5 * majority)"]
    one = Server(*(word for reward in rewards for word in ("-r", reward)), *limits)
    batch = [Sample(completion=text, ground_truth="1", group="g") for text in "1123" * 5]
    try:
        one.wait_ready()
        judged = {reward: rewardkit.remote(one.url, reward=reward, batch=3).score(batch) for reward in rewards}
    finally:
        one.stop(signal.SIGKILL)
    for reward, scores in judged.items():
        if "majority" in reward and limits:
            assert {score.verdict for score in scores} == {Verdict.UNJUDGED}
        else:
            assert values(scores) == values(load(reward).score(batch))


@pytest.fixture(scope="module")
def grouped() -> Iterator[Server]:
    sizes = f"sizes={TOY}:group_sizes"
    one = Server("-r", "majority", "-r", "exact", "-r", "half=exact - 0.5 * majority", "-r", sizes, "--workers", "2")
    one.wait_ready()
    yield one
    one.stop(signal.SIGKILL)


GROUPED = {"majority": "majority", "exact": "exact", "half": "exact - 0.5 * majority", "sizes": f"{TOY}:group_sizes"}


@pytest.mark.parametrize(
    "around", ["{}", "named('n', {})", "0.5 * {} + exact", "by_source({{'*': {}}})", "optional({})"]
)
@pytest.mark.parametrize("name", GROUPED)
def test_a_remote_reward_compares_groups_where_the_served_one_does(grouped: Server, name: str, around: str) -> None:
    remote = rewardkit.remote(grouped.url, reward=name)
    reward = load(around.format(remote.text))
    assert reward.compares_groups() == reward.compares_groups(Sample()) == load(GROUPED[name]).compares_groups()
    assert pickle.loads(pickle.dumps(remote)).__dict__.keys() == {"urls", "reward", "timeout_s", "batch", "concurrency"}


@pytest.mark.long
def test_what_a_server_has_said_of_groups_stands_while_none_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    reward = rewardkit.remote("http://127.0.0.1:9")
    assert not reward.compares_groups()
    said = iter([{"compares_groups": True}, {}, {"compares_groups": False}])
    monkeypatch.setattr("rewardkit.rewards.remote.KNOWN_S", 0.0)
    monkeypatch.setattr(type(reward), "_ask_info", lambda _: next(said))
    assert [reward.compares_groups() for _ in range(3)] == [True, True, False]


@pytest.mark.slow
def test_what_a_gateway_says_of_groups_is_what_its_server_says(grouped: Server) -> None:
    names = {name: rewardkit.remote(grouped.url, reward=name) for name in GROUPED}
    gateway = Server(*(arg for name, reward in names.items() for arg in ("-r", f"{name}={reward.text}")))
    try:
        for name, reward in names.items():
            assert rewardkit.remote(gateway.url, reward=name).compares_groups() == reward.compares_groups()
    finally:
        gateway.stop(signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize("name", ["majority", "half"])
def test_rows_of_a_file_have_the_values_of_the_served_reward_or_it_is_told(grouped: Server, name: str) -> None:
    remote, task = rewardkit.remote(grouped.url, reward=name), JudgeRecords(Columns())
    records = [
        Record("f", "f", index, {"completion": "1123"[index % 4], "ground_truth": "1", "prompt": str(index // 100)})
        for index in range(5000)
    ]
    samples = [row_of(record, task.columns).sample for record in records]
    found = [row.output["reward"] for rows in judge(records, remote, task) for row in rows]
    assert found == values(load(GROUPED[name]).score(samples))
    with pytest.raises(UsageError, match="sort the rows by group"):
        list(judge([*records, records[0]], remote, task))
    with pytest.raises(UsageError, match="cannot --resume"):
        check_resume(remote, resume=True)


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("key", ["group", "prompt"])
def test_a_function_of_columns_gets_the_rows_of_a_group_at_once(grouped: Server, servers: int, key: str) -> None:
    batch = [Sample(completion="x", extra_info={"group": "g"}, **{key: "g"}) for _ in range(100)]
    batch += [
        Sample(completion="x", extra_info={"group": str(index % 9)}, **{key: str(index % 9)}) for index in range(90)
    ]
    urls = [grouped.url, grouped.url + "/"][:servers]
    scores = rewardkit.remote(urls, reward="sizes", batch=20).score(batch)
    assert values(scores) == [100.0] * 100 + [10.0] * 90


def test_groups_are_not_parted() -> None:
    answer = (200, {}, json.dumps({"scores": [{"value": 1.0, "verdict": "correct"}] * 3}).encode())
    with Scripted(answer) as fake:
        batch = [Sample(completion="x", group=group) for group in "aaabbb"]
        assert values(rewardkit.remote(fake.url, batch=2, concurrency=1).score(batch)) == [1.0] * 6
        assert [len(body["samples"]) for body in fake.seen] == [3, 3]


def test_a_forked_child_has_connections_of_its_own(server: Server) -> None:
    from rewardkit.client import shared_client

    parent = shared_client((server.url,))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, b"same" if shared_client((server.url,)) is parent else b"own")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"own"
