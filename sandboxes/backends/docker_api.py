"""The calls of the Docker Engine API that we need, over its socket, with the standard library. Podman's socket works too."""

import http.client
import json
import os
import socket
import ssl
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from sandboxes.errors import SandboxUnavailable
from sandboxes.pipe import SocketPipe

__all__ = ["DockerApi", "DockerError", "Stream"]

API = "/v1.41"
CURE = "install and start Docker (Debian: apt-get install docker.io), or set DOCKER_HOST"
TIMEOUT_S = 120.0


class DockerError(RuntimeError):
    """Docker answered with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"Docker answered {status}: {message}")
        self.status = status


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Stream(SocketPipe):
    """A container's attached stdin and stdout as one byte stream; what it says on stderr is kept aside."""

    def __init__(self, sock: socket.socket, rest: bytes) -> None:
        super().__init__(sock)
        self.raw = bytearray(rest)
        self.ready = bytearray()
        self.stderr = bytearray()
        self._demultiplex()

    def more(self, size: int) -> bytes:  # noqa: ARG002  (what has come is handed over whole)
        """What has come on stdout."""
        while not self.ready:
            part = self.sock.recv(1 << 18)
            if not part:
                return b""
            self.raw += part
            self._demultiplex()
        data = bytes(self.ready)
        self.ready.clear()
        return data

    def last_words(self) -> str:
        """The end of what the container said on stderr."""
        return self.stderr.decode("utf-8", "replace")[-500:]

    def _demultiplex(self) -> None:
        """Docker wraps each piece in 8 bytes: stream number, three zeros, big-endian length."""
        position = 0
        while len(self.raw) - position >= 8:
            length = int.from_bytes(self.raw[position + 4 : position + 8], "big")
            if len(self.raw) - position - 8 < length:
                break
            piece = self.raw[position + 8 : position + 8 + length]
            if self.raw[position] == 2:
                self.stderr = (self.stderr + piece)[-8192:]
            else:
                self.ready += piece
            position += 8 + length
        del self.raw[:position]

    def pending(self) -> bool:
        """True if data or EOF is waiting to be read."""
        return bool(self.raw or self.ready) or super().pending()


class DockerApi:
    """One Docker (or Podman) daemon. Opens a connection for each request; safe in threads."""

    def __init__(self, host: str | None = None) -> None:
        self.host = host or find_host()
        try:
            self.url = urlsplit(self.host)
            self.port = self.url.port
        except ValueError as error:
            raise SandboxUnavailable(
                f"DOCKER_HOST is {self.host!r}, which is no address ({error})", cure=CURE
            ) from None

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        if self.url.scheme == "unix":
            return _UnixConnection(self.url.path, timeout)
        name, port = self.url.hostname or "localhost", self.port
        if os.environ.get("DOCKER_TLS_VERIFY") or self.url.scheme == "https":
            folder = Path(os.environ.get("DOCKER_CERT_PATH") or os.path.expanduser("~/.docker"))  # noqa: PTH111
            context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
            context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
            return http.client.HTTPSConnection(name, port or 2376, timeout=timeout, context=context)
        return http.client.HTTPConnection(name, port or 2375, timeout=timeout)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        json_body: Any = None,
        body: Any = None,
        timeout: float = TIMEOUT_S,
    ) -> Any:
        """One request; the decoded JSON answer, its text if it is none, or None if it is empty."""
        headers = {"Content-Type": "application/json" if body is None else "application/x-tar"}
        if json_body is not None:
            body = json.dumps(json_body)
        connection = self._connect(timeout)
        try:
            target = f"{API}{path}" + (f"?{urlencode(query)}" if query else "")
            connection.request(method, target, body=body, headers=headers, encode_chunked=False)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise SandboxUnavailable(f"Docker at {self.host} does not answer ({error})", cure=CURE) from error
        finally:
            connection.close()
        if response.status >= 400:
            raise DockerError(response.status, _message(text))
        try:
            return json.loads(text) if text else None
        except ValueError:
            return text

    def attach(self, container: str, *, timeout: float = TIMEOUT_S) -> Stream:
        """The container's stdin and stdout, before it is started."""
        connection = self._connect(timeout)
        query = "stream=1&stdin=1&stdout=1&stderr=1"
        request = (
            f"POST {API}/containers/{quote(container)}/attach?{query} HTTP/1.1\r\nHost: docker\r\n"
            "Content-Length: 0\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
        )
        head = b""
        try:
            connection.connect()
            connection.sock.sendall(request.encode())
            while b"\r\n\r\n" not in head:
                part = connection.sock.recv(4096)
                if not part:
                    raise EOFError("it closed an attach request")
                head += part
        except (OSError, EOFError) as error:
            connection.close()
            raise SandboxUnavailable(f"Docker at {self.host} does not answer ({error})", cure=CURE) from error
        head, _, rest = head.partition(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        if status not in (101, 200):
            connection.close()
            raise DockerError(status, f"attach refused: {_message(rest)}")
        return Stream(connection.sock, rest)

    def containers(self, label: str) -> list[dict[str, Any]]:
        """All containers with a label, running or not."""
        filters = json.dumps({"label": [label]})
        return self.request("GET", "/containers/json", query={"all": 1, "filters": filters}) or []

    def remove(self, container: str) -> None:
        """Kill and remove one container; one that is gone already, or just goes, is fine."""
        try:
            self.request("DELETE", f"/containers/{quote(container)}", query={"force": 1, "v": 1})
        except DockerError as error:
            if error.status not in (404, 409):
                raise

    def image_labels(self, image: str) -> dict[str, str] | None:
        """The labels of a local image; None if there is no such image."""
        try:
            found = self.request("GET", f"/images/{quote(image)}/json")
        except DockerError as error:
            if error.status == 404:
                return None
            raise
        return found["Config"].get("Labels") or {}


def _message(text: str | bytes) -> str:
    """What an error answer says."""
    try:
        answer: Any = json.loads(text)
    except ValueError:
        answer = None
    said = cast("dict[str, Any]", answer).get("message") if isinstance(answer, dict) else None
    return str(said or (text.decode("utf-8", "replace") if isinstance(text, bytes) else text))[:1000]


def find_host() -> str:
    """Where a daemon listens: `DOCKER_HOST`, else the first socket that exists among Docker's and Podman's usual places."""
    named = os.environ.get("DOCKER_HOST")
    if named:
        return named
    for path in _usual_sockets():
        if Path(path).is_socket():
            return f"unix://{path}"
    raise SandboxUnavailable("no Docker socket found", cure=CURE)


def _usual_sockets() -> Iterable[str]:
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    yield "/var/run/docker.sock"
    yield f"{runtime}/docker.sock"
    yield os.path.expanduser("~/.docker/run/docker.sock")  # noqa: PTH111 - pathlib's own raises where there is no home
    yield "/run/podman/podman.sock"
    yield f"{runtime}/podman/podman.sock"
