"""Outputs behind URLs: sent whole or kept on this machine, never a folder that is called like the URL."""

import json
from pathlib import Path

import pytest

from rewardkit.cli import main

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def memory():
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"completion": f"\\boxed{{{i}}}", "answer": "4"}) + "\n" for i in range(100)))
    return str(path)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main([*arguments])
    return int(caught.value.code or 0)


def test_rows_and_facts_are_sent_to_the_url(memory, rows, tmp_path):
    assert run("score", rows, "-r", "math", "-o", "memory://bucket/out.jsonl") == 0
    written = [json.loads(line) for line in memory.cat("/bucket/out.jsonl").splitlines()]
    assert [row["accuracy"] for row in written] == [int(i == 4) for i in range(100)]
    assert json.loads(memory.cat("/bucket/out.meta.json"))["status"] == "done"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.jsonl"]


def test_what_is_there_needs_overwrite(memory, rows, capsys):
    memory.pipe("/bucket/out.jsonl", b"precious")
    assert run("score", rows, "-r", "math", "-o", "memory://bucket/out.jsonl") == 2
    assert "--overwrite" in capsys.readouterr().err
    assert memory.cat("/bucket/out.jsonl") == b"precious"
    assert run("score", rows, "-r", "math", "-o", "memory://bucket/out.jsonl", "--overwrite") == 0
    assert memory.cat("/bucket/out.jsonl") != b"precious"


def test_a_url_cannot_be_resumed(memory, rows, capsys):
    assert run("score", rows, "-r", "math", "-o", "memory://bucket/out.jsonl", "--resume") == 2
    assert "on this machine" in capsys.readouterr().err


def test_the_rows_are_sent_last_so_that_who_finds_them_finds_the_rest(memory, rows, monkeypatch):
    sent, put = [], type(memory).put_file

    def record(self, local, remote, **options):
        sent.append(remote.rpartition("/")[2])
        return put(self, local, remote, **options)

    monkeypatch.setattr(type(memory), "put_file", record)
    assert run("score", rows, "-r", "math", "-o", "memory://bucket/out.jsonl") == 0
    assert len(sent) > 1
    assert sent[-1] == "out.jsonl"


def test_rows_that_cannot_be_sent_stay_on_this_machine(memory, rows, capsys, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError("no right to write")

    monkeypatch.setattr(type(memory), "put_file", refuse)
    assert run("score", rows, "-r", "math", "-o", "memory://bucket/out.jsonl") == 4
    message = capsys.readouterr().err
    kept = Path(message.strip().rpartition("the rows are in ")[2])
    assert len(kept.read_text().splitlines()) == 100


@pytest.mark.parametrize("url", ["s3://bucket/report.html", "memory://report.html"])
def test_a_report_is_never_a_folder_that_is_called_like_a_url(url, rows, tmp_path, capsys):
    assert run("audit", rows, "-r", "math", "-o", url) == 2
    assert "is a URL; write to a file on this machine" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.jsonl"]


def test_limit_and_sample_belong_to_the_identity_of_a_run(rows, tmp_path, capsys):
    out = str(tmp_path / "out.jsonl")
    assert run("score", rows, "-r", "math", "-o", out, "--limit", "10") == 0
    assert len(Path(out).read_text().splitlines()) == 10
    assert run("score", rows, "-r", "math", "-o", out, "--resume") == 2
    assert run("score", rows, "-r", "math", "-o", out, "--resume", "--sample", "10") == 2
    assert run("score", rows, "-r", "math", "-o", out, "--resume", "--limit", "10") == 0
