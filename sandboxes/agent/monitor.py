"""Watch one program from outside: clocks, output and results up to their bounds, its end; then end everything it started."""

import contextlib
import os
import select
import signal
from collections.abc import Callable
from select import POLLIN, POLLOUT

from .clocks import Clocks
from .forks import Forks
from .receive import CALLS, REPORT, SCRIPT
from .usage import Facts, oom_kills

__all__ = ["Channels", "Monitor"]

CHUNK = 1 << 18
QUICK_S = 0.005
"""In less time no program fills a box's memory."""
HEAD_START_MS = 5
"""So long nobody looks at a program that has just begun, unless it ends. Its output waits in the pipes."""
TICK_MS = 20
"""How often a file of results is looked at; the precision of a call's own deadline."""
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
        self.cpu_s, self.output_bytes, self.owed = limits[0], int(limits[3]), limits[8]
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
        self.clocks = Clocks(pid, limits, whole_namespace=forks.whole_namespace)
        self.feed_ends = self.stopped = False

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
            if self._wait(HEAD_START_MS):
                status, waits = self._ended()
            for fd in (*self.texts, self.host):
                if fd >= 0 and (self.mode != CALLS or fd != self.channels.result):
                    self.poll.register(fd, POLLIN)
            while status is None and facts.limit is None and not self.stopped:
                wait = self.clocks.patience_ms()
                for fd, _ in self._wait(min(wait, TICK_MS) if self.mode == CALLS else wait):
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
                    if facts.limit is None and self._begin():
                        facts.limit = self.clocks.look()
        finally:
            status = self._kill(status, waits=waits)
        self._begin()
        facts.cpu_s = max(facts.cpu_s - self.clocks.used, 0.0)
        self.clocks.end(facts.cpu_s)
        facts.wall_s, facts.asleep_s = self.clocks.looked - self.clocks.start, self.clocks.asleep_s
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

    def _wait(self, milliseconds: float) -> list[tuple[int, int]]:
        """Until there is something to read, so long at most."""
        ready = self.poll.poll(milliseconds)
        self.clocks.now(milliseconds / 1000)
        return ready

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
        elif facts.limit is None:
            facts.exit_code = os.WEXITSTATUS(status)
        if facts.wall_s > QUICK_S or facts.signal == signal.SIGKILL:
            self._look_for_oom_kills()

    def _look_for_oom_kills(self) -> None:
        """Note that the kernel killed for memory. That is the program's doing only if the box met its own limit."""
        found = oom_kills.look()
        if found == "outside":
            raise RuntimeError("memory ran out outside the box, which had not met its own limit")
        self.facts.oom_killed = found == "own"
        if self.facts.oom_killed and self.facts.limit is None and self.facts.signal == signal.SIGKILL:
            self.facts.limit = "memory"

    def _begin(self) -> bool:
        """True once the clocks run."""
        return self.clocks.begin(bytes(self.out[: REPORT.size]), self.taken)

    def _hear_host(self) -> None:
        """A call, the end of the calls, or the end of the program."""
        op, line = self.on_host()
        self.clocks.rest(idle=False)
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
        cpu_s, wall_s = self.clocks.next_call()
        if self.host >= 0 and not self.feed_ends:
            self.clocks.rest(idle=True)
        if self.mode == CALLS:
            self.facts.times.append((lines, cpu_s / lines, wall_s / lines))
