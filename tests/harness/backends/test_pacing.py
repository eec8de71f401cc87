"""The pace of one server: when it is asked less, when it is left alone, and when it is asked again."""

import pytest

from harness.backends import pacing
from harness.backends.pacing import MAX_WAIT_S, START, Server


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(pacing.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("breaker", [1, 3, 8])
def test_the_circuit_opens_at_this_many_failures_in_a_row_and_an_answer_closes_it(clock, breaker):
    server = Server("u", 8, first_wait_s=1.0, breaker=breaker)
    for _ in range(2):
        for _ in range(breaker):
            assert not server.open
            server.failed(clock[0])
        assert server.open
        server.answered()


@pytest.mark.parametrize("together", [1, 5])
def test_requests_that_fail_together_halve_the_pace_once_and_each_later_one_again(clock, together):
    server = Server("u", 64, first_wait_s=1.0, breaker=100)
    for rounds in range(1, 4):
        started = clock[0]
        clock[0] += 1.0
        for _ in range(together):
            server.failed(started)
        assert server.limit == max(1.0, START / 2**rounds)


def test_a_request_that_began_at_the_moment_of_the_cut_tells_of_the_new_pace(clock):
    server = Server("u", 64, first_wait_s=1.0, breaker=100)
    server.failed(clock[0])
    server.failed(clock[0])
    assert server.limit == START / 4


def test_pauses_double_up_to_a_bound_and_are_counted_once_for_requests_under_way(clock):
    server = Server("u", 8, first_wait_s=1.0)
    pauses = []
    for _ in range(8):
        started = clock[0] = server.resume_at or clock[0]
        for _ in range(3):
            server.busy(started, None)
        pauses.append(server.wait_s())
    assert pauses == [min(MAX_WAIT_S, 2.0**count) for count in range(1, 9)]
    server.answered()
    clock[0] = server.resume_at
    assert server.wait_s() is None
    server.busy(clock[0], 40.0)
    assert server.wait_s() == 40.0


def test_an_open_circuit_lets_one_request_through_at_a_time(clock):
    server = Server("u", 8, first_wait_s=0.0, breaker=1)
    server.failed(clock[0])
    assert server.wait_s() is None
    server.in_flight = 1
    assert server.wait_s() is not None
