"""Each fork is like the first one, to whatever program comes."""

import ctypes
import json
import multiprocessing
import os
import shutil
import signal
import socket
import time
from pathlib import Path

import pytest

from sandboxes import Call, Job, Limits, open_sandbox
from sandboxes.agent.preload import ON_DEMAND
from sandboxes.backends.docker import LABEL_RUN
from sandboxes.backends.docker_api import DockerApi

PIDFD_GETFD = 438

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


def test_a_later_program_sees_what_the_first_one_saw(sandbox):
    first, *others = sandbox.run([Job(program=SCRIPT, stdin="a\nb\n")] * 3)
    assert first.error is None
    assert len(json.loads(first.stdout)) == 18
    assert [execution.stdout for execution in others] == [first.stdout] * 2


def test_later_calls_see_what_the_first_ones_saw(sandbox):
    jobs = [Job(program=FUNCTION, entry_point="f", calls=(Call(),))] * 3
    first, *others = [execution.calls[0] for execution in sandbox.run(jobs)]
    assert first.error is None
    assert [result.value for result in others] == [first.value] * 2


def test_a_fork_takes_a_program_with_all_that_may_come_along(sandbox):
    job = Job(
        program="import sys\nprint(input(), sys.argv[1:], open('d/f').read(), extra)", prelude="extra = 5", stdin="in",
        argv=("x",), files={"d/f": "text"},
    )  # fmt: skip
    assert [execution.stdout_text for execution in sandbox.run([job] * 2)] == ["in ['x'] text 5\n"] * 2


def test_a_job_of_any_size_arrives_whole(sandbox):
    """Orders that are too long for a message come in a file."""
    jobs = [
        Job(program=f"import sys\nprint(len(sys.argv), sys.argv[-1][-3:], len(input()), {size})\n#" + "x" * size,
            stdin="i" * size, argv=("a" * size, "b" * size + "end"), entry_point="e" * size, files={"f" * 9: "x" * size})
        for size in (1, 1 << 13, 1 << 14, 1 << 16, 300_000)
    ]  # fmt: skip
    for job, execution in zip(jobs, sandbox.run(jobs, stop=lambda _index, _facts: False), strict=True):
        size = len(job.stdin)
        assert execution.stdout_text == f"3 end {size} {size}\n"


def test_output_and_files_of_any_size_come_back_apart(sandbox):
    sizes = [(0, 0, 0, 0), (3, 0, 5, 1), (0, 4, 0, 2), (70_000, 1, 9, 0), (1, 70_000, 0, 3), (5, 7, 70_000, 11)]
    program = """import sys
out, err, first, second = map(int, sys.argv[1:])
sys.stdout.write("o" * out)
sys.stderr.write("e" * err)
open("first", "w").write("1" * first)
open("second", "w").write("2" * second)"""
    fetch = ("first", "missing", "second")
    executions = sandbox.run([Job(program=program, argv=tuple(map(str, each)), fetch=fetch) for each in sizes])
    for (out, err, first, second), execution in zip(sizes, executions, strict=True):
        assert (execution.stdout, execution.stderr) == (b"o" * out, b"e" * err)
        assert execution.files == {"first": b"1" * first, "second": b"2" * second}


def test_modules_that_a_program_names_are_there_for_the_next(sandbox):
    look = Job(program="import sys; print('stat' 'istics' in sys.modules)")
    named = Job(program="import statistics; print(1)")
    facts = sandbox.run([look, named, look], stop=None)
    assert [execution.stdout_text for execution in facts] == ["False\n", "1\n", "True\n"]


def test_nothing_is_imported_from_what_a_program_left(sandbox):
    """The forker imports what a job named when its program has ended, and the files that this left may not be gone yet."""
    shadows = f"""import sys
for name in {{*sys.stdlib_module_names, *{ON_DEMAND}}}:
    open(name + ".py", "w").write("import builtins; builtins.left = __file__")"""
    look = Job(
        program="""import builtins, os, sys
print(getattr(builtins, "left", None), [name for name, one in sys.modules.items() if name != "__main__" and str(getattr(one, "__file__", "")).startswith(os.getcwd())])"""
    )
    leaves, after = sandbox.run([Job(program=shadows), look])  # its text names all of them
    assert (leaves.exit_code, after.stdout_text) == (0, "None []\n")


def test_no_program_can_write_where_modules_are_looked_for_but_in_its_own_folder(sandbox):
    if sandbox.isolation == "none":
        pytest.skip("its programs may write where the user may")
    program = """import os, sys
for folder in sys.path:
    try:
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, "x"), "w")
    except OSError:
        continue
    print(folder == os.getcwd(), end=" ")"""
    assert sandbox.run([Job(program=program)])[0].stdout_text == "True "


@pytest.mark.long
@pytest.mark.parametrize("name", ["local", "unsafe"])
def test_a_fork_killed_before_its_job_costs_no_job(name):
    """Its order waits in a socket that all forks read from: the next one took it, each job got the one before, and none was right."""
    if name == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(name, workers=1) as sandbox:
        for number in range(3):
            (box,) = sandbox.pool._boxes
            os.kill(waiting_fork(box.pipe.process.pid), signal.SIGKILL)
            jobs = [Job(program=f"print(input(), {number})", stdin=f"{row}") for row in range(4)]
            told = [(execution.stdout_text, execution.lost, execution.limit) for execution in sandbox.run(jobs)]
            assert told == [(f"{row} {number}\n", None, None) for row in range(4)]
            sandbox.run([Job(program="pass")])


@pytest.mark.parametrize("name", ["local", "unsafe"])
def test_a_fork_killed_between_its_job_and_its_program_costs_no_job(name):
    """A fork that is being killed may still take its order out of the socket. Here the test takes it in the fork's place."""
    if name == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(name, workers=1) as sandbox:
        (box,) = sandbox.pool._boxes
        fork = waiting_fork(box.pipe.process.pid)
        orders = order_socket(fork)
        stop(fork)
        future = sandbox.submit([Job(program="print(input())", stdin="7")])
        assert orders.recv(1 << 16)
        orders.close()
        os.kill(fork, signal.SIGKILL)
        (execution,) = future.result(60)
        assert (execution.stdout_text, execution.lost, execution.limit) == ("7\n", None, None)


def stop(pid):
    """Stop a process and wait until it has: on its way there it still takes an order that arrives."""
    os.kill(pid, signal.SIGSTOP)
    while " T " not in Path(f"/proc/{pid}/stat").read_text():
        time.sleep(0.001)


def order_socket(pid):
    """A copy of the socket from which a fork takes its order."""
    try:
        links = list(Path(f"/proc/{pid}/fd").iterdir())
    except PermissionError:
        pytest.skip("only root looks into the agent's descriptors")
    fds = [int(link.name) for link in links if str(link.readlink()).startswith("socket:")]
    call = ctypes.CDLL(None, use_errno=True).syscall
    for fd in fds:
        copy = call(PIDFD_GETFD, os.pidfd_open(pid), fd, 0)
        if copy < 0:
            pytest.skip(f"the kernel lets nobody copy a descriptor: {os.strerror(ctypes.get_errno())}")
        found = socket.socket(fileno=copy)
        if found.type == socket.SOCK_SEQPACKET:
            return found
        found.close()
    raise AssertionError(f"none of {fds} is the socket for orders")


def waiting_fork(pid):
    """The fork of a box that waits for the next job: beside the supervisor, the other child of the box's first process."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        if len(children) == 2:
            return children[1]
        pid = children[0] if len(children) == 1 and "bwrap" in Path(f"/proc/{pid}/comm").read_text() else pid
    raise AssertionError("no fork waits")


def test_the_cpu_time_of_a_script_is_a_limit_of_the_kernel_and_that_of_calls_is_not(sandbox):
    """Calls have their time one by one, and are stopped from outside."""
    look = "import resource\n{}resource.getrlimit(resource.RLIMIT_CPU){}"
    limits = Limits(cpu_s=7)
    script = Job(program=look.format("print(", ")"), limits=limits)
    calls = Job(
        program=look.format("def f(): return list(", ")"), entry_point="f", calls=(Call(), Call()), limits=limits
    )
    printed, called = sandbox.run([script, calls])
    assert printed.stdout_text == "(9, 9)\n"
    assert all(9 not in call.value for call in called.calls)


@pytest.mark.parametrize("held", ["", "class Box: pass\nbox = Box(); box.me = box; box.out = out\ndel box, out"])
@pytest.mark.parametrize("mode", ["w", "wb"])
def test_what_a_program_wrote_to_a_file_and_never_closed_is_there_at_its_end(sandbox, held, mode):
    text = "'told'" if mode == "w" else "b'told'"
    (done,) = sandbox.run([Job(program=f"out = open(1, '{mode}')\nout.write({text})\n{held}")])
    assert (done.stdout_text, done.exit_code) == ("told", 0)


def test_programs_go_before_their_caller_when_memory_runs_out(sandbox):
    execution = sandbox.run([Job(program="print(open('/proc/self/oom_score_adj').read())")])[0]
    assert execution.stdout_text.strip() == "1000", execution.describe()


def test_a_forked_process_that_closes_a_sandbox_leaves_that_of_its_parent_alone(sandbox):
    before = sandbox.facts()
    assert sandbox.run([Job(program="")])[0].exit_code == 0
    pid = os.fork()
    if pid == 0:
        try:
            sandbox.close()
        finally:
            os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    assert sandbox.run([Job(program="")])[0].exit_code == 0
    assert sandbox.facts()["lost"] == before["lost"]


@pytest.mark.long
@pytest.mark.parametrize("kind", [pytest.param("docker", marks=pytest.mark.docker), "local", "unsafe"])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_process_of_multiprocessing_that_ends_leaves_no_box(kind, method, tmp_path, monkeypatch):
    if kind == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    context = multiprocessing.get_context(method)
    made = context.SimpleQueue()
    child = context.Process(target=opened, args=(kind, made))
    child.start()
    child.join(120)
    said, run_id = made.get()
    assert (child.exitcode, said) == (0, b"1\n")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("rewardkit")] == []
    if kind == "docker":
        assert DockerApi().containers(f"{LABEL_RUN}={run_id}") == []


def opened(kind, made):
    sandbox = open_sandbox(kind, workers=1)
    made.put((sandbox.run([Job(program="print(1)")])[0].stdout, getattr(sandbox, "run_id", "")))
