"""A Unix socket into a container: faster than its attached stdin and stdout, which pass through the daemon and its shim."""

import contextlib
import socket
import time
from typing import Any

from sandboxes.backends.docker_api import Stream
from sandboxes.pipe import Pipe, readable
from sandboxes.temp_dir import TempDir

__all__ = ["INSIDE", "NAME", "SocketPipe", "UnixSocket"]

INSIDE = "/mnt"
"""The mount point in the container; a directory that every image has."""
NAME = "agent.sock"
WAIT_S = 30.0
"""A box that says nothing for this long after its start counts as dead."""


class SocketPipe(Pipe):
    """The connected socket of a box. Its stderr still comes through the daemon."""

    def __init__(self, sock: socket.socket, beside: Stream) -> None:
        super().__init__()
        self.sock = sock
        self.beside = beside
        self.seconds = -1.0

    def send(self, *parts: "bytes | memoryview") -> None:
        """Send all parts."""
        for part in parts:
            self.sock.sendall(part)

    def more(self, size: int) -> bytes:
        """What is there, up to 64 KiB or the size that is asked for."""
        return self.sock.recv(max(size, 1 << 16))

    def settimeout(self, seconds: float) -> None:
        """Bound on each wait for bytes."""
        if seconds != self.seconds:
            self.sock.settimeout(seconds)
            self.seconds = seconds

    def pending(self) -> bool:
        """True if data or EOF is waiting to be read."""
        return bool(readable(self.sock))

    def last_words(self) -> str:
        """The stderr of a box that has ended, which the daemon still returns."""
        self.beside.settimeout(0.2)
        try:
            self.beside.receive(1)
        except (EOFError, OSError) as error:
            return str(error)
        return ""

    def hang_up(self) -> None:
        """End the stream, also for a thread that waits for bytes."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Free the sockets."""
        self.sock.close()
        self.beside.close()


class UnixSocket:
    """A listening socket in a directory of its own, mounted into one box, read-only.

    Both are removed from the host as soon as the agent has connected, before any program is in the box: what stays is an empty
    mount of a directory that no longer exists. Other users of the host can't connect, since the directory lies in one that only
    its owner may enter.
    """

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.directory = TempDir("socket", for_socket=True)
        self.folder = self.directory.path / "in"
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
    def for_docker(cls, scheme: str) -> "UnixSocket | None":
        """A socket, if Docker is on this machine and the machine has Unix sockets; else None."""
        if scheme != "unix" or not hasattr(socket, "AF_UNIX"):
            return None
        try:
            return cls()
        except OSError:  # a full disk
            return None

    def mount(self) -> dict[str, Any]:
        """For the container's configuration."""
        return {"Type": "bind", "Source": str(self.folder), "Target": INSIDE, "ReadOnly": True}

    def wait(self, stream: Stream) -> "SocketPipe | Stream":
        """The connected socket; the container's stdin and stdout instead if it speaks there first: it could not connect, or died."""
        end = time.monotonic() + WAIT_S
        while (left := end - time.monotonic()) > 0:
            ready = readable(self.socket, stream.sock, seconds=left)
            if self.socket.fileno() in ready:
                sock, _ = self.socket.accept()
                return SocketPipe(sock, stream)
            if stream.sock.fileno() in ready and _has_spoken(stream):
                break
        return stream

    def close(self) -> None:
        """Remove the socket and its directory."""
        self.socket.close()
        self.directory.close()


def _has_spoken(stream: Stream) -> bool:
    """Whether there is a byte of stdout, or the end. What is on stderr alone does not count."""
    stream.settimeout(0.01)
    try:
        first = stream.receive(1)
    except TimeoutError:
        return False
    except (EOFError, OSError):
        return True
    stream.rest = first + stream.rest
    return True
