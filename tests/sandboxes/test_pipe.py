"""Pipes to a box work whatever number their descriptors have."""

import contextlib
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sandboxes.backends.bubblewrap import ProcessPipe
from sandboxes.backends.docker_api import Stream
from sandboxes.backends.unix_socket import UnixPipe, UnixSocket


@pytest.fixture
def high_numbers() -> Iterator[None]:
    """All descriptors below 1,100 are in use."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2048:
        pytest.skip("this process may not open 2,048 descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    with contextlib.ExitStack() as held:
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        while (number := os.open(os.devnull, os.O_RDONLY)) < 1100:
            held.callback(os.close, number)
        os.close(number)
        yield


@pytest.mark.usefixtures("high_numbers")
def test_a_pipe_tells_what_is_pending() -> None:
    here, there = socket.socketpair()
    for pipe in (Stream(here, b""), UnixPipe(here, Stream(here, b""))):
        assert not pipe.pending()
        there.send(b"x")
        assert pipe.pending()
        assert here.recv(1) == b"x"
    there.close()
    here.close()


@pytest.mark.usefixtures("high_numbers")
def test_a_box_connects_and_its_process_is_heard() -> None:
    listener, (here, there) = UnixSocket(), socket.socketpair()
    with contextlib.closing(listener), there, socket.socket(socket.AF_UNIX) as box:
        box.connect(listener.socket.getsockname())
        pipe = listener.wait(Stream(here, b""))
        assert isinstance(pipe, UnixPipe)
        pipe.close()
    said = subprocess.Popen(
        [sys.executable, "-c", "import os; os.write(1, b'hi')"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with contextlib.closing(ProcessPipe(said)) as process:
        assert process.more(2) == b"hi"
        assert process.more(1) == b""
        assert process.pending()
