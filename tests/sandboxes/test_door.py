"""A socket straight into a box: who comes in, what is left of it, and how to do without."""

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from sandboxes import Job
from sandboxes.docker import DockerSandbox
from sandboxes.door import Door, Line
from sandboxes.engine import Stream

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


def come_in(door):
    box = socket.socket(socket.AF_UNIX)
    box.connect(door.mount()["Source"] + "/door")
    return box


def says(stream, words):
    return bytes([stream, 0, 0, 0]) + len(words).to_bytes(4, "big") + words


def test_only_its_owner_gets_near_a_door_and_nothing_of_it_stays(place):
    door = Door()
    (outer,) = place.iterdir()
    assert stat.S_IMODE(outer.stat().st_mode) == 0o700
    assert door.mount()["ReadOnly"]
    box = come_in(door)
    door.close()
    assert list(place.iterdir()) == []
    box.close()


def test_a_box_that_came_in_speaks_over_its_own_line(place, attached):
    stream, daemon = attached
    door = Door()
    with come_in(door) as box:
        daemon.sendall(says(DOCKER_STDERR, b"a warning"))
        line = door.wait(stream)
        door.close()
        assert isinstance(line, Line)
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
    door = Door()
    with come_in(door) as box:
        line = door.wait(stream)
        line.hang_up()
        assert box.recv(1) == b""
        with pytest.raises(EOFError):
            line.receive(1)
    line.close()
    door.close()


def test_a_box_that_speaks_on_stdout_is_heard_there(place, attached):
    stream, daemon = attached
    door = Door()
    daemon.sendall(says(DOCKER_STDERR, b"no way in") + says(DOCKER_STDOUT, b"hello"))
    assert door.wait(stream) is stream
    assert stream.receive(5) == b"hello"
    door.close()


def test_a_box_that_dies_at_its_start_is_not_waited_for(place, attached):
    stream, daemon = attached
    door = Door()
    daemon.sendall(says(DOCKER_STDERR, b"exec failed"))
    daemon.close()
    assert door.wait(stream) is stream
    with pytest.raises(EOFError, match="exec failed"):
        stream.receive(1)
    door.close()


def test_there_is_no_door_to_another_machine_or_below_a_path_too_long(place, monkeypatch):
    assert Door.for_engine("tcp") is None
    deep = place / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert Door.for_engine("unix") is None
    assert list(deep.iterdir()) == []


def line_of(sandbox):
    (box,) = sandbox.pool._boxes
    return box.pipe


@pytest.mark.docker
def test_a_box_comes_in_by_its_door_and_leaves_nothing_on_the_host(place):
    with DockerSandbox(workers=1, spares=0) as sandbox:
        assert isinstance(line_of(sandbox), Line)
        assert list(place.iterdir()) == []
        assert sandbox.run([Job(program="import os; print(os.listdir('/mnt'))")])[0].stdout == b"[]\n"


@pytest.mark.docker
@pytest.mark.parametrize("why", ["the daemon sees other files", "the box can't come in", "no such sockets"])
def test_a_box_without_a_door_does_its_work_through_the_daemon(place, monkeypatch, why):
    if why == "the daemon sees other files":
        elsewhere = {"Type": "bind", "Source": "/nowhere/rewardkit", "Target": "/mnt", "ReadOnly": True}
        monkeypatch.setattr(Door, "mount", lambda _door: elsewhere)
    elif why == "the box can't come in":
        monkeypatch.setattr("sandboxes.docker.NAME", "elsewhere")
    else:
        monkeypatch.setattr(Door, "for_engine", lambda _scheme: None)
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
        answer = sandbox.engine.request("POST", f"/containers/{box.container}/wait")
        assert answer["StatusCode"] == os.EX_OK
