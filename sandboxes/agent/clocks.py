"""The clocks of one run: CPU seconds, and seconds asleep. Time in which a program is ready and gets no core is not its own."""

import time
from collections.abc import Callable
from random import SystemRandom

from .cleanup import descendants
from .receive import REPORT
from .usage import is_asleep, namespace_cpu, started_cpu

__all__ = ["BUSY", "PATIENCE", "Clocks"]

FIRST_LOOK_S = 0.02
"""Until then nobody looks at a program, and what the processes used that it may have started is let go."""
PACE_S = 0.25
"""Longest time between two looks; the shortest one is half of the time the program has run. It is drawn at random: no program
can be awake just for them."""
QUICK_S = 0.001
"""No process that a program starts does much in a call of so few seconds."""
SLICE_S = 0.005
"""Shortest sleep between two looks."""
STARTUP_S = 3.0
"""A fork that has its job may take so long to get ready (it imports what the program names) before the clocks run."""
PATIENCE = 5
"""On a machine with too few cores, a program that is ready to run may take this multiple of its wall limit."""
STALL_S = 1.0
"""A wait that takes so much longer than it was to take means that the box stood still: the machine was suspended or moved, the container
paused. 62 busy processes of one program on two cores do not keep the supervisor waiting for so long."""
random = SystemRandom()
BUSY = "busy"
"""The limit of a program that got no core for so long: our failure, not the program's."""


class Clocks:
    """When a program began, what it used since, and which of its limits it exceeds.

    Whether it sleeps is a sample: the time since the last look counts as asleep if all its threads and processes are asleep now.
    """

    def __init__(self, pid: int, limits: tuple[float, ...], *, whole_namespace: bool) -> None:
        self.pid, self.whole_namespace = pid, whole_namespace
        self.cpu_s, self.wall_s, self.total_cpu_s = limits[:3]
        self.total_wall_s = limits[7]
        self.clock = (~pid << 3) | 2  # the kernel's name for the process's CPU clock (clock_getcpuclockid)
        self.used = 0.0
        """CPU seconds of the process before the program began."""
        self.used = self.cpu(0.0)
        self.start = self.handed = self.awake = time.monotonic()
        self.started = self.idle = self.was_asleep = False
        self.asleep_s = self.unjudged_s = 0.0
        """Seconds asleep; and those, beyond CPU seconds, of which only the next look will say."""
        self.looked = self.next_look = self.start
        self.looked_cpu = self.call_usage = 0.0
        self.first_usage: float | None = None
        self.call_wall, self.call_cpu, self.call_asleep = self.start, 0.0, 0.0
        """Where the clocks stood when the call began that runs now."""

    def begin(self, report: bytes, taken: Callable[[], bool]) -> bool:
        """Take the fork's report, with which the clocks begin, if that was not done yet; True once they run. It came before anything of
        the program, but what the program did since may have taken it out of the pipe: so no more is believed than can be true.
        """
        if self.started:
            return True
        now = self.now()
        start, used = self.handed, self.used
        if len(report) >= REPORT.size:
            start, cpu = REPORT.unpack_from(report)
            start = min(max(start, self.handed), now) if start == start else self.handed  # noqa: PLR0124  (not NaN)
            used = min(max(cpu, used), used + start - self.handed) if cpu == cpu else used  # noqa: PLR0124
        elif now - self.handed <= STARTUP_S:
            return False
        elif not taken():
            self.handed = now  # on a busy machine no core was free for it
            return False
        else:
            start = self.handed + STARTUP_S
        self.started = True
        self.start = self.call_wall = self.looked = start
        self.next_look = start + min(FIRST_LOOK_S, self.cpu_s, self.wall_s)
        self.used = used
        return True

    def cpu(self, otherwise: float) -> float:
        """CPU seconds of the program's own process; `otherwise` once it has ended."""
        try:
            return time.clock_gettime(self.clock) - self.used
        except OSError:
            return otherwise

    def now(self, waited_s: float = 0.0) -> float:
        """The time, of which at most `waited_s` since the last reading were a wait. Much more than that means that the box stood
        still, which takes no time from anybody.
        """
        now = time.monotonic()
        stall, self.awake = now - self.awake - waited_s, now
        if stall > STALL_S:
            self.handed += stall
            self.start += stall
            self.looked += stall
            self.next_look += stall
            self.call_wall += stall
        return now

    def patience_ms(self) -> float:
        """Milliseconds until the next look."""
        if not self.started:
            return 1000 * SLICE_S
        now = self.now()
        return 1000 * max(self.next_look - now, SLICE_S)

    def look(self) -> str | None:
        """The limit that the program exceeds; None if it exceeds none, or if it is too early for a look."""
        now, cpu = self.now(), self.cpu(self.looked_cpu)
        if now < self.next_look:
            return None
        usage = self._usage(cpu)
        if self.first_usage is None:
            self.first_usage, self.call_usage = usage - cpu, usage - (cpu - self.call_cpu)
        if not self.idle:
            self.was_asleep = is_asleep(self.pid)
            self._charge(now, cpu)
        in_all = max(cpu, usage - self.first_usage)
        call = max(cpu - self.call_cpu, usage - self.call_usage)
        asleep_s, wall_s = self.asleep_s - self.call_asleep, now - self.call_wall
        if 0 <= self.total_cpu_s < in_all or call > self.cpu_s:
            return "cpu"
        if 0 <= self.total_wall_s < self.asleep_s or (asleep_s + call > self.wall_s < wall_s and not self.idle):
            return "wall"
        if wall_s > PATIENCE * self.wall_s and not self.idle:
            return "wall" if self._may_keep_itself_waiting() else BUSY
        left = [self.cpu_s - call, self.wall_s - asleep_s - call]
        left += [self.total_cpu_s - in_all] if self.total_cpu_s >= 0 else []
        left += [self.total_wall_s - self.asleep_s] if self.total_wall_s >= 0 else []
        pace = min(max(now - self.start, FIRST_LOOK_S), PACE_S) * random.uniform(0.5, 1.0)
        self.next_look = now + max(min(*left, pace), SLICE_S)
        return None

    def next_call(self) -> tuple[float, float]:
        """A call was answered: its CPU and wall seconds. The clocks start anew for the next one."""
        now, cpu = self.now(), self.cpu(self.looked_cpu)
        spent = max(cpu - self.call_cpu, 0.0), now - self.call_wall
        self.call_wall, self.call_cpu, self.call_asleep = now, cpu, self.asleep_s
        if spent[1] > QUICK_S or now - self.start > self.cpu_s:
            self.call_usage = self._usage(cpu)
        else:  # a reading would take as long; without it, what other processes used meanwhile counts for the next call, too
            self.call_usage += spent[0]
        return spent

    def rest(self, *, idle: bool) -> None:
        """In a session: the program waits for the host from here on, or no more."""
        now, cpu = self.now(), self.cpu(self.looked_cpu)
        self._pass(now, cpu)
        if not idle:
            self.call_usage += max(cpu - self.call_cpu, 0.0)
            self.call_wall, self.call_cpu = now, cpu
        self.idle = idle

    def end(self, cpu_s: float) -> None:
        """The run is over, in which all its processes used so many CPU seconds. The time since the last look is as that found it."""
        self._charge(self.now(), max(cpu_s, self.looked_cpu))

    def _charge(self, now: float, cpu: float) -> None:
        self._pass(now, cpu)
        if self.was_asleep:
            self.asleep_s += self.unjudged_s
        self.unjudged_s = 0.0

    def _pass(self, now: float, cpu: float) -> None:
        if not self.idle:
            self.unjudged_s += max(now - self.looked - max(cpu - self.looked_cpu, 0.0), 0.0)
        self.looked, self.looked_cpu = now, cpu

    def _may_keep_itself_waiting(self) -> bool:
        """Whether the program started processes, some of whose CPU seconds nobody may have counted: the cores may be theirs."""
        return not self._has_counter() and bool(descendants(self.pid))

    def _usage(self, cpu: float) -> float:
        """CPU seconds of all processes of the box so far; without a counter, those of the program and of what it started."""
        return namespace_cpu.read() if self._has_counter() else cpu + started_cpu(self.pid)

    def _has_counter(self) -> bool:
        return self.whole_namespace and namespace_cpu.is_open
