"""All users of the executor, against all that may go wrong: each row of one table in each column of the other.

| what goes wrong | what it costs |
|---|---|
| a row hangs, loops, exits, crashes, kills or stops its process, takes all memory, raises, recurses or gives nonsense | itself |
| somebody kills a worker (-9) | nothing |
| somebody stops a worker (SIGSTOP) | the row under way |
| somebody kills the process that judges (-9) | no worker outlives it; what was written is kept, the next run does the rest |

The users: commands, which write rows and continue with --resume, and those of users.py, which give all rows at once. On Ray the process
that judges is an actor, which Ray starts again by itself. A cluster that loses nodes or its driver: test_ray_cluster.py. A run of
harness that is continued: harness/test_run.py. The server of `remote` is started again, as a service manager does, and is asked again.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from live import TOY, descendants, is_gone, parent_of, wait_for, wait_gone

BAD = ("hang", "loop", "stop", "die", "crash", "kill", "bomb", "raise", "recurse", "nonsense")
WORDS = [word for bad in BAD for word in ("fine", bad, "fine")]
REWARD = f"{TOY}:Trouble"
START_S = 600
"""Ray starts an actor within seconds, but on a busy machine it may take a minute."""


@dataclass(frozen=True)
class User:
    """A command that judges the rows of a file."""

    args: tuple[str, ...]
    """With ROWS, OUT and SECONDS in it."""
    resumes: bool = False
    goes_on: bool = False
    """It replaces the process that judges by itself."""

    def start(
        self, rows: Path, out: Path, seconds: float, *more: str, before: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        known = {"ROWS": str(rows), "OUT": str(out), "SECONDS": str(seconds)}
        args = [known.get(arg, arg) for arg in self.args]
        env = {**os.environ, "RAY_AUTH_MODE": "disabled"}
        return subprocess.Popen(
            [*before, sys.executable, *args, *more],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
        )


def command(name: str, *options: str) -> tuple[str, ...]:
    return ("-m", "rewardkit", name, "ROWS", "-r", REWARD, "--row-timeout", "SECONDS", *options)


def program(user: str) -> User:
    return User((str(Path(__file__).with_name("users.py")), user, "ROWS", "OUT", "SECONDS"), goes_on=user == "remote")


SCORE = ("--max-unjudged", "1", "--quiet", "-o", "OUT")
USERS = {
    "score": User(command("score", "--workers", "2", *SCORE), resumes=True),
    "score with one worker": User(command("score", *SCORE), resumes=True),
    "score --engine ray": User(
        command("score", "--engine", "ray", "--workers", "2", *SCORE), resumes=True, goes_on=True
    ),
    "audit": User(
        command("audit", "--workers", "2", "--second", "none", "--max-unjudged", "1", "--rows", "OUT"), resumes=True
    ),
    **{
        name: program(name)
        for name in ("Executor", "attack", "harness", "harness --judge_workers 0", "Ray actor", "serve", "remote")
    },
}
SLOW = set(USERS) - {"score", "serve"}
"""All but a command and a server: the others give their rows to the same executor, and each takes seconds to start."""
BY_USER = pytest.mark.parametrize(
    "user", [pytest.param(user, marks=[pytest.mark.slow] * (user in SLOW)) for user in USERS]
)


@pytest.fixture(autouse=True)
def installed(request: pytest.FixtureRequest) -> None:
    user = request.node.callspec.params.get("user", "")
    for word, package in {"serve": "msgspec", "remote": "msgspec", "actor": "pyarrow", "ray": "ray"}.items():
        if word in user.split():
            pytest.importorskip(package)


@pytest.mark.slow
@BY_USER
def test_a_bad_row_costs_itself_alone(user: str, tmp_path: Path) -> None:
    rows, out = write(tmp_path, WORDS), tmp_path / "out.jsonl"
    with USERS[user].start(rows, out, 3.0) as process:
        _, err = process.communicate(timeout=START_S)
    assert process.returncode == 0, err
    assert values(out, WORDS) == [1.0 if word == "fine" else None for word in WORDS]


@pytest.mark.slow
@BY_USER
@pytest.mark.parametrize("fault", ["kill a worker", "stop a worker", "kill the process that judges"])
def test_whatever_happens_to_processes_no_row_is_lost_or_doubled(user: str, fault: str, tmp_path: Path) -> None:
    gate, out = tmp_path / "gate", tmp_path / "out.jsonl"
    words = ["fine"] * 300 + [f"wait for {gate}"] * 2 + ["fine"] * 300
    rows = write(tmp_path, words)
    seconds = 5 if fault == "stop a worker" else START_S
    with USERS[user].start(rows, out, seconds) as process:
        pids, judge, worker = wait_for(lambda: struck(fault, gate, process), bound_s=START_S)
        if fault == "kill the process that judges":
            wait_gone(judge, worker)
        gate.touch()
        _, err = process.communicate(timeout=START_S)
    wait_gone(*pids)
    if fault == "kill the process that judges" and not USERS[user].goes_on:
        assert process.returncode != 0 or values(out, words) != [1.0] * len(words)
        with USERS[user].start(rows, out, seconds, *["--resume"] * USERS[user].resumes) as process:
            _, err = process.communicate(timeout=START_S)
    assert process.returncode == 0, err
    lost = [place for place, value in enumerate(values(out, words)) if value != 1.0]
    assert len(lost) <= (fault == "stop a worker"), lost


@pytest.mark.long
@pytest.mark.parametrize("user", ["score", "audit", "score without output"])
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_worker_outlives_its_command_and_an_interrupt_says_how_to_go_on(
    user: str, signum: int, tmp_path: Path
) -> None:
    gate, out = tmp_path / "gate", tmp_path / "out.jsonl"
    rows = write(tmp_path, ["fine"] * 100 + [f"loop at {gate}"])
    heed = ("env", "--default-signal=INT")  # a test run in the background of a shell ignores it, and its children would
    asked = USERS.get(user, User(command("score")))
    with asked.start(rows, out, START_S, before=heed) as process:
        wait_for(lambda: at_gate(gate, process))
        pids = descendants(process.pid)
        os.kill(process.pid, signum)
        _, err = process.communicate(timeout=START_S)
    wait_gone(*pids)
    if signum == signal.SIGINT:
        assert process.returncode == 130
        how = r"; continue with the same command and --resume, \d+ rows are done" if asked.resumes else ""
        assert re.fullmatch(f"\ninterrupted{how}\n", err)
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.lock")) or signum != signal.SIGINT


def write(folder: Path, words: Sequence[str]) -> Path:
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps({"completion": word, "id": i}) + "\n" for i, word in enumerate(words)))
    return rows


def values(out: Path, words: Sequence[str]) -> list[float | None]:
    """The rewards of all rows, which stand there once and in order; none if not all do."""
    found = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    assert [row["id"] for row in found] == [str(place) for place in range(len(found))]
    return [row["reward"] for row in found] if len(found) == len(words) else []


def struck(fault: str, gate: Path, process: subprocess.Popen[str]) -> tuple[list[int], int, int] | None:
    """All processes, the one that judges and a worker of its at the gate, once one of these two is hit.

    None if the worker is not there any more: a row that takes long is given to another one.
    """
    if (worker := at_gate(gate, process)) is None:
        return None
    with suppress(FileNotFoundError, ProcessLookupError):
        pids, judge = descendants(process.pid), parent_of(parent_of(worker))  # between them is the fork server
        hit = judge if fault == "kill the process that judges" else worker
        os.kill(hit, signal.SIGSTOP if fault == "stop a worker" else signal.SIGKILL)
        return pids, judge, worker
    return None


def at_gate(gate: Path, process: subprocess.Popen[str]) -> int | None:
    """A worker that came to the gate."""
    assert process.poll() is None, process.communicate()
    pids = [int(file.suffix.removeprefix(".at-")) for file in gate.parent.glob("gate.at-*")]
    return next((pid for pid in pids if not is_gone(pid)), None)
