import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from killed import cut_as_by_a_kill

from rewardkit import judging, load
from rewardkit.stats import clustered_interval

Write = Callable[..., Path]
Cli = Callable[..., Any]
RIGHT = {"completion": "4", "answer": "4", "data_source": "sums"}
WRONG = {"completion": "5", "answer": "4", "data_source": "sums"}
NO_TRUTH = {"completion": "5", "data_source": "other"}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_rows_and_facts_are_written_as_designed(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    out = tmp_path / "scores.jsonl"
    assert cli("score", write_jsonl(RIGHT, {**WRONG, "id": 7}), "-r", "exact", "-o", out).code == 0
    first, second = lines(out)
    assert list(first) == [
        "id", "data_source", "accuracy", "score", "reward", "verdict", "answer", "reason", "parts", "elapsed_ms", "error",
    ]  # fmt: skip
    assert (first["accuracy"], first["reward"], first["verdict"], first["error"]) == (1, 1.0, "correct", None)
    assert (second["id"], second["accuracy"]) == ("7", 0)
    meta = json.loads((tmp_path / "scores.meta.json").read_text())
    assert meta["reward"] == "exact"
    assert meta["versions"] == {"exact": load("exact").version}
    assert meta["status"] == "done"
    assert meta["totals"]["total"]["n"] == 2


def test_the_table_has_the_three_columns_of_a_validation(cli: Cli, write_jsonl: Write) -> None:
    out = cli("score", write_jsonl(RIGHT, WRONG, {**RIGHT, "data_source": "b"}), "-r", "exact", "--show", 2).out
    for word in ("Accuracy", "Score", "Reward", "95 % interval", "unjudged", "sums", "0.500", "all"):
        assert word in out


def test_json_totals_go_to_stdout_alone(cli: Cli, write_jsonl: Write) -> None:
    outcome = cli("score", write_jsonl(RIGHT, WRONG), "-r", "exact", "--json")
    totals = json.loads(outcome.out)
    assert totals["total"]["accuracy"] == 0.5
    assert totals["sources"]["sums"]["verdicts"] == {"correct": 1, "wrong": 1}


def test_rows_may_go_to_stdout(cli: Cli, write_jsonl: Write) -> None:
    outcome = cli("score", write_jsonl(RIGHT, WRONG), "-r", "exact", "-o", "-")
    assert [json.loads(line)["reward"] for line in outcome.out.splitlines()] == [1.0, 0.0]
    assert "Accuracy" in outcome.err
    unjudged = cli("score", write_jsonl({**RIGHT, "answer": None}), "-r", "exact", "-o", "-").err
    assert unjudged.endswith("; the output has all reasons, in the column `error`\n")


def test_unjudged_rows_are_counted_named_and_end_in_exit_4(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path = write_jsonl(RIGHT, NO_TRUTH, b"{")
    outcome = cli("score", path, "-r", "exact", "-o", tmp_path / "o.jsonl")
    assert outcome.code == 4
    rows = lines(tmp_path / "o.jsonl")
    assert [row["verdict"] for row in rows] == ["correct", "unjudged", "unjudged"]
    assert rows[1]["accuracy"] is rows[1]["score"] is rows[1]["reward"] is None
    assert rows[1]["error"].startswith(f"{path}:2: ")
    assert rows[2]["error"].startswith(f"{path}:3: broken JSON")
    assert f"the first: {rows[1]['error']}; " in outcome.err
    assert cli("score", path, "-r", "exact", "--max-unjudged", 0.7).code == 0


@pytest.mark.parametrize(
    ("threshold", "code"),
    [
        ("accuracy=0.4", 0),
        ("accuracy=0.6", 1),
        ("reward=0.5", 0),
        ("sums.score=0.51", 1),
        ("reward=-2", 0),
        ("score=3", 1),
    ],
)
def test_fail_under_is_a_gate(threshold: str, code: int, cli: Cli, write_jsonl: Write) -> None:
    assert cli("score", write_jsonl(RIGHT, WRONG), "-r", "exact", "--fail-under", threshold).code == code


@pytest.mark.parametrize("weight", [0.1, 0.7, 1 / 3])
@pytest.mark.parametrize("n", [3, 10, 49, 300])
def test_rewards_that_all_equal_the_floor_reach_it(weight: float, n: int, cli: Cli, write_jsonl: Write) -> None:
    args = (write_jsonl(*[RIGHT] * n), "-r", f"{weight} * exact", "--fail-under")
    assert cli("score", *args, f"reward={weight}").code == 0
    assert cli("score", *args, f"reward={weight + 1e-6}").code == 1


def test_a_gate_without_evidence_is_inconclusive(cli: Cli, write_jsonl: Write) -> None:
    args = ("-r", "exact", "--fail-under", "accuracy=0.1", "--max-unjudged", 1)
    assert cli("score", write_jsonl(NO_TRUTH), *args).code == 3


@pytest.mark.parametrize(
    "args",
    [
        ("-r", "maths"),
        ("-r", "exact", "--fail-under", "accuracy"),
        ("-r", "exact", "--fail-under", "speed=3"),
        ("-r", "exact", "--fail-under", "gsm8k.accuracy=0.1"),
        ("-r", "exact", "--fail-under", "accuracy=90"),
        ("-r", "exact", "--fail-under", "gsm8k.accuracy=-0.1"),
        ("-r", "exact", "--fail-under", "reward=inf"),
        ("-r", "exact", "--max-unjudged", "3"),
        ("-r", "exact", "--workers", "-1"),
        ("-r", "exact", "--show", "-1"),
        ("-r", "exact", "--row-timeout", "0"),
        ("-r", "exact", "--row-timeout", "nan"),
        ("-r", "exact", "--resume"),
        ("-r", "nan * exact"),
        ("-r", "exact", "--completion-column", "text"),
        ("-r", "exact", "-o", "/proc/nowhere/out.jsonl"),
        ("-r", "exact", "--engine", "spark"),
        (),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(args: tuple[str, ...], cli: Cli, write_jsonl: Write) -> None:
    outcome = cli("score", write_jsonl(RIGHT, WRONG), *args)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("error: ")


COUNTING = """
from dataclasses import dataclass
from pathlib import Path
from rewardkit import SampleReward, Score

@dataclass(frozen=True)
class Counting(SampleReward):
    name = "counting"
    def grade(self, sample):
        with Path(__file__).with_name("judged.txt").open("a") as file:
            file.write(sample.id + "\\n")
        return Score.of(sample.completion == sample.ground_truth)
"""


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.9999, 1])
def test_resume_judges_the_rows_that_are_not_there_and_no_others(
    share: float, cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    path = write_jsonl(*[{**RIGHT, "id": i} for i in range(300)])
    out, judged = tmp_path / "o.jsonl", tmp_path / "judged.txt"
    command = ("score", path, "-r", f"{tmp_path}/counting.py:Counting", "-o", out, "--json", "--no-timing")
    assert cli(*command).code == 0
    content = out.read_bytes()
    judged.write_text("")
    whole = cut_as_by_a_kill(out, int(len(content) * share)).count(b"\n")
    outcome = cli(*command, "--resume")
    assert out.read_bytes() == content
    begun = set(judged.read_text().split())  # a row that is slow, on a busy machine say, is put off and begun twice
    assert begun == {str(i) for i in range(whole, 300)}
    assert json.loads(outcome.out)["total"]["n"] == 300


@pytest.mark.long
def test_two_runs_never_write_one_output(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path, out = write_jsonl(*[{**RIGHT, "id": i} for i in range(20_000)]), tmp_path / "o.jsonl"
    command = ["score", str(path), "-r", "exact", "-o", str(out), "--quiet"]
    with subprocess.Popen([sys.executable, "-m", "rewardkit", *command], stdout=subprocess.DEVNULL) as first:
        while not (out.exists() and out.stat().st_size) and first.poll() is None:
            time.sleep(0.005)
        os.kill(first.pid, signal.SIGSTOP)
        for extra in ("--resume", "--overwrite", "--quiet"):
            second = cli(*command, extra)
            assert second.code == 2
            assert f"is being written by another run (process {first.pid} on {os.uname().nodename}" in second.err
        os.kill(first.pid, signal.SIGCONT)
    assert first.returncode == 0
    assert [row["id"] for row in lines(out)] == [str(i) for i in range(20_000)]


@pytest.mark.parametrize(
    "change",
    [
        ("--completion-column", "other"),
        ("--ground-truth-column", "truth"),
        ("--group-by", "g"),
        ("--limit", 7),
        ("--sample", 7),
        ("--sample", 7, "--seed", 3),
        ("--no-timing",),
        ("-r", "2 * exact"),
    ],
)
def test_resume_refuses_whatever_would_make_other_rows(
    change: tuple[object, ...], cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    path = write_jsonl(*[{**RIGHT, "other": "5", "truth": "5", "g": i, "id": i} for i in range(10)])
    out = tmp_path / "o.jsonl"
    assert cli("score", path, "-r", "exact", "-o", out).code == 0
    before = cut_as_by_a_kill(out, len(b"".join(out.read_bytes().splitlines(keepends=True)[:5])))
    reward = () if change[0] == "-r" else ("-r", "exact")
    refused = cli("score", path, *reward, "-o", out, "--resume", *change)
    assert refused.code == 2
    assert ("another reward" if change[0] == "-r" else change[0]) in refused.err
    assert out.read_bytes() == before
    assert cli("score", path, "-r", "exact", "-o", out, "--resume").code == 0
    assert len(lines(out)) == 10


@pytest.mark.parametrize(("command", "rows"), [("score", "-o"), ("audit", "--rows")])
def test_a_reward_that_needs_whole_groups_is_given_no_part_of_one(
    command: str, rows: str, cli: Cli, write_jsonl: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "MAX_GROUP_ROWS", 64)
    near = [{"completion": "4", "prompt": str(i // 2)} for i in range(200)]
    out = tmp_path / "out.jsonl"
    far = cli(
        command, write_jsonl(*near[1:], near[0], name="far.jsonl"), "-r", "majority", rows, tmp_path / "far.jsonl.out"
    )
    assert (far.code, "far.jsonl:200: other rows of its group are far above" in far.err) == (2, True)
    assert not (tmp_path / "far.jsonl.out").exists()  # refused before a row is judged
    (tmp_path / "pipe.out").touch()
    (tmp_path / "pipe.out.meta.json").write_text('{"status": "running", "resumable": false}')
    left = cli(command, write_jsonl(*near), "-r", "majority", rows, tmp_path / "pipe.out")
    assert (left.code, "--overwrite" in left.err, "--resume" in left.err) == (2, True, False)
    file = write_jsonl(*near)
    assert cli(command, file, "-r", "majority", rows, out).code == 0
    assert {row["reward"] for row in lines(out)} == {1.0}
    again = cli(command, file, "-r", "majority", rows, out, "--resume")
    assert (again.code, "majority scores whole groups, so it cannot --resume" in again.err) == (2, True)


def test_resume_refuses_an_output_that_lost_a_row_in_its_middle(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path, out = write_jsonl(*[{**RIGHT, "id": i} for i in range(10)]), tmp_path / "o.jsonl"
    cli("score", path, "-r", "exact", "-o", out)
    kept = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(kept[:3] + kept[4:]))
    outcome = cli("score", path, "-r", "exact", "-o", out, "--resume")
    assert outcome.code == 2
    assert "does not fit the input" in outcome.err


def test_resume_refuses_another_version_of_a_reward_file(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    path, out = write_jsonl(RIGHT), tmp_path / "o.jsonl"
    reward = f"{tmp_path}/counting.py:Counting"
    assert cli("score", path, "-r", reward, "-o", out).code == 0
    (tmp_path / "counting.py").write_text(COUNTING + "# edited\n")
    assert "another reward file" in cli("score", path, "-r", reward, "-o", out, "--resume").err


@pytest.mark.parametrize("damage", [slice(0, -20), slice(0, 40)])
def test_a_damaged_input_is_never_a_finished_run(damage: slice, cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path, out = tmp_path / "rows.jsonl.gz", tmp_path / "o.jsonl"
    content = gzip.compress(b"".join(json.dumps({**RIGHT, "id": i}).encode() + b"\n" for i in range(5_000)))
    path.write_bytes(content[damage])
    assert cli("score", path, "-r", "exact", "-o", out, "--max-unjudged", 1).code in {2, 4}
    if out.exists():
        assert json.loads((tmp_path / "o.meta.json").read_text())["status"] == "incomplete"


def test_the_answers_to_one_problem_are_one_cluster(cli: Cli, write_jsonl: Write) -> None:
    right = [8] * 43 + [6, 5, 5, 4, 4, 3, 3, 2, 1, 0]
    rows = [
        {"completion": "4" if k < count else "5", "answer": "4", "data_source": "aime"}
        for count in right
        for k in range(8)
    ]
    expected = clustered_interval(Counter((count, 8) for count in right))
    for column in ("group", "prompt", "problem_id"):
        path = write_jsonl(*[{**row, column: f"p{index // 8}"} for index, row in enumerate(rows)])
        total = json.loads(cli("score", path, "-r", "exact", "--json").out)["total"]
        assert (total["n"], total["problems"]) == (424, 53)
        assert total["interval"] == pytest.approx((expected.low, expected.high))
        assert "problems" in cli("score", path, "-r", "exact").out


def test_resume_refuses_another_reward_or_input(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path, out = write_jsonl(RIGHT, WRONG), tmp_path / "o.jsonl"
    cli("score", path, "-r", "exact", "-o", out)
    assert "another reward" in cli("score", path, "-r", "2 * exact", "-o", out, "--resume").err
    path.write_text(json.dumps(RIGHT) + "\n")
    assert "another input" in cli("score", path, "-r", "exact", "-o", out, "--resume").err


def test_an_unfinished_run_is_not_overwritten(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path, out = write_jsonl(RIGHT), tmp_path / "o.jsonl"
    cli("score", path, "-r", "exact", "-o", out)
    meta = tmp_path / "o.meta.json"
    meta.write_text(meta.read_text().replace('"done"', '"running"'))
    assert "--resume" in cli("score", path, "-r", "exact", "-o", out).err


@pytest.mark.slow
def test_kill_9_loses_nothing_and_doubles_nothing(write_jsonl: Write, tmp_path: Path) -> None:
    path = write_jsonl(*[{**(RIGHT if i % 3 else WRONG), "id": i} for i in range(60_000)])
    out = tmp_path / "o.jsonl"
    command = [sys.executable, "-m", "rewardkit", "score", str(path), "-r", "exact", "-o", str(out), "--json"]
    for attempt in range(20):
        process = subprocess.Popen([*command, *(["--resume"] if attempt else [])], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 300
        size = out.stat().st_size if out.exists() else 0
        while process.poll() is None and time.monotonic() < deadline:
            if out.exists() and out.stat().st_size > size + 1_500_000:
                os.kill(process.pid, signal.SIGKILL)
                break
            time.sleep(0.005)
        if process.wait() == 0:
            break
    assert process.returncode == 0
    assert [row["id"] for row in lines(out)] == [str(i) for i in range(60_000)]


def test_a_broken_pipe_ends_quietly(write_jsonl: Write) -> None:
    path = write_jsonl(*[RIGHT] * 5000)
    command = f"{sys.executable} -m rewardkit score {path} -r exact -o - --quiet | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["verdict"] == "correct"


def test_a_full_disk_is_one_line_with_the_cure(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    out.symlink_to("/dev/full")
    outcome = cli("score", write_jsonl(*[RIGHT] * 200), "-r", "exact", "-o", out)
    assert outcome.code == 4
    assert outcome.err.startswith("error: cannot write")
    assert "--resume" in outcome.err
    assert outcome.err.count("\n") == 1


def test_stdin_is_a_file_too(write_jsonl: Write) -> None:
    path = write_jsonl(RIGHT, WRONG)
    command = [sys.executable, "-m", "rewardkit", "score", "-", "-r", "exact", "--json"]
    with path.open("rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["total"]["n"] == 2


def test_a_wrong_file_among_good_ones_is_refused_before_work_begins(
    cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    good, bad = write_jsonl(RIGHT), write_jsonl({"verdict": "correct"}, name="verdicts.jsonl")
    out = tmp_path / "o.jsonl"
    outcome = cli("score", good, bad, "-r", "exact", "-o", out)
    assert outcome.code == 2
    assert "verdicts.jsonl has no completion column" in outcome.err
    assert not out.exists()


def test_without_timing_two_runs_are_the_same_bytes(cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path = write_jsonl(RIGHT, WRONG, NO_TRUTH)
    outs = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for out in outs:
        cli("score", path, "-r", "exact", "-o", out, "--no-timing")
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert lines(outs[0])[0]["elapsed_ms"] is None
