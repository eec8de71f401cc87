"""The clocks of a run: what a busy machine does to a program is not the program's."""

import math
import os
import signal
import subprocess
import sys
import time
from statistics import median

import pytest

from sandboxes import Call, Execution, Job, Limits, connection
from sandboxes.agent import clocks
from sandboxes.agent.cleanup import descendants as live_descendants
from sandboxes.agent.clocks import BUSY, PATIENCE, SLICE_S, STALL_S, STARTUP_S, Clocks
from sandboxes.agent.receive import REPORT
from sandboxes.agent.usage import is_asleep
from sandboxes.registry import open_sandbox
from sandboxes.results import with_claims

CPU_S, WALL_S, NONE = 1.0, 3.0, -1.0


@pytest.fixture
def clock(monkeypatch):
    """Clocks of a program that begins at 100, beside a clock of the machine and one of its CPU time that the test sets."""
    now, cpu, ready, family, stalls = [100.0], [0.0], [True], [], {}

    def monotonic():
        """The time; so many seconds later if the box stood still before this reading (the first one from here on is 0)."""
        due = {reading - 1: seconds for reading, seconds in stalls.items()}
        now[0] += due.pop(-1, 0.0)
        stalls.clear()
        stalls.update(due)
        return now[0]

    monkeypatch.setattr(clocks.time, "monotonic", monotonic)
    monkeypatch.setattr(clocks, "is_asleep", lambda pid: not ready[0])
    monkeypatch.setattr(clocks, "descendants", lambda pid: family)
    monkeypatch.setattr(clocks, "started_cpu", lambda pid: 0.0)
    monkeypatch.setattr(Clocks, "cpu", lambda self, otherwise: cpu[0])

    def made(total_cpu_s=NONE, total_wall_s=NONE):
        made = Clocks(1, (CPU_S, WALL_S, total_cpu_s, 0, 0, 0, 0, total_wall_s, 1), whole_namespace=False)
        assert made.begin(REPORT.pack(100.0, 0.0), lambda: True)
        return made

    def wait(made, seconds):
        now[0] += seconds
        made.now(seconds)

    def run(made, seconds, *, works=0.0, waits=0.0):
        """So many seconds, of which it works and waits for a core these shares; the first limit that is met."""
        passed = 0.0
        while passed < seconds:
            step = min(made.patience_ms() / 1000, max(seconds - passed, 1e-3))
            passed += step
            cpu[0] += works * step
            ready[0] = passed % 1.0 < works + waits
            wait(made, step)
            found = made.look()
            if found:
                return found
        return None

    made.run, made.now, made.cpu, made.family, made.stalls, made.wait = run, now, cpu, family, stalls, wait
    return made


def test_a_program_that_is_ready_and_gets_no_core_is_not_asleep(clock):
    made = clock(total_wall_s=0.5)
    assert clock.run(made, 9.0, works=0.1, waits=0.9) is None
    made.end(0.9)
    assert made.asleep_s == 0.0


def test_the_work_of_a_slow_program_ends_by_its_cpu_clock_however_slow_the_machine(clock):
    made = clock()
    assert clock.run(made, 60.0, works=0.1, waits=0.9) == "cpu"
    assert 1.0 <= (clock.now[0] - 100.0) / 10 < 1.1


def test_a_program_that_sleeps_meets_its_wall_limit(clock):
    assert clock.run(clock(), 60.0) == "wall"
    assert WALL_S < clock.now[0] - 100.0 < WALL_S + 1


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_who_sleeps_for_a_share_of_the_time_is_charged_that_share(clock, share):
    """Looks come at random times, so that none can be awake for them alone."""
    made = clock()
    made.cpu_s = made.wall_s = math.inf
    clock.run(made, 2000.0, works=0.0, waits=1 - share)
    made.end(0.0)
    assert abs(made.asleep_s / 2000.0 - share) < 0.05


def test_looks_cannot_be_foreseen(clock):
    def looks():
        made = clock()
        return [made.next_look for _ in range(50) if clock.run(made, 0.05, works=1e-9, waits=1.0) is None]

    assert looks() != looks()


def test_a_machine_on_which_a_ready_program_gets_no_core_for_too_long_is_at_fault(clock):
    assert clock.run(clock(), 60.0, works=1e-3, waits=1.0) == BUSY
    assert clock.now[0] - 100.0 >= PATIENCE * WALL_S
    facts = {"limit": BUSY, "wall_s": 15.0, "memory_mb": 1.0, "signal": 9, "exit_code": None, "stderr": b""}
    assert "the machine is too busy" in with_claims(Job(program=""), facts, [], []).lost


def test_whose_processes_nobody_counts_is_at_fault_for_cores_that_they_may_hold(clock):
    clock.family.append(2)
    assert clock.run(clock(), 60.0, works=1e-3, waits=1.0) == "wall"
    assert clock.now[0] - 100.0 >= PATIENCE * WALL_S


def test_a_lost_run_is_not_taken_for_the_answer_of_a_call():
    class Box:
        unclean = None

        def send(self, job):
            pass

        def receive(self, job):
            return Execution(lost="the machine is too busy")

    job = Job(program="", calls=(Call(), Call()), entry_point="f", keep_going=True)
    first = Execution(loaded=True, signal=9)
    assert connection.resume(Box(), job, first).lost == "the machine is too busy"


@pytest.mark.parametrize(
    ("works", "waits", "family", "limit"), [(0.0, 0.0, [], "wall"), (1e-3, 1.0, [], BUSY), (0.4, 0.2, [2], "cpu")]
)
@pytest.mark.parametrize("stall", [STALL_S + 0.01, 1800.0])
@pytest.mark.parametrize("reading", range(4))
def test_time_in_which_the_box_stands_still_passes_for_nobody(clock, works, waits, family, limit, stall, reading):
    """A machine that is suspended, or a container that is paused, whenever it happens and however often."""
    clock.family[:] = family
    plain = clock()
    assert clock.run(plain, 60.0, works=works, waits=waits) == limit
    took, clock.now[0], clock.cpu[0] = clock.now[0] - 100.0, 100.0, 0.0
    made, stood, found = clock(), 0.0, None
    while found is None:
        clock.stalls[reading] = stall
        found = clock.run(made, 0.2, works=works, waits=waits)
        stood += stall * (not clock.stalls)
        clock.stalls.clear()
    assert found == limit
    assert abs(clock.now[0] - stood - 100.0 - took) < 1.0


READS = {
    "the start": lambda unstarted, made: unstarted.begin(b"", lambda: True),
    "the wait for a look": lambda unstarted, made: made.patience_ms(),
    "a look": lambda unstarted, made: made.look(),
    "an answered call": lambda unstarted, made: made.next_call(),
    "a wait for the host": lambda unstarted, made: made.rest(idle=True),
    "the end of a wait for the host": lambda unstarted, made: made.rest(idle=False),
    "the end": lambda unstarted, made: made.end(0.0),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_each_reading_of_the_time_leaves_out_what_the_box_stood_still(clock, read):
    both = Clocks(1, (CPU_S, WALL_S, NONE, 0, 0, 0, 0, NONE, 1), whole_namespace=False), clock()
    clock.now[0] += 0.5
    for made in both:
        made.now()
    clock.now[0] += 1800.0
    read(*both)
    assert 0.5 in [clock.now[0] - made.handed for made in both]


def test_who_makes_the_supervisor_late_gains_no_time(clock):
    made = clock()
    for _ in range(4):
        made.now()
        clock.now[0] += STALL_S - 0.01
        made.now()
    assert clock.run(made, 0.1) == "wall"


PAUSED = {
    "asleep": "import time\ntime.sleep(0.3)",
    "at work": "for _ in range(3_000_000): pass",
    "another process": "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(0.3)'])",
}


@pytest.mark.slow
@pytest.mark.parametrize("program", PAUSED.values(), ids=PAUSED)
def test_a_box_that_is_paused_goes_on_with_its_program(program, tmp_path):
    begun = tmp_path / "begun"
    with open_sandbox("unsafe", workers=1) as sandbox:
        (box,) = sandbox.pool._boxes
        job = Job(program=f"open({str(begun)!r}, 'w')\n{program}\nprint(1)", limits=Limits(cpu_s=1, wall_s=0.6))
        future = sandbox.submit([job])
        while not begun.exists():
            time.sleep(0.001)
        first = box.pipe.process.pid
        paused = [first, *live_descendants(first)]
        for pid in paused:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(3.1)  # longer than PATIENCE times the limit
        for pid in paused:
            os.kill(pid, signal.SIGCONT)
        (execution,) = future.result(60)
    assert (execution.stdout_text, execution.limit, execution.lost) == ("1\n", None, None)


def test_totals_count_what_is_asleep_and_what_works(clock):
    assert clock.run(clock(total_wall_s=0.5), 60.0) == "wall"
    made = clock(total_cpu_s=0.5)
    made.looked = made.start = clock.now[0]
    assert clock.run(made, 60.0, works=0.5, waits=0.5) == "cpu"


def test_time_in_which_a_session_waits_for_the_host_is_nobodys(clock):
    made = clock(total_wall_s=1.0)
    for _ in range(40):
        made.rest(idle=True)
        assert clock.run(made, 30.0) is None
        made.rest(idle=False)
        assert clock.run(made, 0.01, works=1.0) is None
    assert made.asleep_s == 0.0
    assert clock.run(made, 9.0) == "wall"


@pytest.mark.parametrize(
    ("totals", "asleep_s", "worked_s", "left_s"),
    [
        ({}, 0.0, 0.96, 0.04),
        ({}, 2.96, 0.0, 0.04),
        ({}, 2.5, 0.46, 0.04),
        ({"total_cpu_s": 0.9}, 0.0, 0.86, 0.04),
        ({"total_wall_s": 2.0}, 1.96, 0.0, 0.04),
        ({"total_wall_s": 2.0}, 1.999, 0.0, SLICE_S),
    ],
)
def test_the_next_look_comes_when_a_limit_can_be_met(clock, totals, asleep_s, worked_s, left_s):
    made = clock(**totals)
    clock.wait(made, 5.0)  # long enough for the longest pace
    made.looked, made.asleep_s, clock.cpu[0] = clock.now[0], asleep_s, worked_s
    made.looked_cpu = worked_s
    assert made.look() is None
    assert made.next_look - clock.now[0] == pytest.approx(left_s)


@pytest.mark.parametrize(
    ("totals", "asleep_s", "worked_s", "limit"),
    [
        ({}, 0.0, CPU_S, None),
        ({}, 0.0, CPU_S + 0.01, "cpu"),
        ({"total_cpu_s": 0.5}, 0.0, 0.5, None),
        ({"total_cpu_s": 0.5}, 0.0, 0.51, "cpu"),
        ({"total_cpu_s": 0.0}, 0.0, 0.01, "cpu"),
        ({}, WALL_S, 0.0, None),
        ({}, WALL_S, 0.01, "wall"),
        ({"total_wall_s": 2.0}, 2.0, 0.0, None),
        ({"total_wall_s": 2.0}, 2.01, 0.0, "wall"),
        ({"total_wall_s": 0.0}, 0.01, 0.0, "wall"),
    ],
)
def test_a_limit_is_met_once_it_is_exceeded(clock, totals, asleep_s, worked_s, limit):
    made = clock(**totals)
    clock.wait(made, 5.0)
    made.looked, made.asleep_s, clock.cpu[0], made.looked_cpu = clock.now[0], asleep_s, worked_s, worked_s
    assert made.look() == limit


@pytest.mark.parametrize(
    ("start", "cpu", "begun", "used"),
    [
        (101.0, 0.5, 101.0, 0.5),
        (90.0, 0.5, 100.0, 0.0),
        (200.0, 0.5, 105.0, 0.5),
        (math.nan, 0.5, 100.0, 0.0),
        (102.0, 9.0, 102.0, 2.0),
        (102.0, -3.0, 102.0, 0.0),
        (102.0, math.nan, 102.0, 0.0),
    ],
)
def test_of_a_report_no_more_is_believed_than_can_be_true(clock, start, cpu, begun, used):
    clock.now[0] = 100.0
    made = Clocks(1, (CPU_S, WALL_S, NONE, 0, 0, 0, 0, NONE, 1), whole_namespace=False)
    made.used = 0.0
    clock.wait(made, 5.0)
    assert made.begin(REPORT.pack(start, cpu), lambda: False)
    assert (made.start, made.looked, made.call_wall, made.used) == (begun, begun, begun, used)
    assert made.next_look == begun + 0.02
    assert made.begin(b"", lambda: False)


def test_without_a_report_the_clocks_run_from_the_end_of_the_start_up_once_the_job_was_taken(clock):
    made = Clocks(1, (CPU_S, WALL_S, NONE, 0, 0, 0, 0, NONE, 1), whole_namespace=False)
    assert made.patience_ms() == 1000 * SLICE_S
    clock.wait(made, STARTUP_S)
    assert not made.begin(REPORT.pack(0, 0)[:-1], lambda: True)
    clock.wait(made, 1.0)
    assert not made.begin(b"", lambda: False)
    clock.wait(made, STARTUP_S)
    assert not made.begin(b"", lambda: True)
    clock.wait(made, 1.0)
    assert made.begin(b"", lambda: True)
    assert made.start == clock.now[0] - 1.0


def test_a_call_that_was_answered_gives_its_times_and_the_next_begins_anew(clock):
    made = clock()
    clock.wait(made, 2.0)
    clock.cpu[0] = 0.75
    assert made.next_call() == (0.75, 2.0)
    clock.wait(made, 1.0)
    assert made.next_call() == (0.0, 1.0)
    clock.cpu[0] = 0.5
    assert made.next_call() == (0.0, 0.0)


def test_a_program_has_not_begun_before_its_fork_took_the_job(monkeypatch):
    monkeypatch.setattr(clocks, "STARTUP_S", 0.0)
    made = Clocks(4_000_000, (0.001, 0.001, NONE, 1000, 0, 0, 0, NONE, 1), whole_namespace=False)
    made.handed -= 3600.0
    assert not made.begin(b"", lambda: False)
    assert made.begin(b"", lambda: True)
    assert time.monotonic() - made.start < 1800.0


STARTS_ONE_BY_ONE = """\
import os, time
def work():
    while time.process_time() < 0.5:
        pass
def f():
    for _ in range(20):
        if os.fork() == 0:
            work()
            os._exit(0)
        os.wait()
"""
STARTS_EACH_FROM_THE_LAST = STARTS_ONE_BY_ONE.replace(
    "os._exit(0)\n        os.wait()", "continue\n        os.wait()\n        os._exit(0)"
)


@pytest.mark.long
@pytest.mark.parametrize("name", ["local", pytest.param("docker", marks=pytest.mark.docker)])
def test_what_the_processes_of_one_call_use_does_not_count_for_the_next(name):
    program = STARTS_ONE_BY_ONE.replace("< 0.5", "< 0.15").replace("range(20)", "range(1)")
    job = Job(program=program, calls=(Call(),) * 12, entry_point="f", limits=Limits(cpu_s=1.0))
    with open_sandbox(name) as sandbox:
        ran = sandbox.run([job])[0]
    assert (ran.limit, len(ran.calls)) == (None, 12)


@pytest.mark.long
@pytest.mark.parametrize("program", [STARTS_ONE_BY_ONE, STARTS_EACH_FROM_THE_LAST])
@pytest.mark.parametrize("calls", [False, True])
def test_what_a_programs_processes_use_counts_while_it_runs(program, calls):
    parts = {"program": program, "calls": (Call(),), "entry_point": "f"} if calls else {"program": program + "f()\n"}
    with open_sandbox("local") as sandbox:
        ran = sandbox.run([Job(**parts, limits=Limits(cpu_s=1.0))])[0]
    assert ran.limit == "cpu"
    assert ran.cpu_s < 5.0


ENDS_FIRST_THREAD = """\
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).pthread_exit(None)"""


@pytest.mark.parametrize(
    ("program", "asleep"),
    [
        ("while True: pass", False),
        ("import time; time.sleep(60)", True),
        ("import threading; threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()", False),
        (ENDS_FIRST_THREAD, True),
        ("import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])", False),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", True),
    ],
)
def test_a_program_is_asleep_while_it_lives_and_all_its_threads_and_processes_sleep(program, asleep):
    with subprocess.Popen([sys.executable, "-c", program], start_new_session=True) as process:
        try:
            for _ in range(200):  # it starts first
                time.sleep(0.05)
                if [is_asleep(process.pid) for _ in range(3)] == [asleep] * 3:
                    break
            else:
                pytest.fail("never")
        finally:
            os.killpg(process.pid, 9)
    assert not is_asleep(process.pid)


@pytest.mark.parametrize("left", ["", "if not os.fork(): time.sleep(60)"])
def test_a_program_that_has_ended_is_not_asleep_however_late_its_end_is_heard_of(left):
    with subprocess.Popen([sys.executable, "-c", f"import os, time\n{left}"], start_new_session=True) as process:
        try:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it stays a zombie
            assert not is_asleep(process.pid)
        finally:
            os.killpg(process.pid, 9)
    assert not is_asleep(process.pid)


WORKS = "import time\nend = time.process_time() + 0.05\nwhile time.process_time() < end: pass\nprint(input())"


@pytest.fixture(params=["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
def busy(request):
    """A sandbox on a machine whose every core has twelve processes that never sleep."""
    cores = os.sched_getaffinity(0)
    if request.param == "unsafe":
        os.sched_setaffinity(0, {min(cores)})  # its processes inherit that
    count = 12 * len(os.sched_getaffinity(0))
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        with open_sandbox(request.param, workers=1) as sandbox:
            yield sandbox
    finally:
        for process in spinning:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, cores)


@pytest.mark.slow
def test_a_busy_machine_takes_nothing_from_what_a_program_may_use(busy):
    limits = Limits(cpu_s=0.5, wall_s=0.5, total_wall_s=0.5)
    facts = busy.run([Job(program=WORKS, stdin=str(n), limits=limits) for n in range(8)])
    assert [execution.describe() for execution in facts] == ["exit code 0"] * 8
    assert (
        median(execution.asleep_s for execution in facts) < 0.05
    )  # one may have waited for a disk when it was looked at
    asleep = busy.run([Job(program="import time; time.sleep(60)", limits=limits)])[0]
    assert asleep.limit == "wall"
