from __future__ import annotations

import os
import time

import pytest

pytest.importorskip("pebble")

from rewardkit.workers import WorkerDiedError, Workers, WorkerTimeoutError


def slow_square(number, wait_s):
    time.sleep(wait_s)
    return number * number


def die(code):
    os._exit(code)


def fail(text):
    raise ValueError(text)


@pytest.fixture(scope="module")
def workers():
    with Workers(1) as made:
        yield made


def test_a_call_comes_back(workers):
    assert workers.run(slow_square, 7, 0, wall_s=60) == 49


def test_a_deadline_ends_the_work_and_the_next_call_gets_a_new_process(workers):
    with pytest.raises(WorkerTimeoutError, match="no result within"):
        workers.run(slow_square, 7, 600, wall_s=0.5)
    assert workers.run(slow_square, 8, 0, wall_s=60) == 64


def test_a_dead_process_is_an_error_of_its_own(workers):
    with pytest.raises(WorkerDiedError):
        workers.run(die, 3, wall_s=60)
    assert workers.run(slow_square, 9, 0, wall_s=60) == 81


def test_an_exception_comes_through(workers):
    with pytest.raises(ValueError, match="ours"):
        workers.run(fail, "ours", wall_s=60)
