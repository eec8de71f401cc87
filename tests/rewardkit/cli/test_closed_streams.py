"""Standard streams that are closed, as cron and daemons leave them, full or broken: no file and no exit code says something else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

LOUD = """import os, subprocess, sys
def f(completions, **_):
    print("said")
    print("said", file=sys.stderr)
    return [subprocess.call([sys.executable, "-c", "import sys; sys.exit(None in (sys.stdin, sys.stdout, sys.stderr))"]) for _ in completions]
"""
"""A reward that prints, in a worker process, and pays 1 where a process that it starts lacks a stream."""
CLOSED = [chosen for size in (1, 2, 3) for chosen in combinations((0, 1, 2), size)]


@pytest.mark.long
def test_a_command_does_its_work_whichever_streams_are_closed(write_jsonl: Callable[..., Path], tmp_path: Path) -> None:
    rows = write_jsonl(*[{"completion": str(n), "ground_truth": "1"} for n in range(2)])
    reward = tmp_path / "loud.py"
    reward.write_text(LOUD)
    streams = ["exec", sys.executable, "-m", "rewardkit", "score", str(rows), "-r", f"{reward}:f", "--no-timing", "-o"]

    def run(out: Path, *closings: str) -> bytes:
        script = " ".join([*streams, f"'{out}'", *closings])
        assert subprocess.run(["sh", "-c", script], capture_output=True, check=False, timeout=300).returncode == 0
        return out.read_bytes()

    whole = run(tmp_path / "whole.jsonl")
    assert whole.count(b"\n") == 2
    for closed in CLOSED:
        assert run(tmp_path / f"{closed}.jsonl", *[f"{descriptor}>&-" for descriptor in closed]) == whole, closed


FOUND = [
    ("score {rows} -r exact", 0),
    ("score {rows} -r exact --fail-under accuracy=0.9", 1),
    ("score {rows} -r nothing", 2),
    ("score", 2),
    ("score {rows} -r exact -o /dev/full", 4),
    ("score {rows} -r exact -o - >&-", 2),
    ("score {rows} -r exact -o - >/dev/full", 4),
    ("harness gate nothing", 2),
]


@pytest.mark.parametrize(("stderr", "encoding"), [("2>&-", "utf-8"), ("2>/dev/full", "ascii"), ("2>&3", "utf-8")])
@pytest.mark.parametrize(("command", "code"), FOUND)
def test_the_exit_code_says_what_was_found_whatever_stderr_is(
    command: str, code: int, encoding: str, stderr: str, write_jsonl: Callable[..., Path]
) -> None:
    rows = write_jsonl(*[{"completion": str(n % 3), "ground_truth": "1"} for n in range(9)])
    assert exit_code(command.format(rows=rows), stderr, PYTHONIOENCODING=encoding) == code


@pytest.mark.long
@pytest.mark.parametrize(("stdout", "code"), [(">&-", 0), (">/dev/full", 4), (">&3", 141)])
@pytest.mark.parametrize("command", ["list", "--help", "score --help", "--version", "harness --help"])
def test_output_that_cannot_be_written_is_no_success(command: str, stdout: str, code: int) -> None:
    assert exit_code(command, stdout) == code


def exit_code(command: str, redirection: str, **environment: str) -> int:
    """Of a command of which a stream is redirected; 3 is a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    script = f"exec 3>&{writer}; exec {sys.executable} -m rewardkit {command} {redirection}"
    try:
        done = subprocess.run(
            ["bash", "-c", script],
            capture_output=True,
            check=False,
            timeout=300,
            pass_fds=[writer],
            env=os.environ | environment,
        )
    finally:
        os.close(writer)
    assert b"Traceback" not in done.stdout + done.stderr
    return done.returncode
