"""uvicorn's HTTP protocol with two more timeouts: for sending a request head, and for reading an answer."""

from __future__ import annotations

import asyncio
import importlib
from functools import cache
from typing import Any

READ_TIMEOUT_S = 60.0
"""A client that reads nothing of an answer for this long is disconnected, and its buffers are freed."""


class Clocks:
    """Mixed in before uvicorn's protocol class, h11 or httptools."""

    head_timeout_s: float
    cycle: Any
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head: asyncio.TimerHandle | None = None
        self._read: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Start the timeout for the request head of a new connection."""
        super().connection_made(transport)  # type: ignore[misc]
        self._start_head()

    def data_received(self, data: bytes) -> None:
        """Bytes came in: either a head is complete now, or the clock for it runs."""
        super().data_received(data)  # type: ignore[misc]
        if self._between_requests:
            self._start_head()
        else:
            self._head = _stop(self._head)

    def pause_writing(self) -> None:
        """The caller does not read."""
        super().pause_writing()  # type: ignore[misc]
        if self._read is None:
            self._read = self.loop.call_later(READ_TIMEOUT_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The caller reads again."""
        super().resume_writing()  # type: ignore[misc]
        self._read = _stop(self._read)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._head, self._read = _stop(self._head), _stop(self._read)
        super().connection_lost(exc)  # type: ignore[misc]

    @property
    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _start_head(self) -> None:
        if self._head is None and not self.transport.is_closing():
            self._head = self.loop.call_later(self.head_timeout_s, self._head_is_late)

    def _head_is_late(self) -> None:
        self._head = None
        if self._between_requests:
            self.transport.close()


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


@cache
def protocol_class(head_timeout_s: float) -> Any:
    """The fastest protocol class that is installed, with clocks."""
    try:
        base: Any = importlib.import_module("uvicorn.protocols.http.httptools_impl").HttpToolsProtocol
    except ImportError:
        base = importlib.import_module("uvicorn.protocols.http.h11_impl").H11Protocol
    return type("ClockedProtocol", (Clocks, base), {"head_timeout_s": head_timeout_s})
