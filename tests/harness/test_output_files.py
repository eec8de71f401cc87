"""No command writes over what it reads, and none over a finished result without --overwrite."""

import json
import os

import pytest

from harness.metrics import summarise
from harness.store import read_run
from rewardkit.cli import rewardkit
from rewardkit.cli import run as command_line
from rewardkit.store import read_meta

MADE = {f"q{n}": [True, n % 2 == 0] for n in range(30)}


@pytest.fixture
def run(run_of, tmp_path):
    return run_of(tmp_path / "run", MADE)


def commands(run, target):
    return {
        "report": ("report", run, "-o", target),
        "compare": ("compare", run, run, "--html", target),
        "baseline": ("gate", run, "--update-baseline", target),
        "junit": ("gate", run, "--min", "accuracy=0.1", "--junit", target),
    }


@pytest.mark.parametrize("third", [[True, False], [True, None]], ids=["judged", "failed"])
def test_rewardkit_score_reads_the_answers_of_a_run_as_they_stand(third, run_of, tmp_path):
    run = run_of(tmp_path / "run", {"x": [True, False], "y": [False, False], "z": third})
    out = tmp_path / "scores.jsonl"
    arguments = ["score", run / "answers.jsonl", "-r", "math", "-o", out, "--quiet", "--max-unjudged", "1"]
    assert command_line(rewardkit, list(map(str, arguments))) == 0
    rows = list(map(json.loads, out.read_text().splitlines()))
    before = read_run(run).answers
    assert [row["id"] for row in rows] == [f"toy/{doc}/{rep}" for doc in range(3) for rep in range(2)]
    assert [row["accuracy"] for row in rows] == [answer.accuracy for answer in before]
    total = read_meta(out)["totals"]["total"]
    assert (total["problems"], total["unjudged"]) == (3, third.count(None))
    [summary] = summarise(read_run(run))
    if None not in third:  # else each row counts alike there, and each problem here
        assert total["interval"] == [summary.accuracy.low, summary.accuracy.high]
        assert total["accuracy"] == pytest.approx(summary.accuracy.value, abs=1e-12)


NAMES = ["report", "compare", "baseline", "junit"]


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", ["answers.jsonl", "problems.jsonl", "run.json"])
@pytest.mark.parametrize("link", [None, os.link, os.symlink])
def test_no_command_writes_over_a_file_that_it_reads(harness, run, tmp_path, name, file, link):
    target = run / file
    if link is not None:
        link(target, tmp_path / "link")
        target = tmp_path / "link"
    before = contents(run)
    for more in ((), ("--overwrite",)):
        code, _, err = harness(*commands(run, target)[name], *more)
        assert code == 2, err
    assert contents(run) == before


@pytest.mark.parametrize("name", NAMES)
def test_no_command_writes_over_a_result_unless_told(harness, run, tmp_path, name):
    target = tmp_path / "out"
    assert harness(*commands(run, target)[name])[0] == 0
    target.write_text("finished")
    code, _, err = harness(*commands(run, target)[name])
    assert (code, "--overwrite" in err, target.read_text()) == (2, True, "finished")
    assert harness(*commands(run, target)[name], "--overwrite")[0] == 0
    assert target.read_text() != "finished"


@pytest.mark.parametrize("name", [*NAMES, "rescore", "found", "clean"])
def test_a_url_never_becomes_a_folder(harness, run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    url = "gs://bucket/out"
    train = tmp_path / "train.jsonl"
    train.write_text('{"question": "What is 2+2?"}\n')
    others = {
        "rescore": ("rescore", run, "-o", url, "--judge_workers", 0),
        "found": ("contamination", run, "--train", train, "-o", url),
        "clean": ("contamination", run, "--train", train, "--clean", url),
    }
    code, _, err = harness(*(commands(run, url) | others)[name])
    assert (code, "is a URL" in err) == (2, True), err
    assert not (tmp_path / "gs:").exists()


EMPTY = {
    "found": ("contamination", "RUN", "--train", "RUN/problems.jsonl", "-o", ""),
    "clean": ("contamination", "RUN", "--train", "RUN/problems.jsonl", "--clean", ""),
    "gate --baseline": ("gate", "RUN", "--min", "accuracy=0.1", "--baseline", ""),
    "gate --config": ("gate", "RUN", "--min", "accuracy=0.1", "--config", ""),
    "merge": ("merge", "RUN", "-o", ""),
    "rescore": ("rescore", "RUN", "-o", ""),
    "run": ("run", "--model", "http://127.0.0.1:9", "--tasks", "math500", "-o", ""),
    "log-dir": ("run", "--model", "http://127.0.0.1:9", "--tasks", "math500", "--log-dir", ""),
}


@pytest.mark.parametrize("name", [*NAMES, *EMPTY])
def test_an_empty_name_is_a_mistake_and_not_an_option_left_out(harness, run, tmp_path, monkeypatch, name):
    """A variable that is not set must not turn a gate into one that compares with nothing."""
    monkeypatch.chdir(tmp_path)
    others = {each: [part.replace("RUN", str(run)) for part in parts] for each, parts in EMPTY.items()}
    before = contents(run)
    code, _, err = harness(*(commands(run, "") | others)[name])
    assert (code, err.count("\n")) == (2, 1)
    assert contents(run) == before
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_the_baseline_that_a_gate_reads_is_not_its_report(harness, run, tmp_path):
    baseline = tmp_path / "b.json"
    harness("gate", run, "--update-baseline", baseline)
    before = baseline.read_bytes()
    assert harness("gate", run, "--baseline", baseline, "--junit", baseline, "--overwrite")[0] == 2
    assert baseline.read_bytes() == before


@pytest.mark.parametrize("name", [".", "link", "new/..", "new/../link"])
def test_rescore_leaves_the_run_that_it_reads(harness, run, tmp_path, name):
    (run / "link").symlink_to(run)
    target = f"{run}/{name}"
    before = contents(run)
    for more in ((), ("--overwrite",)):
        assert harness("rescore", run, "-o", target, "--judge_workers", 0, *more)[0] == 2
    assert harness("rescore", run, "--judge_workers", 0)[0] == 2
    assert contents(run) == before
    assert not (run / "new").exists()


def test_rescore_replaces_another_run_only_when_told(harness, run, run_of, tmp_path):
    other = run_of(tmp_path / "other", {"x": [True]})
    before = contents(other)
    assert harness("rescore", run, "-o", other, "--judge_workers", 0)[0] == 2
    assert contents(other) == before
    assert harness("rescore", run, "-o", other, "--judge_workers", 0, "--overwrite")[0] == 0
    assert harness("report", other, "-o", tmp_path / "r.html")[0] == 0


@pytest.mark.usefixtures("lm_eval")
@pytest.mark.parametrize("file", ["run.json", "answers.jsonl", "journal.jsonl"])
def test_run_leaves_a_directory_with_any_file_of_a_run_alone(harness, stub, small_data, tmp_path, file):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).write_text("finished")
    args = ("run", "--model", stub.url, "--tasks", "math500", "--limit", 2, "--data-dir", small_data)
    args = (*args, "-o", tmp_path / "out", "--judge_workers", 0)
    code, _, err = harness(*args)
    assert (code, "--overwrite" in err) == (2, True)
    assert contents(tmp_path / "out") == {file: b"finished"}
    code, _, err = harness(*args, "--overwrite")
    assert code == 0, err


@pytest.mark.engine
@pytest.mark.parametrize("there", [False, True])
def test_a_model_that_does_not_start_claims_no_directory(harness, small_data, tmp_path, there):
    out = tmp_path / "out"
    if there:
        out.mkdir()
        (out / "note.txt").write_text("mine")
    args = ("--tasks", "math500", "--data-dir", small_data, "-o", out)
    code, _, err = harness("run", "--model", "hf", "--model_args", "pretrained=/nowhere/model", *args)
    assert code == 4, err
    code, _, err = harness("run", "--model", "http://127.0.0.1:9", "--model_args", "max_retries=0,model=m", *args)
    assert (code, "cannot reach" in err) == (4, True)
    assert contents(out) == {"note.txt": b"mine"} if there else not out.exists()
