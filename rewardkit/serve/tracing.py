"""OpenTelemetry on the server's side: a span for each request, the wait for a worker, and the slowest rows."""

from __future__ import annotations

import heapq
import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from rewardkit.errors import MissingExtraError
from rewardkit.serve.http import Request
from rewardkit.types import Score

ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""If one of these is set, spans are sent there as OTLP over HTTP. OpenTelemetry's other variables are honoured."""
ROW_SPANS = 100
"""The slowest rows of a request get a span each; thousands of spans would overload the exporter."""
_request: ContextVar[Any] = ContextVar("rewardkit_request_span", default=None)


def set_up() -> None:
    """Send spans to the collector that the environment names, if it names one.

    Raises:
        MissingExtraError: the packages for it are not installed.
    """
    if not any(map(os.environ.get, ENDPOINT_VARIABLES)):
        return
    try:
        sdk, export = import_module("opentelemetry.sdk.trace"), import_module("opentelemetry.sdk.trace.export")
        otlp = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError:
        raise MissingExtraError.of("OpenTelemetry", "otel") from None
    os.environ.setdefault("OTEL_SERVICE_NAME", "rewardkit-serve")
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter()))
    import_module("opentelemetry.trace").set_tracer_provider(provider)


def is_on() -> bool:
    """A tracer provider is set: by `set_up`, or by the program that this application is a part of."""
    sdk: Any = sys.modules.get("opentelemetry.sdk.trace")
    return sdk is not None and isinstance(
        import_module("opentelemetry.trace").get_tracer_provider(), sdk.TracerProvider
    )


@contextmanager
def of_request(request: Request, path: str) -> Generator[Callable[[int], None] | None]:
    """A span for a POST, below the caller's if it sent a `traceparent`; what it gives notes the status of the answer."""
    if request.method != "POST":
        yield None
        return
    trace: Any = import_module("opentelemetry.trace")
    extract: Any = import_module("opentelemetry.propagate").extract
    carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.scope["headers"]}
    with trace.get_tracer("rewardkit.serve").start_as_current_span(
        f"POST {path}", context=extract(carrier), kind=trace.SpanKind.SERVER
    ) as span:

        def note(status: int) -> None:
            span.set_attributes({"http.route": path, "http.response.status_code": status})
            if request.token is not None:
                span.set_attribute("rewardkit.caller", request.token.name)
            if status >= 500:
                span.set_status(trace.StatusCode.ERROR)

        token = _request.set(span)
        try:
            yield note
        finally:
            _request.reset(token)


class Rows:
    """Collects when the rows of one request were judged, and writes their spans at its end."""

    def __init__(self, request: Any, reward: str) -> None:
        self._request, self._reward = request, reward
        self._admitted = time.time_ns()
        self._arrived: dict[int, int] = {}

    @classmethod
    def of_request(cls, reward: str) -> Rows | None:
        """For the current request; None if it is not traced."""
        request = _request.get()
        return None if request is None else cls(request, reward)

    def arrived(self, scores: Sequence[Score]) -> None:
        """These scores are in. Workers send them in small groups, so the true end of a row may be slightly earlier."""
        now = time.time_ns()
        self._arrived.update((id(score), now) for score in scores)

    def end(self, scores: Sequence[Score | None]) -> None:
        """Write the spans of these rows: the wait until the first of them began, and the slowest."""
        trace: Any = import_module("opentelemetry.trace")
        tracer, context = trace.get_tracer("rewardkit.serve"), trace.set_span_in_context(self._request)
        self._request.set_attribute("rewardkit.rows", len(scores))
        now = time.time_ns()
        spans: list[tuple[int, int, int, Score]] = []
        for index, score in enumerate(scores):
            if score is not None:
                at = self._arrived.get(id(score), now)
                spans.append((max(self._admitted, at - int((score.elapsed_ms or 0) * 1e6)), at, index, score))
        tracer.start_span("queue", context, start_time=self._admitted).end(min((one[0] for one in spans), default=now))
        for start, at, index, score in heapq.nlargest(ROW_SPANS, spans, key=lambda one: one[1] - one[0]):
            about = {"rewardkit.row": index, "rewardkit.reward": self._reward, "rewardkit.verdict": score.verdict.value}
            tracer.start_span("row", context, start_time=start, attributes=about).end(at)
