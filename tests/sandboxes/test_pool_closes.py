"""A pool may be closed, or the interpreter end, while one of its threads stands at any line: no box outlives that."""

import itertools
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, wait
from pathlib import Path

from toy_pool import BOUND_S, Factory, jobs

from sandboxes import SandboxError, lease, pool, warm_boxes
from sandboxes.connection import BoxLost
from sandboxes.pool import Pool

FILES = {module.__file__ for module in (lease, pool, warm_boxes)}
MEANWHILE_S = 0.02
"""How long the thread stands still. If it holds a lock, the pool closes afterwards."""


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


def loses_its_first_box(box, job):
    return BoxLost("killed") if box.number == 0 else None


def closed_at(number, monkeypatch):
    """Close a pool when one of its threads stands at its line of that number. The boxes, and the batch's future; None past the end."""
    still = StandStill(number)
    factory = Factory(loses_its_first_box)
    with monkeypatch.context() as patch:
        patch.setattr("sandboxes.warm_boxes.POLL_S", 0.01)
        patch.setattr(threading, "_trace_hook", still)
        made = Pool(factory, workers=2, spares=1)
        batch = made.submit(jobs(2), None)
        batch.add_done_callback(lambda _: still.there.set())
        assert still.there.wait(BOUND_S)
        made.close_boxes()
        still.go_on.set()
        made._threads.close()
    return factory.boxes, None if still.left > 0 else batch


def test_no_box_outlives_its_pool_at_whichever_line_that_is_closed(monkeypatch):
    for number in itertools.count(1):
        boxes, batch = closed_at(number, monkeypatch)
        assert all(box.closed for box in boxes), number
        if batch is None:
            break
        assert not wait([batch], BOUND_S).not_done
        if not batch.cancelled():
            assert isinstance(batch.exception(), SandboxError | CancelledError | None), number
    assert number > 100


ENDS = """
import atexit, threading
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

atexit.register(report)  # runs last
factory = Factory(loses_its_boxes)
batch = Pool(factory, workers=1, spares=0).submit(jobs(1), None)
begun.wait()
"""


def test_no_box_outlives_the_interpreter():
    made = subprocess.run(
        [sys.executable, "-c", ENDS],
        check=False,
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=BOUND_S,
    )
    reason, _, closed = made.stdout.strip().partition(" - ")
    assert reason.startswith("no box can start: "), made.stderr
    assert closed == "True"


def test_a_closed_pool_says_so():
    made = Pool(Factory(loses_its_first_box), workers=1, spares=1)
    made.close()
    error = made.submit(jobs(40, "p"), None).exception(BOUND_S)
    assert str(error) == "the sandbox is closed; open a new one"
