"""OpenTelemetry on the caller's side: spans and `traceparent`. Does nothing in programs that have not imported OpenTelemetry."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def span(name: str, **attributes: str | int) -> Generator[None]:
    """A child span of the current span, such as a trainer's step."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield
    else:
        with trace.get_tracer("rewardkit").start_as_current_span(name, attributes=attributes):
            yield


def trace_headers() -> dict[str, str]:
    """Headers that make the current span the parent of a server's."""
    headers: dict[str, str] = {}
    if "opentelemetry.trace" in sys.modules:
        import_module("opentelemetry.propagate").inject(headers)
    return headers
