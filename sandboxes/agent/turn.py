"""One job after the other: fork before the job is there, watch what comes of it, clean up, answer with facts."""

import contextlib
import gc
import json
import os
import sys
from os import pwrite
from typing import Any

from . import child
from .clean import Wiper, residue
from .heads import build
from .intake import CALLS, REPORT, SCRIPT, Heads, Texts, address_mb, load
from .lockdown import bare_fork, die_with_parent
from .watch import Facts, Watch
from .wire import Closed, Scratch, memfd, read_frame_header, write_frame, write_text_frame

__all__ = ["Agent"]

MIB = 1 << 20
NULL = "null"
ANSWER = (
    '{"exit":%s,"signal":%s,"limit":%s,"cpu":%r,"wall":%r,"memory_kb":%d,"truncated":%s,"times":%s,"sizes":[%d,%d,%d],'
    '"unclean":%s}'
)
"""Written out: to build and encode it costs twice the pages, after each test."""


class Agent:
    """State of one box."""

    def __init__(self, source: int, sink: int, wipers: list[Wiper], *, whole_namespace: bool) -> None:
        self.source = source
        self.sink = sink
        self.whole_namespace = whole_namespace
        self.wipers = wipers
        self.cwd = wipers[0].path
        self.carry = Scratch(MIB)
        self.watch = Watch([Scratch(child.BODY_CAP) for _ in range(3)], whole_namespace=whole_namespace)
        self.texts: Texts = {}
        """Program and prelude of the latest job: source and, once a fork has compiled it, marshalled code."""
        self.blank: Texts = {name: (memfd("source"), memfd("code")) for name in ("program", "prelude", "head")}
        """The same for new ones, still empty."""
        self.heads: Heads = {}
        self.feed, self.result = os.pipe2(os.O_CLOEXEC), memfd("result")
        """For calls; a fork that runs a script never touches them."""
        self.leisure = True
        """The next fork will wait for a while."""
        self.loaded = 0
        """Bit n: `ON_DEMAND[n]` is there."""
        self.oom_score = open_or_negative("/proc/self/oom_score_adj")
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
        out, err, talk = os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC)
        gate = (
            self.source, self.sink, out[1], err[1], talk[1], self.feed[0], self.result, self.wipers[0].fd,
            self.texts, self.blank, self.loaded, self.address_mb, child.exit_handlers(), self.heads,
        )  # fmt: skip
        run, cwd, leisure, oom_score, watch = child.run, self.cwd, self.leisure, self.oom_score, self.watch
        alone = not self.whole_namespace
        watch.expect(out[0], err[0], talk[0])
        if oom_score >= 0:
            pwrite(oom_score, b"1000", 0)  # what is forked now goes first when memory runs out
        # from here on each page that either side touches is copied: what can be done before is done before
        pid = bare_fork()
        if pid == 0:
            if alone:
                die_with_parent()
            run(gate, cwd, leisure)
        if oom_score >= 0:
            pwrite(oom_score, b"0", 0)
        report = watch.told(pid)
        if len(report) != REPORT.size:
            _, status = os.waitpid(pid, 0)
            if status >> 8 == child.CLOSED:
                raise Closed
            raise RuntimeError(f"a fork ended before it had a job (status {status})")
        mode, taken, wanted, *limits, start, used = REPORT.unpack(report)
        if mode == CALLS:
            watch.calls(self.result)
        elif mode != SCRIPT:
            watch.session(self.source, self._relay, self._pass_result)
        facts = watch.run(limits, start, used)
        # the write ends stay open till now, so that nobody wakes for the end of a pipe before the program's
        for fd in (out[1], err[1], talk[1]):
            os.close(fd)
        watch.drain()
        for fd in (out[0], err[0], talk[0]):
            os.close(fd)
        dirty = [wiper.path for wiper in self.wipers if not wiper.wipe()]
        left = residue() if self.whole_namespace else None  # elsewhere the tables are the machine's
        self._answer(facts, left or (f"files left in {dirty}" if dirty else None))
        if mode != SCRIPT:
            self._renew_channels()
        self.leisure = taken & 4 > 0
        if taken & 3:
            self._keep_texts(taken)
        if taken & 8:
            self._keep_head()
        if wanted:
            self._load(wanted)

    def _keep_texts(self, taken: int) -> None:
        """What a fork took as the latest program or prelude; fresh files for the next."""
        for bit, name in enumerate(("program", "prelude")):
            if taken >> bit & 1:
                for fd in self.texts.get(name, ()):
                    os.close(fd)
                self.texts[name] = self.blank[name]
                self.blank[name] = memfd("source"), memfd("code")

    def _keep_head(self) -> None:
        """What a fork met as the beginning of a prelude, for those that come after it."""
        source, code = self.blank["head"]
        self.blank["head"] = memfd("source"), memfd("code")
        head = os.pread(source, os.fstat(source).st_size, 0).decode()
        os.close(source)
        os.close(code)
        self.heads[head] = child.MAIN  # each fork makes its own
        with contextlib.suppress(ImportError):
            self.heads[head] = build(head)
        self._settle()

    def _renew_channels(self) -> None:
        """A fork that had calls to answer may have changed what it read them from."""
        for fd in (*self.feed, self.result):
            os.close(fd)
        self.feed, self.result = os.pipe2(os.O_CLOEXEC), memfd("result")

    def _answer(self, facts: Facts, unclean: str | None) -> None:
        watch = self.watch
        out, err, result = watch.out.content(), watch.err.content(), watch.result.content()
        reply = ANSWER % (
            NULL if facts.exit_code is None else facts.exit_code,
            NULL if facts.signal is None else facts.signal,
            NULL if facts.limit is None else f'"{facts.limit}"',
            facts.cpu_s,
            facts.wall_s,
            facts.memory_kb,
            "true" if facts.truncated else "false",
            json.dumps(facts.times[:10_000]) if facts.times else "[]",
            len(out),
            len(err),
            len(result),
            NULL if unclean is None else json.dumps(unclean),
        )
        write_text_frame(self.sink, reply.encode(), out, err, result)
        watch.out.forget()
        watch.err.forget()
        watch.result.forget()

    def _pass_result(self, data: memoryview) -> None:
        write_frame(self.sink, {"event": "result"}, data)

    def _relay(self) -> int:
        """A frame from the host during a session: a line for the program, or the end of its input. The lines it owes for it."""
        feed = self.feed[1]
        header, body = read_frame_header(self.source)
        if header["op"] == "end":
            null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            os.dup2(null, feed, inheritable=False)  # closes the pipe and keeps the number
            os.close(null)
            return 0
        self.carry.pass_on(self.source, body, feed)
        return 1

    def _load(self, wanted: int) -> None:
        """What a job named, for those that come after it."""
        self.loaded |= wanted
        load(wanted)
        self._settle()

    def _settle(self) -> None:
        """There is more in this process than there was."""
        gc.collect()
        gc.freeze()
        self.address_mb = address_mb()


def open_or_negative(path: str) -> int:
    """A descriptor that can be written, where the file allows it."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return -1
