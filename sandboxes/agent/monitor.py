"""Watch one program from outside: clocks, output and results up to their bounds, its end; then end everything it started."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable
from select import POLLIN, POLLOUT

from .forks import Forks
from .receive import CALLS, REPORT, SCRIPT
from .usage import Facts, namespace_cpu, oom_base, oom_kills, queued_s

__all__ = ["Channels", "Monitor"]

CHUNK = 1 << 18
FIRST_LOOK_S = 0.25
"""Until then nobody asks what the processes used that the program may have started: what they use before is let go."""
QUICK_S = 0.005
"""In less time no program fills a box's memory."""
SLICE_S = 0.005
"""Shortest sleep between two looks at the CPU clock."""
HEAD_START_MS = 1000 * SLICE_S
"""So long nobody looks at a program that has just begun, unless it ends. Its output waits in the pipes."""
STARTUP_S = 3.0
"""A fork that has its job may take so long to get ready (it imports what the program names) before the clocks run."""
TICK_S = 0.02
"""How often a file of results is looked at; the precision of a call's own deadline."""
PATIENCE = 5
"""On a machine with too few cores, a program that is ready to run may take this multiple of its wall limit."""
LINE_BYTES = 1 << 10
"""All results together may have the bytes that one may have, and so many more for each line that is due."""


class Channels:
    """Our ends of what a program reads and writes. `result` is a file in mode `calls`; `feed` takes the calls of a session."""

    def __init__(self, out: int, err: int, result: int, feed: int = -1) -> None:
        self.out, self.err, self.result, self.feed = out, err, result, feed

    def close(self) -> None:
        """Free them."""
        for fd in (self.out, self.err, self.result, self.feed):
            if fd >= 0:
                os.close(fd)


class Monitor:
    """Watches one run."""

    def __init__(
        self,
        forks: Forks,
        pid: int,
        mode: int,
        limits: tuple[float, ...],
        channels: Channels,
        taken: Callable[[], bool],
    ) -> None:
        self.forks, self.pid, self.mode, self.channels, self.taken = forks, pid, mode, channels, taken
        self.cpu_s, self.wall_s, self.total_s, output_bytes = limits[:4]
        self.output_bytes = int(output_bytes)
        self.total_idle_s, self.owed = limits[7:9]
        self.most_lines = self.owed + 1  # and one that says how the program ended
        self.passable = self.owed
        """In a session: lines that the host waits for."""
        self.seen = 0
        self.texts: dict[int, bytearray] = {fd: bytearray() for fd in (channels.out, channels.err, channels.result)}
        self.out, self.err, self.result = self.texts.values()
        for fd in self.texts:
            os.set_blocking(fd, False)
        self.first = b""
        """The first line of a session's results, which was passed on."""
        self.pending = bytearray()
        """What the program of a session has not read yet."""
        self.host = -1
        self.facts = Facts()
        self.poll = select.poll()
        self.poll.register(forks.control, POLLIN)
        self.clock = (~pid << 3) | 2  # the kernel's name for the process's CPU clock (clock_getcpuclockid)
        self.used = 0.0
        self.used = self._cpu(0.0)
        self.start = self.mark_wall = self.handed = time.monotonic()
        self.mark_cpu = self.mark_queued = self.first_usage = 0.0
        self.spent_s = 0.0
        """Wall seconds of the calls before this one."""
        self.mark_usage: float | None = None
        self.started = self.idle = self.feed_ends = self.stopped = False

    def converse(self, host: int, on_host: Callable[[], tuple[str, bytes]], on_result: Callable[[bytes], None]) -> None:
        """In a session: `on_host` takes what the host sends, `on_result` passes a line of results on. The program is fed one call
        at a time, and while none is due, its wall clock stands still, until there will be none.
        """
        self.host, self.on_host, self.on_result = host, on_host, on_result
        os.set_blocking(self.channels.feed, False)

    def run(self) -> Facts:
        """Until the program ends or a limit ends it. Afterwards no process of it is left, but output may still be in the pipes."""
        facts, control = self.facts, self.forks.control
        status: int | None = None
        waits = True
        try:
            if self.poll.poll(HEAD_START_MS):
                status, waits = self._ended()
            for fd in (*self.texts, self.host):
                if fd >= 0 and (self.mode != CALLS or fd != self.channels.result):
                    self.poll.register(fd, POLLIN)
            while status is None and facts.limit is None and not self.stopped:
                for fd, _ in self.poll.poll(self._patience()):
                    if fd == control:
                        status, waits = self._ended()
                    elif fd == self.host:
                        self._hear_host()
                    elif fd == self.channels.feed:
                        self._feed()
                    elif not self._read(fd):
                        self.poll.unregister(fd)
                if status is None and facts.limit is None:
                    while self.mode == CALLS and facts.limit is None and self._read(self.channels.result):
                        pass  # its file is looked at now and then
                    self._check_clocks()
        finally:
            status = self._kill(status, waits=waits)
        self._begin()
        facts.wall_s = time.monotonic() - self.start
        facts.cpu_s = max(facts.cpu_s - self.used, 0.0)
        self._conclude(status)
        return facts

    def drain(self) -> None:
        """Take what is still in the pipes, once their other ends are closed."""
        for fd in self.texts:
            while self.facts.limit != "output" and self._read(fd):
                pass

    def texts_out(self) -> tuple[bytes, bytes, bytes]:
        """stdout, stderr and results."""
        return bytes(self.out[REPORT.size :]), bytes(self.err), self.first + self.result

    def _ended(self) -> tuple[int | None, bool]:
        """A process ended. The program's status if it was the program, and whether another end is waited for."""
        pid, status, cpu_s, memory_kb = self.forks.ended()
        self.facts.cpu_s += cpu_s
        self.facts.memory_kb = max(self.facts.memory_kb, memory_kb)
        if pid == self.pid:
            return status, False
        self.forks.wait()
        return None, True

    def _kill(self, status: int | None, *, waits: bool) -> int:
        """Kill whatever is left and wait for its end; the program's own status. A wait that was begun is always ended, even where
        there was nothing left to kill: its answer would be taken for that of the next job.
        """
        while self.forks.kill_all() or waits:
            if not waits:
                self.forks.wait()
            waits = False
            pid, found, cpu_s, memory_kb = self.forks.ended()
            self.facts.cpu_s += cpu_s
            self.facts.memory_kb = max(self.facts.memory_kb, memory_kb)
            if pid == self.pid:
                status = found
        return signal.SIGKILL if status is None else status

    def _conclude(self, status: int) -> None:
        facts = self.facts
        if facts.limit is None and facts.cpu_s > self.cpu_s and self.mode == SCRIPT:
            facts.limit = "cpu"
        if os.WIFSIGNALED(status):
            facts.signal = os.WTERMSIG(status)
            if facts.limit is None and facts.signal == signal.SIGXCPU:
                facts.limit = "cpu"
            if facts.limit is None and facts.signal == signal.SIGKILL and oom_kills.read() > oom_base[0]:
                facts.limit = "memory"
        elif facts.limit is None:
            facts.exit_code = os.WEXITSTATUS(status)
        if facts.wall_s > QUICK_S:
            oom_base[0] = oom_kills.read()

    def _begin(self) -> None:
        """Take the fork's report, with which the clocks begin. It came before anything of the program, but what the program did
        since may have taken it out of the pipe: so no more is believed than can be true.
        """
        if self.started:
            return
        now = time.monotonic()
        start, used = self.handed, self.used
        if len(self.out) >= REPORT.size:
            start, cpu = REPORT.unpack_from(self.out)
            start = min(max(start, self.handed), now) if start == start else self.handed  # noqa: PLR0124  (not NaN)
            used = min(max(cpu, used), used + start - self.handed) if cpu == cpu else used  # noqa: PLR0124
        elif now - self.handed <= STARTUP_S:
            return
        elif not self.taken():
            self.handed = now  # on a busy machine no core was free for it
            return
        else:
            start = self.handed + STARTUP_S
        self.started = True
        self.start = self.mark_wall = start
        self.used = used

    def _patience(self) -> float:
        """Milliseconds until a clock could run out; CPU time can't pass faster than wall time in a box of one core."""
        if not self.started:
            return HEAD_START_MS
        if self.mark_usage is None:  # just begun: no need to read any clock
            wait = min(self.cpu_s, self.wall_s, FIRST_LOOK_S)
        else:
            wait = min(
                self.mark_wall + self.wall_s - time.monotonic(), self.cpu_s - (self._cpu(self.mark_cpu) - self.mark_cpu)
            )
        if self.total_s >= 0:
            wait = min(wait, self.total_s - self._cpu(self.mark_cpu))
        if self.total_idle_s >= 0:
            spent = self.spent_s + time.monotonic() - self.mark_wall - self._cpu(self.mark_cpu)
            wait = min(wait, self.total_idle_s - spent)
        if self.mode == CALLS:
            wait = min(wait, TICK_S)
        return max(wait, SLICE_S) * 1000

    def _cpu(self, otherwise: float) -> float:
        try:
            return time.clock_gettime(self.clock) - self.used
        except OSError:
            return otherwise

    def _check_clocks(self) -> None:
        self._begin()
        if not self.started:
            return
        now, cpu = time.monotonic(), self._cpu(self.mark_cpu)
        if self.mark_usage is None:
            if now - self.start < min(self.cpu_s, self.wall_s, FIRST_LOOK_S):
                return
            self.mark_usage = self.first_usage = namespace_cpu.read() - cpu
        if 0 <= self.total_s <= now - self.start and max(cpu, self._usage(self.first_usage)) > self.total_s:
            self.facts.limit = "cpu"
            return
        late_s = self.spent_s + now - self.mark_wall - self.total_idle_s  # but for its CPU seconds
        if not self.idle and self.total_idle_s >= 0 and late_s > cpu:
            late_s -= queued_s(self.pid)
            if late_s > max(cpu, self._usage(self.first_usage)):
                self.facts.limit = "wall"
                return
        if now - self.mark_wall < min(self.cpu_s, self.wall_s):
            return
        if max(cpu - self.mark_cpu, self._usage(self.mark_usage)) > self.cpu_s:
            self.facts.limit = "cpu"
        elif now - self.mark_wall > self.wall_s and not self.idle:
            waited = queued_s(self.pid) - self.mark_queued
            if now - self.mark_wall - waited > self.wall_s or now - self.mark_wall > PATIENCE * self.wall_s:
                self.facts.limit = "wall"

    def _usage(self, since: float) -> float:
        """CPU seconds since a mark, with those of processes that the program started, where they can be told."""
        return namespace_cpu.read() - since if self.forks.whole_namespace else 0.0

    def _hear_host(self) -> None:
        """A call, the end of the calls, or the end of the program."""
        op, line = self.on_host()
        self.idle = False
        self.mark_wall, self.mark_cpu = time.monotonic(), self._cpu(self.mark_cpu)
        self.stopped = op == "kill"
        self.feed_ends = self.feed_ends or op == "end"
        self.pending += line
        self.owed += op == "call"
        self.passable += op == "call"
        self._feed()
        self._pass_results()

    def _feed(self) -> None:
        """Write as much as the program's pipe takes; whether it reads is its own affair."""
        feed = self.channels.feed
        if feed < 0:
            return
        try:
            while self.pending:
                del self.pending[: os.write(feed, self.pending[:CHUNK])]
        except BlockingIOError:
            self.poll.register(feed, POLLOUT)
            return
        except OSError:
            self.pending.clear()
        with contextlib.suppress(KeyError):
            self.poll.unregister(feed)
        if self.feed_ends:
            os.close(feed)
            self.channels.feed = -1

    def _read(self, fd: int) -> bool:
        """Take what is there, up to a bound; False at its end."""
        text = self.texts[fd]
        is_result = fd == self.channels.result
        if is_result:
            room = self.output_bytes + LINE_BYTES * min(self.most_lines, 1 << 16) - len(text)
        else:
            room = self.output_bytes + REPORT.size - len(self.out) - len(self.err)
        if room <= 0:
            self.facts.limit, self.facts.truncated = "output", True
            return False
        try:
            if is_result and self.mode == CALLS:
                piece = os.pread(fd, int(min(CHUNK, room)), len(text))
            else:
                piece = os.read(fd, int(min(CHUNK, room)))
        except BlockingIOError:
            return False
        if not piece:
            return False
        text += piece
        if is_result and self.mode != SCRIPT:
            lines = piece.count(b"\n")
            self.seen += lines
            self._laps(lines)
            self._pass_results()
            if self.mode == CALLS and self.seen > self.most_lines:
                self.facts.limit, self.facts.truncated = "output", True
                return False
        return True

    def _pass_results(self) -> None:
        """In a session: to the host, one line for each call that it made. What nobody asked for waits."""
        while self.host >= 0 and self.passable and (end := self.result.find(b"\n") + 1):
            line = bytes(self.result[:end])
            del self.result[:end]
            self.first = self.first or line
            self.passable -= 1
            self.on_result(line)

    def _laps(self, lines: int) -> None:
        """Result lines came: note their times, in equal shares, and start the clocks anew for the next. A program that says more
        than it was asked gets no time for it.
        """
        lines = int(min(lines, self.owed))
        if not lines:
            return
        self._begin()
        self.owed -= lines
        now, cpu = time.monotonic(), self._cpu(self.mark_cpu)
        if not self.idle:
            self.spent_s += now - self.mark_wall
        self.idle = self.host >= 0 and not self.feed_ends
        if self.mode == CALLS:
            share = (max(cpu - self.mark_cpu, 0.0) / lines, (now - self.mark_wall) / lines)
            self.facts.times.append((lines, *share))
        self.mark_wall, self.mark_cpu = now, cpu
        if now - self.start > self.cpu_s:
            self.mark_usage, self.mark_queued = namespace_cpu.read(), queued_s(self.pid)
