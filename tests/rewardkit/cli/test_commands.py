import errno
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from rewardkit import load, registry
from rewardkit.cli import COMMANDS, EXHAUSTED, UNUSABLE, run

Cli = Callable[..., Any]


def test_list_names_every_reward_with_what_it_needs(cli: Cli) -> None:
    as_json, printed = cli("list", "--json"), cli("list")
    assert as_json.code == printed.code == 0
    entries = json.loads(as_json.out)
    assert [entry["name"] for entry in entries] == registry.names()
    assert all(entry["about"] and entry["version"] >= 1 and entry["source"] is not None for entry in entries)
    assert all(name in printed.out for name in ("math", "tool_call", "overlong"))


def test_explain_says_each_step_and_each_part(cli: Cli) -> None:
    out = cli("explain", "-r", "math + 0.1 * think_format", "-g", "0.5", r"so \boxed{\frac{1}{2}}").out
    for words in ("1 correct", "think_format", "malformed", r"\frac{1}{2}"):
        assert words in out


@pytest.mark.parametrize(
    ("completion", "verdict"), [("-4", "correct"), ("-5", "wrong"), ("-x+3", "wrong"), ("-0.5", "wrong")]
)
def test_explain_takes_negative_numbers(cli: Cli, completion, verdict) -> None:
    assert f" {verdict}" in cli("explain", "-r", "math", "-g", "-4", completion).out


def test_explain_reads_turns_tokens_and_json_truths(cli: Cli) -> None:
    shaped = cli(
        "explain", "-r", "tool_call(math(wrong=-1.0))", "-g", "7", r"\boxed{8}", "--extra-info", '{"num_turns": 4}'
    )
    assert "-0.9 wrong" in shaped.out
    assert "-0.5" in cli("explain", "-r", "overlong(max_tokens=100, buffer=50)", "--tokens", 75, "x").out
    assert "1 correct" in cli("explain", "-r", "exact", "-g", '["a", "b"]', "b").out


@pytest.mark.parametrize("reward", ["math", "exact", "list_match", "boxed_accuracy"])
@pytest.mark.parametrize(
    ("truth", "in_a_row"),
    [
        *[
            (text, text)
            for text in ("[-2,7]", "[-2, 7]", "[1,2)", "{1,2}", "[3]", "[]", "{}", "[[1,2],[3,4]]", '["a", ')
        ],
        *[(json.dumps(value), value) for value in (["-2", "7"], ["[-2,7]", "x"], [["a"]], {"a": 1}, ["{1,2}"])],
    ],
)
def test_explain_judges_as_score_does(
    reward: str, truth: str, in_a_row: object, cli: Cli, write_jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    completion = rf"\boxed{{{in_a_row if isinstance(in_a_row, str) else '[-2,7]'}}}"
    cli("score", write_jsonl({"completion": completion, "ground_truth": in_a_row}), "-r", reward, "-o", tmp_path / "o")
    row = json.loads((tmp_path / "o").read_text())
    explained = cli("explain", "-r", reward, "-g", truth, completion)
    value = "unjudged" if row["score"] is None else f"{row['score']:g} {row['verdict']}"
    assert explained.out.startswith(f"{load(reward).text}  {value}\n")
    assert f"ground truth read as {'text' if truth == in_a_row else 'JSON'}\n" in explained.err


@pytest.mark.parametrize("option", ['{"num_turns":', "[1]"])
def test_explain_refuses_facts_that_are_no_object(option: str, cli: Cli) -> None:
    outcome = cli("explain", "-r", "exact", "-g", "x", "x", "--extra-info", option)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)


@pytest.mark.slow
def test_doctor_tells_what_works_and_the_cure(cli: Cli) -> None:
    facts = json.loads(cli("doctor", "--json").out)
    assert {entry["name"] for entry in facts["sandboxes"]} >= {"docker", "local"}
    assert all(entry["works"] or entry["detail"] for entry in facts["sandboxes"] + facts["extras"])
    assert "sandbox" in cli("doctor").out


def test_an_unknown_command_gets_the_nearest_one(cli: Cli) -> None:
    outcome = cli("scoer")
    assert outcome.code == 2
    assert "did you mean 'score'" in outcome.err


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(name: str, cli: Cli) -> None:
    outcome = cli(name, "--help")
    assert outcome.code == 0
    assert "Usage" in outcome.out
    assert "\\b" not in outcome.out  # click's mark of a block, taken for text


def test_every_command_has_help_without_the_packages_of_the_extras() -> None:
    script = (
        "import sys; from rewardkit.cli import COMMANDS, PACKAGES, rewardkit, run;"
        "sys.modules.update(dict.fromkeys((name for names in PACKAGES.values() for name in names), None));"
        "print([run(rewardkit, [name, '--help']) for name in COMMANDS])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == str([0] * len(COMMANDS))


def test_examples_in_a_help_keep_their_lines(cli: Cli) -> None:
    examples = [line for line in cli("score", "--help").out.splitlines() if line.startswith("  rewardkit score ")]
    assert len(examples) == 3


def test_explain_without_a_judgement_never_ends_in_0(cli: Cli) -> None:
    missing = cli("explain", "-r", "math", r"\boxed{4}")
    assert (missing.code, missing.err) == (2, "error: math needs a ground truth; give it with -g\n")
    unjudged = cli("explain", "-r", "overlong", "x")
    assert unjudged.code == 4
    assert "unjudged" in unjudged.out
    assert cli("explain", "-r", "format", "x").code == 0


@pytest.mark.parametrize("port", [-1, 65_536, 99_999])
def test_serve_refuses_a_port_that_is_none(port: int, cli: Cli) -> None:
    outcome = cli("serve", "-r", "math", "--port", port)
    assert (outcome.code, outcome.err) == (2, f"error: --port is {port}; give a number from 0 to 65535\n")


@pytest.mark.parametrize("group", [(), ("sandbox",)])
def test_a_group_without_a_command_prints_its_help(group: tuple[str, ...], cli: Cli) -> None:
    outcome = cli(*group)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("Usage: ")
    assert "list" in outcome.err


@pytest.mark.parametrize("text", ["math + nan*exact", "inf * math", "math - infinity * exact"])
def test_a_weight_that_is_no_number_is_one_sentence(text: str, cli: Cli) -> None:
    outcome = cli("explain", "-r", text, "-g", "4", "4")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "is not a finite number; give a weight such as 0.1" in outcome.err


def no_temporary_folder() -> Exception:
    """What tempfile raises where no folder can be written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", None)
        patch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere"])
        with pytest.raises(FileNotFoundError) as raised:
            tempfile.gettempdir()
    return raised.value


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ModuleNotFoundError("No module named 'ray'", name="ray"), 2, "pip install 'rewardkit[ray]'"),
        (ModuleNotFoundError("No module named 'torch'", name="torch"), 2, "pip install torch"),
        (ZeroDivisionError("division by zero"), 70, "a bug in rewardkit"),
        (OSError(errno.EIO, "Input/output error"), 4, "see whether the terminal"),
        (RuntimeError("can't start new thread"), 4, EXHAUSTED[errno.EAGAIN]),
        (RuntimeError("a bug"), 70, "a bug in rewardkit"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), 70, "a bug in rewardkit"),
        *[(OSError(number, os.strerror(number), "/a/b"), 2, "cannot use '/a/b': ") for number in UNUSABLE],
        (no_temporary_folder(), 4, "set TMPDIR"),
        (MemoryError(), 4, "Cannot allocate memory; free memory"),
        *[(OSError(number, os.strerror(number)), 4, what_to_do) for number, what_to_do in EXHAUSTED.items()],
    ],
)
def test_an_error_in_any_command_has_its_own_exit_code_and_a_last_line_that_says_what_to_do(
    error: Exception, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def fail() -> None:
        raise error

    assert run(fail, []) == code
    err = capsys.readouterr().err
    assert line in err.splitlines()[-1]
    assert ("Traceback" in err) == (code == 70)


def test_a_current_folder_that_was_removed_is_named(tmp_path: Path) -> None:
    """`--workers` starts processes, which are told where their parent is."""
    folder = tmp_path / "gone"
    folder.mkdir()
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"completion": "\\\\boxed{4}", "ground_truth": "4"}\n' * 3)
    score = f"{sys.executable} -m rewardkit score {rows} -r math --workers 2 -o rows.jsonl"
    done = subprocess.run(
        ["sh", "-c", f"cd {folder} && rmdir {folder} && {score}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, "error: the current folder was removed; change to another one\n")


@pytest.mark.parametrize(
    "words",
    [
        ["score"],
        ["view"],
        ["check-tests"],
        ["audit"],
        ["harness", "report"],
        ["harness", "compare"],
        ["harness", "merge"],
    ],
)
def test_a_command_without_its_files_names_what_is_missing(words: list[str], cli: Cli) -> None:
    outcome = cli(*words)
    assert outcome.code == 2
    assert re.fullmatch(r"error: Missing argument '[A-Z| ]+\.\.\.'\.\n", outcome.err)
