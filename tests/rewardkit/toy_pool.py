"""Boxes that answer with their number and fail on command, and the jobs for them."""

import threading
import time

from sandboxes import Execution, Job


class Silent:
    def __init__(self, box):
        self.box = box

    def silent(self):
        return not self.box.dead


class ToyBox:
    """Answers with its own number; dies when the script says so."""

    isolation = "strong"

    def __init__(self, number, script):
        self.number, self.script = number, script
        self.runs, self.unclean, self.oom_killed, self.closed, self.dead = 0, None, False, False, False
        self.pipe = Silent(self)
        self.interrupted, self.asleep = threading.Event(), threading.Event()
        self.queue = []

    def send(self, job):
        self.queue.append(job)

    def answer(self, job):
        assert self.queue.pop(0) is job
        self.runs += 1
        event = self.script(self, job)
        if isinstance(event, BaseException):
            raise event
        return event or (lambda: Execution(exit_code=0, stdout=f"{self.number}:{job.stdin}".encode()))

    def interrupt(self):
        self.interrupted.set()

    def close(self):
        self.closed = True


class Factory:
    def __init__(self, script):
        self.script, self.boxes, self.lock = script, [], threading.Lock()

    def __call__(self):
        with self.lock:
            self.boxes.append(ToyBox(len(self.boxes), self.script))
            return self.boxes[-1]


BOUND_S = 60


"""Nothing here waits for so long, unless it hangs."""


def until(true):
    end = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def jobs(count, program="p"):
    return [Job(program=program, stdin=str(number)) for number in range(count)]


def said(facts):
    return [execution.stdout.decode().partition(":")[2] for execution in facts]
