"""Each option and argument of each command, given values that nobody means: a result or an error, never one of ours."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from harness.cli import cli as harness_cli
from rewardkit.cli import rewardkit, run

ROW = '{"prompt": "2 times 3?", "completion": "\\\\boxed{6}", "ground_truth": "6", "id": "1"}\n'
ODD = (
    "", "-1", "0", "1", "nan", "inf", "1e400", "9" * 30, "x", "=", "a=", "accuracy=nan", ",", "[", "{}", "é\u2028",
    ".", "/dev/null", "missing/x", "in.jsonl", "run", "http://x", "math", "math(", "s3://",
)  # fmt: skip
GIVEN: dict[str, tuple[str, ...]] = {
    "score": ("in.jsonl", "-r", "math", "--workers", "0"),
    "explain": ("-r", "math", "-g", "6", "-c", "6"),
    "view": ("in.jsonl", "-r", "math", "-o", "out"),
    "list": (),
    "audit": ("in.jsonl", "-r", "math", "--workers", "0"),
    "attack": ("in.jsonl", "-r", "math", "--budget", "4", "--workers", "0"),
    "check-tests": ("in.jsonl",),
    "merge": ("run", "run", "-o", "out"),
    "tasks": (),
    "rescore": ("run", "-o", "out", "--judge_workers", "0"),
    "compare": ("run", "run"),
    "gate": ("run", "--min", "accuracy=0.1"),
    "contamination": ("run", "--train", "in.jsonl"),
    "report": ("run", "-o", "out"),
    "run": (
        "--model", "URL", "--tasks", "math500", "--data-dir", "DATA", "-o", "out", "--overwrite", "--limit", "1",
        "--judge_workers", "0",
    ),
}  # fmt: skip
"""Each command with what it needs. URL and DATA are a server and a directory of the tests."""
OTHERS = {"serve", "harness", "sandbox", "doctor", "lm-eval"}
"""Commands that go on until they are ended, or look at the machine."""
ENDLESS = {("repeats", "9" * 30)}
"""What is asked for would take for ever."""
DOCUMENTED = {0, 1, 2, 3, 4, 5}


def commands() -> dict[str, tuple[click.Group, click.Command]]:
    found: dict[str, tuple[click.Group, click.Command]] = {}
    for group in (rewardkit, harness_cli):
        context = click.Context(group)
        for name in set(group.list_commands(context)) - OTHERS:
            command = group.get_command(context, name)
            assert command is not None
            found[name] = group, command
    return found


def odd_lines(command: click.Command, given: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What is given with each option added, or the first argument replaced, by each odd value."""
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            yield from ((value, *given[1:]) for value in ODD)
        elif isinstance(parameter, click.Option) and not parameter.is_flag:
            yield from ((*given, parameter.opts[-1], value) for value in ODD if (parameter.name, value) not in ENDLESS)


def test_every_command_is_tried_here() -> None:
    assert set(commands()) == set(GIVEN)


@pytest.mark.slow
@pytest.mark.usefixtures("lm_eval")
@pytest.mark.parametrize("lm_eval", ["stand-in"], indirect=True)
@pytest.mark.parametrize("name", sorted(GIVEN))
def test_odd_values_are_a_result_or_an_error_of_the_caller(
    name: str,
    run_of: Any,
    stub: Any,
    small_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    group, command = commands()[name]
    made = {"URL": stub.url, "DATA": str(small_data)}
    given = tuple(made.get(part, part) for part in GIVEN[name])
    monkeypatch.chdir(tmp_path)
    beside = set(Path("/dev").iterdir())
    for line in odd_lines(command, given):
        Path("in.jsonl").write_text(ROW)
        if not Path("run").is_dir():
            run_of(Path("run"), {"a": [True, False], "b": [None, True]})
        capfd.readouterr()
        code = run(group, [name, *line])
        told = capfd.readouterr()
        assert code in DOCUMENTED, (line, told.err)
        assert told.out or told.err or code == 0, line
    assert set(Path("/dev").iterdir()) == beside
