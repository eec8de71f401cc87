"""Traces: one tree from the trainer's step to each row, and nothing at all where nobody traces."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from live import SAME, TOKEN, InProcess, Server, wait_for

import rewardkit

Start = Callable[..., Server]
sdk = pytest.importorskip("opentelemetry.sdk.trace")
OTLP = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


@pytest.fixture(scope="module")
def spans() -> Any:
    """Spans of this process, in memory. OpenTelemetry takes one provider a process, and keeps it."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    memory = InMemorySpanExporter()
    provider = trace.get_tracer_provider()
    if not isinstance(provider, sdk.TracerProvider):
        trace.set_tracer_provider(provider := sdk.TracerProvider())
    provider.add_span_processor(SimpleSpanProcessor(memory))
    return memory


@pytest.fixture
def client(spans: Any) -> Iterator[Any]:
    from rewardkit.serve.app import create_app
    from rewardkit.serve.settings import Settings
    from rewardkit.serve.tokens import Token

    settings = Settings((SAME,), workers=1, tokens=(Token(TOKEN, "trainer"),))
    with InProcess(create_app(settings), headers={"authorization": f"Bearer {TOKEN}"}) as client:
        spans.clear()
        yield client


def score(client: Any, count: int = 1, **headers: str) -> None:
    samples = [{"completion": "yes", "ground_truth": "yes"}] * count
    assert client.post("/v1/score", json={"samples": samples}, headers=headers).is_success


def test_a_request_its_wait_and_its_rows_are_one_tree(client: Any, spans: Any) -> None:
    trace_id, parent_id = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    score(client, 3, traceparent=f"00-{trace_id}-{parent_id}-01")
    finished = spans.get_finished_spans()
    by_name = {span.name: span for span in finished}
    request, wait = by_name["POST /v1/score"], by_name["queue"]
    rows = sorted((span for span in finished if span.name == "row"), key=lambda span: span.attributes["rewardkit.row"])
    assert {f"{span.context.trace_id:032x}" for span in finished} == {trace_id}
    assert f"{request.parent.span_id:016x}" == parent_id
    assert {span.parent.span_id for span in (wait, *rows)} == {request.context.span_id}
    assert request.attributes == {
        "http.route": "/v1/score", "http.response.status_code": 200, "rewardkit.caller": "trainer", "rewardkit.rows": 3
    }  # fmt: skip
    assert [row.attributes["rewardkit.verdict"] for row in rows] == ["correct"] * 3
    assert all(request.start_time <= wait.start_time <= wait.end_time <= row.start_time <= row.end_time for row in rows)


def test_the_slowest_rows_get_spans_and_the_others_none(client: Any, spans: Any) -> None:
    from rewardkit.serve.tracing import ROW_SPANS

    score(client, ROW_SPANS + 50)
    assert [span.name for span in spans.get_finished_spans()].count("row") == ROW_SPANS


@pytest.mark.parametrize("seed", range(3))
def test_rows_with_spans_are_those_that_took_longest(monkeypatch: pytest.MonkeyPatch, spans: Any, seed: int) -> None:
    from opentelemetry import trace

    from rewardkit.serve import tracing

    times = list(range(3 * tracing.ROW_SPANS))
    random.Random(seed).shuffle(times)
    clock = iter((0, 10**12)).__next__  # admitted, and judged long after
    monkeypatch.setattr(tracing, "time", SimpleNamespace(time_ns=clock))
    spans.clear()
    with trace.get_tracer("test").start_as_current_span("request") as request:
        tracing.Rows(request, "same").end([replace(rewardkit.Score.of(True), elapsed_ms=ms) for ms in times])
    rows = [span.attributes["rewardkit.row"] for span in spans.get_finished_spans() if span.name == "row"]
    assert sorted(times[row] for row in rows) == sorted(times)[-tracing.ROW_SPANS :]


def test_who_has_no_token_makes_no_span(client: Any, spans: Any) -> None:
    assert client.post("/v1/score", json={"samples": []}, headers={"authorization": "Bearer no"}).status_code == 401
    assert client.get("/healthz").is_success
    assert spans.get_finished_spans() == ()


def test_a_trainers_step_holds_the_requests_of_all_batches_and_a_real_server_sends_its_spans(
    start: Start, spans: Any
) -> None:
    from opentelemetry import trace

    pytest.importorskip(OTLP)
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        endpoint = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        }
        server = start("-r", SAME, "--workers", "1", env=endpoint)
        spans.clear()
        with trace.get_tracer("trainer").start_as_current_span("step") as step:
            samples = [rewardkit.Sample(completion="yes", ground_truth="yes")] * 4
            assert [one.value for one in rewardkit.remote(server.url, batch=2).score(samples)] == [1.0] * 4
        wait_for(lambda: b"".join(bodies).count(b"POST /v1/score") == 2, lambda: server.log)
        assert server.stop() == 0
        collector.shutdown()
    sent, trace_id = b"".join(bodies), step.get_span_context().trace_id.to_bytes(16)
    assert sent.count(trace_id) == 2 * (1 + 1 + 2)  # for each batch the request, its wait and its rows
    assert b"rewardkit-serve" in sent
    (ours,) = [span for span in spans.get_finished_spans() if span.name == "rewardkit.remote"]
    assert ours.parent.span_id == step.get_span_context().span_id
    assert sent.count(ours.context.span_id.to_bytes(8)) == 2  # both requests stand below it


def test_where_nobody_traces_a_caller_imports_nothing_and_a_server_looks_at_no_span() -> None:
    code = (
        "import sys, rewardkit.client, rewardkit.tracing, rewardkit.rewards.remote\n"
        "assert not rewardkit.tracing.trace_headers()\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
        "from rewardkit.serve import app, settings, tracing\n"
        "made = app.create_app(settings.Settings(('exact',)))\n"
        "assert not tracing.is_on() and tracing.Rows.of_request('exact') is None\n"
        "assert not made.is_traced"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
