"""OpenTelemetry on the caller's side: spans and `traceparent`, in programs that trace; in all others nothing is even imported."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def span(name: str, **attributes: str | int) -> Generator[None]:
    """A span below the one that is open, which may be a trainer's step."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield
    else:
        with trace.get_tracer("rewardkit").start_as_current_span(name, attributes=attributes):
            yield


def trace_headers() -> dict[str, str]:
    """Headers by which a server's spans stand below the one that is open here."""
    headers: dict[str, str] = {}
    if "opentelemetry.trace" in sys.modules:
        import_module("opentelemetry.propagate").inject(headers)
    return headers
