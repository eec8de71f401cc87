"""What the caller's process is like (umask, signals, limits, environment) changes no result, or it is said that nothing can run."""

import json
import os
import random
import shutil
import subprocess
import sys

import pytest

from sandboxes import Job, open_sandbox

CALLER = """
import json, os, resource, signal, sys
from sandboxes import Call, Job, open_sandbox
from sandboxes.errors import SandboxUnavailable
every = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
exec(sys.argv[2])
jobs = [
    Job(program=sys.argv[3]),
    Job(program="def f(x): return x + 1", calls=(Call(args=(1,)),), entry_point="f"),
    Job(program="echo $(umask) $(ulimit -c)", language="bash"),
]
try:
    with open_sandbox(sys.argv[1], workers=1) as sandbox:
        for run in sandbox.run(jobs):
            told = [run.exit_code, run.stdout.decode(), [[each.value, each.error] for each in run.calls]]
            print(json.dumps([run.lost, told]))
except SandboxUnavailable as error:
    print(json.dumps([error.problem, None]))
"""
PROGRAM = """
import os, resource, sys, time
open("file", "w").write("text")
status = open("/proc/self/status").read().split("\\n")
print(open("file").read(), oct(os.umask(0)), [line for line in status if line.startswith(("SigBlk", "SigIgn"))])
print([resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_STACK, resource.RLIMIT_CORE)])
print(time.tzname, sys.flags, sys.stdout.encoding, sorted(os.environ))
"""
SETTINGS = {
    "umask": "os.umask(0o077)",
    "blocked signals": "signal.pthread_sigmask(signal.SIG_BLOCK, every)",
    "ignored signals": "[signal.signal(each, signal.SIG_IGN) for each in every]",
    "ends of children ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "limits": "[resource.setrlimit(kind, (soft, resource.getrlimit(kind)[1])) for kind, soft in "
    "((resource.RLIMIT_NOFILE, 100), (resource.RLIMIT_STACK, 1 << 20), (resource.RLIMIT_CORE, 4096))]",
    "environment": "os.environ.update(TZ='Asia/Tokyo', LC_ALL='C', PYTHONOPTIMIZE='2', PYTHONIOENCODING='latin-1', FOO='x')",
}
HARD = {
    "file size": ("FSIZE", 1 << 20),
    "memory": ("AS", 1_500_000_000),
    "CPU time": ("CPU", 5),
    "open files": ("NOFILE", 200),
    "stack": ("STACK", 1 << 20),
    "stack of programs in other languages": ("STACK", 64 << 20),
}


@pytest.fixture(scope="module", params=["local", "unsafe"])
def run_as(request):
    """Run the jobs as a caller of the given setting: of each, why it is lost, and what came of it."""
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")

    def run(setting):
        command = [sys.executable, "-c", CALLER, request.param, setting, PROGRAM]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    run.kind = request.param
    run.plain = run("")
    return run


def test_everything_runs_for_an_ordinary_caller(run_as):
    assert [lost for lost, _ in run_as.plain] == [None] * 3
    assert [told[0] for _, told in run_as.plain] == [0] * 3
    assert run_as.plain[0][1][1].startswith("text 0o22 ")


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_program_notices_how_its_caller_is_set_up(run_as, setting):
    assert run_as(SETTINGS[setting]) == run_as.plain


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
def test_a_hard_limit_that_is_too_low_is_never_a_programs_failure(run_as, name):
    kind, hard = HARD[name]
    found = run_as(f"resource.setrlimit(resource.RLIMIT_{kind}, ({hard}, {hard}))")
    for (lost, told), (_, plain) in zip(found, run_as.plain, strict=False):
        assert told == plain if lost is None else f"the hard limit of {name.partition(' of ')[0]} is {hard:,}" in lost
    if run_as.kind == "local":  # elsewhere root may raise it
        assert any(lost for lost, _ in found)


@pytest.mark.parametrize("kind", [pytest.param("docker", marks=pytest.mark.docker), "local", "unsafe"])
def test_boxes_of_callers_with_the_same_seed_have_users_of_their_own(kind):
    """Trainers seed all their processes alike. The kernel counts processes by user, in all containers together."""
    if kind == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    users = set()
    for _ in range(2):
        random.seed(7)
        before = random.getstate()
        with open_sandbox(kind, workers=1) as sandbox:
            users.add(sandbox.run([Job(program="import os; print(os.getuid())")])[0].stdout_text)
        assert random.getstate() == before
    assert len(users) == 2 or kind == "unsafe" or (kind == "local" and os.getuid() != 0)
