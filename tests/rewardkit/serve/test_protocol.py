"""The clocks of a connection and the limit of a head, without a connection."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.serve.protocol import MAX_HEAD_BYTES, READ_TIMEOUT_S, Clocks, ShortHeads

HEAD_TIMEOUT_S = 7.0


class Timer:
    """Goes off when a test says so."""

    def __init__(self, seconds: float, then: Callable[[], None]) -> None:
        self.seconds, self.then, self.runs = seconds, then, True

    def cancel(self) -> None:
        self.runs = False


class Connection:
    """In the place of uvicorn's protocol, of the loop and of the transport."""

    head_timeout_s = HEAD_TIMEOUT_S

    def __init__(self) -> None:
        self.loop = self.transport = self
        self.cycle: Any = None
        self.timers: list[Timer] = []
        self.sent, self.is_open = b"", True

    def call_later(self, seconds: float, then: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, then))
        return self.timers[-1]

    def running(self) -> list[float]:
        return [timer.seconds for timer in self.timers if timer.runs]

    def write(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.is_open = False

    abort = close

    def is_closing(self) -> bool:
        return not self.is_open

    def ignore(self, *_: object) -> None: ...

    connection_made = data_received = pause_writing = resume_writing = connection_lost = ignore


class Clocked(Clocks, Connection):
    pass


class Short(ShortHeads, Connection):
    pass


@given(st.lists(st.booleans(), min_size=1))
def test_a_caller_is_timed_while_it_does_not_read_and_then_disconnected(pauses: list[bool]) -> None:
    one = Clocked()
    for pauses_now in pauses:
        (one.pause_writing if pauses_now else one.resume_writing)()
        assert one.running() == [READ_TIMEOUT_S] * pauses_now
    for timer in one.timers:
        if timer.runs:
            timer.then()
    assert one.is_open != pauses[-1]


@given(st.lists(st.sampled_from(["no request yet", "answering", "answered"])))
def test_a_head_is_timed_where_no_request_is_being_answered(states: list[str]) -> None:
    one = Clocked()
    one.connection_made(one)
    assert one.running() == [HEAD_TIMEOUT_S]
    for state in states:
        one.cycle = None if state == "no request yet" else SimpleNamespace(response_complete=state == "answered")
        one.data_received(b"x")
        assert one.running() == [HEAD_TIMEOUT_S] * (state != "answering")
    for timer in one.timers:
        if timer.runs:
            timer.then()
    assert one.is_open == (states[-1:] == ["answering"])


@pytest.mark.parametrize("size", [1, MAX_HEAD_BYTES - 1, MAX_HEAD_BYTES, MAX_HEAD_BYTES + 1, 2 * MAX_HEAD_BYTES])
@pytest.mark.parametrize("pieces", [1, 3, 10])
def test_the_limit_of_a_head_is_exact_in_however_many_pieces_it_arrives(size: int, pieces: int) -> None:
    one = Short()
    for part in range(pieces):
        one.data_received(b"x" * ((part + 1) * size // pieces - part * size // pieces))
    assert one.sent.startswith(b"HTTP/1.1 431") == (size > MAX_HEAD_BYTES)
    assert one.is_open == (size <= MAX_HEAD_BYTES)
