"""A socket straight into a box: who comes in, what is left of it, and how to do without."""

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from sandboxes import Job
from sandboxes.backends.docker import DockerSandbox
from sandboxes.backends.docker_api import Stream
from sandboxes.backends.unix_socket import UnixPipe, UnixSocket

DOCKER_STDOUT, DOCKER_STDERR = 1, 2


@pytest.fixture
def place(monkeypatch):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # a socket's path is short; that of tmp_path may not be
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def attached():
    """A container's attached stream, and the daemon's end of it."""
    ours, theirs = socket.socketpair()
    yield Stream(ours, b""), theirs
    ours.close()
    theirs.close()


def connect(unix_socket):
    box = socket.socket(socket.AF_UNIX)
    box.connect(unix_socket.mount()["Source"] + "/agent.sock")
    return box


def says(stream, words):
    return bytes([stream, 0, 0, 0]) + len(words).to_bytes(4, "big") + words


def test_only_its_owner_gets_near_a_door_and_nothing_of_it_stays(place):
    unix_socket = UnixSocket()
    (outer,) = place.iterdir()
    assert stat.S_IMODE(outer.stat().st_mode) == 0o700
    assert unix_socket.mount()["ReadOnly"]
    box = connect(unix_socket)
    unix_socket.close()
    assert list(place.iterdir()) == []
    box.close()


def test_a_box_that_came_in_speaks_over_its_own_line(place, attached):
    stream, daemon = attached
    unix_socket = UnixSocket()
    with connect(unix_socket) as box:
        daemon.sendall(says(DOCKER_STDERR, b"a warning"))
        line = unix_socket.wait(stream)
        unix_socket.close()
        assert isinstance(line, UnixPipe)
        assert line.silent()
        box.sendall(b"abcde")
        assert (line.receive(0), line.receive(2), line.receive(3)) == (b"", b"ab", b"cde")
        line.send(b"x", memoryview(b"yz"))
        assert box.recv(10) == b"xyz"
        line.settimeout(0.01)
        with pytest.raises(TimeoutError):
            line.receive(1)
    assert not line.silent()
    daemon.close()
    with pytest.raises(EOFError, match="a warning"):
        line.receive(1)
    line.close()


def test_a_line_that_is_hung_up_ends_for_both(place, attached):
    stream, _ = attached
    unix_socket = UnixSocket()
    with connect(unix_socket) as box:
        line = unix_socket.wait(stream)
        line.hang_up()
        assert box.recv(1) == b""
        with pytest.raises(EOFError):
            line.receive(1)
    line.close()
    unix_socket.close()


def test_a_box_that_speaks_on_stdout_is_heard_there(place, attached):
    stream, daemon = attached
    unix_socket = UnixSocket()
    daemon.sendall(says(DOCKER_STDERR, b"no way in") + says(DOCKER_STDOUT, b"hello"))
    assert unix_socket.wait(stream) is stream
    assert stream.receive(5) == b"hello"
    unix_socket.close()


def test_a_box_that_dies_at_its_start_is_not_waited_for(place, attached):
    stream, daemon = attached
    unix_socket = UnixSocket()
    daemon.sendall(says(DOCKER_STDERR, b"exec failed"))
    daemon.close()
    assert unix_socket.wait(stream) is stream
    with pytest.raises(EOFError, match="exec failed"):
        stream.receive(1)
    unix_socket.close()


def test_there_is_no_door_to_another_machine_or_where_none_can_be_made(place, monkeypatch):
    assert UnixSocket.for_docker("tcp") is None
    monkeypatch.setattr(tempfile, "tempdir", str(place / "gone"))
    assert UnixSocket.for_docker("unix") is None


def line_of(sandbox):
    (box,) = sandbox.pool._boxes
    return box.pipe


@pytest.mark.docker
def test_a_box_comes_in_by_its_door_and_leaves_nothing_on_the_host(place):
    with DockerSandbox(workers=1, spares=0) as sandbox:
        assert isinstance(line_of(sandbox), UnixPipe)
        assert list(place.iterdir()) == []
        assert sandbox.run([Job(program="import os; print(os.listdir('/mnt'))")])[0].stdout == b"[]\n"


@pytest.mark.docker
@pytest.mark.parametrize("why", ["the daemon sees other files", "the box can't come in", "no such sockets"])
def test_a_box_without_a_door_does_its_work_through_the_daemon(place, monkeypatch, why):
    if why == "the daemon sees other files":
        elsewhere = {"Type": "bind", "Source": "/nowhere/rewardkit", "Target": "/mnt", "ReadOnly": True}
        monkeypatch.setattr(UnixSocket, "mount", lambda _door: elsewhere)
    elif why == "the box can't come in":
        monkeypatch.setattr("sandboxes.backends.docker.NAME", "elsewhere")
    else:
        monkeypatch.setattr(UnixSocket, "for_docker", lambda _scheme: None)
    with DockerSandbox(workers=1, spares=0) as sandbox:
        assert isinstance(line_of(sandbox), Stream)
        facts = sandbox.run([Job(program="print(input())", stdin=f"{n}\n") for n in range(3)])
        assert [execution.stdout for execution in facts] == [b"0\n", b"1\n", b"2\n"]
    assert list(place.iterdir()) == []
    assert not Path("/nowhere").exists()


@pytest.mark.docker
def test_a_box_whose_host_is_gone_ends_by_itself(place):
    with DockerSandbox(workers=1, spares=0) as sandbox:
        (box,) = sandbox.pool._boxes
        line_of(sandbox).sock.shutdown(socket.SHUT_RDWR)
        answer = sandbox.api.request("POST", f"/containers/{box.name}/wait")
        assert answer["StatusCode"] == os.EX_OK
