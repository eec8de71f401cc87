"""One pool of boxes behind all workers and `/run_code`: nothing is lost when a worker, the pool's process or a caller goes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from live import BOUND_S, Server, descendants, is_gone, wait_for

pytest.importorskip("fastapi")

from rewardkit.serve.sandbox_client import SandboxClient
from rewardkit.serve.sandbox_host import HostSupervisor
from sandboxes import Call, Job, JobRefused, Limits, SandboxUnavailable
from sandboxes.values import encode

Start = Callable[..., Server]
DOUBLE = "```python\ndef f(x):\n    return 2 * x\n```"
TESTS = {"fn_name": "f", "inputs": [[1], [2]], "outputs": [2, 4]}


@pytest.fixture(scope="module")
def keeper() -> Iterator[HostSupervisor]:
    with HostSupervisor() as one:
        yield one


@pytest.fixture(scope="module")
def shared_box(keeper: HostSupervisor) -> Iterator[SandboxClient]:
    with SandboxClient(keeper.path, "unsafe", workers=2) as sandbox:
        yield sandbox


def test_facts_come_back_in_order(shared_box: SandboxClient) -> None:
    jobs = [Job(program="print(input(), end='')", stdin=str(index)) for index in range(80)]
    assert [execution.stdout for execution in shared_box.run(jobs)] == [str(index).encode() for index in range(80)]
    assert shared_box.isolation == "none"
    assert shared_box.facts()["workers"] == 2


def test_each_kind_of_job_is_what_it_is_in_a_sandbox_of_ones_own(shared_box: SandboxClient) -> None:
    from sandboxes import open_sandbox

    jobs = [
        Job(program="print('\udc80'.encode('utf-8', 'surrogatepass'))"),
        Job(program=b"# coding: latin-1\nprint('\xe9')"),
        Job(program="import sys; print(open('a/b').read(), sys.argv[1:])", files={"a/b": b"\x00\xff"}, argv=("x",)),
        Job(program="print('x' * 100)", limits=Limits(output_bytes=10)),
        Job(program="while True: pass", limits=Limits(cpu_s=0.2)),
        Job(program="print("),
        Job(
            program="def f(x):\n    if x == 2: raise SystemExit\n    return [x, None, {1: 'é'}]",
            calls=tuple(Call(args=(encode(x),)) for x in range(4)),
            entry_point="f",
            keep_going=True,
        ),
        Job(program="def f(x): return x + 1", entry_point="f", driver="assert candidate(1) == 2"),
        Job(program="def f(x): return x + 1", entry_point="f", driver="assert candidate(1) == 3"),
        Job(program="f = lambda: LIMIT", prelude="LIMIT = 7", calls=(Call(),), entry_point="f"),
    ]
    with open_sandbox("unsafe", workers=1) as own:
        wanted = [plain(execution) for execution in own.run(jobs)]
    assert [plain(execution) for execution in shared_box.run(jobs)] == wanted


def plain(execution: Any) -> dict[str, Any]:
    """Facts without what differs from run to run: a program over its limit may end before the signal does it."""
    facts = execution.model_dump(
        exclude={
            *("cpu_s", "wall_s", "asleep_s", "memory_mb"),
            *(["signal", "exit_code"] if execution.limit else []),
        }
    )
    driver = execution.driver and execution.driver.model_dump(exclude={"cpu_s", "asleep_s"})
    return {**facts, "driver": driver, "calls": [(call.value, call.error) for call in execution.calls]}


def test_a_batch_ends_where_the_caller_says(shared_box: SandboxClient) -> None:
    seen: list[int] = []

    def stop(index: int, execution: Any) -> bool:
        seen.append(index)
        return execution.exit_code != 0

    jobs = [Job(program=f"raise SystemExit({index == 2})") for index in range(5)]
    assert [execution.exit_code for execution in shared_box.run(jobs, stop=stop)] == [0, 0, 1]
    assert seen == [0, 1, 2]


def test_what_the_sandbox_refuses_is_the_same_error_here(keeper: HostSupervisor, shared_box: SandboxClient) -> None:
    with pytest.raises(JobRefused, match="needs 999999 MB"):
        shared_box.run([Job(program="", limits=Limits(memory_mb=999_999))])
    with pytest.raises(SandboxUnavailable, match="no sandbox 'nowhere'; choose one of"):
        SandboxClient(keeper.path, "nowhere")
    with pytest.raises(SandboxUnavailable, match="'strong' is required"):
        SandboxClient(keeper.path, "unsafe", require="strong", workers=2)


def test_jobs_survive_the_death_of_the_process_that_runs_them(tmp_path: Path) -> None:
    with HostSupervisor() as keeper, SandboxClient(keeper.path, "unsafe", workers=2) as sandbox:
        gate = tmp_path / "gate"
        program = f"import os, time\nopen({str(gate)!r} + str(os.getpid()), 'w')\ntime.sleep(0.3)\nprint(input())"
        running = sandbox.submit([Job(program=program, stdin=str(index)) for index in range(8)])
        wait_for(lambda: list(tmp_path.iterdir()))
        kill(keeper)
        assert [execution.stdout_text for execution in running.result()] == [f"{index}\n" for index in range(8)]


def kill(keeper: HostSupervisor) -> None:
    os.kill(keeper._process.pid, signal.SIGKILL)


def test_a_caller_who_is_gone_leaves_no_work_behind(keeper: HostSupervisor, tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:  # hands in forty jobs and is killed over the first
        jobs = [Job(program=sleeper(tmp_path), limits=Limits(cpu_s=300))] * 40
        SandboxClient(keeper.path, "unsafe", workers=1).run(jobs)
        os._exit(1)
    pid = begun(tmp_path)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    wait_for(lambda: is_gone(pid))
    SandboxClient(keeper.path, "unsafe", workers=1).run([Job(program="")] * 2)  # the same box: its turn has come
    assert [file.name for file in tmp_path.iterdir()] == [str(pid)]


def sleeper(folder: Path) -> str:
    """A program that notes its process and sleeps longer than any test."""
    return f"import os, time\nopen({str(folder)!r} + f'/{{os.getpid()}}', 'w')\ntime.sleep(600)\ndef f(x): return x"


def begun(folder: Path) -> int:
    """The process of such a program, once it is up."""
    return int(wait_for(lambda: [file.name for file in folder.iterdir()])[0])


def test_cancelled_jobs_end_in_the_process_that_runs_them(keeper: HostSupervisor, tmp_path: Path) -> None:
    with SandboxClient(keeper.path, "unsafe", workers=1) as sandbox:
        jobs = [Job(program=sleeper(tmp_path), limits=Limits(cpu_s=300))] * 3
        for stop in (None, lambda _index, _execution: False):
            running = sandbox.submit(jobs, stop=stop)
            pid = begun(tmp_path)
            assert running.cancel()
            wait_for(lambda pid=pid: is_gone(pid))
            assert sandbox.submit([Job(program="print(1)")]).result(BOUND_S)[0].stdout == b"1\n"  # by the only worker
            assert [file.name for file in tmp_path.iterdir()] == [str(pid)]
            (tmp_path / str(pid)).unlink()


def test_a_batch_that_ends_early_costs_no_box(keeper: HostSupervisor) -> None:
    with SandboxClient(keeper.path, "unsafe", workers=3) as sandbox:
        for _ in range(20):
            assert len(sandbox.run([Job(program="pass")] * 3, stop=lambda index, _: index == 1)) == 2
            assert len(sandbox.run([Job(program="pass")] * 2, stop=lambda *_: False)) == 2
    again = SandboxClient(keeper.path, "unsafe", workers=3)
    assert again.facts()["started"] <= 3


def test_kill_9_of_the_server_leaves_nothing_behind(start: Start) -> None:
    body = {"code": "print(1)", "language": "python"}
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # a socket's path is short; that of tmp_path may not be
        server = start("-r", "code", "--workers", "1", "--sandbox", "unsafe", env={"TMPDIR": folder})
        assert server.client.post("/run_code", json=body).json()["run_result"]["stdout"] == "1\n"
        kinds = {file.name.rpartition("-")[0] for file in Path(folder).iterdir()}
        assert {"rewardkit-boxes", "rewardkit-box"} <= kinds
        server.stop(signal.SIGKILL)
        wait_for(lambda: not list(Path(folder).glob("rewardkit-*")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("route", "leaves"), [("/run_code", "hangs up"), ("/v1/score", "hangs up"), ("/v1/score", "has a deadline")]
)
def test_the_program_of_a_caller_who_left_is_killed(start: Start, tmp_path: Path, route: str, leaves: str) -> None:
    server = start("-r", "code", "--workers", "2", "--sandbox", "unsafe")
    server.client.post("/run_code", json={"code": "", "language": "python"})  # a box is up before a deadline runs
    program = sleeper(tmp_path)
    waits = 2 if leaves == "has a deadline" else 200
    row = {"completion": f"```python\n{program}\n```", "ground_truth": TESTS}
    body = (
        {"code": program, "language": "python", "run_timeout": waits, "compile_timeout": 1}
        if route == "/run_code"
        else {"samples": [row] * 4, "timeout_s": waits}
    )
    box: list[httpx.Response] = []

    def ask() -> None:
        with contextlib.suppress(httpx.TransportError):
            box.append(httpx.post(f"{server.url}{route}", json=body, timeout=None))

    if leaves == "hangs up":
        with socket.create_connection((urlsplit(server.url).hostname, urlsplit(server.url).port)) as sock:
            text = json.dumps(body).encode()
            sock.sendall(
                b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                % (route.encode(), len(text), text)
            )
            pid = begun(tmp_path)
    else:
        asking = threading.Thread(target=ask)
        asking.start()
        pid = begun(tmp_path)
        asking.join()
        assert {score["verdict"] for score in box[0].json()["scores"]} == {"unjudged"}
    wait_for(lambda: is_gone(pid))
    rows = [{"completion": DOUBLE, "ground_truth": TESTS}] * 40
    answer = server.client.post("/v1/score", json={"samples": rows}).json()
    assert [score["value"] for score in answer["scores"]] == [1.0] * 40


def holders(server: Server) -> list[int]:
    """The process with the sandboxes, where it is up: the one with children that was spawned."""
    return [
        pid for pid in descendants(server.process.pid) if b"multiprocessing.spawn" in command(pid) and descendants(pid)
    ]


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def judged(server: Server) -> float:
    return sum(server.metric("rewardkit_rows_total", reward="code", verdict=name) for name in ("correct", "wrong"))


@pytest.mark.slow
def test_kill_9_of_workers_and_of_the_pool_loses_no_row(start: Start) -> None:
    server = start("-r", "code", "--workers", "2", "--sandbox", "unsafe")
    rows = [
        {"completion": DOUBLE.replace("2", "2" if index % 2 else "3"), "ground_truth": TESTS} for index in range(300)
    ]
    answers: list[Any] = []

    def ask() -> None:
        answers.append(server.client.post("/v1/score", json={"samples": rows}).json())

    killed = 0
    while killed < 4:  # a fast machine may be through with one request before the fourth
        assert len(answers) < 60
        asking = threading.Thread(target=ask)
        asking.start()
        while asking.is_alive() and killed < 4:
            before = judged(server)
            wait_for(lambda asking=asking, before=before: judged(server) > before or not asking.is_alive())
            victims = server.workers() if killed % 2 else holders(server)
            for pid in victims:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed += bool(victims)
        asking.join()
    for answer in answers:
        values = [score["value"] for score in answer["scores"]]
        assert len(values) == 300
        assert all(value in (None, float(index % 2)) for index, value in enumerate(values))
    again = server.client.post("/v1/score", json={"samples": rows[:10]}).json()
    assert [score["value"] for score in again["scores"]] == [0.0, 1.0] * 5
    answer = server.client.post("/run_code", json={"code": "print(1)", "language": "python"}).json()
    assert answer["run_result"]["stdout"] == "1\n"
