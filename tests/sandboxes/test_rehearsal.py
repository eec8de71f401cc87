"""A fork that has rehearsed is like one that has not, to whatever program comes."""

import json
import shutil

import pytest

from sandboxes import Call, Job, open_sandbox

PROBE = """
import gc, os, resource, signal, sys, threading, time
kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)
seen = [
    sorted(sys.modules), sorted(globals()), sys.argv, sys.path, os.getcwd(), os.listdir("."), sorted(os.listdir("/proc/self/fd")),
    os.lseek(0, 0, os.SEEK_CUR), sys.stdin.read(), str(signal.getsignal(signal.SIGINT)), threading.active_count(),
    [resource.getrlimit(kind) for kind in kinds], gc.isenabled(), gc.get_threshold(), time.process_time() < 60,
    sorted(os.environ), os.umask(0o22), sum(type(thing) is dict and "solve" in thing for thing in gc.get_objects()),
]
"""
SCRIPT = PROBE + "import json; print(json.dumps(seen))"
FUNCTION = PROBE + "import json\ndef f(): return json.dumps(seen)"


@pytest.fixture(params=[pytest.param("docker", marks=pytest.mark.docker), "local", "unsafe"])
def sandbox(request):
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(request.param, workers=1) as opened:
        yield opened


def test_a_program_sees_no_trace_of_a_rehearsal(sandbox):
    """The first fork of a box has leisure; the later ones of a batch have none."""
    first, *others = sandbox.run([Job(program=SCRIPT, stdin="a\nb\n")] * 3)
    assert first.error is None
    assert len(json.loads(first.stdout)) == 18
    assert [execution.stdout for execution in others] == [first.stdout] * 2


def test_calls_see_no_trace_of_a_rehearsal(sandbox):
    jobs = [Job(program=FUNCTION, entry_point="f", calls=(Call(),))] * 3
    first, *others = [execution.calls[0] for execution in sandbox.run(jobs)]
    assert first.error is None
    assert [result.value for result in others] == [first.value] * 2


def test_a_rehearsed_fork_takes_a_program_with_all_that_may_come_along(sandbox):
    job = Job(
        program="import sys\nprint(input(), sys.argv[1:], open('d/f').read(), extra)", prelude="extra = 5", stdin="in",
        argv=("x",), files={"d/f": "text"},
    )  # fmt: skip
    assert [execution.stdout_text for execution in sandbox.run([job] * 2)] == ["in ['x'] text 5\n"] * 2


def test_a_box_that_rehearses_before_each_test_stays_whole(sandbox):
    box = sandbox.pool._idle.get()
    for number in range(20):
        job = Job(program="print(int(input()) + 1)" if number % 3 else "raise SystemExit(3)", stdin=f"{number}\n")
        box.send(job, leisure=True)
        execution = box.receive(job)
        assert (execution.stdout_text, execution.exit_code) == ((f"{number + 1}\n", 0) if number % 3 else ("", 3))
    assert box.unclean is None
    sandbox.pool._idle.put(box)
