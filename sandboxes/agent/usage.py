"""What the kernel counts of a box and its processes."""

import contextlib
import os

from .cleanup import descendants, read

__all__ = ["Facts", "OomKills", "is_asleep", "namespace_cpu", "oom_kills", "started_cpu"]


class Facts:
    """What the supervisor saw."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.signal: int | None = None
        self.limit: str | None = None
        self.cpu_s = 0.0
        self.wall_s = 0.0
        self.asleep_s = 0.0
        self.memory_kb = 0
        self.truncated = False
        self.oom_killed = False
        """The kernel killed a process of the box, which had met its memory limit."""
        self.times: list[tuple[int, float, float]] = []
        """Result lines that came together: how many, CPU and wall seconds of each of them."""


class Counter:
    """A number in a kernel file that stays open; 0 where no file can be read. The first of two names is cgroup v1's."""

    def __init__(self, *sources: tuple[str, str, float]) -> None:
        self.fd, self.key, self.scale = -1, b"", 1.0
        for path, key, scale in sources:
            with contextlib.suppress(OSError):
                self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                self.key, self.scale = key.encode(), scale
                break

    @property
    def is_open(self) -> bool:
        """Whether there is such a file here."""
        return self.fd >= 0

    def read(self) -> float:
        """Its value now."""
        if not self.is_open:
            return 0.0
        words = os.pread(self.fd, 4096, 0).split()
        if not self.key:
            return int(words[0]) / self.scale
        return int(words[words.index(self.key) + 1]) / self.scale if self.key in words else 0.0


namespace_cpu = Counter(
    ("/sys/fs/cgroup/cpuacct/cpuacct.usage", "", 1e9), ("/sys/fs/cgroup/cpu.stat", "usage_usec", 1e6)
)
"""CPU seconds of this box so far, the agent's included."""


class OomKills:
    """What the kernel kills in this box because memory has run out: the box's own, or that of others together with it."""

    NEAR_BYTES = 4 << 20
    """So near to its limit, a box of cgroup v1 has met it. Not every kernel counts there how often it did."""

    def __init__(self, root: str = "/sys/fs/cgroup") -> None:
        old = root + "/memory/memory"
        self._kills = Counter((old + ".oom_control", "oom_kill", 1), (root + "/memory.events", "oom_kill", 1))
        self._hits = Counter((root + "/memory.events", "oom", 1))
        self._most = Counter((old + ".memsw.max_usage_in_bytes", "", 1), (old + ".max_usage_in_bytes", "", 1))
        self._limit = Counter((old + ".memsw.limit_in_bytes", "", 1), (old + ".limit_in_bytes", "", 1))
        self._before = self._kills.read(), self._hits.read()

    def look(self) -> str | None:
        """Of kills since the last look, whose memory ran out: `own` or `outside`; None if there are none."""
        kills, hits = self._before
        self._before = self._kills.read(), self._hits.read()
        if self._before[0] == kills:
            return None
        if self._hits.is_open:
            return "own" if self._before[1] > hits else "outside"
        return "own" if self._most.read() >= self._limit.read() - self.NEAR_BYTES else "outside"


oom_kills = OomKills()


def started_cpu(pid: int) -> float:
    """CPU seconds of the processes that a process started: of those that run, and those that it has waited for."""
    ticks = 0
    for process in (pid, *descendants(pid)):
        with contextlib.suppress(OSError):
            numbers = read(f"/proc/{process}/stat").rpartition(") ")[2].split()
            own, waited = numbers[11:13], numbers[13:15]
            ticks += sum(map(int, waited if process == pid else own + waited))
    return ticks / os.sysconf("SC_CLK_TCK")


ENDED = ("Z", "X", "")
"""States of a thread that has ended; the last one where it is gone while it is looked at."""


def is_asleep(pid: int) -> bool:
    """True if the process lives, and no thread of it or of one that it started runs or waits for a core. One that has ended is not
    asleep, however late its end is heard of.
    """
    lives = False
    for process in (pid, *descendants(pid)):
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208
                state = read(f"/proc/{process}/task/{task}/stat").rpartition(") ")[2][:1]
                if state == "R":
                    return False
                lives = lives or (process == pid and state not in ENDED)
    return lives
