"""The Docker backend: what it promises beyond the public contract."""

import asyncio
import os
import random
import threading
from pathlib import Path

import pytest

from sandboxes import (
    Call,
    ImageMissing,
    Job,
    JobRefused,
    Limits,
    SandboxError,
    SandboxUnavailable,
    open_sandbox,
    selfcheck,
)
from sandboxes.backends.docker import LABEL_BOX, LABEL_RUN, DockerSandbox, remove_dead
from sandboxes.backends.docker_api import DockerApi, DockerError
from sandboxes.backends.docker_config import Daemon, container_config
from sandboxes.backends.docker_image import image_name
from sandboxes.pool import PATIENCE

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def sandbox():
    with open_sandbox("docker", workers=2, require_isolation="strong") as opened:
        yield opened


def boxes(sandbox):
    return [found for found in sandbox.api.containers(LABEL_BOX) if found["Labels"][LABEL_RUN] == sandbox.run_id]


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("language", ["python", "bash"])
def test_a_closed_sandbox_runs_nothing(language, used):
    jobs = [Job(program="print(1)" if language == "python" else "echo 1", language=language)]
    with open_sandbox("docker", workers=1) as closed:
        if used:
            closed.run(jobs)
    with pytest.raises(SandboxError, match="the sandbox is closed"):
        closed.run(jobs)
    assert boxes(closed) == []


def test_closing_removes_every_container_of_this_run_and_no_other(sandbox):
    with open_sandbox("docker", workers=1) as other:
        other.run([Job(program="print(1)")])
        before = len(boxes(sandbox))
        assert boxes(other)
    assert boxes(other) == []
    assert len(boxes(sandbox)) == before


def test_a_container_that_ended_is_swept_up_by_its_label():
    api = DockerApi()
    labels = {"rewardkit.sandbox": "box", LABEL_RUN: "orphan"}
    config = container_config(image_name("python"), labels, Daemon.ask(api), memory_mb=256)
    made = api.request("POST", "/containers/create", json_body=config)["Id"]
    api.request("POST", f"/containers/{made}/start")
    api.request("POST", f"/containers/{made}/kill")
    api.request("POST", f"/containers/{made}/wait")
    remove_dead(api)  # or a sandbox that another process opens now does it
    assert made not in [found["Id"] for found in api.containers(LABEL_BOX)]


def test_killing_boxes_at_random_changes_no_verdict(sandbox):
    done = threading.Event()
    kills = []

    def killer():
        choice = random.Random(7)
        while len(kills) < PATIENCE - 1 and not done.wait(0.7):  # a job that met them all would still be tried again
            found = [box for box in boxes(sandbox) if box["State"] == "running"]
            if found:
                kills.append(choice.choice(found)["Id"])
                sandbox.api.request("POST", f"/containers/{kills[-1]}/kill")

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        jobs = [
            Job(program=f"import time; time.sleep(0.02); print(int(input()) + {n % 5})", stdin=f"{n}\n")
            for n in range(150)
        ]
        facts = sandbox.run(jobs)
    finally:
        done.set()
        thread.join()
    assert [execution.stdout for execution in facts] == [b"%d\n" % (n + n % 5) for n in range(150)]
    assert kills


def test_a_box_with_no_memory_left_is_the_programs_doing(sandbox):
    program = (
        "import os\nwhile True:\n    fd = os.memfd_create('x')\n    for _ in range(31): os.write(fd, bytes(1 << 20))"
    )
    execution, after = sandbox.run([Job(program=program, limits=Limits(cpu_s=60.0)), Job(program="print(1)")])
    assert execution.limit == "memory", execution.describe()
    assert after.stdout == b"1\n"


def test_a_box_in_which_the_kernel_killed_for_memory_runs_nothing_more(sandbox):
    eats = "import os\nheld = []\nfor _ in range(3):\n    if os.fork() == 0: break\nwhile True: held.append(bytearray(20 << 20))"
    counts = (
        "for name in ('memory/memory.oom_control', 'memory.events'):\n    try: print(open('/sys/fs/cgroup/' + name).read())\n"
        "    except OSError: pass"
    )
    facts = sandbox.run([Job(program=eats), *[Job(program=counts)] * 8])
    assert [execution.stdout_text.split("oom_kill ")[1].split()[0] for execution in facts[1:]] == ["0"] * 8


def test_a_job_that_wants_more_memory_than_a_box_has_is_refused(sandbox):
    with pytest.raises(JobRefused, match="memory_mb=4096"):
        sandbox.run([Job(program="", limits=Limits(memory_mb=4096))])


def test_programs_of_other_submissions_are_not_in_the_heap(sandbox):
    secret = "SECRET-" + "heap-77"
    search = (
        "import ctypes, re\nfound = 0\nfor line in open('/proc/self/maps'):\n    place, rights = line.split()[:2]\n"
        "    if 'r' in rights and '[v' not in line:\n        a, b = (int(v, 16) for v in place.split('-'))\n"
        "        found += len(re.findall(rb'SECRET-heap-7[7]', ctypes.string_at(a, b - a)))\nprint(found)"
    )
    jobs = [
        Job(program=f"x = '{secret}'; print(x, input())", stdin=f"{secret}\n", files={"f": secret}),
        Job(program=search),
    ]
    facts = sandbox.run(jobs, stop=lambda index, execution: False)
    assert facts[0].stdout_text == f"{secret} {secret}\n"
    assert facts[1].stdout == b"0\n", facts[1].describe()


def test_trusted_programs_never_share_a_box_with_submissions(sandbox):
    sandbox.run([Job(program="print(1)", trusted=True)])
    roles = {box["Id"]: box["Labels"]["rewardkit.role"] for box in boxes(sandbox)}
    assert set(roles.values()) == {"box", "trusted"}
    with pytest.raises(JobRefused, match="submit them apart"):
        sandbox.run([Job(program="", trusted=True), Job(program="")])


def test_a_20_mb_input_and_10_000_calls_pass(sandbox):
    execution = sandbox.run([Job(program="import sys; print(len(sys.stdin.buffer.read()))", stdin=b"x" * (20 << 20))])[
        0
    ]
    assert execution.stdout == b"20971520\n"
    calls = tuple(Call(args=(n,)) for n in range(10_000))
    execution = sandbox.run([Job(program="def f(n): return n", entry_point="f", calls=calls)])[0]
    assert [call.value for call in execution.calls] == list(range(10_000))


def test_event_loops_and_threads_share_one_sandbox(sandbox):
    async def ask(n):
        return (await sandbox.run_async([Job(program="print(int(input()))", stdin=f"{n}\n")]))[0].stdout

    async def all_of_them():
        return await asyncio.gather(*(ask(n) for n in range(20)))

    assert asyncio.run(all_of_them()) == [b"%d\n" % n for n in range(20)]


def test_an_image_of_another_agent_is_refused(monkeypatch):
    monkeypatch.setattr("sandboxes.backends.docker_image.agent_hash", lambda: "0000000000000000")
    with pytest.raises(SandboxUnavailable, match="python-0000000000000000 is not built; run `rewardkit sandbox build`"):
        DockerSandbox(workers=1)


def test_a_refused_attach_says_why(sandbox):
    with pytest.raises(DockerError, match=r"attach refused: .*[Nn]o such container"):
        sandbox.api.attach("nothing-of-this-name")


def test_podman_passes_the_self_check():
    host = os.environ.get("PODMAN_HOST", "unix:///run/podman/podman.sock")
    if not Path(host.removeprefix("unix://")).is_socket():
        pytest.skip("no Podman socket; PODMAN_HOST names one (`podman system service --time 0 unix://PATH`)")
    try:
        sandbox = DockerSandbox(workers=1, spares=0, host=host)
    except ImageMissing:
        pytest.skip("Podman has no sandbox image (`docker save IMAGE | podman load`)")
    with sandbox:
        assert sandbox.daemon.podman
        assert [check for check in selfcheck(sandbox) if check.passed is False] == []


def test_a_program_holds_no_descriptor_of_the_agent(sandbox):
    program = "import os\ndef open_(n):\n    try: os.fstat(n)\n    except OSError: return False\n    return True\nprint([n for n in range(5000) if open_(n)])"
    assert sandbox.run([Job(program=program)])[0].stdout_text == "[0, 1, 2, 200]\n"


def test_each_run_draws_random_numbers_of_its_own(sandbox):
    for program in ("import random; print(random.random())", "from random import *\nprint(random())"):
        facts = sandbox.run([Job(program=program) for _ in range(4)])
        assert len({execution.stdout for execution in facts}) == 4
    calls = tuple(Call(args=(n,)) for n in range(2))
    job = Job(program="def f(n): return random.random()", prelude="import random", entry_point="f", calls=calls)
    values = [call.value for execution in sandbox.run([job, job]) for call in execution.calls]
    assert len(values) == 4
    assert len(set(values)) == 4


def test_a_box_sees_neither_its_place_among_the_machines_processes_nor_a_mount_to_execute_from(sandbox):
    program = "print(open('/proc/self/cgroup').read()); print(open('/proc/mounts').read())"
    text = sandbox.run([Job(program=program)])[0].stdout_text
    assert {line.rpartition(":")[2] for line in text.split("\n\n")[0].splitlines()} == {"/"}
    writable = [line.split() for line in text.splitlines() if line.startswith("tmpfs") and " rw," in line]
    assert [words[1] for words in writable if words[1] in ("/tmp", "/dev/shm") and "noexec" not in words[3]] == []


def test_a_runtime_is_passed_through_and_named():
    with DockerSandbox(workers=1, spares=0, runtime="runc") as opened:
        assert opened.facts()["runtime"] == "runc"
        assert opened.run([Job(program="print(1)")])[0].stdout == b"1\n"
    with pytest.raises(SandboxUnavailable, match=r"Docker has no runtime 'runsc'; it has: .*runc"):
        DockerSandbox(workers=1, runtime="runsc")
