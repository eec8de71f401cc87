"""Tokens: their names, their quotas, and that they are replaced while requests are under way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live import BOUND_S, SAME, TOKEN, TROUBLE, Server, wait_for

import rewardkit
from rewardkit.errors import UsageError
from rewardkit.serve.http import RefusedError
from rewardkit.serve.tokens import MIN_CHARS, Token, Tokens, Usage, read_tokens

Start = Callable[..., Server]
OTHER = f"other-{TOKEN}"


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def ask(server: Server, token: str, *completions: str) -> httpx.Response:
    samples = [{"completion": completion, "ground_truth": "yes"} for completion in completions]
    return httpx.post(f"{server.url}/v1/score", json={"samples": samples}, headers=bearer(token), timeout=BOUND_S)


def test_tokens_come_from_file_and_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# of the trainers\n{TOKEN}\n\n{OTHER}  name=b rows_per_s=2.5 rows=64\n")
    monkeypatch.setenv("REWARDKIT_TOKEN", f"third-{TOKEN}")
    assert read_tokens(file) == (
        Token(f"third-{TOKEN}", "token-1"),
        Token(TOKEN, "token-2"),
        Token(OTHER, "b", rows_per_s=2.5, rows=64),
    )
    monkeypatch.setenv("REWARDKIT_TOKEN", f"{TOKEN} name=a")
    assert read_tokens(file)[0] == Token(TOKEN, "token-1")  # the file says more about it, or less
    file.write_text("x" * MIN_CHARS)
    assert read_tokens(file)[1] == Token("x" * MIN_CHARS, "token-2")
    file.write_text("# none\n")
    with pytest.raises(UsageError, match="holds no token"):
        read_tokens(file)
    with pytest.raises(UsageError, match="cannot read"):
        read_tokens(tmp_path / "absent")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (f"{TOKEN} rows=0", "line 1: .*above 0"),
        (f"{TOKEN} rows=many", "line 1: .*rows_per_s=N"),
        (f"{TOKEN} rows_per_s=inf", "above 0"),
        (f"{TOKEN} limit=3", "line 1"),
        (f"{TOKEN} swordfish", "line 1"),
        (f"\n{TOKEN} name=a/b", "line 2: a name"),
        ("swordfish", "line 1: a token has at least 16"),
        ("swordfish".ljust(MIN_CHARS - 1, "x"), "line 1: a token has at least 16"),
        ("swordfish".ljust(MIN_CHARS, "\u00e9"), "line 1: a token has at least 16"),
        (f"{TOKEN} name=a\n{OTHER} name=a", "the name a"),
    ],
)
def test_a_line_that_is_no_token_is_named_and_not_shown(tmp_path: Path, lines: str, message: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(lines)
    with pytest.raises(UsageError, match=message) as caught:
        read_tokens(file)
    assert "swordfish" not in str(caught.value)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("number", [5e-324, 0.5, 1, 1.5, 1e308])
@pytest.mark.parametrize("quota", ["rows_per_s", "rows"])
def test_any_number_above_0_is_a_quota(monkeypatch: pytest.MonkeyPatch, quota: str, number: float) -> None:
    monkeypatch.setenv("REWARDKIT_TOKEN", f"{TOKEN} {quota}={number}")
    assert read_tokens(None) == (Token(TOKEN, "token-1", **{quota: number}),)


@given(
    rate=st.floats(0.01, 1e5),
    asked=st.lists(st.tuples(st.floats(0, 30), st.integers(1, 20_000)), min_size=1, max_size=40),
)
def test_no_more_rows_are_admitted_than_the_rate_allows_and_who_waits_gets_in(
    rate: float, asked: list[tuple[float, int]]
) -> None:
    token, usage, now, admitted = Token(TOKEN, "a", rows_per_s=rate), Usage(), 0.0, 0
    largest = max(rows for _, rows in asked)
    for pause, rows in asked:
        now += pause
        if wait_s := usage.admit(token, rows, now):
            now += wait_s * 1.001 + 0.001
            assert usage.admit(token, rows, now) == 0
        admitted += rows
        assert admitted <= (now * rate + max(1, rate) + largest) * 1.001


@given(st.integers(1, 100), st.lists(st.tuples(st.booleans(), st.integers(1, 300)), max_size=60))
def test_rows_under_way_stay_within_the_quota_unless_a_request_is_alone(
    most: int, steps: list[tuple[bool, int]]
) -> None:
    token, usage = Token(TOKEN, "a", rows=most), Usage()
    under_way: list[int] = []
    for comes, rows in steps:
        if comes:
            refused = usage.admit(token, rows, 0.0)
            assert bool(refused) == (bool(under_way) and sum(under_way) + rows > most)
            under_way += [] if refused else [rows]
        elif under_way:
            usage.rows -= under_way.pop()
        assert usage.rows == sum(under_way)


@given(st.floats(0.01, 1e3), st.integers(1, 10_000), st.lists(st.integers(0, 10_000), min_size=1, max_size=5))
def test_a_rate_that_is_lifted_for_a_while_forgives_nothing(rate: float, rows: int, meanwhile: list[int]) -> None:
    limited, free = Token(TOKEN, "a", rows_per_s=rate), Token(TOKEN, "a")
    usage, other = Usage(), Usage()
    assert usage.admit(limited, rows, 0.0) == other.admit(limited, rows, 0.0) == 0
    for more in meanwhile:
        assert usage.admit(free, more, 0.5) == 0
    assert usage.admit(limited, 1, 1.0) == other.admit(limited, 1, 1.0)


def test_a_refused_request_costs_nothing() -> None:
    token, usage = Token(TOKEN, "a", rows_per_s=10, rows=5), Usage()
    assert usage.admit(token, 5, 0.0) == 0
    for _ in range(100):
        assert usage.admit(token, 5, 0.0) > 0
    usage.undo(5)
    assert usage.admit(token, 10, 0.0) == 0
    assert usage.admit(token, 0, 0.0) == 0  # nothing is asked for


@pytest.mark.long
def test_tokens_are_replaced_and_no_request_is_dropped(start: Start, tmp_path: Path) -> None:
    file, gate = tmp_path / "tokens", tmp_path / "gate"
    file.write_text(f"{TOKEN} name=old\n{OTHER} name=stays\n")
    server = start("-r", TROUBLE, "--workers", "2", "--token-file", str(file), "--access-log")
    answers: list[httpx.Response] = []
    slow = threading.Thread(target=lambda: answers.append(ask(server, TOKEN, f"wait for {gate}")))
    slow.start()
    wait_for(lambda: "rewardkit_queue_rows 1.0" in metrics(server))
    steady: list[int] = []
    stop = threading.Event()

    def go_on() -> None:
        with httpx.Client(base_url=server.url, headers=bearer(OTHER), timeout=BOUND_S) as client:
            while not stop.is_set():
                steady.append(client.post("/v1/score", json={"samples": [{"completion": "yes"}]}).status_code)

    going = threading.Thread(target=go_on)
    going.start()
    for round_ in range(5):
        file.write_text(f"new-{round_}-{TOKEN} name=new\n{OTHER} name=stays\n")
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda new=f"new-{round_}-{TOKEN}": ask(server, new, "yes").status_code == 200, lambda: server.log)
        assert ask(server, TOKEN, "yes").status_code == 401
    seen = len(steady)
    wait_for(lambda: len(steady) > seen)
    stop.set()
    going.join()
    assert set(steady) == {200}
    file.write_text("broken\n")
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "stay as they were" in server.log)
    assert ask(server, f"new-4-{TOKEN}", "yes").status_code == 200
    gate.touch()  # a request whose token is long gone is worked on until its end
    slow.join()
    assert answers[0].json()["scores"][0]["value"] == 1.0
    wait_for(lambda: 'rewardkit_caller_rows_total{caller="old",verdict="correct"} 1.0' in metrics(server))
    assert " new\n" in server.log
    assert TOKEN not in server.log


@pytest.mark.slow
def test_all_processes_replace_their_tokens(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(TOKEN)
    server = start("-r", SAME, "--workers", "2", "--processes", "2", "--token-file", str(file))
    file.write_text(OTHER)
    wait_for(lambda: server.process.send_signal(signal.SIGHUP) or refused_in_a_row(server, 20), lambda: server.log)
    assert ask(server, OTHER, "yes").status_code == 200
    assert "another takes its place" not in server.log  # one that still starts is not ended by the signal


def refused_in_a_row(server: Server, count: int) -> bool:
    """Each request has a connection of its own, which either process may take."""
    return all(ask(server, TOKEN, "yes").status_code == 401 for _ in range(count))


@pytest.mark.long
def test_over_the_quota_is_429_and_our_client_waits(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, gate = tmp_path / "tokens", tmp_path / "gate"
    file.write_text(f"{TOKEN} name=one rows=1\n{OTHER} name=free\nslow-{TOKEN} name=slow rows_per_s=0.001\n")
    server = start("-r", TROUBLE, "--workers", "2", "--token-file", str(file))
    assert ask(server, f"slow-{TOKEN}", "yes", "yes").status_code == 200
    refused = ask(server, f"slow-{TOKEN}", "yes")
    assert refused.status_code == 429
    assert refused.json()["error"].startswith("over the quota of slow; try again in ")
    assert 900 < int(refused.headers["retry-after"]) <= 1001

    monkeypatch.setenv("REWARDKIT_TOKEN", f"{TOKEN} name=one")  # as a server reads it
    ours = rewardkit.remote(server.url, timeout_s=BOUND_S)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(ask, server, TOKEN, f"wait for {gate}")
        wait_for(lambda: "rewardkit_queue_rows 1.0" in metrics(server))
        second = pool.submit(ours.score, [rewardkit.Sample(completion="yes")])
        over = 'rewardkit_caller_requests_total{caller="one",status="429"}'
        wait_for(lambda: any(line.startswith(over) for line in metrics(server)))
        assert ask(server, OTHER, "yes", "yes").status_code == 200
        gate.touch()
        assert first.result().status_code == 200
        assert second.result()[0].value == 1.0
    assert 'rewardkit_rejected_total{why="quota"}' in "".join(metrics(server))


def metrics(server: Server) -> list[str]:
    return httpx.get(f"{server.url}/metrics", headers=bearer(OTHER)).text.splitlines()


@pytest.mark.parametrize(("wait_s", "seconds"), [(0.01, "1"), (0.99, "1"), (1.0, "2"), (2.5, "3")])
def test_a_caller_over_the_quota_gets_429_and_is_told_the_next_whole_second(
    monkeypatch: pytest.MonkeyPatch, wait_s: float, seconds: str
) -> None:
    monkeypatch.setattr(Usage, "admit", lambda *_: wait_s)
    token = Token("x" * 32, "mine")
    request: Any = SimpleNamespace(token=token)
    with pytest.raises(RefusedError) as caught:
        Tokens((token,)).charge(request, 5)
    assert (caught.value.status, caught.value.headers["retry-after"]) == (429, seconds)
