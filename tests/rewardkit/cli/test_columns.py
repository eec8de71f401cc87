"""Columns that are named, or looked for, and are not there: every command says so, and passes nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

ROW = {"prompt": "What is 2 + 2?", "completion": r"\boxed{4}", "gold": "4", "model_out": r"\boxed{4}"}
COMMANDS = {
    "score": ("--completion-column", "--ground-truth-column", "--group-by"),
    "audit": ("--completion-column", "--ground-truth-column", "--group-by"),
    "view": ("--completion-column", "--ground-truth-column", "--group-by"),
    "attack": ("--prompt-column", "--ground-truth-column"),
    "check-tests": ("--solution-column", "--ground-truth-column"),
}
REQUIRED = {"check-tests": ("--solution-column", "completion"), "attack": ("-r", "math"), "view": ("-r", "math"), "score": ("-r", "math")}  # fmt: skip
NAMED = [(command, option) for command, options in COMMANDS.items() for option in options]


def options_of(command, option, name):
    required = REQUIRED.get(command, ())
    return [option, name] if option in required else [*required, option, name]


@pytest.mark.parametrize(("command", "option"), NAMED)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("modelout", "has no column 'modelout'; did you mean 'model_out'?"),
        ("xyz", "has no column 'xyz'; its columns: prompt, completion, gold, model_out"),
    ],
)
def test_a_column_that_is_not_there_is_refused(command, option, name, said, cli, write_jsonl):
    outcome = cli(command, write_jsonl(ROW), *options_of(command, option, name))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")
    assert outcome.err.endswith(f"{said}\n")


@pytest.mark.parametrize("command", [command for command, option in NAMED if option == "--group-by"])
@pytest.mark.parametrize("option", COMMANDS["score"])
def test_the_first_record_may_lack_the_group_and_nothing_else(command, option, cli, write_jsonl, tmp_path):
    rows = write_jsonl(ROW, {**ROW, "late": "4"}, ROW)
    more = {"view": ("-o", tmp_path / "page.html"), "score": ("--quiet",)}.get(command, ())
    grouped = option == "--group-by"
    truths = ("--ground-truth-column", "gold") if grouped else ()
    outcome = cli(command, rows, *options_of(command, option, "late"), *truths, *more)
    assert (outcome.code, "no column 'late'" in outcome.err) == (0 if grouped else 2, not grouped), outcome.err


def test_columns_of_a_view_without_a_reward_are_refused(cli, write_jsonl):
    assert "need -r REWARD" in cli("view", write_jsonl(ROW), "--group-by", "gold").err


@pytest.mark.parametrize("command", [("score", "-r", "math"), ("attack", "-r", "math", "--fail-over", 1), ("audit",)])
def test_without_a_column_of_ground_truths_nothing_passes_and_all_columns_are_named(command, cli, write_jsonl):
    outcome = cli(command[0], write_jsonl(ROW, ROW), *command[1:])
    assert outcome.code == 4
    said = outcome.err.splitlines()[-1]
    assert "no ground truth column (ground_truth reward_model.ground_truth answer " in said
    assert "its columns: prompt, completion, gold, model_out. Rename one, or name it with --ground-truth-column" in said


def test_a_reward_without_ground_truths_asks_for_no_column(cli, write_jsonl):
    assert cli("score", write_jsonl(ROW), "-r", "think_format").code == 0
    assert "ground truth" not in cli("score", write_jsonl(ROW), "-r", "overlong").err


@pytest.mark.parametrize(("share", "code"), [(0.005, 4), (0.5, 0)])
def test_an_attack_on_rows_that_are_not_judged_passes_only_up_to_their_share(share, code, cli, write_jsonl):
    rows = [{"prompt": f"Question {k}?", "answer": None if k % 4 == 0 else str(500 + 7 * k)} for k in range(20)]
    outcome = cli(
        "attack", write_jsonl(*rows), "-r", "math", "--fail-over", 0.1, "--max-unjudged", share, "--budget", 300
    )
    assert outcome.code == code
    assert (" rows, more than --max-unjudged 0.005; the first: rows:" in outcome.err) == (code == 4)


@pytest.mark.parametrize("command", [("score", "-r", "math"), ("view",), ("view", "-r", "math"), ("audit",)])
def test_a_file_that_is_absent_or_empty_is_called_so(command, cli, tmp_path):
    absent, empty = tmp_path / "absent.jsonl", tmp_path / "empty.jsonl"
    empty.touch()
    for path, said in ((absent, f"cannot read {absent}: No such file or directory"), (empty, f"{empty} has no rows")):
        outcome = cli(command[0], path, *command[1:])
        assert (outcome.code, outcome.err) == (2, f"error: {said}\n")


@pytest.mark.parametrize("command", [("score", "-r", "math"), ("audit",), ("view", "-r", "math")])
def test_a_run_of_the_harness_is_told_from_a_folder_of_data(command, cli, tmp_path):
    for name in ("run.json", "answers.jsonl"):
        (tmp_path / name).write_text("{}\n")
    outcome = cli(command[0], tmp_path, *command[1:])
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert f"{tmp_path} is a run of the harness; name the answers in it: {tmp_path / 'answers.jsonl'}" in outcome.err


def test_the_reasons_are_where_the_message_says(cli, write_jsonl, tmp_path):
    rows, out = write_jsonl({**ROW, "answer": None}), tmp_path / "scores.jsonl"
    assert cli("score", rows, "-r", "math").err.endswith("; -o FILE writes all reasons\n")
    assert cli("score", rows, "-r", "math", "-o", out).err.endswith(f"; {out} has all reasons, in the column `error`\n")
    assert "no ground truth" in json.loads(out.read_text())["error"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_csv_is_read_from_a_pipe(name):
    command = [sys.executable, "-m", "rewardkit", "score", name, "-r", "math", "-o", "-"]
    done = subprocess.run(command, input="completion,answer\n4,4\n", capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["reward"]) == (0, 1.0), done.stderr
