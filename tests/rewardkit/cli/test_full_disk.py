"""Whenever the disk is full: one line that says how to go on, and then nothing is lost and nothing is there twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from full_disk import Disk


@pytest.mark.parametrize("command", [("score", "-r", "exact", "--no-timing", "-o"), ("audit", "-r", "exact", "--rows")])
def test_a_disk_that_is_full_after_any_write_loses_and_doubles_nothing(
    command: tuple[str, ...],
    cli: Callable[..., Any],
    write_jsonl: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    disk = Disk(monkeypatch)
    rows = write_jsonl(*[{"completion": str(n % 3), "ground_truth": "1", "id": n} for n in range(9)])

    def run(out: str, room: int, *args: str) -> Any:
        disk.room, disk.writes = room, 0
        return cli(*command, tmp_path / out, rows, *args)

    assert run("whole.jsonl", 10_000).code == 0
    writes = disk.writes
    assert writes > 3
    for room in range(writes):
        out = f"{room}.jsonl"
        outcome = run(out, room)
        if outcome.code != 0:
            *_, line = outcome.err.splitlines()
            assert line.startswith("error: cannot write")
            assert "disk is full" in line
            outcome = run(out, 10_000, *["--resume"] * ("continue with the same command and --resume" in line))
            assert outcome.code == 0, outcome.err
        assert judged(tmp_path / out) == judged(tmp_path / "whole.jsonl")


def judged(path: Path) -> list[Any]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [(row["id"], row["verdict"], row["reason"]) for row in rows]
