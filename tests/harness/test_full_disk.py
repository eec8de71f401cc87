"""Whenever the disk is full during a run: one line that says how to go on, and then nothing is lost and nothing is there twice."""

import json

import pytest
from full_disk import Disk

from harness.fake_server import Stub, answering

pytestmark = pytest.mark.usefixtures("lm_eval")


@pytest.mark.slow
def test_a_disk_that_is_full_after_any_write_loses_and_doubles_nothing(
    harness, golds, small_data, tmp_path, monkeypatch
):
    disk = Disk(monkeypatch)

    def run(out, room, *args):
        disk.room, disk.writes = room, 0
        to = ("--data-dir", small_data, "--limit", 3, "--repeats", 2, "--judge_workers", 0, "-o", tmp_path / out)
        return harness("run", "--model", server.url, "--tasks", "math500", *to, *args)

    with Stub(answering(golds, 0.6)) as server:
        code, _, err = run("whole", 10_000)
        assert code == 0, err
        writes = disk.writes
        for room in range(writes):
            folder = f"run{room}"
            code, _, err = run(folder, room)
            if code == 0:  # only a folder was not synced, which some file systems do not let happen anyway
                assert disk.writes > room
            else:
                *_, line = err.splitlines()
                assert line.startswith("error: cannot write")
                assert "disk is full" in line
                started = (tmp_path / folder / "journal.jsonl").exists()
                assert ("continue with the same command and --resume" in line) is started, line
                code, _, err = run(folder, 10_000, *["--resume"] * started)
                assert code == 0, err
            assert verdicts(tmp_path / folder) == verdicts(tmp_path / "whole")


def verdicts(folder):
    rows = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    return [(row["id"], row["completion"], row["verdict"]) for row in rows]


def test_a_run_that_was_written_in_part_is_not_taken_for_one(harness, run_of, tmp_path, monkeypatch):
    made = run_of(tmp_path / "made", {"a": [True, False], "b": [False, False]})
    disk = Disk(monkeypatch)

    def rescore(out, room, *args):
        disk.room, disk.writes = room, 0
        return harness("rescore", made, "-o", tmp_path / out, "--judge_workers", 0, *args)

    code, _, err = rescore("whole", 10_000)
    assert code == 0, err
    for room in range(disk.writes):
        code, _, err = rescore(f"{room}", room)
        if code != 0:
            assert "disk is full" in err
            disk.room = 10_000
            assert harness("gate", tmp_path / f"{room}", "--min", "accuracy=0")[0] == 2
            code, _, err = rescore(f"{room}", 10_000, "--overwrite")
            assert code == 0, err
        assert verdicts(tmp_path / f"{room}") == verdicts(tmp_path / "whole")
