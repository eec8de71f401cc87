"""Watch one program from outside: clocks, output caps, exit; then end everything it started."""

import contextlib
import os
import resource
import select
import signal
import time
from collections.abc import Callable

from .clean import kill_all, read
from .wire import Scratch

__all__ = ["Facts", "Watch"]

CHUNK = 1 << 18
SLICE_S = 0.005
"""Shortest sleep between two looks at the CPU clock."""
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
    """One run. `pipes` are the read ends of the program's pipes, each with a place for its bytes; `result` has the results.

    `by_line`: the limits count anew for each line of results. `result_file`: the results are in a file that is looked at now
    and then, so that a quick call costs no wake-up, and a crash loses none. `host`, `on_host`, `on_result`: the host feeds the
    program one call at a time and is sent each result as it comes; between two calls the wall clock stands still.
    `start` and `used`: the clock and the process's CPU seconds when the program began.
    """

    def __init__(
        self,
        pid: int,
        pipes: dict[int, Scratch],
        result: Scratch,
        *,
        start: float,
        used: float,
        result_file: int = -1,
        cpu_s: float,
        wall_s: float,
        total_s: float | None,
        output_bytes: int,
        whole_namespace: bool,
        by_line: bool = False,
        host: int = -1,
        on_host: Callable[[], None] | None = None,
        on_result: Callable[[memoryview], None] | None = None,
    ) -> None:
        self.pid = pid
        self.pipes = pipes
        self.result = result
        self.result_file = result_file
        self.cpu_s = cpu_s
        self.wall_s = wall_s
        self.total_s = total_s
        self.output_bytes = output_bytes
        self.whole_namespace = whole_namespace
        self.by_line = by_line
        self.host = host
        self.on_host = on_host
        self.on_result = on_result
        self.idle = False
        self.facts = Facts()
        self.facts.cpu_s = -used
        self.used = used
        self.clock = (~pid << 3) | 2  # the kernel's name for the process's CPU clock (clock_getcpuclockid)
        self.start = self.mark_wall = start
        self.mark_cpu = 0.0
        self.mark_usage = namespace_cpu.read()
        self.mark_queued = 0.0
        self.oom_base = oom_kills.read()

    def run(self) -> Facts:
        """Until the program ends or a limit ends it. Afterwards no process of it is left."""
        pidfd = os.pidfd_open(self.pid)
        poll = select.poll()
        for fd in (*self.pipes, pidfd, *((self.host,) if self.host >= 0 else ())):
            poll.register(fd, select.POLLIN)
        status = None
        try:
            while status is None and self.facts.limit is None:
                for fd, _ in poll.poll(self._patience()):
                    if fd == pidfd:
                        _, status, usage = os.wait4(self.pid, 0)
                        self._add(usage)
                    elif fd == self.host:
                        self._hear_host()
                    elif not self._read(fd):
                        poll.unregister(fd)
                if status is None:
                    if self.result_file >= 0:
                        self._look()
                    self._check_clocks()
        finally:
            os.close(pidfd)
            status = self._end(status)
        self.facts.wall_s = time.monotonic() - self.start
        self.facts.cpu_s = max(self.facts.cpu_s, 0.0)
        if self.facts.limit is None and self.facts.cpu_s > self.cpu_s and not self.by_line:
            self.facts.limit = "cpu"
        if os.WIFSIGNALED(status):
            self.facts.signal = os.WTERMSIG(status)
            if self.facts.limit is None and self.facts.signal == signal.SIGXCPU:
                self.facts.limit = "cpu"
            if self.facts.limit is None and self.facts.signal == signal.SIGKILL and oom_kills.read() > self.oom_base:
                self.facts.limit = "memory"
        elif self.facts.limit is None:
            self.facts.exit_code = os.WEXITSTATUS(status)
        return self.facts

    def _patience(self) -> float:
        """Milliseconds until a clock could run out; CPU time can't pass faster than wall time in a box of one core."""
        wall = self.mark_wall + self.wall_s - time.monotonic()
        cpu = self.cpu_s - (self._cpu() - self.mark_cpu)
        total = cpu if self.total_s is None else self.total_s - self._cpu()
        tick = TICK_S if self.result_file >= 0 else wall
        return max(min(wall, cpu, total, tick), SLICE_S) * 1000

    def _cpu(self) -> float:
        try:
            return time.clock_gettime(self.clock) - self.used
        except OSError:
            return self.mark_cpu

    def _check_clocks(self) -> None:
        now = time.monotonic()
        if self.total_s is not None and now - self.start >= self.total_s and self._cpu() > self.total_s:
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
            self.on_host()
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
        """Result lines came: note their times, in equal shares, and start the clocks anew for the next."""
        if not lines:
            return
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
                self.idle = True
        return True

    def _add(self, usage: resource.struct_rusage) -> None:
        self.facts.cpu_s += usage.ru_utime + usage.ru_stime
        self.facts.memory_kb = max(self.facts.memory_kb, usage.ru_maxrss)

    def _end(self, status: int | None) -> int:
        """Kill and reap whatever is left, then take the output that still lies in the pipes."""
        while True:
            kill_all(self.pid, whole_namespace=self.whole_namespace)
            try:
                pid, found, usage = os.wait4(-1, 0)
            except ChildProcessError:
                break
            self._add(usage)
            if pid == self.pid:
                status = found
        if self.result_file >= 0:
            self._look()
        for fd in self.pipes:
            while self.facts.limit != "output" and self._read(fd):
                pass
        return status if status is not None else signal.SIGKILL


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
