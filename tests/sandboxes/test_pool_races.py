"""A pool keeps its promises at whichever line one of its threads stands while another goes on, or the pool or the interpreter ends."""

import itertools
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, wait
from pathlib import Path

import pytest
from toy_pool import BOUND_S, Factory, jobs, said, until

from sandboxes import SandboxError, lease, pool, warm_boxes
from sandboxes.connection import BoxLost
from sandboxes.pool import Pool

FILES = {module.__file__ for module in (lease, pool, warm_boxes)}
MEANWHILE_S = 0.02
"""How long the thread stands still at most: it may hold a lock that others wait for."""


class StandStill:
    """A trace function for new threads: the one that comes to the line `number`, in the order of all, waits there until `go_on`."""

    def __init__(self, number):
        self.left, self.there, self.go_on = number, threading.Event(), threading.Event()

    def __call__(self, frame, event, value):
        return self.line if frame.f_code.co_filename in FILES else None

    def line(self, frame, event, value):
        if event == "line":
            self.left -= 1
            if self.left == 0:
                self.there.set()
                self.go_on.wait(MEANWHILE_S)
        return self.line


def loses_its_first_box(pool, box, job):
    assert not box.interrupted.is_set()
    return BoxLost("killed") if box.number == 0 else None


def pool_of(script):
    """A pool whose script also gets the pool."""
    factory = Factory(lambda box, job: script(made, box, job))
    made = Pool(factory, workers=2, spares=1)
    return made, factory


def moments(monkeypatch, script=loses_its_first_box):
    """Pools with a batch, one of whose threads stands at the next line each time; with its boxes, and a function that lets it go on."""
    monkeypatch.setattr("sandboxes.warm_boxes.POLL_S", 0.01)
    for number in itertools.count(1):
        still = StandStill(number)
        monkeypatch.setattr(threading, "_trace_hook", still)
        made, factory = pool_of(script)
        batch = made.submit(jobs(2), None)
        batch.add_done_callback(lambda _, still=still: still.there.set())
        assert still.there.wait(BOUND_S)
        yield made, batch, factory.boxes, still.go_on.set
        made.close()
        assert all(box.closed for box in factory.boxes), number
        if still.left > 0:
            break
    assert number > 100


@pytest.mark.slow
def test_no_box_outlives_its_pool_at_whichever_line_that_is_closed(monkeypatch):
    for made, batch, _, go_on in moments(monkeypatch):
        made.close_boxes()
        go_on()
        assert not wait([batch], BOUND_S).not_done
        assert batch.cancelled() or isinstance(batch.exception(), SandboxError | CancelledError | None)


@pytest.mark.long
def test_no_box_of_a_batch_runs_another_job_at_whichever_line_that_was_cancelled(monkeypatch):
    for made, batch, boxes, go_on in moments(monkeypatch):
        cancelled = batch.cancel()
        go_on()
        until(lambda made=made: not made._in_use)
        assert said(made.submit(jobs(4), None).result(BOUND_S)) == ["0", "1", "2", "3"]
        assert cancelled or not any(box.interrupted.is_set() for box in boxes)
        assert not any(box.interrupted.is_set() for box in made._boxes)


def needs_a_spare(pool, box, job):
    if job.stdin == "1":
        until(lambda: len(pool._boxes) == 2)
    return loses_its_first_box(pool, box, job)


@pytest.mark.slow
def test_a_box_in_use_has_a_spare_beside_it_at_whichever_line_a_thread_stood(monkeypatch):
    for _, batch, _, _ in moments(monkeypatch, needs_a_spare):
        assert said(batch.result(2 * BOUND_S)) == ["0", "1"]


ENDS = """
import atexit, threading
atexit.register(lambda: report())  # runs last
from concurrent.futures import thread
from toy_pool import Factory, jobs, until
from sandboxes.connection import BoxLost
from sandboxes.pool import Pool

begun = threading.Event()

def loses_its_boxes(box, job):
    begun.set()
    until(lambda: thread._shutdown)  # as it is from the main thread's end on
    return BoxLost("killed")

def report():
    print(batch.exception(), "-", *[box.closed for box in factory.boxes])

factory = Factory(loses_its_boxes)
batch = Pool(factory, workers=1, spares=0).submit(jobs(1), None)
begun.wait()
"""


def run(program):
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, check=False, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=BOUND_S
    )


def test_no_box_outlives_the_interpreter():
    made = run(ENDS)
    reason, _, closed = made.stdout.strip().partition(" - ")
    assert reason.startswith(("no box can start: ", "the sandbox is closed")), made.stderr
    assert closed == "True"


QUEUED = """
import atexit, time
atexit.register(lambda: print(type(batch.exception()).__name__, len(begun) < 100))  # runs last
from concurrent.futures import thread
from toy_pool import Factory, jobs, until
from sandboxes.pool import Pool

begun = []

def slow(box, job):
    begun.append(job)
    until(lambda: thread._shutdown)  # as it is from the main thread's end on
    time.sleep(0.2)

batch = Pool(Factory(slow), workers=2, spares=0).submit([job for n in range(200) for job in jobs(1, str(n))], None)
until(lambda: begun)
"""


def test_the_interpreter_does_not_wait_for_what_is_queued():
    made = run(QUEUED)
    assert made.stdout.split() == ["SandboxError", "True"], made.stderr


@pytest.mark.parametrize("at", [range(1, 100), *([number] for number in range(1, 6))])
def test_no_job_waits_for_a_thread_that_does_not_start(at, monkeypatch):
    calls = itertools.count(1)
    start = threading.Thread.start

    def may_fail(thread):
        if next(calls) in at:
            raise RuntimeError("can't start new thread")
        start(thread)

    made, factory = pool_of(loses_its_first_box)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", may_fail)
        batches = [made.submit(jobs(2, str(number)), None) for number in range(3)]
        assert [said(batch.result(BOUND_S)) for batch in batches] == [["0", "1"]] * 3
    until(lambda: not made._starting)
    assert len(made._boxes) <= 3
    made.close()
    assert all(box.closed for box in factory.boxes)


def test_no_caller_runs_a_job_that_a_thread_will_take(monkeypatch):
    start, ran = threading.Thread.start, set()

    def only_the_first(thread):
        if thread.name == "sandbox_1":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", only_the_first)
    made, _ = pool_of(lambda pool, box, job: ran.add(threading.current_thread().name))
    for batch in [made.submit(jobs(2, str(number)), None) for number in range(3)]:
        assert said(batch.result(BOUND_S)) == ["0", "1"]
    assert ran == {"sandbox_0"}
    made.close()


def test_a_closed_pool_says_so():
    made, _ = pool_of(loses_its_first_box)
    made.close()
    error = made.submit(jobs(40, "p"), None).exception(BOUND_S)
    assert str(error) == "the sandbox is closed; open a new one"
