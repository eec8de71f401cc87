"""A byte stream to a box, and which streams there is something to read from."""

import contextlib
import select
import socket
from abc import ABC, abstractmethod
from typing import Any

__all__ = ["Pipe", "SocketPipe", "readable"]


def readable(*files: Any, seconds: float = 0) -> set[int]:
    """Descriptors of those that have data or EOF to read by then. `select` itself takes none above 1023."""
    poller = select.poll()
    for file in files:
        poller.register(file, select.POLLIN)
    return {descriptor for descriptor, _ in poller.poll(seconds * 1000)}


class Pipe(ABC):
    """A byte stream to the agent and back."""

    def __init__(self) -> None:
        self.rest = b""
        """Received, and not asked for yet."""

    @abstractmethod
    def send(self, *parts: "bytes | memoryview") -> None:
        """Send all parts."""

    @abstractmethod
    def more(self, size: int) -> bytes:
        """At least one byte, `size` if possible; empty at the end of the stream, `TimeoutError` past `settimeout`."""

    @abstractmethod
    def settimeout(self, seconds: float) -> None:
        """Bound on each wait for bytes."""

    @abstractmethod
    def pending(self) -> bool:
        """True if data or EOF is waiting to be read."""

    @abstractmethod
    def hang_up(self) -> None:
        """End the stream from another thread: one that sends or waits gets an error or EOF."""

    @abstractmethod
    def close(self) -> None:
        """Free it."""

    def last_words(self) -> str:
        """The stderr of a box whose stream ended."""
        return ""

    def receive(self, size: int) -> bytes:
        """Exactly `size` bytes, or `EOFError` or `TimeoutError`."""
        if len(self.rest) >= size:
            data, self.rest = self.rest[:size], self.rest[size:]
            return data
        parts, missing = [self.rest], size - len(self.rest)
        self.rest = b""
        while missing > 0:
            part = self.more(missing)
            if not part:
                raise EOFError(self.last_words())
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
        if missing:
            data, self.rest = data[:missing], data[missing:]
        return data

    def silent(self) -> bool:
        """True if neither data nor EOF is pending: an idle box that lives."""
        return not self.rest and not self.pending()


class SocketPipe(Pipe):
    """The bytes of a connected socket."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self.sock = sock
        self.seconds = -1.0

    def send(self, *parts: "bytes | memoryview") -> None:
        """Send all parts."""
        for part in parts:
            self.sock.sendall(part)

    def settimeout(self, seconds: float) -> None:
        """Bound on each wait for bytes."""
        if seconds != self.seconds:
            self.sock.settimeout(seconds)
            self.seconds = seconds

    def pending(self) -> bool:
        """True if data or EOF is waiting to be read."""
        return bool(readable(self.sock))

    def hang_up(self) -> None:
        """End the stream, also for a thread that waits for bytes."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Free the socket."""
        self.sock.close()
