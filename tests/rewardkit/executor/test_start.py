"""Workers know the caller's script only if the reward stands in it: scripts need no guard, and may come from standard input."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

JUDGE = """
print("here", flush=True)
from rewardkit import Sample, load
from rewardkit.executor import Executor
with Executor({reward}, workers=2) as executor:
    print([score.value for score in executor.score([Sample(completion="4", ground_truth="4")] * 3)])
"""
OWN = """
from dataclasses import dataclass
from rewardkit import SampleReward, Score

@dataclass(frozen=True)
class Mine(SampleReward):
    name = "mine"
    def grade(self, sample):
        return Score.of(True)
"""


def run(script, how, folder):
    """What a script prints, run as a file or from standard input."""
    path = folder / "script.py"
    path.write_text(script)
    command = [sys.executable, str(path)] if how == "file" else [sys.executable, "-"]
    given = None if how == "file" else script
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=120, cwd=folder, check=False)


@pytest.mark.long
@pytest.mark.parametrize("how", ["file", "stdin"])
def test_a_script_needs_no_guard_and_runs_once(how, tmp_path):
    done = run(JUDGE.format(reward="load('exact')"), how, tmp_path)
    assert done.stdout.split("\n") == ["here", "[1.0, 1.0, 1.0]", ""], done.stderr
    assert done.stderr == ""


@pytest.mark.long
@pytest.mark.parametrize("length", [*range(72, 80, 2), 250])
def test_workers_start_however_long_the_path_of_the_temporary_folder_is(length, tmp_path, monkeypatch):
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        long = Path(short, *["x" * (length - len(short) - 1)])
        long.mkdir()
        monkeypatch.setenv("TMPDIR", str(long))
        done = run(JUDGE.format(reward="load('exact')"), "file", tmp_path)
        assert done.stdout.split("\n") == ["here", "[1.0, 1.0, 1.0]", ""], done.stderr
        assert list(long.iterdir()) == []


@pytest.mark.long
def test_a_reward_of_the_script_is_found_behind_a_guard(tmp_path):
    body = "\n".join(f"    {line}" for line in JUDGE.format(reward="Mine()").splitlines())
    done = run(f"{OWN}\nif __name__ == '__main__':\n{body}\n", "file", tmp_path)
    assert done.stdout.split("\n") == ["here", "[1.0, 1.0, 1.0]", ""], done.stderr


@pytest.mark.long
@pytest.mark.parametrize("how", ["file", "stdin"])
def test_a_reward_of_a_script_that_cannot_be_imported_is_an_error_that_says_what_to_do(how, tmp_path):
    done = run(OWN + JUDGE.format(reward="Mine()"), how, tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "define it in a module, or run the script's own work under `if __name__ == '__main__':`"
    )
    assert "None" not in done.stdout
