"""Watch one program from outside: clocks, output caps, exit; then end everything it started."""

import contextlib
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Sequence
from os import pidfd_open
from os import read as read_fd
from select import POLLIN

from .clean import kill_all, read
from .intake import REPORT, SESSION
from .wire import Scratch

__all__ = ["Facts", "Watch"]

CHUNK = 1 << 18
FIRST_LOOK_S = 0.25
"""Until then nobody asks what the processes used that the program may have started: what they use before is let go."""
QUICK_S = 0.005
"""In less time no program fills a box's memory."""
SLICE_S = 0.005
"""Shortest sleep between two looks at the CPU clock."""
HEAD_START_MS = 1000 * SLICE_S
"""So long nobody looks at a program that has just begun, unless it ends. Its output waits in the pipes."""
REPORT_BYTES = REPORT.size
TICK_S = 0.02
"""How often a file of results is looked at; the precision of a call's own deadline."""
PATIENCE = 5
"""On a machine with too few cores, a program that is ready to run may take this multiple of its wall limit."""


class Facts:
    """What the agent saw."""

    __slots__ = ("cpu_s", "exit_code", "limit", "memory_kb", "signal", "times", "truncated", "wall_s")

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.signal: int | None = None
        self.limit: str | None = None
        self.cpu_s = 0.0
        self.wall_s = 0.0
        self.memory_kb = 0
        self.truncated = False
        self.times: list[tuple[int, float, float]] = []
        """Result lines that came together: how many, CPU and wall seconds of each of them."""


class Watch:
    """Watches one run after the other. `out`, `err` and `result` are the places for what a run brings.

    It is made once, and `expect` readies it before the job is there: each object that is made while a job runs is a page more
    to copy.
    """

    def __init__(self, places: Sequence[Scratch], *, whole_namespace: bool) -> None:
        self.out, self.err, self.result = places
        self.whole_namespace = whole_namespace
        self.oom_base = oom_kills.read()

    def expect(self, out: int, err: int, talk: int) -> None:
        """A fork is about to be made that will report on `talk` what to do. All three are read ends of its pipes."""
        self.pipes = {out: self.out, err: self.err, talk: self.result}
        self.talk = talk
        for fd in self.pipes:
            os.set_blocking(fd, False)
        self.facts = Facts()
        self.poll = select.poll()
        self.poll.register(talk, POLLIN)
        self.result_file = self.host = -1
        self.on_host: Callable[[], int] | None = None
        self.on_result: Callable[[memoryview], None] | None = None
        self.by_line = self.idle = False

    def told(self, pid: int) -> bytes:
        """The fork's report; empty where it ended without one.

        A script, or calls that came with it, is left alone for a moment: most are over by then, and a page that is touched after
        the fork's end needs no copy.
        """
        talk, poll = self.talk, self.poll
        self.pid = pid
        self.pidfd = pidfd = pidfd_open(pid)
        poll.register(pidfd, POLLIN)
        report = b""
        for fd, _ in poll.poll():
            if fd == talk:
                report = read_fd(fd, REPORT_BYTES)
                poll.unregister(fd)
                if report[0] < SESSION:
                    poll.poll(HEAD_START_MS)
        for fd in self.pipes:
            poll.register(fd, POLLIN)
        return report

    def calls(self, result_file: int) -> None:
        """The limits count anew for each line of results, which are in a file that is looked at now and then: a quick call
        costs no wake-up, and a crash loses none.
        """
        self.by_line = True
        self.result_file = result_file
        self.poll.unregister(self.talk)
        del self.pipes[self.talk]

    def session(self, host: int, on_host: Callable[[], int], on_result: Callable[[memoryview], None]) -> None:
        """The host feeds the program one call at a time and is sent each result as it comes; between two calls the wall clock
        stands still. `on_host` takes what the host sends, and says how many lines the program owes for it.
        """
        self.by_line = True
        self.host, self.on_host, self.on_result = host, on_host, on_result
        self.poll.register(host, select.POLLIN)

    def run(self, limits: Sequence[float], start: float, used: float) -> Facts:
        """Until the program ends or a limit ends it. Afterwards no process of it is left, but its output is still in the pipes.

        `start` and `used`: the clock and the process's CPU seconds when the program began.
        """
        self.cpu_s, self.wall_s, self.total_s, output_bytes = limits[:4]
        self.output_bytes = int(output_bytes)
        self.owed = limits[7]
        self.used = used
        self.start = self.mark_wall = start
        self.mark_cpu = self.mark_queued = 0.0
        self.mark_usage: float | None = None
        self.clock = (~self.pid << 3) | 2  # the kernel's name for the process's CPU clock (clock_getcpuclockid)
        facts = self.facts
        facts.cpu_s = -used
        status = None
        try:
            while status is None and facts.limit is None:
                for fd, _ in self.poll.poll(self._patience()):
                    if fd == self.pidfd:
                        _, status, usage = os.wait4(self.pid, 0)
                        self._add(usage)
                    elif fd == self.host:
                        self._hear_host()
                    elif not self._read(fd):
                        self.poll.unregister(fd)
                if status is None:
                    if self.result_file >= 0:
                        self._look()
                    self._check_clocks()
        finally:
            os.close(self.pidfd)
            status = self._kill(status)
        facts.wall_s = time.monotonic() - start
        facts.cpu_s = max(facts.cpu_s, 0.0)
        if facts.limit is None and facts.cpu_s > self.cpu_s and not self.by_line:
            facts.limit = "cpu"
        if os.WIFSIGNALED(status):
            facts.signal = os.WTERMSIG(status)
            if facts.limit is None and facts.signal == signal.SIGXCPU:
                facts.limit = "cpu"
            if facts.limit is None and facts.signal == signal.SIGKILL and oom_kills.read() > self.oom_base:
                facts.limit = "memory"
        elif facts.limit is None:
            facts.exit_code = os.WEXITSTATUS(status)
        if facts.wall_s > QUICK_S:
            self.oom_base = oom_kills.read()
        return facts

    def drain(self) -> None:
        """Take the output that is still in the pipes, once their other ends are closed."""
        if self.result_file >= 0:
            self._look()
        for fd in self.pipes:
            while self.facts.limit != "output" and self._read(fd):
                pass

    def _patience(self) -> float:
        """Milliseconds until a clock could run out; CPU time can't pass faster than wall time in a box of one core."""
        if self.mark_usage is None:  # just begun: no need to read any clock
            wait = min(self.cpu_s, self.wall_s, FIRST_LOOK_S)
        else:
            wait = min(
                self.mark_wall + self.wall_s - time.monotonic(),
                self.cpu_s - (self._cpu() - self.mark_cpu),
            )
        if self.total_s >= 0:
            wait = min(wait, self.total_s - self._cpu())
        if self.result_file >= 0:
            wait = min(wait, TICK_S)
        return max(wait, SLICE_S) * 1000

    def _cpu(self) -> float:
        try:
            return time.clock_gettime(self.clock) - self.used
        except OSError:
            return self.mark_cpu

    def _check_clocks(self) -> None:
        now = time.monotonic()
        if self.mark_usage is None:
            if now - self.start < min(self.cpu_s, self.wall_s, FIRST_LOOK_S):
                return
            self.mark_usage = namespace_cpu.read() - self._cpu()
        if 0 <= self.total_s <= now - self.start and self._cpu() > self.total_s:
            self.facts.limit = "cpu"
            return
        if now - self.mark_wall < min(self.cpu_s, self.wall_s):
            return
        own = self._cpu() - self.mark_cpu
        total = namespace_cpu.read() - self.mark_usage if self.whole_namespace else 0.0  # with the processes it started
        if max(own, total) > self.cpu_s:
            self.facts.limit = "cpu"
        elif now - self.mark_wall > self.wall_s and not self.idle:
            waited = queued_s(self.pid) - self.mark_queued
            if now - self.mark_wall - waited > self.wall_s or now - self.mark_wall > PATIENCE * self.wall_s:
                self.facts.limit = "wall"

    def _hear_host(self) -> None:
        if self.on_host is not None:
            self.owed += self.on_host()
        self.idle = False
        self.mark_wall, self.mark_cpu = time.monotonic(), self._cpu()

    def _look(self) -> None:
        """Take new results from the file."""
        before = self.result.used
        while self.result.fill_from_file(self.result_file, CHUNK):
            pass
        if self.result.used > before:
            self._laps(self.result.memory[before : self.result.used].count(b"\n"))
        if self.result.used == self.result.size:
            self.facts.limit, self.facts.truncated = "output", True

    def _laps(self, lines: int) -> None:
        """Result lines came: note their times, in equal shares, and start the clocks anew for the next. A program that says more
        than it was asked gets no time for it.
        """
        lines = int(min(lines, self.owed))
        if not lines:
            return
        self.owed -= lines
        self.idle = self.on_result is not None
        now, cpu = time.monotonic(), self._cpu()
        share = (max(cpu - self.mark_cpu, 0.0) / lines, (now - self.mark_wall) / lines)
        self.facts.times.append((lines, *share))
        self.mark_wall, self.mark_cpu = now, cpu
        if now - self.start > self.cpu_s:
            self.mark_usage, self.mark_queued = namespace_cpu.read(), queued_s(self.pid)

    def _read(self, fd: int) -> bool:
        place = self.pipes[fd]
        before = place.used
        if place is self.result:
            room = place.size - place.used
        else:
            room = self.output_bytes - sum(other.used for other in self.pipes.values() if other is not self.result)
        if room <= 0:
            self.facts.limit, self.facts.truncated = "output", True
            return False
        try:
            if not place.fill_from(fd, min(CHUNK, room)):
                return False
        except BlockingIOError:
            return False
        if place is self.result and self.by_line:
            self._laps(place.memory[before : place.used].count(b"\n"))
            if self.on_result is not None:
                self.on_result(place.view[before : place.used])
        return True

    def _add(self, usage: resource.struct_rusage) -> None:
        self.facts.cpu_s += usage.ru_utime + usage.ru_stime
        self.facts.memory_kb = max(self.facts.memory_kb, usage.ru_maxrss)

    def _kill(self, status: int | None) -> int:
        """Kill and reap whatever is left; the program's own exit status."""
        while kill_all(self.pid, whole_namespace=self.whole_namespace):
            try:
                pid, found, usage = os.wait4(-1, 0)
            except ChildProcessError:
                break
            self._add(usage)
            if pid == self.pid:
                status = found
        return signal.SIGKILL if status is None else status


class Counter:
    """A number in a kernel file that stays open; 0 where no file can be read. The first of two names is cgroup v1's."""

    def __init__(self, *sources: tuple[str, str, float]) -> None:
        self.fd, self.key, self.scale = -1, b"", 1.0
        for path, key, scale in sources:
            with contextlib.suppress(OSError):
                self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                self.key, self.scale = key.encode(), scale
                break

    def read(self) -> float:
        """Its value now."""
        if self.fd < 0:
            return 0.0
        words = os.pread(self.fd, 4096, 0).split()
        if not self.key:
            return int(words[0]) / self.scale
        return int(words[words.index(self.key) + 1]) / self.scale if self.key in words else 0.0


namespace_cpu = Counter(
    ("/sys/fs/cgroup/cpuacct/cpuacct.usage", "", 1e9), ("/sys/fs/cgroup/cpu.stat", "usage_usec", 1e6)
)
"""CPU seconds of this box so far, the agent's included."""
oom_kills = Counter(
    ("/sys/fs/cgroup/memory/memory.oom_control", "oom_kill", 1), ("/sys/fs/cgroup/memory.events", "oom_kill", 1)
)
"""Processes of this box that the kernel has killed for memory so far."""


def queued_s(pid: int) -> float:
    """How long the process stood ready but had no core, in its worst-off thread: not its own doing."""
    longest = 0.0
    with contextlib.suppress(OSError, ValueError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            words = read(f"/proc/{pid}/task/{task}/schedstat").split()
            longest = max(longest, int(words[1]) / 1e9)
    return longest
