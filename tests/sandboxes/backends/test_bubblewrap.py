"""The backends without Docker."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from live import wait_for, wait_gone

from sandboxes import Job, Limits, SandboxUnavailable, open_sandbox, selfcheck


@pytest.fixture(scope="module", params=["local", "unsafe"])
def sandbox(request):
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(request.param, workers=2) as opened:
        yield opened


def test_every_result_says_how_strong_it_is(sandbox):
    strength = {"local": "weak", "unsafe": "none"}[sandbox.facts()["name"]]
    assert sandbox.isolation == strength
    assert sandbox.run([Job(program="print(1)")])[0].isolation == strength


def test_strong_isolation_is_refused():
    for name in ("local", "unsafe"):
        with pytest.raises(SandboxUnavailable, match="'strong' is required"):
            open_sandbox(name, require_isolation="strong", workers=1)


def test_without_namespaces_it_refuses_unless_told(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="--sandbox unsafe"):
        open_sandbox("local", workers=1)
    with open_sandbox("local", workers=1, unsafe=True) as opened:
        assert opened.run([Job(program="print(1)")])[0].isolation == "none"


def test_many_jobs_over_two_boxes_keep_their_order(sandbox):
    jobs = [Job(program=f"print(int(input()) + {n % 3})", stdin=f"{n}\n") for n in range(30)]
    assert [int(execution.stdout) for execution in sandbox.run(jobs)] == [n + n % 3 for n in range(30)]


def test_a_driver_in_its_own_box_judges_calls(sandbox):
    driver = "for n in range(3):\n    assert candidate(n) == n + 1, n"
    right = Job(program="def f(n): return n + 1", entry_point="f", driver=driver)
    wrong = Job(program="def f(n): return 1", entry_point="f", driver=driver)
    dead = Job(program="import os\ndef f(n): os._exit(0)", entry_point="f", driver=driver)
    facts = sandbox.run([right, wrong, dead])
    assert [execution.driver.passed for execution in facts] == [True, False, False]
    assert [execution.driver.calls for execution in facts] == [3, 2, 1]
    assert facts[1].driver.error == "AssertionError: 1"


def test_the_exception_of_a_call_reaches_the_driver(sandbox):
    driver = "try: candidate()\nexcept ZeroDivisionError: pass\nelse: raise AssertionError('no error')"
    execution = sandbox.run([Job(program="def f(): return 1 // 0", entry_point="f", driver=driver)])[0]
    assert execution.driver.passed


def test_calls_go_on_in_a_new_process_when_asked(sandbox):
    from sandboxes import Call

    program = "import os\ndef f(n):\n    if n == 1: os._exit(3)\n    return n"
    calls = tuple(Call(args=(n,)) for n in range(4))
    ended, went_on = sandbox.run(
        [Job(program=program, entry_point="f", calls=calls, keep_going=flag) for flag in (False, True)]
    )
    assert [call.value for call in ended.calls] == [0]
    assert [call.value if call.returned else call.error for call in went_on.calls] == [0, "exit code 3", 2, 3]


def test_a_job_has_a_bound_on_all_its_calls(sandbox):
    from sandboxes import Call

    program = "import time\ndef f():\n    t = time.process_time()\n    while time.process_time() - t < 0.2: pass\n    return 1"
    limits = Limits(cpu_s=2, total_cpu_s=0.5)
    execution = sandbox.run([Job(program=program, entry_point="f", calls=(Call(),) * 20, limits=limits)])[0]
    assert execution.limit == "cpu"
    assert 1 <= len(execution.calls) <= 4


def test_a_box_outlives_the_thread_that_opened_its_sandbox():
    opened = []
    thread = threading.Thread(target=lambda: opened.append(open_sandbox("unsafe", workers=1)))
    thread.start()
    thread.join()
    wait_for(lambda: not Path(f"/proc/self/task/{thread.native_id}").exists())
    with opened[0] as sandbox:
        assert sandbox.run([Job(program="print(1)")])[0].stdout == b"1\n"
        assert sandbox.facts()["lost"] == 0


def test_what_runs_ends_when_its_sandbox_is_closed(tmp_path):
    program = f"import os, time\nopen(f'{tmp_path}/{{os.getpid()}}', 'w').close()\ntime.sleep(600)"
    with open_sandbox("unsafe", workers=2) as sandbox:
        for _ in range(2):
            sandbox.submit([Job(program=program, limits=Limits(cpu_s=300))])
        wait_for(lambda: len(list(tmp_path.iterdir())) == 2)
    wait_gone(*(int(file.name) for file in tmp_path.iterdir()))


@pytest.mark.long
def test_no_program_begins_while_the_one_before_it_is_killed(tmp_path, monkeypatch):
    kill = os.kill

    def slow(pid, signum):
        kill(pid, signum)
        time.sleep(0.3)

    monkeypatch.setattr(os, "kill", slow)
    program = f"import os, time\nopen(f'{tmp_path}/{{os.getpid()}}', 'w').close()\ntime.sleep(600)"
    with open_sandbox("unsafe", workers=1) as sandbox:
        running = sandbox.submit([Job(program=program, limits=Limits(cpu_s=300))] * 2)
        wait_for(lambda: list(tmp_path.iterdir()))
        assert running.cancel()
    (file,) = tmp_path.iterdir()
    wait_gone(int(file.name))


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "passed"),
    [
        ("def f():\n    os.write(200, b'x'); time.sleep(600)", False),
        ("def f():\n    while True: os.write(200, b'{}\\n'); time.sleep(0.2)", False),
        ("@atexit.register\ndef g():\n    while True: os.write(200, b'{}\\n'); time.sleep(0.2)\ndef f(): pass", True),
    ],
)
def test_what_a_program_says_unasked_gives_it_no_more_time(sandbox, program, passed):
    job = Job(
        program=f"import atexit, os, time\n{program}",
        entry_point="f",
        driver="candidate()",
        limits=Limits(cpu_s=1, wall_s=1),
    )
    execution = sandbox.run([job])[0]
    assert (execution.limit, execution.lost) == ("wall", None)
    assert execution.driver.passed is passed


@pytest.mark.long
@pytest.mark.parametrize(
    ("driver", "passed", "error"),
    [
        ("threading.Thread(target=time.sleep, args=(600,)).start()\ncandidate()", True, None),
        ("threading.Thread(target=time.sleep, args=(600,)).start()\nassert candidate()", False, "AssertionError"),
        ("time.sleep(600)\ncandidate()", False, "wall limit after"),
        ("candidate()\ntime.sleep(600)", False, "wall limit after"),
    ],
)
def test_a_test_program_that_never_ends_costs_no_box(sandbox, driver, passed, error):
    driver = f"import threading, time\n{driver}"
    job = Job(program="def f(): pass", entry_point="f", driver=driver, limits=Limits(cpu_s=1, wall_s=1))
    execution = sandbox.run([job])[0]
    assert execution.lost is None
    assert (execution.driver.passed, (execution.driver.error or "").startswith(error or "")) == (passed, True)
    assert (execution.driver.error is None) is passed


def test_a_program_that_never_loads_is_not_loaded_again_for_each_call(sandbox):
    from sandboxes import Call

    job = Job(
        program="import os\nos._exit(3)",
        entry_point="f",
        calls=(Call(),) * 4,
        keep_going=True,
    )
    execution = sandbox.run([job])[0]
    assert (execution.exit_code, execution.loaded, execution.calls) == (3, False, ())


HELD = """
import sys, time
from sandboxes import Call, Job, Limits, open_sandbox
program = f"import os, time\\ndef f():\\n    open({sys.argv[1]!r} + '/' + str(os.getpid()), 'w').close()\\n    time.sleep(600)"
with open_sandbox("unsafe", workers=1) as sandbox:
    sandbox.run([Job(program=program, entry_point="f", calls=(Call(),), limits=Limits(cpu_s=300))])
"""


@pytest.mark.long
def test_what_a_killed_process_left_is_removed_by_the_next_and_nothing_else(tmp_path, monkeypatch):
    place, pids = tmp_path / "tmp", tmp_path / "pids"
    place.mkdir()
    pids.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    holders = [subprocess.Popen([sys.executable, "-c", HELD, str(pids)]) for _ in range(2)]
    try:
        wait_for(lambda: len(list(pids.iterdir())) == 2)
        held = set(place.iterdir())
        assert len(held) == 2
        holders[0].kill()
        holders[0].wait()
        programs = {int(file.name) for file in pids.iterdir()}
        wait_for(lambda: sum(Path(f"/proc/{pid}").exists() for pid in programs) == 1)  # the killed one's program ends
        assert set(place.iterdir()) == held
        for name, mark in (("rewardkit-box-1", None), ("rewardkit-box-2", b"another's")):
            (place / name).mkdir()
            if mark:
                (place / name / "owner").write_bytes(mark)
        (place / "rewardkit-box-3").symlink_to(next(iter(held)))
        with open_sandbox("unsafe", workers=1) as sandbox:
            assert sandbox.run([Job(program="print(1)")])[0].stdout == b"1\n"
        left = set(place.iterdir())
        assert {folder.name for folder in left - held} == {"rewardkit-box-1", "rewardkit-box-2", "rewardkit-box-3"}
        assert len(left & held) == 1
        assert holders[1].poll() is None
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


@pytest.mark.slow
def test_the_public_contract_holds(sandbox):
    assert [(check.name, check.detail) for check in selfcheck(sandbox) if check.passed is False] == []


@pytest.mark.long
def test_a_box_that_cannot_start_says_why_in_one_line():
    program = """
import resource
from sandboxes import SandboxError, open_sandbox
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # an agent needs more
try:
    open_sandbox("unsafe")
except SandboxError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    (line,) = done.stdout.splitlines()
    assert "a box died at its start: gone (ValueError: the hard limit of open files is 64 here; 512 is needed)" in line
    assert "--sandbox unsafe" not in line  # it is the one that was asked for


KILLED = """
import os, signal, sys
from sandboxes import Job, open_sandbox
from sandboxes.backends.bubblewrap import descendants
sandbox = open_sandbox(sys.argv[1], workers=1)
sandbox.run([Job(program="print(1)")])
print(*descendants(os.getpid()), flush=True)
real, sent = os.kill, []
def kill(pid, number):
    real(pid, number)
    sent.append(number)
    if len(sent) == int(sys.argv[2]):
        real(os.getpid(), signal.SIGKILL)
os.kill = kill
sandbox.close()
"""


@pytest.mark.long
@pytest.mark.parametrize("signals", [1, 2, 3])
@pytest.mark.parametrize("kind", ["local", "unsafe"])
def test_nothing_stays_of_a_box_whose_judge_is_killed_while_it_closes(kind, signals):
    if kind == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, kind, str(signals)], check=False, capture_output=True, text=True, timeout=60
    )
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) >= 2, done.stderr
    for pid in pids:
        wait_gone(pid)
