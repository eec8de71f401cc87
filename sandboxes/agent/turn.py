"""One job after the other: fork before the job is there, watch what comes of it, clean up, answer with facts."""

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from . import child
from .clean import Wiper, residue
from .intake import MODES, ON_DEMAND, REPORT, Gate, address_mb
from .watch import Facts, Watch
from .wire import Closed, Scratch, read_frame_header, write_frame

__all__ = ["Agent"]

MIB = 1 << 20


class Agent:
    """State of one box."""

    def __init__(self, source: int, sink: int, wipers: list[Wiper], *, whole_namespace: bool) -> None:
        self.source = source
        self.sink = sink
        self.whole_namespace = whole_namespace
        self.wipers = wipers
        self.cwd = wipers[0].path
        self.carry = Scratch(MIB)
        self.places = [Scratch(child.BODY_CAP) for _ in range(3)]
        self.texts: dict[str, tuple[int, int]] = {}
        """Program and prelude of the latest job: source and, once a fork has compiled it, marshalled code."""
        self.blank: dict[str, tuple[int, int]] = {}
        """The same for new ones, still empty."""
        self.loaded: frozenset[str] = frozenset()
        self.oom_score = open_or_none("/proc/self/oom_score_adj")
        self.address_mb = address_mb()

    def serve(self) -> None:
        """Until the host hangs up."""
        while True:
            self.turn()

    def about(self) -> dict[str, Any]:
        """Facts about this box, for the host's self-check."""
        uid = os.getuid()
        return {
            "python": ".".join(map(str, sys.version_info[:3])),
            "pid": os.getpid(),
            "uid": uid,
            "residue": residue(),
        }

    def turn(self) -> None:
        """One job: descriptors, fork, watch, clean, answer."""
        for name in ("program", "prelude"):
            if name not in self.blank:
                self.blank[name] = memfd("source"), memfd("code")
        out, err, talk, feed = (os.pipe2(os.O_CLOEXEC) for _ in range(4))
        result = memfd("result")
        try:
            gate = Gate(
                self.source, self.sink, out[1], err[1], talk[1], feed[0], result, self.wipers[0].fd,
                self.texts, self.blank, self.loaded, self.address_mb,
            )  # fmt: skip
            self._prefer_for_oom(b"1000")  # what is forked now goes first when memory runs out
            pid = os.fork()
            if pid == 0:
                child.run(gate, self.cwd)
            self._prefer_for_oom(b"0")
            for fd in (out[1], err[1], talk[1], feed[0]):
                os.close(fd)
            wanted, facts = self._watch(pid, out[0], err[0], talk[0], feed[1], result)
        finally:
            for fd in (out[0], err[0], talk[0], feed[1], result):
                os.close(fd)
        dirty = [wiper.path for wiper in self.wipers if not wiper.wipe()]
        left = residue() if self.whole_namespace else None  # elsewhere the tables are the machine's
        self._answer(facts, left or (f"files left in {dirty}" if dirty else None))
        if wanted:
            self._load(wanted)

    def _watch(self, pid: int, out: int, err: int, talk: int, feed: int, result: int) -> tuple[int, Facts]:
        """Wait until the fork has its job, then until that has ended. Also which modules the job named."""
        told = os.read(talk, REPORT.size)
        if len(told) != REPORT.size:
            _, status = os.waitpid(pid, 0)
            if status >> 8 == child.CLOSED:
                raise Closed
            raise RuntimeError(f"a fork ended before it had a job (status {status})")
        number, taken, wanted, cpu_s, wall_s, total_s, start, used, output_bytes = REPORT.unpack(told)
        mode = MODES[int(number)]
        for bit, name in enumerate(("program", "prelude")):
            if taken >> bit & 1:
                for fd in self.texts.get(name, ()):
                    os.close(fd)
                self.texts[name] = self.blank.pop(name)
        pipes = {out: self.places[0], err: self.places[1]}
        if mode != "calls":
            pipes[talk] = self.places[2]
        for fd in pipes:
            os.set_blocking(fd, False)
        on_host: Callable[[], None] | None = None
        on_result: Callable[[memoryview], None] | None = None
        if mode in ("session", "driver"):
            on_host = lambda: self._relay(feed)  # noqa: E731
            on_result = lambda data: write_frame(self.sink, {"event": "result"}, data)  # noqa: E731
        watch = Watch(
            pid,
            pipes,
            self.places[2],
            start=start,
            used=used,
            result_file=result if mode == "calls" else -1,
            cpu_s=cpu_s,
            wall_s=wall_s,
            total_s=None if total_s < 0 else total_s,
            output_bytes=min(output_bytes, child.BODY_CAP),
            whole_namespace=self.whole_namespace,
            by_line=mode != "script",
            host=self.source if on_host else -1,
            on_host=on_host,
            on_result=on_result,
        )
        return wanted, watch.run()

    def _answer(self, facts: Facts, unclean: str | None) -> None:
        out, err, result = (place.content() for place in self.places)
        reply = {
            "exit": facts.exit_code,
            "signal": facts.signal,
            "limit": facts.limit,
            "cpu": facts.cpu_s,
            "wall": facts.wall_s,
            "memory_kb": facts.memory_kb,
            "truncated": facts.truncated,
            "times": facts.times[:10_000],
            "sizes": [len(out), len(err), len(result)],
            "unclean": unclean,
        }
        write_frame(self.sink, reply, out, err, result)
        for place in self.places:
            place.forget()

    def _prefer_for_oom(self, score: bytes) -> None:
        if self.oom_score is not None:
            os.pwrite(self.oom_score, score, 0)

    def _relay(self, feed: int) -> None:
        """A frame from the host during a session: a line for the program, or the end of its input."""
        header, body = read_frame_header(self.source)
        if header["op"] == "end":
            null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            os.dup2(null, feed, inheritable=False)  # closes the pipe and keeps the number
            os.close(null)
            return
        self.carry.pass_on(self.source, body, feed)

    def _load(self, wanted: int) -> None:
        """What a job named, for those that come after it."""
        for bit, name in enumerate(ON_DEMAND):
            if wanted >> bit & 1:
                self.loaded |= {name}
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        gc.collect()
        gc.freeze()
        self.address_mb = address_mb()


def memfd(name: str) -> int:
    """A new anonymous file, empty."""
    return os.memfd_create(name, os.MFD_CLOEXEC)


def open_or_none(path: str) -> int | None:
    """A descriptor that can be written, where the file allows it."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return None
