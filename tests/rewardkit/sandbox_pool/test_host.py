"""One pool of boxes behind all workers: nothing is lost when the pool's process or a caller goes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import BOUND_S, begun, is_gone, sleeper, wait_for

from rewardkit.sandbox_pool import host
from rewardkit.sandbox_pool.client import SandboxClient
from rewardkit.sandbox_pool.host import HostSupervisor, _Server
from sandboxes import Call, Job, JobRefused, Limits, SandboxUnavailable
from sandboxes.errors import SandboxNameError
from sandboxes.temp_dir import MAX_SOCKET_PATH, SOCKET_ROOM, remove_abandoned
from sandboxes.values import encode


@pytest.fixture(scope="module")
def keeper() -> Iterator[HostSupervisor]:
    with HostSupervisor(2) as one:
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
    with pytest.raises(SandboxNameError, match="no sandbox 'nowhere'; choose one of"):
        SandboxClient(keeper.path, "nowhere")
    with pytest.raises(SandboxUnavailable, match="'strong' is required"):
        SandboxClient(keeper.path, "unsafe", require="strong", workers=2)


@pytest.mark.long
def test_jobs_survive_the_death_of_the_process_that_runs_them(tmp_path: Path) -> None:
    with HostSupervisor(2) as keeper, SandboxClient(keeper.path, "unsafe", workers=2) as sandbox:
        gate = tmp_path / "gate"
        program = f"import os, time\nopen({str(gate)!r} + str(os.getpid()), 'w')\ntime.sleep(0.3)\nprint(input())"
        running = sandbox.submit([Job(program=program, stdin=str(index)) for index in range(8)])
        wait_for(lambda: list(tmp_path.iterdir()))
        kill(keeper)
        assert [execution.stdout_text for execution in running.result()] == [f"{index}\n" for index in range(8)]


def test_the_process_comes_back_although_it_could_not_be_started_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with HostSupervisor(1) as keeper, SandboxClient(keeper.path, "unsafe", workers=1) as sandbox:
        failures = [OSError(12, "Cannot allocate memory")] * 2
        start = keeper._start
        monkeypatch.setattr(host, "_RESTART_PAUSE_S", 0.01)
        monkeypatch.setattr(keeper, "_start", lambda: raised(failures.pop()) if failures else start())
        kill(keeper)
        assert [execution.stdout_text for execution in sandbox.run([Job(program="print(1)")])] == ["1\n"]
        assert not failures


def raised(error: Exception) -> None:
    raise error


def kill(keeper: HostSupervisor) -> None:
    os.kill(keeper._process.pid, signal.SIGKILL)


def test_the_folder_of_a_supervisor_that_is_killed_with_its_process_is_removed_by_the_next(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("t")  # a test's own has its name, and there is little room in the path of a socket
    program = """
import os, signal
from rewardkit.sandbox_pool.host import HostSupervisor
if __name__ == "__main__":
    keeper = HostSupervisor(1)
    for pid in (keeper._process.pid, os.getpid()):
        os.kill(pid, signal.SIGKILL)
"""
    (folder / "program.py").write_text(program)
    subprocess.run([sys.executable, folder / "program.py"], env={**os.environ, "TMPDIR": str(folder)}, check=False)
    assert list(folder.glob("rewardkit-*"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    remove_abandoned()
    assert not list(folder.glob("rewardkit-*"))


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


@pytest.mark.parametrize(
    "error", [ConnectionResetError("gone"), EOFError("gone"), RuntimeError("ours, with a program")]
)
def test_a_bug_is_logged_without_its_message_and_a_client_that_left_is_not(
    error: Exception, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with _Server(str(tmp_path / "s"), 1) as server:
        try:
            raise error
        except type(error):
            server.handle_error(None, None)
    assert [record.getMessage() for record in caplog.records] == [
        "RuntimeError in the process with the sandboxes"
    ] * isinstance(error, RuntimeError)


@pytest.mark.parametrize("length", [*range(56, 64), *range(100, 112), 250])
def test_its_socket_can_be_made_however_long_the_path_of_the_temporary_folder_is(
    monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        folder = Path(short, "x" * (length - len(short) - 1))
        folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        monkeypatch.setattr(HostSupervisor, "_start", lambda _: None)
        monkeypatch.setattr(HostSupervisor, "_watch", lambda _: None)
        made = HostSupervisor(1)
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(made.path)
        assert Path(made.path).is_relative_to(folder) == (length <= MAX_SOCKET_PATH - SOCKET_ROOM)
        made._folder.close()
        assert not Path(made.path).parent.exists()
