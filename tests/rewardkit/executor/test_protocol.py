"""Frames arrive as they were sent, however the bytes are cut on their way."""

import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.executor.protocol import Frames, pack_lines

LINES = st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b" ")), min_size=1, max_size=4)


@given(st.lists(LINES, max_size=5), st.lists(st.integers(0, 200), max_size=6))
def test_frames_arrive_as_they_were_sent(frames, cuts):
    sent = b"".join(map(pack_lines, frames))
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def send():
            with theirs:
                for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(sent)], strict=True):
                    theirs.sendall(sent[start:end])

        sender = threading.Thread(target=send)
        sender.start()
        reader = Frames(ours)
        received = []
        while (lines := reader.receive()) is not None:
            received.append(lines)
        sender.join()
    assert received == [[] if lines == [b""] else lines for lines in frames]


def test_a_frame_that_is_too_long_is_refused_before_it_is_read():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(pack_lines([b"x" * 100]))
        with pytest.raises(ValueError, match="a frame of 100 bytes"):
            Frames(ours, most=99).receive()


def test_a_frame_longer_than_one_piece_is_whole():
    ours, theirs = socket.socketpair()
    line = bytes(range(32, 127)) * 20_000
    with ours, theirs:
        sender = threading.Thread(target=theirs.sendall, args=(pack_lines([line]) * 2,))
        sender.start()
        reader = Frames(ours)
        assert reader.receive() == [line] == reader.receive()
        assert not reader.has_some
        sender.join()


def test_no_more_than_some_pieces_are_taken_at_once():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(pack_lines([b"x" * 100_000]))
        reader = Frames(ours)
        with pytest.raises(BlockingIOError):
            reader.receive(pieces=1)
        assert reader.receive(pieces=1) == [b"x" * 100_000]
