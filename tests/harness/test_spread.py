"""Shards of a run asked at once, by processes here and by a Ray cluster, and merged."""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import spread
from harness.cli import cli
from harness.spread import local_devices, shares
from harness.store import read_run
from rewardkit.cli import run

REAL = pytest.mark.parametrize("lm_eval", [pytest.param("real", marks=pytest.mark.engine)], indirect=True)

WAYS = [("stand-in", "local"), *(pytest.param("real", way, marks=pytest.mark.engine) for way in ("local", "ray"))]
DOCS = Path(__file__).parents[2] / "docs" / "harness.md"


def in_this_process(_, command, *, stderr, env):
    """A shard without a process of its own, as the stand-in for lm-eval needs it."""
    with redirect_stdout(io.StringIO()), redirect_stderr(stderr), pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_VISIBLE_DEVICES", env["CUDA_VISIBLE_DEVICES"])
        return run(cli, command[command.index("run") :])


@pytest.fixture
def told(lm_eval, stub, small_data, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if lm_eval == "stand-in":
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")  # of one GPU only one shard has the use at a time
        monkeypatch.setattr(spread.Processes, "run", in_this_process)
    return ["run", "--model", stub.url, "--tasks", "math500", "--data-dir", small_data, "--judge_workers", "0"]


@pytest.fixture
def ray():
    found = pytest.importorskip("ray")
    found.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield found
    found.shutdown()


@pytest.mark.parametrize(("lm_eval", "engine"), WAYS, indirect=["lm_eval"])
def test_the_shards_together_are_the_whole_run(harness, told, stub, tmp_path, engine, request):
    if engine == "ray":
        request.getfixturevalue("ray")
    assert harness(*told, "-o", tmp_path / "whole", "--repeats", 2)[0] == 0
    asked = len(stub.requests)
    code, _, err = harness(*told, "-o", tmp_path / "out", "--repeats", 2, "--engine", engine, "--shards", 3)
    assert code == 0, err
    assert len(stub.requests) == 2 * asked
    free = {"source": "", "latency_s": None, "judge_ms": None}
    whole, out = read_run(tmp_path / "whole"), read_run(tmp_path / "out")
    assert [each.model_copy(update=free) for each in out.answers] == [
        each.model_copy(update=free) for each in whole.answers
    ]
    assert harness("compare", tmp_path / "whole", tmp_path / "out")[0] == 0
    assert harness(*told, "-o", tmp_path / "out", "--engine", engine, "--shards", 3)[0] == 2
    assert len(stub.requests) == 2 * asked


def test_shards_without_an_engine_are_refused(harness, told, stub, tmp_path):
    code, _, err = harness(*told, "-o", tmp_path / "out", "--shards", 3)
    assert (code, err.count("\n"), "--engine local" in err) == (2, 1, True)
    assert not (tmp_path / "out").exists()


def test_a_shard_that_ends_is_told_and_resume_asks_what_is_missing(harness, told, stub, tmp_path):
    rule, told = stub.rule, [*told, "-o", tmp_path / "out", "--engine", "local", "--shards", 2, "--concurrency", 1]
    stub.rule = lambda body, number: (
        {"status": 401, "error": {"message": "no such key"}} if number > 5 else rule(body, number)
    )
    code, _, err = harness(*told)
    assert code == 2
    assert re.search(r"error: shard [12]/2: .*no such key.*--resume", err)
    stub.rule = rule
    before = len(stub.requests)
    assert harness(*told, "--resume")[0] == 0
    assert len(stub.requests) - before == 18 - 5
    assert len(read_run(tmp_path / "out").answers) == 18


CHANGED = [
    ("--seed", 9, 5), ("--gen_kwargs", "temperature=0.1", 5), ("--limit", 4, 2), ("--repeats", 1, 2),
    ("--tasks", "gsm8k", 2), ("--repeats", 3, 0), ("--tasks", "math500,gsm8k", 0),
]  # fmt: skip
SPREAD = ("--engine", "local", "--shards", 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("lm_eval", "before", "changed"),
    [
        ("stand-in", (), CHANGED),
        ("stand-in", SPREAD, CHANGED),
        pytest.param("real", SPREAD, [CHANGED[0], CHANGED[-2]], marks=pytest.mark.engine),
    ],
    indirect=["lm_eval"],
)
def test_resume_replaces_only_the_same_run_with_no_more(harness, told, tmp_path, before, changed):
    first = {"--tasks": "math500", "--limit": 6, "--repeats": 2}
    own = [each for each in told if each not in {"--tasks", "math500"}]

    def ask(folder, *words, **changed):
        return harness(*own, *chain(*{**first, **changed}.items()), "-o", tmp_path / folder, *words)

    assert ask("first", *before)[0] == 0
    kept = read_run(tmp_path / "first").answers
    for name, value, code in changed:
        shutil.copytree(tmp_path / "first", tmp_path / f"{name} {value}")
        found, _, err = ask(f"{name} {value}", *SPREAD, "--resume", **{name: value})
        answers = read_run(tmp_path / f"{name} {value}").answers
        assert found == code, (name, err)
        assert len(answers) > len(kept) if code == 0 else answers == kept
        assert code == 0 or ask(f"{name} {value}", *SPREAD, "--overwrite", **{name: value})[0] == 0


@REAL
@pytest.mark.skipif(sys.platform != "linux", reason="a process of Linux can end with its parent")
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_no_shard_outlives_the_run_that_asked(told, stub, tmp_path, signum):
    rule = stub.rule
    stub.rule = lambda body, number: {**rule(body, number), "wait_s": 30}
    own = [*map(str, told), "-o", str(tmp_path / "out"), "--engine", "local", "--shards", "2"]
    command = [sys.executable, "-m", "harness.cli", *own]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        wait_until(lambda: len(stub.requests) > 4)
        assert len(members(process.pid)) > 2
        process.send_signal(signum)
    wait_until(lambda: not members(process.pid))


@pytest.mark.parametrize("shards", [2, 5])
def test_when_a_run_is_left_its_shards_end_and_no_other_starts(monkeypatch, tmp_path, shards):
    begun, program = tmp_path / "begun", tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho $$ >> "{begun}"\n[ "$(wc -l < "{begun}")" = 1 ] || exec sleep 600\n')
    program.chmod(0o755)
    monkeypatch.setattr(spread.sys, "executable", str(program))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    ended = spread._here([spread._Shard(str(n), [], tmp_path, tmp_path / f"{n}.log") for n in range(shards)])
    assert next(ended)[1] == 0
    wait_until(lambda: len(begun.read_text().split()) == 2)
    ended.close()
    started = begun.read_text().split()
    assert len(started) == 2
    assert not any(Path("/proc", pid).exists() for pid in started)


@pytest.mark.skipif(sys.platform != "linux", reason="a process of Linux can end with its parent")
def test_a_shard_whose_run_has_ended_before_it_was_up_ends():
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    command = [sys.executable, "-m", "harness.spread", gone.stdout.decode().strip(), "run", "--help"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -signal.SIGTERM


def members(session):
    """The live processes of a session."""
    found = [path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    return [each for each in found if int(each[3]) == session and each[0] != "Z"]


def wait_until(holds):
    for _ in range(150):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it took more than 15 s")


@REAL
def test_a_job_array_as_the_docs_write_it(told, tmp_path):
    array, merge = re.findall(r"```bash\n(#SBATCH.*?)```.*?```bash\n(.*?)```", DOCS.read_text(), re.DOTALL)[0]
    example = "--model vllm --model_args pretrained=./ckpt --tasks math500,aime24"
    ours = array.replace("/8", "/2").replace(example, " ".join(map(str, told[1:])))

    def shell(command, **environment):
        command = command.replace("rewardkit harness", f"{sys.executable} -m harness.cli", 1)
        subprocess.run(["bash", "-ec", command], cwd=tmp_path, env={**os.environ, **environment}, check=True)

    for index in "12":
        shell(ours, SLURM_ARRAY_TASK_ID=index)
    shell(merge)
    assert len(read_run(tmp_path / "runs" / "whole").answers) == 18 * 16


@given(st.integers(1, 16), st.integers(1, 16))
def test_no_two_processes_at_once_share_a_gpu(count, shards):
    devices = [str(number) for number in range(count)]
    groups = shares(devices, shards)
    used = [each for group in groups for each in group]
    assert len(used) == len(set(used))
    assert 1 <= len(groups) <= shards
    assert len({len(group) for group in groups}) == 1
    assert count - len(used) < shards


@pytest.mark.parametrize(("told", "found"), [("", []), ("3", ["3"]), ("0,GPU-8a", ["0", "GPU-8a"])])
def test_visible_devices_are_those_of_the_environment(monkeypatch, told, found):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
    assert local_devices() == found


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "ray"], "--shards 8"),
        (["--engine", "local", "--shards", "2", "--shard", "1/2"], "give one of the two"),
    ],
)
def test_shards_that_cannot_be_are_told(harness, told, stub, options, said):
    code, _, err = harness(*told, *options)
    assert (code, stub.requests) == (2, [])
    assert said in err
