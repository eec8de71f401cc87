"""The supervisor's account of one run: what it takes from pipes, which limit was met, and that each wait for an end has one answer."""

import os
import signal
import time
from types import SimpleNamespace

import pytest

from sandboxes.agent import monitor as monitor_module
from sandboxes.agent.monitor import LINE_BYTES, Channels, Monitor
from sandboxes.agent.receive import CALLS, REPORT, SCRIPT, SESSION
from sandboxes.agent.usage import OomKills

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


LIMIT = 1000
REPORTED = REPORT.pack(time.monotonic(), 0.0)


class Run:
    """A monitor over pipes that the test writes into; nobody runs."""

    def __init__(self, mode=SCRIPT, *, owed=2, tmp=None):
        (self.out, out), (self.err, err) = (os.pipe() for _ in range(2))
        if mode == CALLS:
            self._result = os.open(tmp / "result", os.O_RDWR | os.O_CREAT)
            result = os.open(tmp / "result", os.O_RDWR)
        else:
            result, self._result = os.pipe()
        self.feed, feed = os.pipe()
        self.writers = {"out": out, "err": err, "result": self._result}
        channels = Channels(self.out, self.err, result, feed)
        forks = SimpleNamespace(control=os.pipe()[0], whole_namespace=True)
        limits = (1.0, 3.0, -1.0, LIMIT, 0, 0, 0, -1.0, owed)
        self.monitor = Monitor(forks, os.getpid(), mode, limits, channels, lambda: True)

    def say(self, name, data):
        os.write(self.writers[name], data)
        return self

    def read(self, name):
        return self.monitor._read(getattr(self.monitor.channels, name))


@pytest.mark.parametrize(
    ("out", "err", "limit"),
    [
        (LIMIT - 1, 0, None),
        (LIMIT - 1, 1, "output"),
        (LIMIT, 0, "output"),
        (LIMIT + 500, 0, "output"),
        (0, LIMIT, "output"),
    ],
)
def test_both_outputs_share_one_bound_beside_the_report(out, err, limit):
    run = Run().say("out", REPORTED + b"o" * out).say("err", b"e" * err)
    for name in ("out", "err"):
        os.close(run.writers[name])
    run.monitor.drain()
    assert (run.monitor.facts.limit, run.monitor.facts.truncated) == (limit, limit is not None)
    said, error, _ = run.monitor.texts_out()
    assert len(said) + len(error) == min(out + err, LIMIT)


def test_results_have_room_for_a_line_of_each_call_beside_the_bound_of_one():
    run = Run(SESSION, owed=2)
    most = LIMIT + LINE_BYTES * 3
    run.say("result", b"x" * most)
    assert run.read("result")
    assert run.monitor.facts.limit is None
    assert not run.read("result")
    assert (run.monitor.facts.limit, len(run.monitor.result)) == ("output", most)


def test_a_pipe_with_nothing_in_it_and_one_that_ended_give_nothing():
    run = Run()
    assert not run.read("out")
    run.say("out", b"a")
    assert run.read("out")
    os.close(run.writers["out"])
    assert not run.read("out")
    assert bytes(run.monitor.out) == b"a"
    assert run.monitor.facts.limit is None


def test_one_line_more_than_the_calls_and_their_end_is_too_many(tmp_path):
    run = Run(CALLS, owed=2, tmp=tmp_path).say("out", REPORTED)
    run.read("out")
    run.say("result", b"1\n2\n3\n")
    assert run.read("result")
    assert (run.monitor.seen, run.monitor.owed, run.monitor.facts.limit) == (3, 0, None)
    run.say("result", b"4\n")
    assert not run.read("result")
    assert (run.monitor.facts.limit, run.monitor.facts.truncated) == ("output", True)


def test_lines_that_come_together_share_their_time(tmp_path, monkeypatch):
    run = Run(CALLS, owed=4, tmp=tmp_path).say("out", REPORTED)
    run.read("out")
    spent = iter([(4.0, 8.0), (1.0, 2.0)])
    monkeypatch.setattr(run.monitor.clocks, "next_call", lambda: next(spent))
    run.say("result", b"1\n2\n").read("result")
    run.say("result", b"unfinished").read("result")
    run.say("result", b"\n").read("result")
    assert run.monitor.facts.times == [(2, 2.0, 4.0), (1, 1.0, 2.0)]
    assert run.monitor.owed == 1


@pytest.mark.parametrize(
    ("mode", "status", "facts", "limit", "code", "signum"),
    [
        (SCRIPT, 3 << 8, {}, None, 3, None),
        (SCRIPT, 3 << 8, {"limit": "wall"}, "wall", None, None),
        (SCRIPT, 0, {"cpu_s": 1.1}, "cpu", None, None),
        (SCRIPT, 0, {"cpu_s": 1.0}, None, 0, None),
        (CALLS, 0, {"cpu_s": 1.1}, None, 0, None),
        (SCRIPT, signal.SIGXCPU, {}, "cpu", None, signal.SIGXCPU),
        (SCRIPT, signal.SIGXCPU, {"limit": "wall"}, "wall", None, signal.SIGXCPU),
        (SCRIPT, signal.SIGSEGV, {}, None, None, signal.SIGSEGV),
        (SCRIPT, signal.SIGKILL, {}, None, None, signal.SIGKILL),
    ],
)
def test_an_end_is_an_exit_code_a_signal_or_a_limit(tmp_path, mode, status, facts, limit, code, signum):
    run = Run(mode, tmp=tmp_path)
    vars(run.monitor.facts).update(facts)
    run.monitor._conclude(status)
    found = run.monitor.facts
    assert (found.limit, found.exit_code, found.signal) == (limit, code, signum)


@pytest.mark.parametrize(
    ("status", "limit", "found", "told"),
    [
        (signal.SIGKILL, None, "own", "memory"),
        (signal.SIGKILL, None, None, None),
        (signal.SIGKILL, "wall", "own", "wall"),
        (signal.SIGSEGV, None, "own", None),
    ],
)
@pytest.mark.parametrize("wall_s", [1.0, 0.001])
def test_a_kill_of_the_kernels_is_the_memory_limit(monkeypatch, status, limit, found, told, wall_s):
    monkeypatch.setattr(monitor_module, "oom_kills", SimpleNamespace(look=lambda: found))
    run = Run()
    run.monitor.facts.limit, run.monitor.facts.wall_s = limit, wall_s
    run.monitor._conclude(status)
    looked = wall_s == 1.0 or status == signal.SIGKILL
    assert (run.monitor.facts.limit, run.monitor.facts.oom_killed) == (told, looked and found == "own")


@pytest.mark.parametrize("status", [signal.SIGKILL, signal.SIGSEGV, 0, 1 << 8])
def test_memory_that_ran_out_elsewhere_is_no_result_of_the_program(monkeypatch, status):
    monkeypatch.setattr(monitor_module, "oom_kills", SimpleNamespace(look=lambda: "outside"))
    run = Run()
    run.monitor.facts.wall_s = 1.0
    with pytest.raises(RuntimeError, match="outside the box"):
        run.monitor._conclude(status)


BOX_BYTES = 1 << 30


@pytest.mark.parametrize("version", ["v1", "v1 with swap", "v2", "none"])
@pytest.mark.parametrize("whose", ["own", "outside"])
def test_whose_memory_ran_out_is_told_once_for_each_kill(tmp_path, version, whose):
    def count(kills, met):
        if version == "v2":
            (tmp_path / "memory.events").write_text(
                f"low 0\nmax {met}\noom {met}\noom_kill {kills}\noom_group_kill 0\n"
            )
        elif version != "none":
            (tmp_path / "memory").mkdir(exist_ok=True)
            figures = {"oom_control": f"under_oom 0\noom_kill {kills}\n"}
            for part in (".memsw", "") if "swap" in version else ("",):
                own = met and (part or "swap" not in version)
                figures |= {f"{part}.max_usage_in_bytes"[1:]: BOX_BYTES - 4096 if own else BOX_BYTES // 2}
                figures |= {f"{part}.limit_in_bytes"[1:]: BOX_BYTES}
            for name, figure in figures.items():
                (tmp_path / "memory" / f"memory.{name}").write_text(f"{figure}\n")

    count(0, 0)
    kills = OomKills(str(tmp_path))
    assert kills.look() is None
    count(1, int(whose == "own"))
    assert kills.look() == (None if version == "none" else whose)
    assert kills.look() is None


class Host:
    """What a host sends into a session, one message at a time, and what it is passed."""

    def __init__(self, run, *sent):
        self.sent, self.passed = list(sent), []
        run.monitor.converse(99, lambda: self.sent.pop(0), self.passed.append)


@pytest.fixture
def session():
    """A session that owes no line yet."""
    return Run(SESSION, owed=0)


def test_a_session_passes_one_line_for_each_call_and_feeds_what_it_is_sent(session):
    host = Host(session, ("call", b"one\n"), ("call", b"two\n"), ("end", b""), ("kill", b""))
    session.monitor._hear_host()
    assert os.read(session.feed, 100) == b"one\n"
    session.say("result", b"1\n2\n3\n").read("result")
    assert host.passed == [b"1\n"]
    session.monitor._hear_host()
    assert host.passed == [b"1\n", b"2\n"]
    assert os.read(session.feed, 100) == b"two\n"
    assert not session.monitor.stopped
    session.monitor._hear_host()
    assert os.read(session.feed, 100) == b""  # its end
    assert (session.monitor.channels.feed, session.monitor.stopped) == (-1, False)
    session.monitor._hear_host()
    assert session.monitor.stopped
    assert session.monitor.texts_out()[2] == b"1\n3\n"


def test_what_a_program_does_not_read_waits_and_is_lost_once_it_has_ended(session):
    big = b"x" * (1 << 20)
    Host(session, ("call", big), ("call", b""))
    session.monitor._hear_host()
    taken = len(big) - len(session.monitor.pending)
    assert 0 < taken < len(big)
    assert os.read(session.feed, 1 << 20) == b"x" * taken
    os.close(session.feed)
    session.monitor._hear_host()
    assert not session.monitor.pending


@pytest.mark.parametrize(("sent", "idle"), [(("call", b"a"), True), (("end", b""), False)])
def test_the_clock_of_a_session_rests_once_it_owes_nothing_unless_no_call_will_come(session, sent, idle):
    Host(session, sent)
    session.monitor.clocks.begin(REPORTED, lambda: True)
    session.monitor._hear_host()
    session.monitor.owed = session.monitor.passable = 1
    session.say("result", b"1\n").read("result")
    assert session.monitor.clocks.idle is idle


def test_ends_are_freed_once_and_what_is_not_there_is_left_alone():
    channels = Channels(*(os.pipe()[0] for _ in range(3)))
    assert channels.feed == -1
    channels.close()
    for fd in (channels.out, channels.err, channels.result):
        with pytest.raises(OSError, match="Bad file"):
            os.close(fd)
