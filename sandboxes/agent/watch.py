"""Watch one program from outside: clocks, output caps, exit; then end everything it started."""

import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .clean import kill_all
from .wire import Scratch

__all__ = ["Facts", "Watch"]

CHUNK = 1 << 18
SLICE_S = 0.005
"""Shortest sleep between two looks at the CPU clock."""


@dataclass
class Facts:
    """What the agent saw."""

    exit_code: int | None = None
    signal: int | None = None
    limit: str | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_kb: int = 0
    truncated: bool = False
    times: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """CPU and wall seconds of each result line."""


class Watch:
    """One run. `pipes` are the read ends of the program's stdout, stderr and result pipe, each with a place for its bytes.

    `by_line`: the limits count anew for each line of the result pipe. `host`, `on_host`, `on_result`: the host feeds the
    program one call at a time and is sent each result as it comes; between two calls the wall clock stands still.
    """

    def __init__(
        self,
        pid: int,
        pipes: dict[int, Scratch],
        result: int,
        *,
        cpu_s: float,
        wall_s: float,
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
        self.cpu_s = cpu_s
        self.wall_s = wall_s
        self.output_bytes = output_bytes
        self.whole_namespace = whole_namespace
        self.by_line = by_line
        self.host = host
        self.on_host = on_host
        self.on_result = on_result
        self.idle = False
        self.facts = Facts()
        self.clock = (~pid << 3) | 2  # the kernel's name for the process's CPU clock (clock_getcpuclockid)
        self.start = self.mark_wall = time.monotonic()
        self.mark_cpu = 0.0
        self.usage_base = namespace_cpu()
        self.mark_usage = self.usage_base
        self.oom_base = oom_kills()

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
                    self._check_clocks()
        finally:
            os.close(pidfd)
            status = self._end(status)
        self.facts.wall_s = time.monotonic() - self.start
        if self.facts.limit is None and self.facts.cpu_s > self.cpu_s and not self.by_line:
            self.facts.limit = "cpu"
        if os.WIFSIGNALED(status):
            self.facts.signal = os.WTERMSIG(status)
            if self.facts.limit is None and self.facts.signal == signal.SIGXCPU:
                self.facts.limit = "cpu"
            if self.facts.limit is None and self.facts.signal == signal.SIGKILL and oom_kills() > self.oom_base:
                self.facts.limit = "memory"
        elif self.facts.limit is None:
            self.facts.exit_code = os.WEXITSTATUS(status)
        return self.facts

    def _patience(self) -> float:
        """Milliseconds until a clock could run out; CPU time can't pass faster than wall time in a box of one core."""
        wall = self.mark_wall + self.wall_s - time.monotonic()
        cpu = self.cpu_s - (self._cpu() - self.mark_cpu)
        return max(min(wall, cpu), SLICE_S) * 1000

    def _cpu(self) -> float:
        try:
            return time.clock_gettime(self.clock)
        except OSError:
            return self.mark_cpu

    def _check_clocks(self) -> None:
        now = time.monotonic()
        if now - self.mark_wall < min(self.cpu_s, self.wall_s):
            return
        own = self._cpu() - self.mark_cpu
        total = namespace_cpu() - self.mark_usage  # with the processes it started
        if max(own, total) > self.cpu_s:
            self.facts.limit = "cpu"
        elif now - self.mark_wall > self.wall_s and not self.idle:
            self.facts.limit = "wall"

    def _hear_host(self) -> None:
        if self.on_host is not None:
            self.on_host()
        self.idle = False
        self.mark_wall, self.mark_cpu = time.monotonic(), self._cpu()

    def _lap(self) -> None:
        """A result line came: note its times and start the clocks anew for the next."""
        now, cpu = time.monotonic(), self._cpu()
        self.facts.times.append((max(cpu - self.mark_cpu, 0.0), now - self.mark_wall))
        self.mark_wall, self.mark_cpu = now, cpu
        if now - self.start > self.cpu_s:
            self.mark_usage = namespace_cpu()

    def _read(self, fd: int) -> bool:
        place = self.pipes[fd]
        before = place.used
        if fd == self.result:
            room = place.size - place.used
        else:
            room = self.output_bytes - sum(other.used for pipe, other in self.pipes.items() if pipe != self.result)
        if room <= 0:
            self.facts.limit, self.facts.truncated = "output", True
            return False
        try:
            if not place.fill_from(fd, min(CHUNK, room)):
                return False
        except BlockingIOError:
            return False
        if fd == self.result and self.by_line:
            for _ in range(place.memory[before : place.used].count(b"\n")):
                self._lap()
            if self.on_result is not None:
                self.on_result(place.view[before : place.used])
                self.idle = True
        return True

    def _add(self, usage: "os._ResourceUsage") -> None:  # type: ignore[name-defined]
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
        for fd in self.pipes:
            while self.facts.limit != "output" and self._read(fd):
                pass
        return status if status is not None else signal.SIGKILL


def namespace_cpu() -> float:
    """CPU seconds of this box so far, the agent's included; 0.0 where no counter can be read."""
    for path, scale in CPU_COUNTERS:
        try:
            text = path.read_text(encoding="ascii")
        except OSError:
            continue
        return int(text.split()[1] if text.startswith("usage_usec") else text) / scale
    return 0.0


CPU_COUNTERS = ((Path("/sys/fs/cgroup/cpuacct/cpuacct.usage"), 1e9), (Path("/sys/fs/cgroup/cpu.stat"), 1e6))


def oom_kills() -> int:
    """How many processes of this box the kernel has killed for memory so far."""
    for path in OOM_COUNTERS:
        try:
            words = path.read_text(encoding="ascii").split()
        except OSError:
            continue
        return int(words[words.index("oom_kill") + 1]) if "oom_kill" in words else 0
    return 0


OOM_COUNTERS = (Path("/sys/fs/cgroup/memory/memory.oom_control"), Path("/sys/fs/cgroup/memory.events"))
