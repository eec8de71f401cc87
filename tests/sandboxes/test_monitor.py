"""The supervisor's account of one run: each wait for the end of a process has one answer, whenever the process ends."""

import os
import signal
import time

import pytest

from sandboxes.agent.monitor import Channels, Monitor
from sandboxes.agent.receive import REPORT, SCRIPT

PROGRAM = 4_000_000
NO_TOTAL = -1.0


class Namespace:
    """A forker and the processes of a box, of which `killed` is what ends some of them by themselves just before a kill."""

    def __init__(self, strays, *, ends):
        self.alive = [PROGRAM, *range(1, strays + 1)]
        self.zombies = []
        self.asked = self.answered = 0
        self.ends = ends
        self.control, self._answer = os.pipe()
        self.whole_namespace = True
        self.unread = []
        if ends == "at once":
            self._end()

    def wait(self):
        assert self.asked == self.answered, "one wait at a time"
        self.asked += 1
        self._reap()

    def kill_all(self):
        if self.ends == "before the kill":
            self._end()
        left = bool(self.alive or self.zombies)
        while self.alive:
            self._end()
        return left

    def ended(self):
        os.read(self.control, 1)  # as the supervisor does, for ever where no answer comes
        self.answered += 1
        return self.unread.pop(0), signal.SIGKILL, 0.0, 0

    def _end(self):
        if self.alive:
            self.zombies.append(self.alive.pop(0))
            self._reap()

    def _reap(self):
        if self.zombies and self.asked > self.answered and not self.unread:
            self.unread.append(self.zombies.pop(0))
            os.write(self._answer, b"x")


@pytest.mark.parametrize("strays", range(3))
@pytest.mark.parametrize("ends", ["at once", "before the kill", "when killed"])
def test_each_wait_has_its_answer(ends, strays):
    forks = Namespace(strays, ends=ends)
    out, write = os.pipe()
    os.write(write, REPORT.pack(time.monotonic(), 0.0))
    limits = (0.05, 0.05, NO_TOTAL, 1000, 0, 0, 0, NO_TOTAL, 1)
    channels = Channels(out, os.pipe()[0], os.pipe()[0])
    forks.wait()
    monitor = Monitor(forks, PROGRAM, SCRIPT, limits, channels, lambda: True)
    monitor.run()
    assert forks.asked == forks.answered
    assert not forks.alive
    assert not forks.zombies
    assert (monitor.facts.limit is None) is (ends == "at once")
