"""A socket straight into a box: a round trip through the daemon and the container's keeper wakes four more threads."""

import contextlib
import select
import socket
import time
from typing import Any

from sandboxes.engine import Stream
from sandboxes.scratch import Scratch

__all__ = ["INSIDE", "NAME", "Door", "Line"]

INSIDE = "/mnt"
"""Where the box finds the door; a directory that every image has."""
NAME = "door"
WAIT_S = 30.0
"""A box that says nothing for this long after its start counts as dead."""


class Line:
    """The socket to a box that came in by its door. What the box says on stderr still comes through the daemon."""

    def __init__(self, sock: socket.socket, beside: Stream) -> None:
        self.sock = sock
        self.beside = beside
        self.rest = b""
        self.seconds = -1.0

    def send(self, *parts: "bytes | memoryview") -> None:
        """Send all parts."""
        for part in parts:
            self.sock.sendall(part)

    def receive(self, size: int) -> bytes:
        """Exactly `size` bytes; `EOFError` when the box is gone, `TimeoutError` past `settimeout`."""
        if len(self.rest) >= size:
            data, self.rest = self.rest[:size], self.rest[size:]
            return data
        parts, missing = [self.rest], size - len(self.rest)
        self.rest = b""
        while missing > 0:
            part = self.sock.recv(max(missing, 1 << 16))
            if not part:
                raise EOFError(_last_words(self.beside))
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
        if missing:
            data, self.rest = data[:missing], data[missing:]
        return data

    def settimeout(self, seconds: float) -> None:
        """Bound on each wait for bytes."""
        if seconds != self.seconds:
            self.sock.settimeout(seconds)
            self.seconds = seconds

    def silent(self) -> bool:
        """Nothing is there to read, not even an end."""
        return not self.rest and not select.select([self.sock], [], [], 0)[0]

    def hang_up(self) -> None:
        """End the stream, also for a thread that waits for bytes."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Free the sockets."""
        self.sock.close()
        self.beside.close()


class Door:
    """A listening socket in a directory of its own, mounted into one box, read-only.

    Both are gone from the host as soon as the box has come in, which is before any program is in it: what stays is an empty
    mount of a directory that no longer exists. Nobody else on the host gets near, since the directory lies in one that only
    its owner may enter.
    """

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.scratch = Scratch("door")
        self.folder = self.scratch.path / "in"
        try:
            self.folder.mkdir()
            self.folder.chmod(0o755)
            self.socket.bind(str(self.folder / NAME))
            (self.folder / NAME).chmod(0o666)  # the box has a user id of its own
            self.socket.listen(1)
        except OSError:
            self.close()
            raise

    @classmethod
    def for_engine(cls, scheme: str) -> "Door | None":
        """A door, where the engine is on this machine and the machine has such sockets."""
        if scheme != "unix" or not hasattr(socket, "AF_UNIX"):
            return None
        try:
            return cls()
        except OSError:  # a path too long for a socket, a full disk
            return None

    def mount(self) -> dict[str, Any]:
        """For the container's configuration."""
        return {"Type": "bind", "Source": str(self.folder), "Target": INSIDE, "ReadOnly": True}

    def wait(self, stream: Stream) -> "Line | Stream":
        """The box's line; its stdin and stdout instead where it speaks there first, for it could not come in, or died."""
        end = time.monotonic() + WAIT_S
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.socket, stream.sock], [], [], left)
            if self.socket in ready:
                sock, _ = self.socket.accept()
                return Line(sock, stream)
            if stream.sock in ready and _has_spoken(stream):
                break
        return stream

    def close(self) -> None:
        """Take everything away."""
        self.socket.close()
        self.scratch.close()


def _has_spoken(stream: Stream) -> bool:
    """Whether there is a byte of stdout, or the end. What is on stderr alone does not count."""
    stream.settimeout(0.01)
    try:
        first = stream.receive(1)
    except TimeoutError:
        return False
    except (EOFError, OSError):
        return True
    stream.ready[:0] = first
    return True


def _last_words(stream: Stream) -> str:
    """What a box that is gone had left on stderr."""
    stream.settimeout(0.2)
    try:
        stream.receive(1)
    except (EOFError, OSError) as error:
        return str(error)
    return ""
