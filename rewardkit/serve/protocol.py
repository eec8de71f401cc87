"""uvicorn's HTTP protocol with two more timeouts, for sending a request head and for reading an answer, and a limit to the size of heads."""

from __future__ import annotations

import asyncio
import importlib
from functools import cache
from typing import Any

READ_TIMEOUT_S = 60.0
"""A client that reads nothing of an answer for this long is disconnected, and its buffers are freed."""

MAX_HEAD_BYTES = 1 << 16
"""A request whose target and headers, or trailers, are longer is answered with 431."""


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


class ShortHeads:
    """Mixed in before uvicorn's class for httptools, which reads heads of any length; h11 has a limit of its own."""

    transport: asyncio.Transport

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unparsed = 0
        """Bytes that came in since the last head or piece of a body was complete."""
        self._head_bytes = 0
        """Length of the target and the headers, or of the trailers, that were parsed."""

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""
        self._unparsed += len(data)
        super().data_received(data)  # type: ignore[misc]
        if self._unparsed > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """A head begins."""
        self._head_bytes = 0
        super().on_message_begin()  # type: ignore[misc]

    def on_url(self, url: bytes) -> None:
        """Some of the target was read."""
        self._count(len(url))
        super().on_url(url)  # type: ignore[misc]

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header or a trailer was read."""
        self._count(len(name) + len(value) + 4)  # with a colon, a space and the end of the line
        super().on_header(name, value)  # type: ignore[misc]

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._unparsed = self._head_bytes = 0
        super().on_headers_complete()  # type: ignore[misc]

    def on_body(self, body: bytes) -> None:
        """Some of the body was read."""
        self._unparsed = 0
        super().on_body(body)  # type: ignore[misc]

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._unparsed = 0
        super().on_message_complete()  # type: ignore[misc]

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or a head that is too long."""
        if max(self._unparsed, self._head_bytes) <= MAX_HEAD_BYTES:
            super().send_400_response(msg)  # type: ignore[misc]
            return
        text = f"the request's head is longer than {MAX_HEAD_BYTES} bytes"
        head = f"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain\r\ncontent-length: {len(text)}\r\nconnection: close"
        self.transport.write(f"{head}\r\n\r\n{text}".encode())
        self.transport.close()

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            raise ValueError("the head is too long")  # which the parser hands on, as it does for what is no HTTP


@cache
def protocol_class(head_timeout_s: float) -> Any:
    """The fastest protocol class that is installed, with clocks and a limit to heads."""
    try:
        bases: Any = (ShortHeads, importlib.import_module("uvicorn.protocols.http.httptools_impl").HttpToolsProtocol)
    except ImportError:
        bases = (importlib.import_module("uvicorn.protocols.http.h11_impl").H11Protocol,)
    return type("ClockedProtocol", (Clocks, *bases), {"head_timeout_s": head_timeout_s})
