"""All users of the executor, against all that may go wrong.

| | a row that hangs, loops, exits, crashes, is killed, stops or takes all memory | kill -9 of workers | SIGSTOP of a worker | kill -9 of the parent |
|---|---|---|---|---|
| Executor | here | test_executor.py | test_executor.py | - |
| score, audit | here | here | here | here, with resume |
| harness run | here | the executor's | the executor's | harness/test_run.py, with resume |
| serve, remote | here | serve/test_server.py | here (a row) | serve/test_server.py |
| Ray | here | test_ray_cluster.py | here (a row) | test_ray_cluster.py, with resume |
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from live import TOY, Server, descendants, is_gone, is_worker, wait_for, wait_gone

from rewardkit import Sample, load, remote
from rewardkit.audit import collect
from rewardkit.data.reader import RowReader
from rewardkit.executor import Executor
from rewardkit.ray import Scorer

BAD = ("hang", "loop", "stop", "die", "crash", "kill", "bomb", "raise", "recurse", "nonsense")
WORDS = [word for bad in BAD for word in ("fine", bad, "fine")]
REWARD = f"{TOY}:Trouble"
TIMEOUT_S = 3.0
Values = list[float | None]


def by_command(*options: str) -> Callable[[Path], Values]:
    def judge(path: Path) -> Values:
        command = [
            sys.executable,
            "-m",
            "rewardkit",
            "score",
            path,
            "-r",
            REWARD,
            "-o",
            "-",
            "--max-unjudged",
            "1",
            *options,
        ]
        done = subprocess.run([*map(str, command), "--row-timeout", str(TIMEOUT_S)], stdout=subprocess.PIPE, check=True)
        return [json.loads(line)["reward"] for line in done.stdout.splitlines()]

    return judge


def by_audit(path: Path) -> Values:
    return [facts.value for facts in collect(RowReader([str(path)]), load(REWARD), None, row_timeout_s=TIMEOUT_S)]


def by_harness(workers: int) -> Callable[[Path], Values]:
    def judge(path: Path) -> Values:
        from harness.generation import Generation, Response
        from harness.judging import Judge

        words = [json.loads(line)["completion"] for line in path.read_text().splitlines()]
        with Judge(workers=workers, reward=REWARD, row_timeout_s=TIMEOUT_S) as judge:
            docs = [
                {"question": f"{i}", "ground_truth": f"{i}", "data_source": "toy", "id": f"{i}", "reward": REWARD}
                for i in range(len(words))
            ]
            answers = [
                Response.of(Generation(key=str(i), task="toy", doc_id=i, rep=0, seed=0, text=word))
                for i, word in enumerate(words)
            ]
            for doc, answer in zip(docs, answers, strict=True):
                judge.submit(doc, answer)
            scores = [judge.score(doc, answer) for doc, answer in zip(docs, answers, strict=True)]
        return [None if score is None else score.value for score in scores]

    return judge


def by_executor(path: Path) -> Values:
    with Executor(load(REWARD), workers=2, row_timeout_s=TIMEOUT_S) as executor:
        samples = [Sample(completion=json.loads(line)["completion"]) for line in path.read_text().splitlines()]
        return [score.value for score in executor.score(samples)]


def by_serve(path: Path) -> Values:
    pytest.importorskip("msgspec")
    server = Server(
        "-r", f"trouble={REWARD}", "--workers", "2", "--row-timeout", str(TIMEOUT_S), "--worker-memory", "4096"
    )
    try:
        samples = [json.loads(line) for line in path.read_text().splitlines()]
        answer = server.client.post("/v1/score", json={"samples": samples})
        return [score["value"] for score in answer.json()["scores"]]
    finally:
        assert server.stop() == 0


def by_remote(path: Path) -> Values:
    pytest.importorskip("msgspec")
    server = Server(
        "-r", f"trouble={REWARD}", "--workers", "2", "--row-timeout", str(TIMEOUT_S), "--worker-memory", "4096"
    )
    try:
        samples = [Sample(completion=json.loads(line)["completion"]) for line in path.read_text().splitlines()]
        return [score.value for score in remote(server.url).score(samples)]
    finally:
        assert server.stop() == 0


def by_ray_actor(path: Path) -> Values:
    """What runs in each actor, without a cluster around it."""
    pa = pytest.importorskip("pyarrow")
    scorer = Scorer(REWARD, row_timeout_s=TIMEOUT_S)
    try:
        table = scorer(pa.Table.from_pylist([json.loads(line) for line in path.read_text().splitlines()]))
        return table.column("reward").to_pylist()
    finally:
        scorer.close()


USERS: dict[str, Callable[[Path], Values]] = {
    "score": by_command(),
    "score --workers 2": by_command("--workers", "2"),
    "audit": by_audit,
    "harness": by_harness(2),
    "harness --judge_workers 0": by_harness(0),
    "Executor": by_executor,
    "serve": by_serve,
    "remote": by_remote,
    "Ray actor": by_ray_actor,
}
SLOW = {"score", "harness --judge_workers 0", "serve"}
"""What differs little from another user in the table."""
COMMANDS = {
    "score": ("score", "-r", REWARD, "--workers", "2", "--max-unjudged", "1", "-o"),
    "audit": ("audit", "-r", REWARD, "--workers", "2", "--second", "none", "--rows"),
}


@pytest.mark.parametrize("user", [pytest.param(user, marks=[pytest.mark.slow] * (user in SLOW)) for user in USERS])
def test_a_bad_row_costs_itself_alone(user: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"completion": word, "id": i}) + "\n" for i, word in enumerate(WORDS)))
    assert USERS[user](path) == [1.0 if word == "fine" else None for word in WORDS]


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_worker_outlives_its_command(signum: int, tmp_path: Path) -> None:
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps({"completion": word}) + "\n" for word in ["fine"] * 100 + ["loop"]))
    command = [sys.executable, "-m", "rewardkit", "score", path, "-r", REWARD, "-o", out, "--row-timeout", "600"]
    heed = ["env", "--default-signal=INT"]  # a test run in the background of a shell ignores it, and its children would
    with subprocess.Popen([*heed, *map(str, command)], stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: [pid for pid in descendants(process.pid) if is_busy(pid)])
        pids = descendants(process.pid)
        os.kill(process.pid, signum)
        _, err = process.communicate(timeout=300)
    for pid in pids:
        wait_for(lambda pid=pid: is_gone(pid))
    if signum == signal.SIGINT:
        assert process.returncode == 130
        assert "--resume" in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.lock")) or signum != signal.SIGINT


@pytest.mark.parametrize("fault", ["kill a worker", "stop a worker", "kill the parent"])
@pytest.mark.parametrize("command", COMMANDS)
def test_whatever_happens_to_processes_no_row_is_lost_or_doubled(command: str, fault: str, tmp_path: Path) -> None:
    path, out, gate = tmp_path / "rows.jsonl", tmp_path / "out.jsonl", tmp_path / "gate"
    words = ["fine"] * 300 + [f"wait for {gate}"] * 2 + ["fine"] * 300
    path.write_text("".join(json.dumps({"completion": word, "id": i}) + "\n" for i, word in enumerate(words)))
    first, *options, last = COMMANDS[command]
    timeout_s = "5" if fault == "stop a worker" else "600"
    args = [sys.executable, "-m", "rewardkit", first, path, *options, last, out, "--row-timeout", timeout_s]
    with subprocess.Popen([*map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: process.poll() is not None or (out.exists() and out.read_bytes().count(b"\n") >= 64))
        workers = wait_for(lambda: [pid for pid in descendants(process.pid) if is_worker(pid)])
        pids = descendants(process.pid)
        os.kill(
            process.pid if fault == "kill the parent" else workers[0],
            signal.SIGSTOP if fault == "stop a worker" else signal.SIGKILL,
        )
        gate.touch()
        code = process.wait(timeout=300)
    wait_gone(*pids)
    if fault == "kill the parent":
        assert code == -signal.SIGKILL
        done = subprocess.run([*map(str, args), "--resume"], stdout=subprocess.DEVNULL, check=False)
        code = done.returncode
    assert code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == [str(i) for i in range(len(words))]
    lost = [row["id"] for row in rows if row["reward"] != 1.0]
    assert len(lost) <= (2 if fault == "stop a worker" else 0), lost


def is_busy(pid: int) -> bool:
    """A process that has used more CPU than its start takes: it loops."""
    try:
        fields: list[Any] = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(fields[11]) > 2 * os.sysconf("SC_CLK_TCK")
