"""Standard streams that are closed, as cron and daemons leave them: nothing fails, and no file gets what is printed."""

from __future__ import annotations

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


@pytest.mark.parametrize("closed", CLOSED, ids=str)
def test_a_command_does_its_work_whichever_streams_are_closed(
    closed: tuple[int, ...], write_jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    rows = write_jsonl(*[{"completion": str(n % 3), "ground_truth": "1"} for n in range(9)])
    reward = tmp_path / "loud.py"
    reward.write_text(LOUD)
    streams = ["exec", sys.executable, "-m", "rewardkit", "score", str(rows), "-r", f"{reward}:f", "--no-timing", "-o"]

    def run(out: Path, *closings: str) -> bytes:
        script = " ".join([*streams, str(out), *closings])
        assert subprocess.run(["sh", "-c", script], capture_output=True, check=False, timeout=300).returncode == 0
        return out.read_bytes()

    whole = run(tmp_path / "whole.jsonl")
    assert whole.count(b"\n") == 9
    assert run(tmp_path / "out.jsonl", *[f"{descriptor}>&-" for descriptor in closed]) == whole
