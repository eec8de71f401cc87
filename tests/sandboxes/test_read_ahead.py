"""Answers are read while their box works for the next job."""

import threading

import pytest
from toy_pool import BOUND_S, jobs, said, until

from sandboxes import Execution, Job
from sandboxes.base import Call
from sandboxes.pool import AHEAD_BYTES, _small


def both(pool):
    """A `first` job and a `second` one that waits behind it; the script is to hold the first until `pool.held` is set."""
    futures = [pool.submit([Job(program=name)], None) for name in ("first", "second")]
    pool.held.set()
    return futures


@pytest.fixture
def make_held(make_pool):
    """A pool of one worker whose `first` job answers only once the second waits; `reads` gives how each answer is read."""

    def make(reads, spares=1):
        held = threading.Event()

        def script(box, job):
            assert held.wait(BOUND_S)
            return reads(box, job)

        pool, factory = make_pool(script, spares=spares)
        pool.held = held
        return pool, factory

    return make


def test_an_answer_is_read_while_the_box_works_for_the_next_job(make_held):
    """Were the first read before the second is sent, this would not end."""

    def reads(_box, job):
        def read():
            until(lambda: any(sent.program == "second" for box in factory.boxes for sent in box.queue))
            return Execution(exit_code=0)

        return read if job.program == "first" else None

    pool, factory = make_held(reads)
    assert [future.result(BOUND_S)[0].exit_code for future in both(pool)] == [0, 0]


def test_the_last_answer_is_read_though_nothing_follows(make_pool):
    pool, _ = make_pool()
    assert said(pool.submit(jobs(1), None).result(BOUND_S)) == ["0"]


def test_an_answer_that_cannot_be_read_fails_its_caller_alone(make_held):
    def unreadable():
        raise RuntimeError("no facts")

    pool, _ = make_held(lambda _box, job: unreadable if job.program == "first" else None)
    bad, good = both(pool)
    with pytest.raises(RuntimeError, match="no facts"):
        bad.result(BOUND_S)
    assert good.result(BOUND_S)[0].exit_code == 0


def test_no_answer_waits_for_a_box_of_the_next_job(make_held):
    """The first job leaves its box unclean, and the next box is not made before the first answer is read."""
    first_read = threading.Event()

    def reads(box, job):
        if job.program == "second":
            return None
        box.unclean = "files left"

        def read():
            first_read.set()
            return Execution(exit_code=0)

        return read

    pool, factory = make_held(reads, spares=0)
    make = pool.make
    pool.make = lambda: make() if not factory.boxes or first_read.wait(BOUND_S) else None
    assert [future.result(BOUND_S)[0].exit_code for future in both(pool)] == [0, 0]
    assert len(factory.boxes) == 2


@pytest.mark.parametrize(
    ("changes", "ahead"),
    [
        ({}, True),
        ({"language": "cpp"}, False),
        ({"driver": "candidate(1)"}, False),
        ({"calls": (Call(),)}, False),
        ({"stdin": b"x" * AHEAD_BYTES}, False),
        ({"files": {"a": b"x" * AHEAD_BYTES}}, False),
        ({"prelude": "#" * AHEAD_BYTES}, False),
    ],
)
def test_only_small_jobs_without_a_state_are_sent_ahead(changes, ahead):
    assert _small(Job(program="print(1)", **changes)) is ahead
