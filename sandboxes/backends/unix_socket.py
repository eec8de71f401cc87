"""A Unix socket into a container: faster than its attached stdin and stdout, which pass through the daemon and its shim."""

import socket
import time
from typing import Any

from sandboxes.backends.docker_api import Stream
from sandboxes.pipe import SocketPipe, readable
from sandboxes.temp_dir import TempDir

__all__ = ["INSIDE", "NAME", "UnixPipe", "UnixSocket"]

INSIDE = "/mnt"
"""The mount point in the container; a directory that every image has."""
NAME = "agent.sock"
WAIT_S = 30.0
"""A box that says nothing for this long after its start counts as dead."""


class UnixPipe(SocketPipe):
    """The connected socket of a box. Its stderr still comes through the daemon."""

    def __init__(self, sock: socket.socket, beside: Stream) -> None:
        super().__init__(sock)
        self.beside = beside

    def more(self, size: int) -> bytes:
        """What is there, up to 64 KiB or the size that is asked for."""
        return self.sock.recv(max(size, 1 << 16))

    def last_words(self) -> str:
        """The stderr of a box that has ended, which the daemon still returns."""
        self.beside.settimeout(0.2)
        try:
            self.beside.receive(1)
        except (EOFError, OSError) as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Free the sockets."""
        super().close()
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

    def wait(self, stream: Stream) -> SocketPipe:
        """The connected socket; the container's stdin and stdout instead if it speaks there first: it could not connect, or died."""
        end = time.monotonic() + WAIT_S
        while (left := end - time.monotonic()) > 0:
            ready = readable(self.socket, stream.sock, seconds=left)
            if self.socket.fileno() in ready:
                sock, _ = self.socket.accept()
                return UnixPipe(sock, stream)
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
