"""What the probes of an orchestrator are told."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import socket
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live import SAME, InProcess, wait_for, wait_gone

pytest.importorskip("msgspec")

from rewardkit.errors import UsageError
from rewardkit.serve import server
from rewardkit.serve.app import App, create_app
from rewardkit.serve.http import Request, Route
from rewardkit.serve.service import SMALL_BODY, Service
from rewardkit.serve.settings import Limits, Settings


@pytest.mark.long
def test_readyz_says_what_keeps_it_from_judging_and_healthz_that_it_is_up() -> None:
    app = create_app(Settings((SAME,), workers=1))
    assert app.service.state == "starting"
    with InProcess(app) as client:

        def probe() -> tuple[int, str]:
            assert client.get("/healthz").json() == {"status": "ok"}
            answer = client.get("/readyz")
            return answer.status_code, answer.json()["status"]

        wait_for(lambda: probe() == (200, "ready"))
        app.service.draining = True
        assert probe() == (503, "draining")
        described = client.get("/openapi.json").json()["paths"]["/readyz"]["get"]["responses"]
        assert set(described) == {"200", "503"}


def test_head_is_get_without_a_body_and_405_where_there_is_no_get() -> None:
    with InProcess(create_app(Settings((SAME,), workers=1))) as client:
        for path in ("/healthz", "/v1/rewards", "/metrics", "/openapi.json", "/nowhere"):
            head, got = client.head(path), client.get(path)
            assert (head.status_code, head.content) == (got.status_code, b"")
            assert head.headers["content-type"] == got.headers["content-type"]
        assert client.head("/v1/score").status_code == 405


@pytest.mark.long
def test_a_path_that_is_not_there_is_404_by_any_method() -> None:
    with InProcess(create_app(Settings((SAME,), workers=1))) as client:
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
            for path in ("/", "/nowhere", "/v1", "/v1/score/", "/run_code"):
                assert client.request(method, path).status_code == 404


def test_a_batch_of_too_many_rows_is_refused_with_413() -> None:
    most = 2
    with InProcess(create_app(Settings((SAME,), workers=1, limits=Limits(batch_rows=most)))) as client:
        for rows in range(2 * most):
            for path, body in {
                "/v1/score": {"samples": [{"completion": "yes"}] * rows},
                "/get_reward": {"query": ["yes"] * rows},
                "/verl/compute_scores": {"solution_strs": ["yes"] * rows},
            }.items():
                assert client.post(path, json=body).status_code == (200 if rows <= most else 413)


@given(st.lists(st.binary(max_size=20), min_size=1, max_size=5))
def test_a_body_is_the_same_in_however_many_pieces_it_arrives(pieces: list[bytes]) -> None:
    service = Service(Settings((SAME,), workers=1))
    coming = iter(enumerate(pieces, start=1))

    async def receive() -> dict[str, Any]:
        number, piece = next(coming)
        return {"type": "http.request", "body": piece, "more_body": number < len(pieces)}

    async def read() -> bytes:
        async with service.body(Request({"method": "POST", "path": "/", "headers": []}, receive)) as body:
            assert service.queue.size == len(body)
            return body

    assert asyncio.run(read()) == b"".join(pieces)
    assert service.queue.size == 0


@pytest.mark.long
@pytest.mark.parametrize("depth", [10, 100, 400, 900, 5_000])
def test_a_large_body_that_nests_deep_is_read_or_refused(depth: int) -> None:
    extra = b"[" * depth + b"]" * depth
    pad = b" " * SMALL_BODY
    with InProcess(create_app(Settings((SAME,), workers=1))) as client:
        for path, body in (
            (
                "/verl/compute_score",
                b'{"data_source": "d", "solution_str": "a", "ground_truth": "a", "extra_info": {"x": %b}}',
            ),
            ("/v1/score", b'{"samples": [{"completion": "a", "ground_truth": %b}]}'),
        ):
            answer = client.post(path, content=body % extra + pad, headers={"content-type": "application/json"})
            assert answer.status_code in (200, 400, 413, 422), answer.text


def test_readyz_waits_for_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(Settings((SAME,), workers=1, sandbox="docker"), boxes="/nowhere")
    with InProcess(app) as client:
        wait_for(lambda: client.get("/readyz").json()["status"] != "starting")
        assert client.get("/readyz").json()["status"] == "no sandbox"
        assert client.get("/readyz").status_code == 503


def test_a_sandbox_that_comes_later_makes_the_server_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rewardkit.serve.service._RETRY_S", 0.01)
    app = create_app(Settings((SAME,), workers=1, sandbox="docker"), boxes="/nowhere")
    works: list[bool] = []
    monkeypatch.setattr(app.service, "open_sandbox", lambda: setattr(app.service, "_misses_sandbox", not works))
    with InProcess(app) as client:
        wait_for(lambda: client.get("/readyz").json()["status"] == "no sandbox")
        works.append(True)
        wait_for(lambda: client.get("/readyz").json()["status"] == "ready")


@pytest.mark.parametrize(
    ("sandbox", "waits"),
    [("auto", True), ("docker", True), ("remote:http://127.0.0.1:1", True), ("bwrap", False), ("unsafe", False)],
)
def test_a_sandbox_that_needs_no_service_must_work_at_the_start(
    monkeypatch: pytest.MonkeyPatch, sandbox: str, *, waits: bool
) -> None:
    monkeypatch.setattr("rewardkit.sandbox_pool.client.RECONNECT_S", 0.0)
    service = Service(Settings((SAME,), workers=1, sandbox=sandbox), boxes="/nowhere")
    with contextlib.nullcontext() if waits else pytest.raises(UsageError, match=f"--sandbox {sandbox}: "):
        service.open_sandbox()


@pytest.mark.parametrize(("sandbox", "boxes"), [(None, None), (None, "/nowhere"), ("unsafe", None), ("docker", None)])
def test_without_a_sandbox_or_a_process_that_holds_it_nothing_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, sandbox: str | None, boxes: str | None
) -> None:
    monkeypatch.setattr("rewardkit.sandbox_pool.client.RECONNECT_S", 0.0)
    service = Service(Settings((SAME,), workers=1, sandbox=sandbox), boxes)
    service.open_sandbox()
    service._worker_changed("", 1)
    assert service.state == "ready"


@pytest.mark.long
@pytest.mark.parametrize(("size", "apart"), [(SMALL_BODY, False), (SMALL_BODY + 1, True), (4 * SMALL_BODY, True)])
def test_a_large_body_is_read_in_another_process(size: int, *, apart: bool) -> None:
    service = Service(Settings((SAME,), workers=1))
    body = b"__import__('os').getpid()".ljust(size)
    pids = {asyncio.run(service.read(eval, body)) for _ in range(2)}  # a function of bytes that any process has
    assert (os.getpid() in pids) != apart
    if service._readers is not None:
        service._readers.shutdown()


@pytest.mark.long
@pytest.mark.parametrize("size", [SMALL_BODY, SMALL_BODY + 1])
def test_what_reads_large_bodies_ends_with_the_service(size: int) -> None:
    service = Service(Settings((SAME,), workers=1))
    body = b"__import__('os').getpid()".ljust(size)

    async def run() -> int:
        async with service.running():
            return await service.read(eval, body)

    pid = asyncio.run(run())
    if pid != os.getpid():
        with pytest.raises(RuntimeError):
            asyncio.run(service.read(eval, body))
        wait_gone(pid)


def test_an_error_of_ours_is_500_as_json() -> None:
    async def fail(_: object) -> None:
        raise RuntimeError("secret")

    service = Service(Settings((SAME,), workers=1))
    with InProcess(App(service, [Route("/", fail, "Fails.", "GET")])) as client:
        response = client.get("/")
    assert (response.status_code, response.json()) == (500, {"error": "the server failed; its log says why"})
    assert service.metrics.requests.labels("/", "500")._value.get() == 1


@pytest.mark.parametrize("address", [("127.0.0.1", 8000), ("::1", 8000, 0, 0)])
def test_a_server_starts_on_addresses_of_both_kinds(
    monkeypatch: pytest.MonkeyPatch, address: tuple[object, ...]
) -> None:
    """What a socket calls its name has two parts or four."""
    sock = SimpleNamespace(getsockname=lambda: address)
    for name in ("configure_log", "allow_many_files"):  # for a whole process
        monkeypatch.setattr(server, name, lambda: None)
    monkeypatch.setattr(server, "listen", lambda *_: contextlib.nullcontext(sock))
    monkeypatch.setattr(server, "run_one", lambda settings, given, boxes: 7 if given is sock else 1)
    assert server.serve(Settings(rewards=("exact",), processes=1)) == 7


@pytest.mark.parametrize("drain_s", [0, 0.5, 1, 30])
def test_answers_to_rows_that_outlast_the_drain_time_have_time_to_be_sent(
    monkeypatch: pytest.MonkeyPatch, drain_s: float
) -> None:
    waits: list[float] = []

    class Ended(server.Server):
        def run(self, sockets: object = None) -> None:
            waits.append(self.config.timeout_graceful_shutdown)
            self.started = True

    monkeypatch.setattr(server, "Server", Ended)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with socket.socket() as sock:
        assert server.run_one(Settings((SAME,), workers=1, drain_s=drain_s), sock, None) == 0
    assert waits[0] >= drain_s + server.ANSWER_S


@pytest.mark.parametrize(
    "signals",
    [each for count in (1, 2, 3) for each in itertools.product((signal.SIGTERM, signal.SIGINT), repeat=count)],
)
def test_processes_are_told_to_finish_unless_an_interrupt_follows_another_signal(
    monkeypatch: pytest.MonkeyPatch, signals: tuple[int, ...]
) -> None:
    told: list[int] = []
    with socket.socket() as sock:
        one = server._Supervisor(Settings((SAME,), processes=2), sock, None)
        monkeypatch.setattr(one, "_tell", told.append)
        for signum in signals:
            one._stop(signum, None)
            assert one._stopping
    assert told == [signal.SIGTERM, *signals[1:]]
    assert one._exit_code == (130 if signal.SIGINT in signals else 0)
