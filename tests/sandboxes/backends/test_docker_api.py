"""Docker's API over a socket: what is sent, how answers are read, and who does not answer."""

import json
import re
import socket
import ssl
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandboxes import SandboxUnavailable
from sandboxes.backends import docker_api
from sandboxes.backends.docker_api import DockerApi, DockerError, Stream, find_host

STREAM = {"stdout": 1, "stderr": 2}


@pytest.fixture
def daemon():
    """A daemon that answers each connection with the next of `answers`, and keeps what was `asked`."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/d.sock")
        listening.listen()
        found = SimpleNamespace(answers=[], asked=[], api=DockerApi(f"unix://{folder}/d.sock"))

        def serve():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    asked = connection.recv(1 << 16).decode()
                    head, _, body = asked.partition("\r\n\r\n")
                    if "Content-Length: " in head and "Content-Length: 0" not in head and not body:
                        body = connection.recv(1 << 16).decode()
                    found.asked.append((head.splitlines()[0].removesuffix(" HTTP/1.1"), head, body))
                    connection.sendall(found.answers.pop(0))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield found
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def answer(content=b"", status="200 OK"):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


@pytest.mark.parametrize(("content", "value"), [(b"", None), ([1], [1]), (b"no JSON", "no JSON"), ({}, {})])
def test_an_answer_is_its_json_or_its_text_or_nothing(daemon, content, value):
    daemon.answers.append(answer(content))
    assert daemon.api.request("GET", "/info") == value
    assert daemon.asked[0][0] == "GET /v1.41/info"


def test_what_is_sent_is_json_or_an_archive_and_the_query_is_quoted(daemon):
    daemon.answers += [answer(), answer()]
    daemon.api.request("POST", "/a", query={"t": "x:1", "n": 2}, json_body={"Image": "i"})
    daemon.api.request("POST", "/b", body=b"tar")
    (first, head, body), (second, tar_head, tar) = daemon.asked
    assert (first, second, tar) == ("POST /v1.41/a?t=x%3A1&n=2", "POST /v1.41/b", "tar")
    assert json.loads(body) == {"Image": "i"}
    assert "application/json" in head
    assert "application/x-tar" in tar_head


@pytest.mark.parametrize(
    ("content", "said"),
    [({"message": "no such image"}, "no such image"), (b"plain", "plain"), ([1], "[1]"), ({"message": ""}, '{"message": ""}'), (b"x" * 3000, "x" * 1000)],
)  # fmt: skip
@pytest.mark.parametrize("status", [400, 404, 500])
def test_an_error_carries_its_status_and_what_the_daemon_says(daemon, content, said, status):
    daemon.answers.append(answer(content, f"{status} Bad"))
    with pytest.raises(DockerError) as told:
        daemon.api.request("GET", "/x")
    assert (told.value.status, str(told.value)) == (status, f"Docker answered {status}: {said}")


def test_a_daemon_that_is_away_or_hangs_up_is_unavailable_with_the_cure(daemon):
    daemon.answers += [b"", b"garbage\r\n\r\n"]
    for api in (DockerApi("unix:///nowhere.sock"), daemon.api, daemon.api):
        with pytest.raises(
            SandboxUnavailable, match=r"(?s)Docker at unix://.* does not answer .*; install and start Docker"
        ):
            api.request("GET", "/info")
    daemon.answers.append(b"")
    for api in (DockerApi("unix:///nowhere.sock"), daemon.api):
        with pytest.raises(SandboxUnavailable, match="does not answer"):
            api.attach("c")


@pytest.mark.parametrize("status", ["101 UPGRADED", "200 OK"])
def test_what_follows_the_head_of_an_attach_belongs_to_the_stream(daemon, status):
    daemon.answers.append(f"HTTP/1.1 {status}\r\nA: b\r\n\r\n".encode() + piece("stdout", b"hi"))
    stream = daemon.api.attach("a b")
    assert stream.more(10) == b"hi"
    assert stream.more(10) == b""
    assert daemon.asked[0][0] == "POST /v1.41/containers/a%20b/attach?stream=1&stdin=1&stdout=1&stderr=1"
    stream.close()


def test_an_attach_that_is_refused_says_why(daemon):
    daemon.answers.append(answer({"message": "gone"}, "404 Not Found"))
    with pytest.raises(DockerError, match="404: attach refused: gone"):
        daemon.api.attach("c")


@pytest.mark.parametrize(
    ("status", "gone"), [("204 No Content", True), ("404 Not", True), ("409 Not", True), ("500 Not", False)]
)
def test_a_box_that_is_gone_already_counts_as_removed(daemon, status, gone):
    daemon.answers.append(answer(b"", status))
    if gone:
        assert daemon.api.remove("c") is None
    else:
        with pytest.raises(DockerError):
            daemon.api.remove("c")
    assert daemon.asked[0][0] == "DELETE /v1.41/containers/c?force=1&v=1"


def test_labels_are_none_only_where_there_is_no_image(daemon):
    daemon.answers += [
        answer({"Config": {"Labels": {"a": "b"}}}),
        answer({"Config": {}}),
        answer(b"", "404 Not"),
        answer(b"", "500 Not"),
    ]
    assert [daemon.api.image_labels("i:1") for _ in range(3)] == [{"a": "b"}, {}, None]
    with pytest.raises(DockerError):
        daemon.api.image_labels("i:1")


def test_boxes_are_found_by_label_whether_they_run_or_not(daemon):
    daemon.answers += [answer([{"Id": "1"}]), answer(b"null"), answer({"Version": "1"})]
    assert daemon.api.containers("l") == [{"Id": "1"}]
    assert daemon.asked[0][0] == "GET /v1.41/containers/json?all=1&filters=%7B%22label%22%3A+%5B%22l%22%5D%7D"
    assert daemon.api.containers("l") == []
    assert daemon.api.request("GET", "/version") == {"Version": "1"}


def piece(name, content):
    return bytes([STREAM[name], 0, 0, 0]) + len(content).to_bytes(4, "big") + content


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 100])
def test_pieces_of_both_streams_are_told_apart_wherever_they_are_cut(size):
    whole = piece("stdout", b"one ") + piece("stderr", b"a warning") + piece("stdout", b"") + piece("stdout", b"two")
    ours, theirs = socket.socketpair()
    stream = Stream(ours, whole[:size])
    theirs.sendall(whole[size:])
    theirs.shutdown(socket.SHUT_WR)
    assert b"".join(iter(lambda: stream.more(1), b"")) == b"one two"
    assert stream.last_words() == "a warning"
    stream.close()
    theirs.close()


def test_of_what_a_box_says_on_stderr_the_end_is_kept():
    ours, theirs = socket.socketpair()
    stream = Stream(ours, piece("stderr", b"x" * 9000) + piece("stderr", b"the end"))
    assert (len(stream.stderr), stream.last_words()) == (8192, "x" * 493 + "the end")
    assert not stream.pending()
    theirs.sendall(b"12345678")
    assert stream.pending()
    stream.send(b"a", memoryview(b"b"))
    assert theirs.recv(10) == b"ab"
    stream.hang_up()
    assert theirs.recv(10) == b""
    stream.close()
    assert Stream(theirs, piece("stdout", b"x")).pending()
    theirs.close()


def test_half_a_piece_counts_as_pending():
    ours, theirs = socket.socketpair()
    assert Stream(ours, b"\1\0\0\0").pending()
    ours.close()
    theirs.close()


@pytest.mark.parametrize(
    ("host", "tls", "kind", "place"),
    [("tcp://h:1", "", "HTTPConnection", ("h", 1)), ("tcp://h", "", "HTTPConnection", ("h", 2375)),
     ("tcp://h", "1", "HTTPSConnection", ("h", 2376)), ("https://h:9", "", "HTTPSConnection", ("h", 9))],
)  # fmt: skip
def test_a_daemon_elsewhere_is_reached_over_tcp_with_certificates_where_told(
    monkeypatch, tmp_path, host, tls, kind, place
):
    loaded = []

    class Context(ssl.SSLContext):
        def load_cert_chain(self, *files):
            loaded.append(files)

    monkeypatch.setattr(docker_api.ssl, "create_default_context", lambda cafile: Context(ssl.PROTOCOL_TLS_CLIENT))
    monkeypatch.setenv("DOCKER_TLS_VERIFY", tls)
    monkeypatch.setenv("DOCKER_CERT_PATH", str(tmp_path))
    connection = DockerApi(host)._connect(3.0)
    assert (type(connection).__name__, (connection.host, connection.port), connection.timeout) == (kind, place, 3.0)
    assert loaded == ([(tmp_path / "cert.pem", tmp_path / "key.pem")] if kind == "HTTPSConnection" else [])


def test_the_daemon_is_the_one_named_else_the_first_usual_socket(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", "tcp://named")
    assert find_host() == "tcp://named"
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/r")
    monkeypatch.setenv("HOME", "/h")
    for path in (
        "/var/run/docker.sock",
        "/r/docker.sock",
        "/h/.docker/run/docker.sock",
        "/run/podman/podman.sock",
        "/r/podman/podman.sock",
    ):
        monkeypatch.setattr(Path, "is_socket", lambda self, path=path: str(self) == path)
        assert find_host() == f"unix://{path}"
    monkeypatch.setattr(Path, "is_socket", lambda self: False)
    with pytest.raises(SandboxUnavailable, match="no Docker socket found; install and start Docker"):
        find_host()


@pytest.mark.parametrize("host", ["tcp://127.0.0.1:notaport", "tcp://127.0.0.1:99999", "tcp://[::1"])
def test_an_address_that_is_none_is_named(host, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(SandboxUnavailable, match=re.escape(host)):
        DockerApi()
